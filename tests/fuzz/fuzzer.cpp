#include "fuzzer.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <utility>

#include "crash_note.hpp"
#include "join_generator.hpp"
#include "query_generator.hpp"
#include "random.hpp"
#include "shrinker.hpp"
#include "table_generator.hpp"

namespace margay::fuzz {

namespace {

//! Of the profiles; in them most arithmetic overflows.
constexpr int kExtremePercent = 25;
//! Another profile may mean another encoding, which needs another kernel.
constexpr int kNewProfilePercent = 3;
//! Of the data sets; the others may be encoded in other ways than most of their profile, or empty.
constexpr int kWholeRangePercent = 88;
constexpr size_t kMostColumns = 8;
//! Of most data sets. The first one shows what is refused: with rows, so that it is for the query's
//! sake.
constexpr size_t kFewestRows = 40;
//! Of tables of a query with sub-queries, which may read the same table several times and look at
//! all pairs of its rows.
constexpr size_t kMostRowsOfSubqueries = 700;

//! A reason without the numbers in it, so that like is counted with like.
std::string ReasonOf(const std::string& error) {
  std::string reason;
  for (const char character : error.substr(0, error.find('\n'))) {
    const bool digit = std::isdigit(static_cast<unsigned char>(character)) != 0;
    if (!digit) {
      reason += character;
    } else if (reason.empty() || reason.back() != '#') {
      reason += '#';
    }
  }
  return reason;
}

std::string ReplaceLineBreaks(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

//! The most frequent first.
void PrintReasons(const char* what, const std::map<std::string, uint64_t>& counts) {
  std::vector<std::pair<uint64_t, std::string>> reasons;
  reasons.reserve(counts.size());
  for (const auto& [reason, count] : counts) {
    reasons.emplace_back(count, reason);
  }
  std::sort(reasons.rbegin(), reasons.rend());
  for (const auto& [count, reason] : reasons) {
    std::printf("%s: %llu times: %s\n", what, static_cast<unsigned long long>(count),
                reason.c_str());
  }
}

//! SELECT count(*) over the tables of `query`, joined as they are there.
Query CountOver(const Query& query) {
  Query counting;
  counting.named = query.named;
  counting.table = query.table;
  counting.source = query.source;
  counting.joins = query.joins;
  Item count;
  count.kind = Item::Kind::Aggregate;
  count.function = "count(*)";
  counting.items.push_back(count);
  return counting;
}

}  // namespace

Fuzzer::Fuzzer(Options options)
    : options_(std::move(options)),
      checker_(engine_),
      configurations_(options_.self_check
                          ? Engine::SelfCheckConfigurations()
                          : Engine::MargayConfigurations(options_.device, options_.shape)) {}

double Fuzzer::Elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Fuzzer::Run() {
  bool goes_on = true;
  for (uint64_t i = 0; i < options_.plans && goes_on && !IsOver(); i++) {
    goes_on = RunPlan(options_.first_plan + i) || options_.keep_going;
  }
  PrintSummary();
  return tally_.differences == 0 && tally_.comparisons > 0;
}

bool Fuzzer::RunPlan(uint64_t plan) {
  const Tally before = tally_;
  const bool goes_on = RunDataSets(plan);
  tally_.device_plans += tally_.device_comparisons > before.device_comparisons ? 1 : 0;
  tally_.joined_plans += tally_.joined_comparisons > before.joined_comparisons ? 1 : 0;
  tally_.subquery_plans += tally_.subquery_comparisons > before.subquery_comparisons ? 1 : 0;
  return goes_on;
}

bool Fuzzer::RunDataSets(uint64_t plan) {
  Random random(options_.seed, {plan});
  FuzzCase fuzz_case;
  fuzz_case.tables = {DrawTable(random, "t", kMostColumns)};
  std::vector<Join> joins;
  if (random.Percent(options_.join_percent)) {
    joins = DrawJoins(fuzz_case.tables, random);
  }
  fuzz_case.query =
      DrawQuery(fuzz_case.tables, std::move(joins), options_.subquery_percent, random);
  const size_t most_rows = fuzz_case.query.HasSubqueries() ? kMostRowsOfSubqueries : SIZE_MAX;
  DataGenerator data(fuzz_case.tables);
  tally_.plans++;
  engine_.Create(fuzz_case.tables);
  // Every other plan has its strings as text, unless most of them are the same.
  engine_.Execute(plan % 2 == 0 ? "RESET margay_dictionary_strings"
                                : "SET margay_dictionary_strings = 0");

  for (uint64_t i = 0; i < options_.data_sets && !IsOver(); i++) {
    place_ = std::to_string(options_.seed) + ":" + std::to_string(plan) + ", data set " +
             std::to_string(i);
    NoteForCrash(place_);
    Random set_random(options_.seed, {plan, i});
    if (i == 0 || set_random.Percent(kNewProfilePercent)) {
      data.DrawProfiles(set_random, i > 0 && set_random.Percent(kExtremePercent));
    }
    const bool whole_range = set_random.Percent(kWholeRangePercent);
    fuzz_case.rows =
        data.DrawRows(set_random, i == 0 || whole_range ? kFewestRows : 0, most_rows, whole_range);
    fuzz_case.query.ForEachNode([&](SqlNode& node) {
      if (node.literal) {
        data.DrawLiteral(set_random, *node.literal);
      }
    });
    engine_.Fill(fuzz_case.tables, fuzz_case.rows);

    if (i == 0) {
      checker_.KeepWhatBinds(fuzz_case.query);
      if (fuzz_case.query.items.empty()) {
        tally_.empty_plans++;
        return true;
      }
      KeepWhatIsSupported(fuzz_case);
      if (options_.verbose) {
        std::printf("%s\n", place_.c_str());
        for (const Table& table : fuzz_case.tables) {
          std::printf("  %s\n", table.CreateStatement().c_str());
        }
        std::printf("  %s\n", fuzz_case.query.Text().c_str());
        std::fflush(stdout);
      }
      if (fuzz_case.query.items.empty()) {
        tally_.refused_plans++;
        tally_.reasons[last_reason_]++;
        return true;
      }
    }
    tally_.data_sets++;
    if (!CheckDataSet(fuzz_case)) {
      return false;
    }
  }
  return true;
}

bool Fuzzer::IsRefused(const FuzzCase& fuzz_case) {
  engine_.Use(configurations_[0]);
  const Answer answer = engine_.Run(fuzz_case.query.Text());
  if (answer.refused) {
    CountRefusal(*answer.error);
  }
  return answer.refused;
}

void Fuzzer::KeepSupportedJoins(FuzzCase& fuzz_case) {
  FuzzCase counting = fuzz_case;
  counting.query = CountOver(fuzz_case.query);
  std::vector<Join>& joins = counting.query.joins;
  for (Join& join : joins) {
    join.residuals.clear();
    join.filters.clear();
  }
  for (size_t i = 0; i < joins.size(); i++) {
    const auto is_refused = [&](std::vector<SqlNode>& place, const SqlNode& condition) {
      place = {condition};
      const bool refused = IsRefused(counting);
      place.clear();
      return refused;
    };
    Join& join = fuzz_case.query.joins[i];
    std::erase_if(join.residuals, [&](const SqlNode& condition) {
      return is_refused(joins[i].residuals, condition);
    });
    std::erase_if(join.filters, [&](const SqlNode& condition) {
      return is_refused(joins[i].filters, condition);
    });
  }
}

void Fuzzer::KeepWhatIsSupported(FuzzCase& fuzz_case) {
  if (options_.self_check || !IsRefused(fuzz_case)) {
    return;
  }
  KeepSupportedJoins(fuzz_case);
  const Query whole = fuzz_case.query;
  const auto is_refused = [&](Query query) {
    FuzzCase part = fuzz_case;
    part.query = std::move(query);
    return IsRefused(part);
  };
  std::erase_if(fuzz_case.query.items, [&](const Item& item) {
    Query alone = CountOver(whole);
    if (item.kind == Item::Kind::Scalar) {
      alone.items.clear();
    }
    alone.items.push_back(item);
    return is_refused(alone);
  });
  std::erase_if(fuzz_case.query.conjuncts, [&](const SqlNode& conjunct) {
    Query alone = CountOver(whole);
    alone.conjuncts.push_back(conjunct);
    return is_refused(alone);
  });
  std::erase_if(fuzz_case.query.having, [&](const SqlNode& condition) {
    Query alone = CountOver(whole);
    alone.having.push_back(condition);
    return is_refused(alone);
  });
  if (!fuzz_case.query.items.empty() && IsRefused(fuzz_case)) {
    fuzz_case.query.outer.clear();
    if (IsRefused(fuzz_case)) {
      fuzz_case.query.items.clear();
    }
  }
}

bool Fuzzer::CheckDataSet(const FuzzCase& fuzz_case) {
  const Answer reference = checker_.Reference(fuzz_case.query);
  for (const Configuration& configuration : configurations_) {
    const Verdict verdict = checker_.Check(fuzz_case, reference, configuration);
    switch (verdict.kind) {
      case Verdict::Kind::Same:
        tally_.comparisons++;
        CountDeviceWork(fuzz_case.query, verdict);
        break;
      case Verdict::Kind::SameError:
        tally_.comparisons++;
        tally_.both_error++;
        break;
      case Verdict::Kind::Fallback:
        tally_.comparisons++;
        tally_.fallbacks++;
        break;
      case Verdict::Kind::NoDevice:
        tally_.comparisons++;
        tally_.without_device++;
        break;
      case Verdict::Kind::FewerErrors:
        tally_.fewer_errors++;
        break;
      case Verdict::Kind::AnotherError:
        tally_.another_error++;
        break;
      case Verdict::Kind::Refused:
        tally_.refused_comparisons++;
        CountRefusal(verdict.text);
        break;
      case Verdict::Kind::OtherRows:
        if (!options_.self_check && IsDuckDbsOwn(fuzz_case, configuration)) {
          tally_.duckdb_differences++;
          std::printf("-- DuckDB differs from itself at %s: %s;\n", place_.c_str(),
                      fuzz_case.query.Text().c_str());
          break;
        }
        [[fallthrough]];
      case Verdict::Kind::OtherError:
      case Verdict::Kind::IdleDevice:
        ReportDifference(fuzz_case, configuration, verdict);
        return false;
    }
  }
  return true;
}

bool Fuzzer::IsDuckDbsOwn(const FuzzCase& fuzz_case, const Configuration& configuration) {
  engine_.Use(Engine::SelfCheckConfigurations()[0]);
  const Answer unoptimized = engine_.Run(fuzz_case.query.ReferenceText());
  engine_.Use(Engine::Reference());
  return !unoptimized.error &&
         !checker_.Check(fuzz_case, unoptimized, configuration).IsDifference();
}

void Fuzzer::CountRefusal(const std::string& error) {
  last_reason_ = ReasonOf(error);
  tally_.refusals[last_reason_]++;
  if (options_.verbose) {
    std::printf("%s: refused: %s\n", place_.c_str(), error.c_str());
  }
}

void Fuzzer::CountDeviceWork(const Query& query, const Verdict& verdict) {
  tally_.device_comparisons += verdict.is_on_device ? 1 : 0;
  tally_.subquery_comparisons += verdict.is_on_device && query.HasSubqueries() ? 1 : 0;
  tally_.joined_comparisons += verdict.device_joins.empty() ? 0 : 1;
  for (const std::string& kind : verdict.device_joins) {
    tally_.joins[kind]++;
  }
}

void Fuzzer::ReportDifference(const FuzzCase& fuzz_case, const Configuration& configuration,
                              const Verdict& verdict) {
  tally_.differences++;
  std::printf("-- difference at %s, %s\n-- %s\n", place_.c_str(), configuration.name.c_str(),
              ReplaceLineBreaks(verdict.text).c_str());
  std::fflush(stdout);
  Shrinker shrinker(engine_, configuration, verdict.kind);
  const std::optional<FuzzCase> small = shrinker.Shrink(fuzz_case);
  if (small) {
    engine_.Create(small->tables);
    engine_.Fill(small->tables, small->rows);
    std::printf("%s", shrinker.Script(*small).c_str());
  } else {
    std::printf(
        "-- it does not appear in new tables: run the plan again from its first data set\n"
        "%s;\n",
        fuzz_case.query.Text().c_str());
  }
  std::printf("-- again: margay_fuzz --replay %s --joins %d --subqueries %d\n",
              place_.substr(0, place_.find(',')).c_str(), options_.join_percent,
              options_.subquery_percent);
}

void Fuzzer::PrintSummary() {
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "seed %llu: %llu plans (%llu refused, %llu not bound), %llu data sets, %llu comparisons: "
      "%llu differences, %llu where DuckDB differs from itself, %llu errors, %llu finished by "
      "DuckDB, %llu without need of a device; %llu kernels compiled; %.1f s\n",
      number(options_.seed), number(tally_.plans), number(tally_.refused_plans),
      number(tally_.empty_plans), number(tally_.data_sets), number(tally_.comparisons),
      number(tally_.differences), number(tally_.duckdb_differences), number(tally_.both_error),
      number(tally_.fallbacks), number(tally_.without_device),
      number(engine_.ReadCounters().kernels_compiled), Elapsed());
  std::printf(
      "  on a device: %llu plans with %llu comparisons; with a join there: %llu plans with %llu "
      "comparisons; with sub-queries: %llu plans with %llu comparisons; errors in DuckDB only: "
      "%llu, "
      "another of several errors: %llu\n",
      number(tally_.device_plans), number(tally_.device_comparisons), number(tally_.joined_plans),
      number(tally_.joined_comparisons), number(tally_.subquery_plans),
      number(tally_.subquery_comparisons), number(tally_.fewer_errors),
      number(tally_.another_error));
  for (const auto& [kind, count] : tally_.joins) {
    std::printf("  %s joins on a device: %llu\n", kind.c_str(), number(count));
  }
  std::printf("  refused: %.1f %% of the plans, %llu comparisons of others\n",
              100.0 * static_cast<double>(tally_.refused_plans) /
                  static_cast<double>(std::max<uint64_t>(tally_.plans, 1)),
              number(tally_.refused_comparisons));
  PrintReasons("  refused plans", tally_.reasons);
  PrintReasons("  refused, of plans, of parts that were left out, and of comparisons",
               tally_.refusals);
}

}  // namespace margay::fuzz
