#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compile/calendar_form.hpp"
#include "compile/row_reader.hpp"
#include "compile/text_searches.hpp"
#include "optimize/physical/kernel_values.hpp"
#include "optimize/physical/local_numbers.hpp"

namespace margay::compile {

//! What all writers of one kernel share. Columns and tables have the numbers of the kernel, but
//! nodes know them by those of the program.
class KernelContext {
 public:
  //! `columns` are those that the kernel reads, by the program's numbers. `values` outlives the
  //! object.
  KernelContext(const optimize::KernelValues& values, const optimize::LocalNumbers& numbers,
                const std::vector<InputColumn>& columns)
      : values_(values), numbers_(numbers), has_scan_(values.context.table != SIZE_MAX) {
    for (const InputColumn& column : columns)
      columns_.emplace(column.number, Local(column));
    for (size_t table : values.context.missing_tables) {
      if (numbers.HasTable(table))
        missing_tables_.insert(numbers.TableOf(table));
    }
  }
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;

  const optimize::NodeGraph& Graph() const { return values_.graph; }
  const optimize::Parameters& GetParameters() const { return values_.parameters; }
  const optimize::GatheredColumns& Gathered() const { return values_.gathered; }

  //! A column by its number in the program, with those of the kernel.
  const InputColumn& Column(size_t number) const { return columns_.at(number); }
  //! `column` with the numbers of the kernel.
  InputColumn Local(InputColumn column) const {
    column.number = numbers_.ColumnOf(column.number);
    column.table = numbers_.TableOf(column.table);
    return column;
  }
  //! The kernel's number of a table of the program.
  size_t Table(size_t table) const { return numbers_.TableOf(table); }
  //! Whether a column is of the table that is scanned.
  bool IsScanned(const InputColumn& local) const { return has_scan_ && local.table == 0; }
  //! Whether a left join may have found no row of a column's table.
  bool CanBeMissing(const InputColumn& local) const {
    return missing_tables_.count(local.table) != 0;
  }
  //! The name of a new variable.
  std::string NewVariable() { return "v" + std::to_string(variables_++); }

  TextSearches searches;             //!< made for whole segments, before their rows
  std::set<CalendarForm> calendars;  //!< in use
  //! Code of the words of a group's accumulators and of its index, where a kernel packs groups.
  std::string group_words;
  std::vector<std::string> group_index;

 private:
  const optimize::KernelValues& values_;
  const optimize::LocalNumbers& numbers_;
  const bool has_scan_;
  std::map<size_t, InputColumn> columns_;
  std::set<size_t> missing_tables_;  //!< by the kernel's numbers
  size_t variables_ = 0;
};

//! The columns, by the program's numbers, of whose dictionaries the strings are read.
std::vector<size_t> StringColumns(const optimize::NodeGraph& graph);

}  // namespace margay::compile
