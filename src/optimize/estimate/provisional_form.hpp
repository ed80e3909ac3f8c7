#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "plan/type.hpp"
#include "storage/column_form.hpp"

namespace margay::optimize {

//! What a database says of a column whose rows nobody has encoded yet.
struct ColumnBounds {
  struct Interval {
    Int128 low = 0;
    Int128 high = 0;
  };

  //! No integral value lies outside; none where that is not known.
  std::optional<Interval> interval = {};
  bool can_be_null = true;
  uint64_t distinct_values = 0;  //!< an estimate; 0 where there is none
};

//! The form that a column of `type` with `rows` rows will about have once it is encoded, so that a
//! plan over it can be lowered and priced before. A program of such columns never runs. Strings are
//! taken to have a dictionary, of which only the size is known; a column with nearly as many values
//! as rows is taken to be unique.
std::shared_ptr<const storage::ColumnForm> ProvisionalForm(const plan::Type& type, uint64_t rows,
                                                           const ColumnBounds& bounds);

}  // namespace margay::optimize
