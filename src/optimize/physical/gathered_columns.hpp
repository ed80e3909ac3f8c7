#pragma once

#include <map>
#include <vector>

#include "optimize/physical/input_column.hpp"
#include "optimize/value/parameters.hpp"

namespace margay::optimize {

//! What a kernel must know to find rows of columns by their numbers, as parameters: these differ
//! from one image of a table to the next. Not thread-safe.
class GatheredColumns {
 public:
  //! Slots of parameters.
  struct Places {
    //! The base of its one segment, or the table of those of its segments.
    size_t base = 0;
    bool has_base_table = false;
    size_t extents = 1;
    size_t rows_per_extent = 0;  //!< only with several extents
    //! Of text: the first row of each extent of bytes but the first.
    std::vector<size_t> text_begins;
  };

  //! `parameters` outlives the object.
  explicit GatheredColumns(Parameters& parameters) : parameters_(parameters) {}

  //! Adds a column whose rows are found by their numbers, or, where that is not so (`is_gathered`),
  //! at least the text column that its values are rows of, if they are.
  void Add(const InputColumn& column, bool is_gathered);
  //! Of a column that was added, or of the one that holds its strings. Throws std::logic_error.
  const Places& Of(const storage::ColumnForm& form) const;

 private:
  void AddForm(const storage::ColumnForm& form, const storage::ColumnImage* text);

  Parameters& parameters_;
  std::map<const storage::ColumnForm*, Places> places_;
};

}  // namespace margay::optimize
