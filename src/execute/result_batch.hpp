#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "plan/type.hpp"
#include "storage/dictionary.hpp"

namespace margay::execute {

//! One column of a result batch.
struct ResultColumn {
  plan::Type type;
  //! In DuckDB's vector layout for `type`; a Varchar as uint32_t codes into `dictionary`, or, where
  //! there is none, as std::string_view.
  const std::byte* values = nullptr;
  //! One byte per row, 0 = NULL; none if no row is NULL.
  const uint8_t* validity = nullptr;
  std::shared_ptr<const storage::Dictionary> dictionary;
};

//! Rows of a device part's result, in order. Valid as long as `owner` is held.
struct ResultBatch {
  size_t rows = 0;
  std::vector<ResultColumn> columns;
  std::shared_ptr<const void> owner;
};

}  // namespace margay::execute
