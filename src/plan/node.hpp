#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

enum class NodeKind : uint8_t { Scan, Filter, Project, Join, Aggregate, Order, Union };

//! What becomes of a row of a join's first input, the probe side.
enum class JoinKind : uint8_t {
  Inner,  //!< once per match in the second input, the build side
  Left,   //!< the same; without a match once, with NULLs for the build side
  Semi,   //!< once, if there is a match
  Anti,   //!< once, if there is none
};

//! Whether rows of a join have the columns of its build side.
inline bool GivesBuildSide(JoinKind kind) {
  return kind == JoinKind::Inner || kind == JoinKind::Left;
}

//! One equality of a join, between an expression over each input, both of one type.
struct JoinKey {
  ExpressionPointer probe;
  ExpressionPointer build;
  bool nulls_are_equal = false;  //!< IS NOT DISTINCT FROM rather than =
};

//! One key of an order. Strings are in binary order, floats in the order of comparisons.
struct OrderKey {
  ExpressionPointer expression;
  bool is_descending = false;
  bool nulls_first = false;

  std::string ToString() const;
};

//! The rows of an order that are wanted: `limit` of them, or all, behind the first `offset`.
struct RowWindow {
  std::optional<uint64_t> limit;
  uint64_t offset = 0;

  //! How many rows from the first on decide about those in the window.
  uint64_t End() const;
};

//! A node of the relational plan. Immutable; verified when made.
//!
//! Output columns: Scan its columns; Filter its input's; Project its expressions; Join those of the
//! probe side, then, if Inner or Left, those of the build side; Aggregate its group keys, then its
//! aggregates; Order and Union their input's.
//!
//! Only Projects may be above an Order. Its rows come in that order; those with equal keys, also
//! where there are no keys at all, as the input gives them, if that has an order itself.
class Node {
 public:
  static NodePointer Scan(std::string table, std::vector<ScanColumn> columns);
  static NodePointer Filter(NodePointer input, ExpressionPointer predicate);
  static NodePointer Project(NodePointer input, std::vector<ExpressionPointer> expressions);
  //! Rows match where all `keys` are equal and `residual`, a predicate over the columns of the
  //! probe side followed by those of the build side, is true; it may be null.
  static NodePointer Join(JoinKind kind, NodePointer probe, NodePointer build,
                          std::vector<JoinKey> keys, ExpressionPointer residual);
  static NodePointer GroupBy(NodePointer input, std::vector<ExpressionPointer> groups,
                             std::vector<Aggregate> aggregates);
  static NodePointer Order(NodePointer input, std::vector<OrderKey> keys, RowWindow window);
  //! The rows of `first`, then those of `second`, which has columns of the same types (UNION ALL),
  //! or may be null.
  static NodePointer Union(NodePointer first, NodePointer second);
  //! The rows of `input` as a table of their own: a Union of one input.
  static NodePointer Keep(NodePointer input) { return Union(std::move(input), nullptr); }

  NodeKind Kind() const { return kind_; }
  //! The input; of a Join, the probe side; of a Union, the first one.
  const NodePointer& Input() const { return input_; }
  //! Join: the build side; Union: the second input, which may be null.
  const NodePointer& Build() const { return build_; }
  const std::vector<Type>& OutputTypes() const { return output_types_; }

  const std::string& Table() const { return table_; }                     //!< Scan
  const std::vector<ScanColumn>& Columns() const { return columns_; }     //!< Scan
  const ExpressionPointer& Predicate() const { return expressions_[0]; }  //!< Filter
  //! Project: the output; GroupBy: the group keys
  const std::vector<ExpressionPointer>& Expressions() const { return expressions_; }
  const std::vector<Aggregate>& Aggregates() const { return aggregates_; }  //!< Aggregate
  JoinKind GetJoinKind() const { return join_kind_; }                       //!< Join
  const std::vector<JoinKey>& Keys() const { return keys_; }                //!< Join
  const ExpressionPointer& Residual() const { return residual_; }           //!< Join; may be null
  const std::vector<OrderKey>& OrderKeys() const { return order_keys_; }    //!< Order
  const RowWindow& Window() const { return window_; }                       //!< Order

  //! One line per node, the top first, inputs indented.
  std::string ToString() const;

 private:
  explicit Node(NodeKind kind) : kind_(kind) {}

  NodeKind kind_;
  NodePointer input_;
  NodePointer build_;
  std::vector<Type> output_types_;
  std::string table_;
  std::vector<ScanColumn> columns_;
  std::vector<ExpressionPointer> expressions_;
  std::vector<Aggregate> aggregates_;
  JoinKind join_kind_ = JoinKind::Inner;
  std::vector<JoinKey> keys_;
  ExpressionPointer residual_;
  std::vector<OrderKey> order_keys_;
  RowWindow window_;
};

//! The output columns of `node` as expressions without names, as where they are behind `offset`
//! others.
std::vector<ExpressionPointer> OutputColumns(const Node& node, size_t offset = 0);

//! Whether both give the same rows of the same tables, in the same settings. Names of columns don't
//! count.
bool SameNode(const Node& left, const Node& right);
//! Equal for nodes that are the same.
size_t HashOf(const Node& node);

//! Whether an expression of `node` or below holds a dictionary function.
bool UsesDictionaryFunctions(const Node& node);
//! Whether one of these may give other results than one that is written alike.
bool DependsOnSettings(const Node& node);

//! Whether an expression of `node` or below holds the number of a row.
bool UsesRowNumbers(const Node& node);

//! `node` with other inputs, with columns of the same types; `build` is null where it has none.
NodePointer WithInputs(const Node& node, NodePointer input, NodePointer build);

//! The scan at the bottom of `node`, on the probe side of its joins.
const Node& BottomScan(const Node& node);

//! All scans of `node`, those of a first input before those of a second one: the first is
//! BottomScan(node).
std::vector<const Node*> Scans(const Node& node);

//! The inputs of a union, and of unions that are inputs of it, in the order of their rows.
std::vector<NodePointer> UnionInputs(const NodePointer& node);

//! Whether the rows come in the order of the tables that are scanned, one after the other: there
//! are no joins, groups or keys of an order.
bool KeepsOrderOfScans(const Node& node);

std::string_view JoinKindName(JoinKind kind);

}  // namespace margay::plan
