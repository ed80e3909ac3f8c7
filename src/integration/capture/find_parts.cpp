#include "integration/capture/find_parts.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/planner/operator/logical_cteref.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/operator/logical_materialized_cte.hpp"
#include "integration/capture/relation.hpp"
#include "integration/capture/text_origins.hpp"
#include "integration/capture/user_errors.hpp"
#include "integration/capture/walk_taps.hpp"
#include "integration/version/table_scans.hpp"

namespace margay::integration {

namespace {

using duckdb::LogicalOperator;
using duckdb::LogicalOperatorType;

std::string NameOf(const LogicalOperator& op) {
  return duckdb::LogicalOperatorToString(op.type);
}

bool Contains(const LogicalOperator& op, bool (*test)(const LogicalOperator&)) {
  return test(op) || std::any_of(op.children.begin(), op.children.end(),
                                 [&](const auto& child) { return Contains(*child, test); });
}

//! Statements whose plans are left as they are: their operators look into their inputs.
bool ChangesRowsOrStructure(const LogicalOperator& op) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_UPDATE:
    case LogicalOperatorType::LOGICAL_DELETE:
    case LogicalOperatorType::LOGICAL_MERGE_INTO:
    case LogicalOperatorType::LOGICAL_ALTER:
    case LogicalOperatorType::LOGICAL_CREATE_INDEX:
    case LogicalOperatorType::LOGICAL_COPY_DATABASE:
    case LogicalOperatorType::LOGICAL_EXPORT:
    case LogicalOperatorType::LOGICAL_VACUUM:
      return true;
    default:
      return false;
  }
}

bool IsTableScan(const LogicalOperator& op) {
  return op.type == LogicalOperatorType::LOGICAL_GET &&
         op.Cast<duckdb::LogicalGet>().GetTable() != nullptr;
}

//! No part may lie below: the inputs run many times, or belong together in ways that show only in
//! the physical plan.
bool IsClosed(const LogicalOperator& op) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_DEPENDENT_JOIN:
    case LogicalOperatorType::LOGICAL_RECURSIVE_CTE:
    case LogicalOperatorType::LOGICAL_EXTENSION_OPERATOR:
      return true;
    default:
      return false;
  }
}

//! Whether a device should go on with `op` where DuckDB gives the rows of its input. Filters and
//! projections DuckDB does as they pass by, and a LIMIT wants only some of them. But strings that a
//! projection compresses are wanted as they are: above they are decompressed again.
bool IsWorthTap(const LogicalOperator& op) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_PROJECTION:
      return std::any_of(op.expressions.begin(), op.expressions.end(),
                         [](const auto& expression) { return IsCompressedText(*expression); });
    case LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY:
    case LogicalOperatorType::LOGICAL_DISTINCT:
    case LogicalOperatorType::LOGICAL_ORDER_BY:
    case LogicalOperatorType::LOGICAL_TOP_N:
      return true;
    default:
      return false;
  }
}

//! Operators that say what to do with the rows of a query, and are no part of it.
bool IsStatement(const LogicalOperator& op) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_EXPLAIN:
    case LogicalOperatorType::LOGICAL_INSERT:
    case LogicalOperatorType::LOGICAL_CREATE_TABLE:
    case LogicalOperatorType::LOGICAL_CREATE_TYPE:
    case LogicalOperatorType::LOGICAL_COPY_TO_FILE:
    case LogicalOperatorType::LOGICAL_EXECUTE:
    case LogicalOperatorType::LOGICAL_PREPARE:
      return true;
    default:
      return false;
  }
}

//! One walk over a plan, bottom up: a subtree grows by the operator above it as long as that can be
//! captured, and becomes a part where it can't.
class PlanWalk {
 public:
  explicit PlanWalk(duckdb::ClientContext& context) : context_(context) {}

  CaptureFindings Run(duckdb::unique_ptr<LogicalOperator>& plan) {
    if (std::optional<Relation> relation = Walk(plan)) {
      Emit(plan, std::move(*relation));
    }
    std::unordered_set<const LogicalOperator*> above_taps;
    for (const FoundPart& found : findings_.parts) {
      for (const FoundTap& tap : found.taps) {
        above_taps.insert(tap.above);
      }
    }
    for (size_t i = 0; i < findings_.parts.size(); i++) {
      AddTails(findings_.parts[i].part, ancestors_of_parts_[i], above_taps);
    }
    return std::move(findings_);
  }

 private:
  //! The relation of a subtree that is captured as a whole. Where it is not, the parts and notes
  //! below are found.
  std::optional<Relation> Walk(duckdb::unique_ptr<LogicalOperator>& place) {
    LogicalOperator& op = *place;
    if (IsClosed(op)) {
      reasons_[&op] = NotSupported(NameOf(op));
      if (Contains(op, IsTableScan)) {
        AddNote(place, reasons_[&op]);
      }
      return std::nullopt;
    }
    switch (op.type) {
      case LogicalOperatorType::LOGICAL_GET:
        if (IsTableScan(op)) {
          return WalkGet(place);
        }
        reasons_[&op] =
            NotSupported("the table function " + ScanFunctionName(op.Cast<duckdb::LogicalGet>()));
        WalkApart(op);
        return std::nullopt;
      case LogicalOperatorType::LOGICAL_FILTER:
        return WalkUnary(op, &AddFilter);
      case LogicalOperatorType::LOGICAL_PROJECTION:
        return WalkUnary(op, &AddProjection);
      case LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY:
        return WalkUnary(op, &AddAggregate);
      case LogicalOperatorType::LOGICAL_DISTINCT:
        return WalkUnary(op, &AddDistinct);
      case LogicalOperatorType::LOGICAL_ORDER_BY:
      case LogicalOperatorType::LOGICAL_TOP_N:
      case LogicalOperatorType::LOGICAL_LIMIT:
        return WalkUnary(op, &AddOrder);
      case LogicalOperatorType::LOGICAL_COMPARISON_JOIN:
        return IsInList(op) ? WalkUnary(op, &AddInList) : WalkJoin(op);
      case LogicalOperatorType::LOGICAL_ANY_JOIN:
      case LogicalOperatorType::LOGICAL_CROSS_PRODUCT:
      case LogicalOperatorType::LOGICAL_INTERSECT:
      case LogicalOperatorType::LOGICAL_EXCEPT:
        return WalkJoin(op);
      case LogicalOperatorType::LOGICAL_UNION:
        return WalkUnion(op);
      case LogicalOperatorType::LOGICAL_DELIM_JOIN:
        return WalkDelimJoin(place);
      case LogicalOperatorType::LOGICAL_DELIM_GET:
        return WalkLeaf(
            op, [&](Relation& relation) { return ReadDomain(op, *domains_.back(), relation); });
      case LogicalOperatorType::LOGICAL_MATERIALIZED_CTE:
        return WalkCommonTable(op);
      case LogicalOperatorType::LOGICAL_CTE_REF:
        return WalkLeaf(op, [&](Relation& relation) { return ReadCommonTable(op, relation); });
      default:
        break;
    }
    reasons_[&op] = NotSupported(NameOf(op));
    WalkApart(op);
    return std::nullopt;
  }

  //! What is captured of the inputs of `op`, which is not, are parts of their own.
  void WalkApart(LogicalOperator& op) {
    ancestors_.push_back(&op);
    for (auto& child : op.children) {
      if (std::optional<Relation> relation = Walk(child)) {
        Emit(child, std::move(*relation));
      }
    }
    ancestors_.pop_back();
  }

  std::optional<Relation> WalkGet(duckdb::unique_ptr<LogicalOperator>& place) {
    Relation relation;
    if (const Reason reason = Guard([&] { return AddGet(context_, *place, relation); })) {
      reasons_[place.get()] = *reason;
      AddNote(place, *reason, RefuseTable(place->Cast<duckdb::LogicalGet>()).has_value());
      return std::nullopt;
    }
    return relation;
  }

  //! The capture of `place`, an input of the last of ancestors_, or a tap in its place.
  std::optional<Relation> WalkOrTap(duckdb::unique_ptr<LogicalOperator>& place) {
    const size_t first_note = findings_.notes.size();
    std::optional<Relation> relation = Walk(place);
    return relation ? relation : Tap(place, first_note, findings_.notes.size());
  }

  //! The captures of all inputs of `op`, the last of ancestors_. Where `can_tap`, and one of them
  //! is captured, there are taps in the places of the others.
  std::vector<std::optional<Relation>> WalkInputs(LogicalOperator& op, bool can_tap) {
    std::vector<std::optional<Relation>> inputs;
    std::vector<size_t> first_notes;
    for (auto& child : op.children) {
      first_notes.push_back(findings_.notes.size());
      inputs.push_back(Walk(child));
    }
    if (!can_tap || std::none_of(inputs.begin(), inputs.end(),
                                 [](const auto& input) { return input.has_value(); })) {
      return inputs;
    }
    size_t end_note = findings_.notes.size();
    for (size_t i = inputs.size(); i-- > 0; end_note = first_notes[i]) {
      if (!inputs[i]) {
        inputs[i] = Tap(op.children[i], first_notes[i], end_note);
      }
    }
    return inputs;
  }

  //! Makes a tap of `place`, an input of the last of ancestors_ that was not captured, and below
  //! which are the notes from `first_note` to `end_note`. None where operators in it belong to
  //! others that are captured.
  std::optional<Relation> Tap(duckdb::unique_ptr<LogicalOperator>& place, size_t first_note,
                              size_t end_note) {
    if (BelongsToCaptured(*place)) {
      return std::nullopt;
    }
    return taps_.Add({&place, ancestors_.back()},
                     {reasons_.at(place.get()), place->EstimateCardinality(context_)},
                     TakeNotesOfElsewhere(first_note, end_note));
  }

  //! Takes those of the notes from `first_note` to `end_note` away that are about rows of
  //! elsewhere.
  std::vector<FoundNote> TakeNotesOfElsewhere(size_t first_note, size_t end_note) {
    const auto first = findings_.notes.begin() + static_cast<std::ptrdiff_t>(first_note);
    const auto end = findings_.notes.begin() + static_cast<std::ptrdiff_t>(end_note);
    const auto elsewhere =
        std::stable_partition(first, end, [](const FoundNote& note) { return !note.is_elsewhere; });
    std::vector<FoundNote> taken(elsewhere, end);
    findings_.notes.erase(elsewhere, end);
    return taken;
  }

  bool BelongsToCaptured(const LogicalOperator& op) const {
    if (!domains_.empty() && ContainsType(op, LogicalOperatorType::LOGICAL_DELIM_GET)) {
      return true;
    }
    // In an attempt, what is captured of a CTE that as a whole is not has not been looked for.
    if (attempts_ > 0 && ContainsType(op, LogicalOperatorType::LOGICAL_MATERIALIZED_CTE)) {
      return true;
    }
    const std::vector<TableIndex> read = OuterCommonTables(op);
    return std::any_of(read.begin(), read.end(), [&](TableIndex table) {
      const auto common = common_tables_.find(table);
      return common != common_tables_.end() && common->second.definition.has_value();
    });
  }

  //! Why an operator above `relation` is refused: for `reason`, unless all of `relation` is
  //! DuckDB's anyway.
  std::string LowestReason(const std::optional<Relation>& relation,
                           const std::string& reason) const {
    const std::optional<size_t> tap = relation ? BareTap(*relation) : std::nullopt;
    return tap ? taps_.ReasonOf(*tap) : reason;
  }

  using Add = Reason (*)(duckdb::ClientContext& context, LogicalOperator& op, Relation& relation);

  std::optional<Relation> WalkUnary(LogicalOperator& op, Add add) {
    ancestors_.push_back(&op);
    std::optional<Relation> result =
        IsWorthTap(op) ? WalkOrTap(op.children[0]) : Walk(op.children[0]);
    if (result) {
      Relation extended;
      const Reason reason = Guard([&]() -> Reason {
        extended = result->ForAbove();
        if (IgnoresOrder(op)) {
          ForgetOrder(extended);
        }
        if (IsOrdered(extended) && !KeepsOrder(op)) {
          return NotSupported(NameOf(op) + " above ORDER BY or LIMIT");
        }
        return add(context_, op, extended);
      });
      if (reason) {
        reasons_[&op] = LowestReason(result, *reason);
        Emit(op.children[0], std::move(*result));
        result.reset();
      } else {
        SetBelow(op, *result, extended);
        result = std::move(extended);
      }
    } else {
      reasons_[&op] = reasons_.at(op.children[0].get());
    }
    ancestors_.pop_back();
    return result;
  }

  std::optional<Relation> WalkJoin(LogicalOperator& op) {
    ancestors_.push_back(&op);
    Reason reason = RefuseJoin(op);
    std::vector<std::optional<Relation>> inputs = WalkInputs(op, !reason);
    std::optional<Relation>& left = inputs[0];
    std::optional<Relation>& right = inputs[1];
    Relation joined;
    if (left && right && IsFetch(op, *left, *right)) {
      reason = Guard([&]() -> Reason {
        joined = FetchRows(*left, *right);
        return std::nullopt;
      });
    } else if (!reason && left && right) {
      reason = Guard([&] { return Join(op, *left, *right, joined); });
    } else if (!reason) {
      reason = reasons_.at(op.children[left ? 1 : 0].get());
    }
    if (reason) {
      reasons_[&op] = LowestReason(left, LowestReason(right, *reason));
      if (left) {
        Emit(op.children[0], std::move(*left));
      }
      if (right) {
        Emit(op.children[1], std::move(*right));
      }
    }
    ancestors_.pop_back();
    return reason ? std::nullopt : std::optional<Relation>(std::move(joined));
  }

  //! The order of the rows that DuckDB looks up does not get through a join. That of the others
  //! does: sub-queries in WHERE and SELECT are joins, too.
  Reason Join(LogicalOperator& op, const Relation& left, const Relation& right, Relation& joined) {
    Relation looked_up = right.ForAbove();
    if (LooksUpRight(op)) {
      ForgetOrder(looked_up);
    }
    if (IsOrdered(left) || IsOrdered(looked_up)) {
      return NotSupported("a join with the result of ORDER BY or LIMIT");
    }
    return AddJoin(context_, op, left.ForAbove(), looked_up, joined);
  }

  //! All inputs of a UNION join in, or none does.
  std::optional<Relation> WalkUnion(LogicalOperator& op) {
    ancestors_.push_back(&op);
    std::vector<std::optional<Relation>> inputs = WalkInputs(op, true);
    std::vector<Relation> captured;
    Reason reason;
    for (size_t i = 0; i < inputs.size(); i++) {
      if (op.children[i]->type == LogicalOperatorType::LOGICAL_EMPTY_RESULT) {
        continue;
      }
      if (!inputs[i]) {
        reason = reasons_.at(op.children[i].get());
      } else if (IsOrdered(*inputs[i])) {
        reason = NotSupported("a union with the result of ORDER BY or LIMIT");
      } else {
        captured.push_back(inputs[i]->ForAbove());
      }
    }
    Relation united;
    if (!reason) {
      reason = Guard([&] { return AddUnion(op, captured, united); });
    }
    if (reason) {
      for (size_t i = inputs.size(); i-- > 0;) {
        reason = LowestReason(inputs[i], *reason);
      }
      reasons_[&op] = *reason;
      for (size_t i = 0; i < inputs.size(); i++) {
        if (inputs[i]) {
          Emit(op.children[i], std::move(*inputs[i]));
        }
      }
    }
    ancestors_.pop_back();
    return reason ? std::nullopt : std::optional<Relation>(std::move(united));
  }

  //! An operator without inputs that reads what is captured elsewhere.
  template <typename Read>
  std::optional<Relation> WalkLeaf(const LogicalOperator& op, Read read) {
    Relation relation;
    if (const Reason reason = Guard([&] { return read(relation); })) {
      reasons_[&op] = *reason;
      return std::nullopt;
    }
    return relation;
  }

  //! The inputs of a DELIM_JOIN belong together in ways that show only in the physical plan: there
  //! is no part below it.
  std::optional<Relation> WalkDelimJoin(duckdb::unique_ptr<LogicalOperator>& place) {
    LogicalOperator& op = *place;
    ancestors_.push_back(&op);
    Relation joined;
    Reason reason;
    TryAll([&] {
      reason = CaptureDelimJoin(op, joined);
      return !reason;
    });
    ancestors_.pop_back();
    if (!reason) {
      return joined;
    }
    reasons_[&op] = *reason;
    if (Contains(op, IsTableScan)) {
      AddNote(place, *reason);
    }
    return std::nullopt;
  }

  Reason CaptureDelimJoin(LogicalOperator& op, Relation& joined) {
    if (Reason reason = RefuseJoin(op)) {
      return reason;
    }
    const size_t outer_input = OuterInput(op);
    auto& inner_place = op.children[1 - outer_input];
    const std::optional<Relation> outer = WalkOrTap(op.children[outer_input]);
    if (!outer) {
      return reasons_.at(op.children[outer_input].get());
    }
    if (IsOrdered(*outer)) {
      return NotSupported("a join with the result of ORDER BY or LIMIT");
    }
    Domain domain;
    if (Reason reason =
            Guard([&] { return MakeDomain(context_, op, outer->ForAbove(), domain); })) {
      return reason;
    }
    domains_.push_back(&domain);
    const std::optional<Relation> inner = Walk(inner_place);
    domains_.pop_back();
    if (!inner) {
      return reasons_.at(inner_place.get());
    }
    return Guard([&] {
      Reason reason =
          outer_input == 0 ? Join(op, *outer, *inner, joined) : Join(op, *inner, *outer, joined);
      if (!reason) {
        LeaveOutDomain(domain, joined);
      }
      return reason;
    });
  }

  //! A CTE becomes part of the query that reads it, if all of that is captured. Otherwise it is
  //! DuckDB that reads it, and what is captured of either is a part of its own.
  std::optional<Relation> WalkCommonTable(LogicalOperator& op) {
    const TableIndex table = op.Cast<duckdb::LogicalMaterializedCTE>().table_index;
    ancestors_.push_back(&op);
    const std::optional<Relation> definition = WalkOrTap(op.children[0]);
    CommonTable& common = common_tables_[table];
    std::optional<Relation> query;
    if (definition) {
      common.definition = definition->ForAbove();
      TryAll([&] {
        query = Walk(op.children[1]);
        return query.has_value();
      });
      common.definition.reset();
    }
    if (query) {
      query->below.reset();  // the CTE would stay above it
    } else {
      common.reason = reasons_.at(op.children[definition ? 1 : 0].get());
      reasons_[&op] = common.reason;
      if (attempts_ == 0) {
        EmitApart(op, definition);
      }
    }
    ancestors_.pop_back();
    return query;
  }

  //! Makes parts of the `definition` of a CTE and of what reads it.
  void EmitApart(LogicalOperator& op, const std::optional<Relation>& definition) {
    if (definition) {
      Emit(op.children[0], *definition);
    }
    if (std::optional<Relation> query = Walk(op.children[1])) {
      Emit(op.children[1], std::move(*query));
    }
  }

  Reason ReadCommonTable(const LogicalOperator& op, Relation& relation) const {
    const auto common = common_tables_.find(op.Cast<duckdb::LogicalCTERef>().cte_index);
    if (common == common_tables_.end()) {
      return NotSupported(NameOf(op));
    }
    return common->second.definition
               ? integration::ReadCommonTable(op, *common->second.definition, relation)
               : common->second.reason;
  }

  //! Walks what is captured as a whole or not at all: forgets what was found if `walk` gives false.
  template <typename Function>
  void TryAll(const Function& walk) {
    const size_t parts = findings_.parts.size();
    const size_t notes = findings_.notes.size();
    attempts_++;
    const bool is_captured = walk();
    attempts_--;
    if (!is_captured) {
      findings_.parts.resize(parts);
      ancestors_of_parts_.resize(parts);
      findings_.notes.resize(notes);
    }
  }

  //! The plan's own checks are the second line: a plan that fails them is a bug, but none that a
  //! query should fail for.
  template <typename Function>
  static Reason Guard(Function function) {
    try {
      return function();
    } catch (const std::logic_error& error) {
      return std::string("of a bug in Margay: ") + error.what();
    }
  }

  void AddNote(duckdb::unique_ptr<LogicalOperator>& place, std::string reason,
               bool is_elsewhere = false) {
    findings_.notes.push_back({&place, std::move(reason), is_elsewhere});
  }

  //! `extended` is `relation` with `op`. Where rows are groups, which are mostly few, a projection
  //! at the top is not worth a kernel of its own; an order has one already.
  void SetBelow(LogicalOperator& op, const Relation& relation, Relation& extended) {
    extended.below.reset();
    if (op.type != LogicalOperatorType::LOGICAL_PROJECTION || !relation.part.has_aggregate ||
        IsOrdered(relation)) {
      return;
    }
    extended.below =
        relation.below
            ? *relation.below
            : RelationBelow{std::make_shared<const Relation>(relation), &op.children[0], {}};
    extended.below->projections.push_back(&op);
  }

  //! Makes `relation` a part in the place of `place`.
  void Emit(duckdb::unique_ptr<LogicalOperator>& place, Relation relation) {
    if (!relation.below) {
      EmitAll(place, std::move(relation));
      return;
    }
    const RelationBelow below = *relation.below;
    for (auto projection = below.projections.rbegin(); projection != below.projections.rend();
         ++projection) {
      ancestors_.push_back(*projection);
    }
    EmitAll(*below.place, *below.relation);
    ancestors_.resize(ancestors_.size() - below.projections.size());
  }

  void EmitAll(duckdb::unique_ptr<LogicalOperator>& place, Relation relation) {
    if (const std::optional<size_t> tap = BareTap(relation)) {
      const std::vector<FoundNote>& notes = taps_.NotesOf(*tap);
      findings_.notes.insert(findings_.notes.end(), notes.begin(), notes.end());
      return;
    }
    if (const Reason reason = Guard([&] { return FinishPart(context_, *place, relation); })) {
      // For want of a column to read, DuckDB's scan gives the row id: what matters is why the
      // operator above did not join in.
      const bool is_operator_above =
          relation.scope.columns.empty() && !ancestors_.empty() && !IsStatement(*ancestors_.back());
      AddNote(place, is_operator_above ? reasons_.at(ancestors_.back()) : *reason);
      return;
    }
    FoundPart found{&place, std::move(relation.part), {}};
    taps_.Give(found);
    findings_.parts.push_back(std::move(found));
    ancestors_of_parts_.push_back(ancestors_);
  }

  //! What is above a part up to the root, or to a tap, at which another part begins.
  void AddTails(CapturedPart& part, const std::vector<const LogicalOperator*>& ancestors,
                const std::unordered_set<const LogicalOperator*>& above_taps) const {
    for (auto ancestor = ancestors.rbegin();
         ancestor != ancestors.rend() && !above_taps.contains(*ancestor); ++ancestor) {
      if (!IsStatement(**ancestor)) {
        part.tails.push_back(NameOf(**ancestor));
        const auto reason = reasons_.find(*ancestor);
        if (reason != reasons_.end() &&
            std::find(part.tail_reasons.begin(), part.tail_reasons.end(), reason->second) ==
                part.tail_reasons.end()) {
          part.tail_reasons.push_back(reason->second);
        }
      }
    }
  }

  duckdb::ClientContext& context_;
  CaptureFindings findings_;
  std::vector<const LogicalOperator*> ancestors_;  //!< of the operator being walked, root first
  std::vector<std::vector<const LogicalOperator*>> ancestors_of_parts_;
  //! Of operators in no part: why they are not, or why an operator below is not.
  std::unordered_map<const LogicalOperator*, std::string> reasons_;
  size_t attempts_ = 0;  //!< walks around the operator being walked whose findings may be forgotten
  std::vector<const Domain*> domains_;  //!< of the sub-queries around the operator being walked

  WalkTaps taps_;

  //! The capture of a CTE for the query that reads it, or why there is none.
  struct CommonTable {
    std::optional<Relation> definition;
    std::string reason;
  };
  std::unordered_map<TableIndex, CommonTable> common_tables_;  //!< by table index
};

}  // namespace

std::string NotSupported(const std::string& what) {
  return what + " is not supported yet";
}

CaptureFindings FindParts(duckdb::ClientContext& context,
                          duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
  if (!Contains(*plan, IsTableScan) || Contains(*plan, ChangesRowsOrStructure) ||
      HoldsUserError(context, *plan)) {
    return {};
  }
  plan->ResolveOperatorTypes();
  return PlanWalk(context).Run(plan);
}

}  // namespace margay::integration
