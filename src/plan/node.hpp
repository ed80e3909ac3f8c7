#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/expression.hpp"

namespace margay::plan {

//! A column that a scan reads.
struct ScanColumn {
  uint64_t id = 0;  //!< the table's own number of the column, stable for one table
  std::string name;
  Type type;
};

enum class AggregateFunction : uint8_t {
  CountStar,
  Count,
  Sum,  //!< integral: exact, `type` says of which width the result is; floats in Float64
  Average,
  Min,
  Max,
};

//! One aggregate: `function(argument)` with a result of `type`. NULL arguments are skipped.
struct Aggregate {
  AggregateFunction function = AggregateFunction::CountStar;
  ExpressionPointer argument;  //!< none for CountStar
  Type type;

  std::string ToString() const;
};

class Node;
using NodePointer = std::shared_ptr<const Node>;

enum class NodeKind : uint8_t { Scan, Filter, Project, Aggregate };

//! A node of the relational plan. Immutable; verified when made.
//!
//! Output columns: Scan its columns; Filter its input's; Project its expressions; Aggregate its
//! group keys, then its aggregates.
class Node {
 public:
  static NodePointer Scan(std::string table, std::vector<ScanColumn> columns);
  static NodePointer Filter(NodePointer input, ExpressionPointer predicate);
  static NodePointer Project(NodePointer input, std::vector<ExpressionPointer> expressions);
  static NodePointer GroupBy(NodePointer input, std::vector<ExpressionPointer> groups,
                             std::vector<Aggregate> aggregates);

  NodeKind Kind() const { return kind_; }
  const NodePointer& Input() const { return input_; }
  const std::vector<Type>& OutputTypes() const { return output_types_; }

  const std::string& Table() const { return table_; }                     //!< Scan
  const std::vector<ScanColumn>& Columns() const { return columns_; }     //!< Scan
  const ExpressionPointer& Predicate() const { return expressions_[0]; }  //!< Filter
  //! Project: the output; GroupBy: the group keys
  const std::vector<ExpressionPointer>& Expressions() const { return expressions_; }
  const std::vector<Aggregate>& Aggregates() const { return aggregates_; }  //!< Aggregate

  //! One line per node, the top first, inputs indented.
  std::string ToString() const;

 private:
  explicit Node(NodeKind kind) : kind_(kind) {}

  NodeKind kind_;
  NodePointer input_;
  std::vector<Type> output_types_;
  std::string table_;
  std::vector<ScanColumn> columns_;
  std::vector<ExpressionPointer> expressions_;
  std::vector<Aggregate> aggregates_;
};

//! Whether an expression of `node` or below holds a dictionary function.
bool UsesDictionaryFunctions(const Node& node);

//! The scan at the bottom of `node`.
const Node& BottomScan(const Node& node);

}  // namespace margay::plan
