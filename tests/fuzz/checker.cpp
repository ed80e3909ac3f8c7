#include "checker.hpp"

#include <algorithm>

namespace margay::fuzz {

namespace {

//! Zeros of different signs tie.
bool HasFloats(const Answer& answer) {
  return std::any_of(answer.types.begin(), answer.types.end(),
                     [](const plan::Type& type) { return type.IsFloat(); });
}

}  // namespace

bool Checker::BindItem(Item& item, const std::string& source) {
  if (item.function != "count(*)") {
    const auto types = engine_.Bind("SELECT " + item.expression.Text() + " FROM " + source);
    if (!types) {
      return false;
    }
    item.expression_type = types->at(0);
  }
  return engine_.Bind("SELECT " + item.Text() + " FROM " + source).has_value();
}

bool Checker::BindsAsCondition(const SqlNode& condition, const std::string& source) {
  return engine_.Bind("SELECT 1 FROM " + source + " WHERE " + condition.Text()).has_value();
}

void Checker::KeepConditions(std::vector<SqlNode>& conditions, const std::string& source) {
  std::erase_if(conditions,
                [&](const SqlNode& condition) { return !BindsAsCondition(condition, source); });
}

bool Checker::Bind(Query& query) {
  engine_.Use(Engine::Reference());
  const std::string source = query.FromText();
  return std::all_of(query.items.begin(), query.items.end(),
                     [&](Item& item) { return BindItem(item, source); }) &&
         engine_.Bind(query.Text()).has_value();
}

void Checker::KeepWhatBinds(Query& query) {
  engine_.Use(Engine::Reference());
  std::string tables = query.table;
  for (Join& join : query.joins) {
    tables += ", " + join.table;
    KeepConditions(join.residuals, tables);
    KeepConditions(join.filters, join.table);
  }
  const std::string source = query.FromText();
  std::erase_if(query.items, [&](Item& item) { return !BindItem(item, source); });
  KeepConditions(query.conjuncts, source);
  std::erase_if(query.having, [&](const SqlNode& condition) {
    return !engine_.Bind("SELECT count(*) FROM " + source + " HAVING " + condition.Text());
  });
  std::erase_if(query.outer, [&](const OuterItem& item) {
    Query alone = query;
    alone.outer = {item};
    return !engine_.Bind(alone.Text());
  });
}

Answer Checker::Reference(const Query& query) {
  engine_.Use(Engine::Reference());
  Answer answer = engine_.Run(query.ReferenceText());
  // An error shows a piece of the query: it must be the one that the others get.
  return answer.error ? engine_.Run(query.Text()) : answer;
}

Verdict Checker::Check(const FuzzCase& fuzz_case, const Answer& reference,
                       const Configuration& configuration) {
  const Query& query = fuzz_case.query;
  engine_.Use(configuration);
  const DeviceCounters before =
      configuration.uses_device ? engine_.ReadCounters() : DeviceCounters{};
  const Answer found = engine_.Run(query.Text());

  if (found.refused) {
    return {Verdict::Kind::Refused, *found.error};
  }
  if (!configuration.same_errors && (reference.error || found.error)) {
    return {Verdict::Kind::SameError, ""};
  }
  if (!query.joins.empty() && reference.error && !found.error) {
    return {Verdict::Kind::FewerErrors, *reference.error};
  }
  if (const auto difference = FindDifference(reference, found, query.Tolerances())) {
    const bool is_error = reference.error || found.error;
    return {is_error ? Verdict::Kind::OtherError : Verdict::Kind::OtherRows, *difference};
  }
  if (found.error) {
    return {Verdict::Kind::SameError, *found.error};
  }
  if (query.IsOrdered() && !HasFloats(found) && found.rows != reference.rows) {
    return {Verdict::Kind::OtherRows, "the rows come in another order"};
  }
  if (!configuration.uses_device) {
    return {};
  }
  const DeviceCounters after = engine_.ReadCounters();
  if (after.runtime_fallbacks > before.runtime_fallbacks) {
    return {Verdict::Kind::Fallback, ""};
  }
  if (after.device_executions > before.device_executions) {
    Verdict verdict;
    verdict.is_on_device = true;
    if (!query.joins.empty()) {
      verdict.device_joins = engine_.DeviceJoins(query.Text());
    }
    return verdict;
  }
  const std::string plan = engine_.Explain(query.Text());
  // A plan without a part or a note holds a constant that is an error, which is left to DuckDB.
  const bool is_captured = plan.find("MARGAY") != std::string::npos;
  const bool has_rows = std::all_of(fuzz_case.rows.begin(), fuzz_case.rows.end(),
                                    [](const Rows& rows) { return rows.count > 0; });
  return {is_captured && has_rows ? Verdict::Kind::IdleDevice : Verdict::Kind::NoDevice,
          "the answer is right, but no device was used"};
}

}  // namespace margay::fuzz
