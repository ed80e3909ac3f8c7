#pragma once

#include <set>
#include <vector>

#include "optimize/physical/join_table.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! Which group keys of a pipeline follow from the others, because those name one row of a table (a
//! primary key, which statistics prove), and which rows of joined tables follow from that one.
class GroupDependence {
 public:
  //! All outlive the object. `columns` are those of all tables.
  GroupDependence(const Stage& stage, const std::vector<JoinTable>& join_tables,
                  const std::vector<InputColumn>& columns)
      : stage_(stage), join_tables_(join_tables), columns_(columns) {}

  //! For each group key of the result: whether it depends on those that don't. A dependent key
  //! reads columns only of tables whose row is the same for all rows of a group.
  std::vector<bool> DependentKeys() const;

 private:
  //! Whether group key `key` follows from `kept`.
  bool Follows(size_t key, const std::vector<size_t>& kept) const;
  //! The tables of which all rows of a group have the same row, given equal keys `kept`.
  std::set<size_t> FixedTables(const std::vector<size_t>& kept) const;

  const Stage& stage_;
  const std::vector<JoinTable>& join_tables_;
  const std::vector<InputColumn>& columns_;
};

}  // namespace margay::optimize
