#pragma once

#include <optional>

#include "integration/capture/scope.hpp"

namespace margay::integration {

//! Whether `expression` compresses a VARCHAR to an integer.
bool IsCompressedText(const duckdb::Expression& expression);

//! Whether `expression` makes a VARCHAR of such an integer.
bool IsDecompressedText(const duckdb::Expression& expression);

//! Whether the column is the table's VARCHAR column, compressed to an integer.
bool IsCompressedTableText(const CapturedColumn& column);

//! The table's VARCHAR column that `expression`, a column of `scope`, is compressed from; null if
//! it is not. Both have the same order.
plan::ExpressionPointer UncompressedText(const plan::Expression& expression,
                                         const CaptureScope& scope);

//! Tells which expressions depend on one VARCHAR column of a table alone, and makes them functions
//! of that column.
class TextOrigins {
 public:
  //! `scope` outlives it.
  explicit TextOrigins(const CaptureScope& scope) : scope_(scope) {}

  //! The origin of `expression`, which ExpressionCapture accepts, as far as its column has one.
  std::optional<TextOrigin> Of(const duckdb::Expression& expression) const;
  //! The table's VARCHAR column that the whole of `expression` depends on, if it is fit for a
  //! dictionary function.
  std::optional<size_t> DictionaryBase(const duckdb::Expression& expression) const;
  //! The table's VARCHAR column that `expression` gives back, having been compressed below.
  std::optional<size_t> DecompressedBase(const duckdb::Expression& expression) const;
  //! `expression`, which has a base, over BoundReferenceExpression(0) in place of it.
  duckdb::unique_ptr<duckdb::Expression> OverBase(const duckdb::Expression& expression) const;

 private:
  bool CollectBase(const duckdb::Expression& expression, std::optional<size_t>& base) const;

  const CaptureScope& scope_;
};

}  // namespace margay::integration
