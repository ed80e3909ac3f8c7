#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb/capture.hpp"
#include "duckdb/capture_expression.hpp"
#include "duckdb/planner/logical_operator.hpp"

namespace margay::integration {

//! Why something is not captured; none where it is.
using Reason = std::optional<std::string>;

//! A subtree captured so far: a part, unless the operator above it joins in.
struct Relation {
  CapturedPart part;  //!< its tables; the rest is filled in by FinishPart
  plan::NodePointer node;
  CaptureScope scope;  //!< its bindings are those of the topmost DuckDB operator, in order
};

//! Each adds one DuckDB operator to `relation`, the capture of that operator's input (nothing, for
//! a GET). Where it gives a reason, `relation` is of no use any more.
Reason AddGet(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);
Reason AddFilter(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);
Reason AddProjection(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                     Relation& relation);
Reason AddAggregate(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                    Relation& relation);

//! Why no join like `op`, a COMPARISON_JOIN, is captured, whatever its inputs are.
Reason RefuseJoin(const duckdb::LogicalOperator& op);

//! Joins `left` and `right`, the captures of the inputs of `op`, which RefuseJoin does not refuse.
Reason AddJoin(duckdb::ClientContext& context, duckdb::LogicalOperator& op, const Relation& left,
               const Relation& right, Relation& result);

//! Whether `op` is what DuckDB makes of an IN with a long list of constants outside of aggregates:
//! a MARK join with that list, whose mark, true, false or NULL, is a column more.
bool IsInList(const duckdb::LogicalOperator& op);

//! Adds such an `op` to `relation`, the capture of its first input.
Reason AddInList(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);

//! The bindings that a projection map of DuckDB's chooses; all of them where it is empty.
std::vector<CapturedBinding> MapBindings(const std::vector<CapturedBinding>& bindings,
                                         const duckdb::vector<duckdb::idx_t>& projection_map);

//! Takes names away that occur twice: a column with no name shows its number.
void NameOnce(std::vector<CapturedColumn>& columns);

//! Filters `relation` by all of `conjuncts`, together with a filter that is on top of it already.
void AddConjuncts(const std::vector<plan::ExpressionPointer>& conjuncts, Relation& relation);

//! Completes `relation.part`, whose topmost operator is `op`.
Reason FinishPart(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);

//! `what` with the words that end most reasons.
inline std::string NotSupported(const std::string& what) {
  return what + " is not supported yet";
}

}  // namespace margay::integration
