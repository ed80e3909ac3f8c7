#include "checker.hpp"

#include <algorithm>
#include <optional>

namespace margay::fuzz {

namespace {

//! Zeros of different signs tie.
bool HasFloats(const Answer& answer) {
  return std::any_of(answer.types.begin(), answer.types.end(),
                     [](const plan::Type& type) { return type.IsFloat(); });
}

}  // namespace

bool Checker::BindItem(Item& item, const Query& query) {
  const std::string from = " FROM " + query.FromText();
  if (item.function != "count(*)") {
    const auto types = engine_.Bind(query.Complete("SELECT " + item.expression.Text() + from));
    if (!types) {
      return false;
    }
    item.expression_type = types->at(0);
  }
  return engine_.Bind(query.Complete("SELECT " + item.Text() + from)).has_value();
}

void Checker::KeepConditions(std::vector<SqlNode>& conditions, const std::string& source,
                             const Query& query) {
  std::erase_if(conditions, [&](const SqlNode& condition) {
    return !engine_.Bind(query.Complete("SELECT 1 FROM " + source + " WHERE " + condition.Text()));
  });
}

bool Checker::Bind(Query& query) {
  engine_.Use(Engine::Reference());
  return std::all_of(query.items.begin(), query.items.end(),
                     [&](Item& item) { return BindItem(item, query); }) &&
         engine_.Bind(query.Text()).has_value();
}

void Checker::KeepWhatBinds(Query& query) {
  engine_.Use(Engine::Reference());
  for (NamedQuery& definition : query.named) {
    KeepConditions(definition.query.conjuncts, definition.query.FromText(), query);
  }
  Query first = query;
  first.joins.clear();
  std::string tables = first.FromText();
  for (Join& join : query.joins) {
    tables += ", " + join.SourceText();
    KeepConditions(join.residuals, tables, query);
    KeepConditions(join.filters, join.SourceText(), query);
  }
  const std::string source = query.FromText();
  std::erase_if(query.items, [&](Item& item) { return !BindItem(item, query); });
  KeepConditions(query.conjuncts, source, query);
  std::erase_if(query.having, [&](const SqlNode& condition) {
    return !engine_.Bind(
        query.Complete("SELECT count(*) FROM " + source + " HAVING " + condition.Text()));
  });
  std::erase_if(query.outer, [&](const OuterItem& item) {
    Query alone = query;
    alone.outer = {item};
    return !engine_.Bind(alone.Text());
  });
}

bool Checker::IsErrorOfOneItem(const Query& query, const std::string& error) {
  engine_.Use(Engine::Reference());
  return std::any_of(query.items.begin(), query.items.end(), [&](const Item& item) {
    Query alone = query;
    alone.items = {item};
    return engine_.Run(alone.Text()).error == error;
  });
}

Answer Checker::Reference(const Query& query) {
  engine_.Use(Engine::Reference());
  Answer answer = engine_.Run(query.ReferenceText());
  // An error shows a piece of the query: it must be the one that the others get.
  return answer.error ? engine_.Run(query.Text()) : answer;
}

Verdict Checker::Check(const FuzzCase& fuzz_case, const Answer& given_reference,
                       const Configuration& configuration) {
  const Query& query = fuzz_case.query;
  const bool meets_rows = !query.joins.empty() || query.HasSubqueries();
  engine_.Use(configuration);
  const DeviceCounters before =
      configuration.uses_device ? engine_.ReadCounters() : DeviceCounters{};
  const Answer found = engine_.Run(query.Text());

  if (found.refused) {
    return {Verdict::Kind::Refused, *found.error};
  }
  std::optional<Answer> own;
  if (found.error && !given_reference.error) {
    // The reference has more items, so that DuckDB may compute the query's own for other rows.
    engine_.Use(Engine::Reference());
    own = engine_.Run(query.Text());
    engine_.Use(configuration);
  }
  const Answer& reference = own ? *own : given_reference;
  if (!configuration.same_errors && (reference.error || found.error)) {
    return {Verdict::Kind::SameError, ""};
  }
  if (meets_rows && reference.error && !found.error) {
    return {Verdict::Kind::FewerErrors, *reference.error};
  }
  if (const auto difference = FindDifference(reference, found, query.Tolerances())) {
    // Which of several operators fails first is not defined: DuckDB may run them side by side.
    const bool has_parts = meets_rows || !query.set_operation.empty() || !query.grouping.empty();
    if (reference.error && found.error && !found.shows_bug &&
        (has_parts || IsErrorOfOneItem(query, *found.error))) {
      return {Verdict::Kind::AnotherError, *difference};
    }
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
    if (meets_rows) {
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
