#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/type.hpp"

namespace margay::plan {

//! What a dictionary function gives for every value of a dictionary, and for NULL.
//!
//! Entry i belongs to dictionary value i; the last entry (index = number of values) to NULL.
//! Of the three value vectors only the one that fits the function's type is filled.
struct DictionaryResults {
  enum class State : uint8_t {
    Valid,
    Null,
    Error,  //!< the function failed on this value; that counts only if a surviving row uses it
  };

  std::vector<State> states;
  std::vector<Int128> integers;    //!< integral types; a UInt128's bit pattern
  std::vector<double> reals;       //!< Float32 and Float64
  std::vector<std::string> texts;  //!< Varchar
};

//! A deterministic expression over one VARCHAR column and constants, evaluated by the front-end
//! once per distinct value instead of once per row. Implementations are thread-safe.
class DictionaryFunction {
 public:
  virtual ~DictionaryFunction() = default;

  virtual Type ResultType() const = 0;
  //! Whether all results compare as their values do, so that no two are the same, and NULL alone
  //! has NULL.
  virtual bool IsIncreasing() const { return false; }
  //! Whether all functions that are written alike (ToString) give the same results, whatever the
  //! settings of a connection are.
  virtual bool DependsOnTextAlone() const { return false; }
  //! Evaluates the function over all `values` and over NULL.
  virtual DictionaryResults Evaluate(std::span<const std::string_view> values) const = 0;
  //! The expression with `argument` in the place of the column, constants included.
  virtual std::string ToString(const std::string& argument) const = 0;
  //! Whether both give the same results for every value, in the same settings. False where that is
  //! not certain.
  virtual bool Equals(const DictionaryFunction& other) const { return this == &other; }
  //! Equal for functions that are equal.
  virtual size_t Hash() const { return std::hash<const DictionaryFunction*>()(this); }
};

}  // namespace margay::plan
