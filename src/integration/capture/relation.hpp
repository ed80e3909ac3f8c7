#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duckdb/planner/logical_operator.hpp"
#include "integration/capture/expression.hpp"
#include "integration/capture/find_parts.hpp"
#include "integration/version/bindings.hpp"

namespace duckdb {
class LogicalGet;
}  // namespace duckdb

namespace margay::integration {

//! Why something is not captured; none where it is.
using Reason = std::optional<std::string>;

struct Relation;

//! A relation without the projections above it, which would rather be left to DuckDB.
struct RelationBelow {
  std::shared_ptr<const Relation> relation;
  duckdb::unique_ptr<duckdb::LogicalOperator>* place = nullptr;
  std::vector<const duckdb::LogicalOperator*> projections;  //!< the lowest first
};

//! A subtree captured so far: a part, unless the operator above it joins in.
struct Relation {
  CapturedPart part;  //!< what it is; the rest is filled in by FinishPart
  plan::NodePointer node;
  std::map<plan::NodePointer, CapturedTable> tables;  //!< by scan of `node`
  CaptureScope scope;  //!< its bindings are those of the topmost DuckDB operator, in order
  //! Set where nothing but projections has joined in above an aggregate.
  std::optional<RelationBelow> below;
  //! The same relation for operators above it, where that is another one.
  std::shared_ptr<const Relation> for_above;

  const Relation& ForAbove() const { return for_above ? *for_above : *this; }
};

//! Why the table that `get` scans can't be cached, whatever is read of it.
Reason RefuseTable(const duckdb::LogicalGet& get);

//! Each adds one DuckDB operator to `relation`, the capture of that operator's input (nothing, for
//! a GET). Where it gives a reason, `relation` is of no use any more.
Reason AddGet(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);
Reason AddFilter(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);
Reason AddProjection(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                     Relation& relation);
Reason AddAggregate(duckdb::ClientContext& context, duckdb::LogicalOperator& op,
                    Relation& relation);

//! Some operators have the rows of an input several times in the plan, and so have those above them
//! theirs: beyond `kMostScans` there is too much to plan and to compute. Why `name`, whose inputs
//! are scanned `scans` times in all, is beyond.
inline constexpr size_t kMostScans = 32;
Reason RefuseScans(const std::string& name, size_t scans);

//! Adds a DISTINCT, as groups without aggregates, or a DISTINCT ON, see optimize::FirstRows.
Reason AddDistinct(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);

//! Adds an ORDER_BY, a TOP_N or a LIMIT.
Reason AddOrder(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);

//! Whether `relation` has an order or a limit: nothing but projections may be added to it then, the
//! same order once more, and a limit, where it has none.
bool IsOrdered(const Relation& relation);

//! Takes the order of `relation` away, unless it says which rows there are, or its keys may raise
//! errors: for operators whose results don't depend on it.
void ForgetOrder(Relation& relation);

//! Whether `op` can be added to a relation that has an order.
bool KeepsOrder(const duckdb::LogicalOperator& op);

//! Whether the result of `op` does not depend on the order of its input.
bool IgnoresOrder(const duckdb::LogicalOperator& op);

//! Captures `op`, a UNION ALL of `inputs`; inputs that are known to have no rows are not there.
Reason AddUnion(const duckdb::LogicalOperator& op, const std::vector<Relation>& inputs,
                Relation& result);

//! Why no join like `op`, a COMPARISON_JOIN, a DELIM_JOIN, an ANY_JOIN, a CROSS_PRODUCT, an
//! INTERSECT or an EXCEPT, is captured, whatever its inputs are.
Reason RefuseJoin(const duckdb::LogicalOperator& op);

//! Whether no row of the right input of such an `op` comes out of it by itself.
bool LooksUpRight(const duckdb::LogicalOperator& op);

//! Joins `left` and `right`, the captures of the inputs of `op`, which RefuseJoin does not refuse.
Reason AddJoin(duckdb::ClientContext& context, duckdb::LogicalOperator& op, const Relation& left,
               const Relation& right, Relation& result);

//! What the inputs of a DELIM_JOIN share, one of which is the rows of an outer query, and the other
//! one a sub-query that refers to columns of them, through DELIM_GETs.
struct Domain {
  Relation relation;                            //!< the different values of these columns
  std::vector<plan::ExpressionPointer> values;  //!< the columns, of the outer rows
};

//! Which of the inputs of `op`, a DELIM_JOIN, has the rows of the outer query; the other one is the
//! sub-query.
size_t OuterInput(const duckdb::LogicalOperator& op);

//! Makes the domain of `op`, a DELIM_JOIN whose outer rows are `outer`.
Reason MakeDomain(duckdb::ClientContext& context, const duckdb::LogicalOperator& op,
                  const Relation& outer, Domain& domain);

//! The capture of `op`, a DELIM_GET that reads `domain`.
Reason ReadDomain(const duckdb::LogicalOperator& op, const Domain& domain, Relation& relation);

//! Makes `relation`, a join with the result of a sub-query over `domain`, do without the domain
//! where it can.
void LeaveOutDomain(const Domain& domain, Relation& relation);

//! The capture of `op`, a CTE_SCAN that reads what `definition` is the capture of.
Reason ReadCommonTable(const duckdb::LogicalOperator& op, const Relation& definition,
                       Relation& relation);

//! Whether `op`, a join, is what DuckDB makes of a scan with ORDER BY or LIMIT of few rows: a SEMI
//! join by the row id of the scan, `rows`, with those rows, `found` by the columns that this takes.
//! Both are the captures of its inputs.
bool IsFetch(const duckdb::LogicalOperator& op, const Relation& rows, const Relation& found);

//! The result of such a join, in the order in which the rows were found.
Relation FetchRows(const Relation& rows, const Relation& found);

//! Whether `op` is what DuckDB makes of an IN with a long list of constants outside of aggregates:
//! a MARK join with that list, whose mark, true, false or NULL, is a column more.
bool IsInList(const duckdb::LogicalOperator& op);

//! Adds such an `op` to `relation`, the capture of its first input.
Reason AddInList(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);

//! What the bindings of `relation` stand for, in their order, as columns; a reason where one has
//! none.
Reason SelectBound(const Relation& relation, plan::NodePointer& selected);

//! The bindings that a projection map of DuckDB's chooses; all of them where it is empty.
std::vector<CapturedBinding> MapBindings(const std::vector<CapturedBinding>& bindings,
                                         const ProjectionMap& projection_map);

//! Takes names away that occur twice: a column with no name shows its number.
void NameOnce(std::vector<CapturedColumn>& columns);

//! Filters `relation` by all of `conjuncts`, together with a filter that is on top of it already.
void AddConjuncts(const std::vector<plan::ExpressionPointer>& conjuncts, Relation& relation);

//! Completes `relation.part`, whose topmost operator is `op`.
Reason FinishPart(duckdb::ClientContext& context, duckdb::LogicalOperator& op, Relation& relation);

//! `what` with the words that end most reasons.
std::string NotSupported(const std::string& what);

}  // namespace margay::integration
