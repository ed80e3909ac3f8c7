#include "optimize/rewrite/domain.hpp"

#include <algorithm>
#include <utility>

namespace margay::optimize {

using plan::Aggregate;
using plan::AggregateFunction;
using plan::Conjunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::GivesBuildSide;
using plan::JoinKey;
using plan::JoinKind;
using plan::Node;
using plan::NodeKind;
using plan::NodePointer;
using plan::Operation;
using plan::OutputColumns;
using plan::SameExpression;
using plan::SplitConjunction;
using plan::Substitute;
using plan::VisitColumns;

namespace {

std::vector<size_t> ColumnsOf(const std::vector<ExpressionPointer>& expressions) {
  std::vector<size_t> columns;
  for (const ExpressionPointer& expression : expressions) {
    VisitColumns(*expression, [&](size_t column) { columns.push_back(column); });
  }
  return columns;
}

std::vector<ExpressionPointer> SubstituteAll(const std::vector<ExpressionPointer>& expressions,
                                             const std::vector<ExpressionPointer>& replacements) {
  std::vector<ExpressionPointer> result;
  result.reserve(expressions.size());
  for (const ExpressionPointer& expression : expressions) {
    result.push_back(Substitute(expression, replacements));
  }
  return result;
}

//! Whether `node` gives fewer rows than its tables have.
bool Restricts(const Node& node) {
  switch (node.Kind()) {
    case NodeKind::Scan:
      return false;
    case NodeKind::Project:
    case NodeKind::Order:
      return Restricts(*node.Input());
    case NodeKind::Join:
      switch (node.GetJoinKind()) {
        case JoinKind::Inner:
          return Restricts(*node.Input()) || Restricts(*node.Build());
        case JoinKind::Left:
          return Restricts(*node.Input());
        case JoinKind::Semi:
        case JoinKind::Anti:
          return true;
      }
      return true;
    case NodeKind::Union:
      return Restricts(*node.Input()) || (node.Build() && Restricts(*node.Build()));
    case NodeKind::Filter:
    case NodeKind::Aggregate:
      return true;
  }
  return true;
}

//! Rows, and expressions over their columns.
struct Values {
  NodePointer node;
  std::vector<ExpressionPointer> expressions;
};

//! A side of an inner join that restricts its rows and has all values of `values`, or `values`.
Values Narrow(Values values) {
  if (values.node->Kind() == NodeKind::Project) {
    return Narrow(
        {values.node->Input(), SubstituteAll(values.expressions, values.node->Expressions())});
  }
  if (values.node->Kind() != NodeKind::Join || values.node->GetJoinKind() != JoinKind::Inner) {
    return values;
  }
  const size_t probe_columns = values.node->Input()->OutputTypes().size();
  const std::vector<size_t> columns = ColumnsOf(values.expressions);
  const auto is_of_probe = [&](size_t column) { return column < probe_columns; };
  if (std::all_of(columns.begin(), columns.end(), is_of_probe)) {
    return Restricts(*values.node->Input())
               ? Narrow({values.node->Input(), std::move(values.expressions)})
               : values;
  }
  if (std::any_of(columns.begin(), columns.end(), is_of_probe) ||
      !Restricts(*values.node->Build())) {
    return values;
  }
  std::vector<ExpressionPointer> replacements(probe_columns);
  for (ExpressionPointer& column : OutputColumns(*values.node->Build())) {
    replacements.push_back(std::move(column));
  }
  return Narrow({values.node->Build(), SubstituteAll(values.expressions, replacements)});
}

bool Holds(const Node& node, const Node& wanted) {
  return &node == &wanted || (node.Input() && Holds(*node.Input(), wanted)) ||
         (node.Build() && Holds(*node.Build(), wanted));
}

}  // namespace

NodePointer DomainOf(const NodePointer& outer, const std::vector<ExpressionPointer>& values) {
  Values narrow = Narrow({outer, values});
  return Node::GroupBy(std::move(narrow.node), std::move(narrow.expressions), {});
}

namespace {

//! The result of a sub-query: rows joined with the domain. Everything is written over the outer
//! rows' columns, which have the domain's values, followed by those of the joined rows.
class JoinedDomain {
 public:
  JoinedDomain(const Node& outer, const Node& domain, const std::vector<ExpressionPointer>& values)
      : outer_columns_(outer.OutputTypes().size()), domain_(domain), values_(values) {}

  //! Reads `node`, the result; false if it is of another form.
  bool Read(const Node& node) {
    switch (node.Kind()) {
      case NodeKind::Project:
        if (!Read(*node.Input())) {
          return false;
        }
        outputs_ = SubstituteAll(node.Expressions(), outputs_);
        return true;
      case NodeKind::Filter:
        if (!Read(*node.Input())) {
          return false;
        }
        SplitConjunction(Substitute(node.Predicate(), outputs_), residual_);
        return true;
      case NodeKind::Join:
        return node.GetJoinKind() == JoinKind::Inner && ReadJoin(node);
      default:
        return false;
    }
  }

  //! Adds what the join of the outer rows with the result compares; false if that is not all values
  //! of the domain.
  bool AddConditions(const Node& join) {
    std::vector<bool> is_compared(values_.size());
    for (const JoinKey& key : join.Keys()) {
      const ExpressionPointer build = Substitute(key.build, outputs_);
      const bool matches_nulls = key.nulls_are_equal || IsNeverNull(*key.build, *join.Build());
      bool is_value = false;
      for (size_t i = 0; i < values_.size(); i++) {
        if (SameExpression(*key.probe, *values_[i]) && IsValue(i, *build, matches_nulls)) {
          is_value = is_compared[i] = true;
        }
      }
      if (!is_value && !AddKey(key.probe, build, key.nulls_are_equal)) {
        return false;
      }
    }
    if (join.Residual()) {
      std::vector<ExpressionPointer> columns = OutputColumns(*join.Input());
      columns.insert(columns.end(), outputs_.begin(), outputs_.end());
      SplitConjunction(Substitute(join.Residual(), columns), residual_);
    }
    return std::all_of(is_compared.begin(), is_compared.end(), [](bool is) { return is; });
  }

  //! The join of `outer` with the rows.
  NodePointer Join(JoinKind kind, const NodePointer& outer) const {
    return Node::Join(kind, outer, rows_, keys_, Conjunction(residual_));
  }

  bool HasKeys() const { return !keys_.empty(); }

 private:
  //! Whether the join with the outer rows, by `expression` of the result, compares value `i` of the
  //! domain: `expression` is that, or something of the joined rows that equals it.
  bool IsValue(size_t i, const Expression& expression, bool matches_nulls) const {
    return (matches_nulls && SameExpression(expression, *values_[i])) ||
           std::any_of(equals_.begin(), equals_.end(), [&](const EqualOfValue& equal) {
             return equal.value == i && (matches_nulls || !equal.matches_nulls) &&
                    SameExpression(expression, *equal.expression);
           });
  }

  bool ReadJoin(const Node& join) {
    const bool is_probe = join.Input().get() == &domain_;
    if (!is_probe && join.Build().get() != &domain_) {
      return false;
    }
    rows_ = is_probe ? join.Build() : join.Input();
    if (Holds(*rows_, domain_)) {
      return false;
    }
    const std::vector<ExpressionPointer> rows = OutputColumns(*rows_, outer_columns_);
    for (const auto* side : {is_probe ? &values_ : &rows, is_probe ? &rows : &values_}) {
      outputs_.insert(outputs_.end(), side->begin(), side->end());
    }
    for (const JoinKey& key : join.Keys()) {
      const ExpressionPointer& of_domain = is_probe ? key.probe : key.build;
      const ExpressionPointer& of_rows = is_probe ? key.build : key.probe;
      keys_.push_back({Substitute(of_domain, values_), of_rows, key.nulls_are_equal});
      if (of_domain->GetOperation() == Operation::Column) {
        equals_.push_back(
            {of_domain->ColumnIndex(), Substitute(of_rows, rows), key.nulls_are_equal});
      }
    }
    if (join.Residual()) {
      SplitConjunction(Substitute(join.Residual(), outputs_), residual_);
    }
    return true;
  }

  //! Adds a comparison with `build`, which may read the joined rows only.
  bool AddKey(const ExpressionPointer& probe, const ExpressionPointer& build,
              bool nulls_are_equal) {
    const std::vector<size_t> columns = ColumnsOf({build});
    if (std::any_of(columns.begin(), columns.end(),
                    [&](size_t column) { return column < outer_columns_; })) {
      return false;
    }
    std::vector<ExpressionPointer> own(outer_columns_);
    for (ExpressionPointer& column : OutputColumns(*rows_)) {
      own.push_back(std::move(column));
    }
    keys_.push_back({probe, Substitute(build, own), nulls_are_equal});
    return true;
  }

  //! What a key of the join with the domain has on the other side.
  struct EqualOfValue {
    size_t value;  //!< of the domain
    ExpressionPointer expression;
    bool matches_nulls;
  };

  const size_t outer_columns_;
  const Node& domain_;
  const std::vector<ExpressionPointer>& values_;
  NodePointer rows_;
  std::vector<ExpressionPointer> outputs_;  //!< of the node that was read last
  std::vector<JoinKey> keys_;
  std::vector<EqualOfValue> equals_;
  std::vector<ExpressionPointer> residual_;
};

}  // namespace

NodePointer WithoutDomain(const NodePointer& join, const Node& domain,
                          const std::vector<ExpressionPointer>& values) {
  if (join->Kind() != NodeKind::Join || GivesBuildSide(join->GetJoinKind())) {
    return join;
  }
  JoinedDomain joined(*join->Input(), domain, values);
  if (!joined.Read(*join->Build()) || !joined.AddConditions(*join) || !joined.HasKeys()) {
    return join;
  }
  return joined.Join(join->GetJoinKind(), join->Input());
}

bool IsNeverNull(const Expression& expression, const Node& node) {
  switch (expression.GetOperation()) {
    case Operation::Constant:
      return !expression.GetConstant().is_null;
    case Operation::Add:
    case Operation::Subtract:
    case Operation::Multiply:
    case Operation::Negate:
    case Operation::Cast:
    case Operation::Compress:
      return std::all_of(expression.Operands().begin(), expression.Operands().end(),
                         [&](const auto& operand) { return IsNeverNull(*operand, node); });
    case Operation::RowNumber:
      return node.Kind() == NodeKind::Scan || node.Kind() == NodeKind::Aggregate ||
             node.Kind() == NodeKind::Union;
    case Operation::Column:
      break;
    default:
      return false;
  }
  const size_t column = expression.ColumnIndex();
  switch (node.Kind()) {
    case NodeKind::Project:
      return IsNeverNull(*node.Expressions()[column], *node.Input());
    case NodeKind::Filter: {
      std::vector<ExpressionPointer> conjuncts;
      SplitConjunction(node.Predicate(), conjuncts);
      return std::any_of(conjuncts.begin(), conjuncts.end(),
                         [&](const auto& conjunct) {
                           return conjunct->GetOperation() == Operation::IsNotNull &&
                                  SameExpression(conjunct->Operand(0), expression);
                         }) ||
             IsNeverNull(expression, *node.Input());
    }
    case NodeKind::Order:
      return IsNeverNull(expression, *node.Input());
    case NodeKind::Aggregate: {
      const size_t groups = node.Expressions().size();
      if (column < groups) {
        return IsNeverNull(*node.Expressions()[column], *node.Input());
      }
      // Without keys there is a group even if it has no rows.
      const Aggregate& aggregate = node.Aggregates()[column - groups];
      return aggregate.function == AggregateFunction::CountStar ||
             aggregate.function == AggregateFunction::Count ||
             (groups != 0 && IsNeverNull(*aggregate.argument, *node.Input()));
    }
    case NodeKind::Join: {
      const size_t probe_columns = node.Input()->OutputTypes().size();
      const bool is_probe = column < probe_columns;
      const auto is_it = [&](const Expression& key) {
        return key.GetOperation() == Operation::Column &&
               key.ColumnIndex() == (is_probe ? column : column - probe_columns);
      };
      const bool drops_nulls = node.GetJoinKind() == JoinKind::Inner ||
                               (node.GetJoinKind() == JoinKind::Semi && is_probe);
      if (drops_nulls && std::any_of(node.Keys().begin(), node.Keys().end(), [&](const auto& key) {
            return !key.nulls_are_equal && is_it(is_probe ? *key.probe : *key.build);
          })) {
        return true;
      }
      if (is_probe) {
        return IsNeverNull(expression, *node.Input());
      }
      return node.GetJoinKind() == JoinKind::Inner &&
             IsNeverNull(*Expression::Column(column - probe_columns, expression.GetType(), {}),
                         *node.Build());
    }
    case NodeKind::Union:
      return IsNeverNull(expression, *node.Input()) &&
             (!node.Build() || IsNeverNull(expression, *node.Build()));
    case NodeKind::Scan:
      return false;
  }
  return false;
}

}  // namespace margay::optimize
