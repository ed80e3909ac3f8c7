// Runs joins over small images on every usable device in both shapes and compares with nested loops
// on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <unordered_map>

#include "execute/part.hpp"
#include "execute/program_part.hpp"
#include "memory/heap_allocator.hpp"
#include "storage/table_image_builder.hpp"
#include "targets.hpp"

namespace margay::execute {
namespace {

using plan::AggregateFunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::JoinKey;
using plan::JoinKind;
using plan::Node;
using plan::NodePointer;
using plan::Operation;
using plan::TypeKind;

//! Rows of (key, value), both BIGINT; a key may be NULL.
using Table = std::vector<std::pair<std::optional<int64_t>, int64_t>>;

//! How the keys of a build side are spread: decides which form the join table takes.
enum class Keys { UniqueDense, RepeatedDense, UniqueSparse, RepeatedSparse };

Table MakeBuildSide(Keys keys, size_t rows) {
  std::mt19937_64 random(3);
  const bool is_sparse = keys == Keys::UniqueSparse || keys == Keys::RepeatedSparse;
  const bool is_unique = keys == Keys::UniqueDense || keys == Keys::UniqueSparse;
  const int64_t step = is_sparse ? 1'000'003'000'007 : 1;
  Table table;
  for (size_t i = 0; i < rows; i++) {
    // Sorted keys are known to be unique; repeated ones come in any order.
    const auto number = static_cast<int64_t>(is_unique ? i : random() % (rows / 3 + 1));
    const bool is_null = !is_unique && random() % 20 == 0;
    table.emplace_back(is_null ? std::nullopt : std::optional(number * step - 5),
                       static_cast<int64_t>(random() % 100));
  }
  return table;
}

Table MakeProbeSide(const Table& build, size_t rows) {
  std::mt19937_64 random(5);
  Table table;
  for (size_t i = 0; i < rows; i++) {
    std::optional<int64_t> key;
    if (random() % 10 != 0) {
      key = static_cast<int64_t>(random() % 1000) - 100;
      if (!build.empty() && random() % 4 != 0)
        key = build[random() % build.size()].first;
    }
    table.emplace_back(key, static_cast<int64_t>(random() % 100));
  }
  return table;
}

struct Fixture {
  std::shared_ptr<memory::HeapAllocator> allocator = std::make_shared<memory::HeapAllocator>();
  std::shared_ptr<memory::ExtentPool> pool;
};

std::shared_ptr<storage::TableImage> Build(const Fixture& fixture, const Table& table,
                                           storage::BuildOptions options = {}) {
  storage::TableImageBuilder builder({{0, "key", TypeKind::Int64}, {1, "value", TypeKind::Int64}},
                                     fixture.allocator, options);
  std::vector<int64_t> keys, values;
  std::vector<uint64_t> validity(table.size() / 64 + 1, 0);
  for (size_t i = 0; i < table.size(); i++) {
    keys.push_back(table[i].first.value_or(0));
    values.push_back(table[i].second);
    if (table[i].first)
      validity[i / 64] |= uint64_t{1} << (i % 64);
  }
  auto writer = builder.StartBatch(0);
  writer.Append(0, {.values = keys.data(), .validity = validity.data(), .count = keys.size()});
  writer.Append(1, {.values = values.data(), .count = values.size()});
  writer.Close();
  return builder.Finish(*fixture.pool);
}

NodePointer Scan(const std::string& name) {
  return Node::Scan(name, {{0, "key", TypeKind::Int64}, {1, "value", TypeKind::Int64}});
}

ExpressionPointer Column(size_t number) {
  return Expression::Column(number, TypeKind::Int64, "c" + std::to_string(number));
}

ExpressionPointer Below(size_t a, const ExpressionPointer& b) {
  return Expression::Make(Operation::Less, TypeKind::Boolean, {Column(a), b});
}

//! count(*), count and sum of some columns over all rows, or per value of one column.
NodePointer Summarize(const NodePointer& input, const std::vector<size_t>& columns,
                      const std::vector<ExpressionPointer>& groups) {
  std::vector<plan::Aggregate> aggregates{{AggregateFunction::CountStar, nullptr, TypeKind::Int64}};
  for (size_t column : columns) {
    aggregates.push_back({AggregateFunction::Count, Column(column), TypeKind::Int64});
    aggregates.push_back({AggregateFunction::Sum, Column(column), TypeKind::Int128});
  }
  return Node::GroupBy(input, groups, aggregates);
}

//! One row per group: its value (0 where there is no grouping), then count(*), and count and sum of
//! each column.
using Summary = std::map<int64_t, std::vector<Int128>>;

Summary Read(const Part& part, size_t groups) {
  Summary summary;
  const auto run = part.Start({});
  while (const auto batch = run->Next()) {
    for (size_t row = 0; row < batch->rows; row++) {
      int64_t group = 0;
      if (groups == 1)
        std::memcpy(&group, batch->columns[0].values + row * 8, 8);
      auto& values = summary[group];
      for (size_t i = groups; i < batch->columns.size(); i++) {
        const ResultColumn& column = batch->columns[i];
        const size_t bytes = (i - groups) % 2 == 0 && i > groups ? 16 : 8;
        Int128 value = 0;
        if (bytes == 8) {
          int64_t narrow = 0;
          std::memcpy(&narrow, column.values + row * 8, 8);
          value = narrow;
        } else if (!column.validity || column.validity[row]) {
          std::memcpy(&value, column.values + row * 16, 16);
        }
        values.push_back(value);
      }
    }
  }
  return summary;
}

void ExpectEqual(const Summary& actual, const Summary& expected) {
  const auto text = [](const Summary& summary) {
    std::string result;
    for (const auto& [group, values] : summary) {
      result += std::to_string(group) + ":";
      for (Int128 value : values)
        result += " " + ToString(value);
      result += "\n";
    }
    return result;
  };
  EXPECT_EQ(text(actual), text(expected));
}

//! The rows of a part's result, sorted: a value, and one that may be NULL, or of which there is
//! none.
using Rows = std::vector<std::pair<int64_t, std::optional<int64_t>>>;

Rows ReadRows(const Part& part, const RunOptions& options = {}) {
  Rows rows;
  const auto run = part.Start(options);
  const auto value_of = [](const ResultColumn& column, size_t row) {
    int64_t value = 0;
    std::memcpy(&value, column.values + row * 8, 8);
    return !column.validity || column.validity[row] ? std::optional(value) : std::nullopt;
  };
  while (const auto batch = run->Next()) {
    const auto& columns = batch->columns;
    for (size_t row = 0; row < batch->rows; row++)
      rows.emplace_back(*value_of(columns[0], row),
                        columns.size() > 1 ? value_of(columns[1], row) : std::nullopt);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

class JoinTest : public testing::TestWithParam<std::tuple<JoinKind, Keys, size_t>> {
 protected:
  //! Passes the part of `plan` over `tables` to `check`, for all devices and shapes.
  template <typename Check>
  static void ForEachPart(const NodePointer& plan, const std::vector<Table>& tables,
                          const Check& check, const storage::BuildOptions& options = {},
                          std::optional<optimize::JoinMethod> method = {}) {
    for (const auto& device : UsableDevices()) {
      const device::DeviceInfo& info = device->Info();
      for (optimize::Shape shape : {optimize::Shape::Loop, optimize::Shape::Lanes}) {
        SCOPED_TRACE(info.name + " " + std::string(ShapeName(shape)));
        Fixture fixture;
        fixture.pool = std::make_shared<memory::ExtentPool>(device, fixture.allocator);
        std::vector<std::shared_ptr<storage::TableImage>> images;
        for (const Table& table : tables)
          images.push_back(Build(fixture, table, options));
        auto made = Part::Make(plan, images, PlaceOn(device, fixture.pool), shape, method);
        if (auto* refusal = std::get_if<plan::Refusal>(&made))
          FAIL() << refusal->reason;
        check(*std::get<std::shared_ptr<const Part>>(made));
      }
    }
  }

  //! Runs `plan` over `tables` everywhere and compares with `expected`.
  static void Check(const NodePointer& plan, const std::vector<Table>& tables, size_t groups,
                    const Summary& expected) {
    ForEachPart(plan, tables, [&](const Part& part) { ExpectEqual(Read(part, groups), expected); });
  }

  //! The rows (probe value, build value or none) of a join with an optional `value < value`.
  static Rows Joined(JoinKind kind, const Table& probe, const Table& build, bool has_residual) {
    std::unordered_multimap<int64_t, int64_t> by_key;
    for (const auto& [key, value] : build) {
      if (key)
        by_key.emplace(*key, value);
    }
    Rows rows;
    for (const auto& [key, value] : probe) {
      bool has_match = false;
      const auto [begin, end] =
          key ? by_key.equal_range(*key) : std::pair(by_key.end(), by_key.end());
      for (auto match = begin; match != end; ++match) {
        if (has_residual && value >= match->second)
          continue;
        has_match = true;
        if (kind == JoinKind::Inner || kind == JoinKind::Left)
          rows.emplace_back(value, match->second);
      }
      if ((kind == JoinKind::Semi && has_match) || (kind == JoinKind::Anti && !has_match) ||
          (kind == JoinKind::Left && !has_match)) {
        rows.emplace_back(value, std::nullopt);
      }
    }
    return rows;
  }
};

TEST_P(JoinTest, Aggregates) {
  const auto [kind, keys, build_rows] = GetParam();
  const Table build = MakeBuildSide(keys, build_rows);
  const Table probe = MakeProbeSide(build, 70'000);
  const bool gives_both = kind == JoinKind::Inner || kind == JoinKind::Left;
  for (const bool has_residual : {false, true}) {
    for (const size_t groups : {0, 1}) {
      SCOPED_TRACE(std::string(has_residual ? "residual " : "") + std::to_string(groups));
      const auto join =
          Node::Join(kind, Scan("probe"), Scan("build"), {JoinKey{Column(0), Column(0)}},
                     has_residual ? Below(1, Column(3)) : nullptr);
      const auto plan =
          Summarize(join, gives_both ? std::vector<size_t>{1, 3} : std::vector<size_t>{1},
                    groups == 1 ? std::vector{Column(1)} : std::vector<ExpressionPointer>{});
      Summary expected;
      if (groups == 0)
        expected[0].resize(gives_both ? 5 : 3);
      for (const auto& [probe_value, build_value] : Joined(kind, probe, build, has_residual)) {
        auto& values = expected[groups == 1 ? probe_value : 0];
        values.resize(gives_both ? 5 : 3);
        values[0]++;
        values[1]++;
        values[2] += probe_value;
        if (build_value) {
          values[3]++;
          values[4] += *build_value;
        }
      }
      Check(plan, {probe, build}, groups, expected);
    }
  }
}

TEST_P(JoinTest, Rows) {
  const auto [kind, keys, build_rows] = GetParam();
  const Table build = MakeBuildSide(keys, build_rows);
  const Table probe = MakeProbeSide(build, 70'000);
  const bool gives_both = kind == JoinKind::Inner || kind == JoinKind::Left;
  const auto plan = Node::Project(
      Node::Join(kind, Scan("probe"), Scan("build"), {JoinKey{Column(0), Column(0)}}, nullptr),
      gives_both ? std::vector{Column(1), Column(3)} : std::vector{Column(1)});
  Rows expected = Joined(kind, probe, build, false);
  std::sort(expected.begin(), expected.end());
  ForEachPart(plan, {probe, build},
              [&](const Part& part) { EXPECT_TRUE(ReadRows(part) == expected); });
}

INSTANTIATE_TEST_SUITE_P(All, JoinTest,
                         testing::Combine(testing::Values(JoinKind::Inner, JoinKind::Left,
                                                          JoinKind::Semi, JoinKind::Anti),
                                          testing::Values(Keys::UniqueDense, Keys::RepeatedDense,
                                                          Keys::UniqueSparse, Keys::RepeatedSparse),
                                          testing::Values(0, 1, 1000)));

//! A build side that is itself a join: its rows lead on to those of the table it was joined with.
class NestedJoinTest : public JoinTest {};

TEST_F(NestedJoinTest, LinksLeadToInnerTables) {
  const Table inner = MakeBuildSide(Keys::UniqueDense, 50);
  Table middle = MakeBuildSide(Keys::UniqueDense, 1000);
  for (size_t i = 0; i < middle.size(); i++)
    middle[i].second = static_cast<int64_t>(i % 70);
  const Table probe = MakeProbeSide(middle, 70'000);
  for (const JoinKind kind : {JoinKind::Inner, JoinKind::Left}) {
    SCOPED_TRACE(std::string(plan::JoinKindName(kind)));
    // middle.value = inner.key, then probe.key = middle.key; rows of middle below 900 only.
    const auto build = Node::Join(
        kind, Node::Filter(Scan("middle"), Below(0, Expression::Integer(900, TypeKind::Int64))),
        Scan("inner"), {JoinKey{Column(1), Column(0)}}, nullptr);
    const auto join =
        Node::Join(JoinKind::Inner, Scan("probe"), build, {JoinKey{Column(0), Column(0)}}, nullptr);
    Summary expected;
    expected[0].resize(5);
    for (const auto& [key, value] : probe) {
      for (const auto& [middle_key, middle_value] : middle) {
        if (!key || *key != *middle_key || *middle_key >= 900)
          continue;
        std::optional<int64_t> inner_value;
        for (const auto& [inner_key, candidate] : inner) {
          if (middle_value == *inner_key)
            inner_value = candidate;
        }
        if (!inner_value && kind == JoinKind::Inner)
          continue;
        auto& values = expected[0];
        values[0]++;
        values[1]++;
        values[2] += value;
        if (inner_value) {
          values[3]++;
          values[4] += *inner_value;
        }
      }
    }
    Check(Summarize(join, {1, 5}, {}), {probe, middle, inner}, 0, expected);
  }
}

//! A few rows with so many matches that several launches are needed for one of them; a run may be
//! interrupted between any two.
TEST_F(NestedJoinTest, RowsOfManyMatches) {
  Table build, probe;
  for (int64_t i = 0; i < 100'000; i++)
    build.emplace_back(i % 50 == 0 ? 2 : 1, i);
  for (int64_t i = 0; i < 4; i++)
    probe.emplace_back(i, i);
  const auto plan = Node::Project(Node::Join(JoinKind::Left, Scan("probe"), Scan("build"),
                                             {JoinKey{Column(0), Column(0)}}, nullptr),
                                  {Column(1), Column(3)});
  Rows expected = Joined(JoinKind::Left, probe, build, false);
  std::sort(expected.begin(), expected.end());
  ForEachPart(plan, {probe, build}, [&](const Part& part) {
    int looks = 0;
    RunOptions options;
    options.interrupted = [&] {
      looks++;
      return false;
    };
    EXPECT_TRUE(ReadRows(part) == expected);  // leaves the join table for the next ones
    EXPECT_TRUE(ReadRows(part, options) == expected);
    EXPECT_GE(looks, 2);  // at least two launches of the result
    for (int last = 0; last < looks; last++) {
      int left = last;
      options.interrupted = [&] { return left-- == 0; };
      EXPECT_THROW(ReadRows(part, options), Interrupted);
    }
  });
}

//! A run may be interrupted wherever a partitioned table is filled; the next one is none the wiser.
TEST_F(NestedJoinTest, PartitionedTables) {
  const Table build = MakeBuildSide(Keys::RepeatedSparse, 100'000);
  const Table probe = MakeProbeSide(build, 70'000);
  Table kept;
  for (const auto& row : build) {
    if (row.second < 90)
      kept.push_back(row);
  }
  const auto some = Node::Filter(Scan("build"), Below(1, Expression::Integer(90, TypeKind::Int64)));
  for (const NodePointer& side : {Scan("build"), some}) {
    const auto plan = Node::Project(
        Node::Join(JoinKind::Left, Scan("probe"), side, {JoinKey{Column(0), Column(0)}}, nullptr),
        {Column(1), Column(3)});
    Rows expected = Joined(JoinKind::Left, probe, side == some ? kept : build, false);
    std::sort(expected.begin(), expected.end());
    ForEachPart(
        plan, {probe, build},
        [&](const Part& part) {
          for (int last = 0; last < 4; last++) {
            int left = last;
            RunOptions options;
            options.interrupted = [&] { return left-- == 0; };
            EXPECT_THROW(ReadRows(part, options), Interrupted) << last;
          }
          EXPECT_TRUE(ReadRows(part) == expected);
          EXPECT_TRUE(ReadRows(part) == expected);
        },
        {}, optimize::JoinMethod::PartitionedHash);
  }
}

//! Both sides may have several extents; the rows of build sides, and those that groups keep, are
//! found in them.
TEST_F(NestedJoinTest, SeveralExtents) {
  storage::BuildOptions options;
  options.segments_per_extent = 1;
  for (const Keys keys : {Keys::UniqueDense, Keys::RepeatedSparse}) {
    SCOPED_TRACE(keys == Keys::UniqueDense ? "unique" : "repeated");
    const Table build = MakeBuildSide(keys, 150'000);
    const Table probe = MakeProbeSide(build, 200'000);
    const auto join = Node::Join(JoinKind::Left, Scan("probe"), Scan("build"),
                                 {JoinKey{Column(0), Column(0)}}, nullptr);
    Rows rows = Joined(JoinKind::Left, probe, build, false);
    std::sort(rows.begin(), rows.end());
    ForEachPart(
        Node::Project(join, {Column(1), Column(3)}), {probe, build},
        [&](const Part& part) { EXPECT_TRUE(ReadRows(part) == rows); }, options);
    if (keys != Keys::UniqueDense)
      continue;
    std::set<std::pair<int64_t, std::optional<int64_t>>> groups;
    for (const auto& [key, value] : build)
      groups.emplace(*key, value);
    ForEachPart(
        Node::GroupBy(Scan("build"), {Column(0), Column(1)},
                      {{AggregateFunction::CountStar, nullptr, TypeKind::Int64}}),
        {build},
        [&](const Part& part) {
          EXPECT_TRUE(ReadRows(part) == Rows(groups.begin(), groups.end()));
        },
        options);
  }
}

//! Groups of the build side, joined with groups of the same.
TEST_F(JoinTest, AnAggregateInSeveralPlacesRunsOnce) {
  const Table build = MakeBuildSide(Keys::UniqueDense, 1000);
  const auto groups = [] {
    return Node::GroupBy(Scan("build"), {Column(0)},
                         {{AggregateFunction::Sum, Column(1), TypeKind::Int128}});
  };
  const auto rows_in = [&](const NodePointer& left, const NodePointer& right) {
    std::vector<uint64_t> rows;
    ForEachPart(Summarize(Node::Join(JoinKind::Inner, left, right, {JoinKey{Column(0), Column(0)}},
                                     nullptr),
                          {}, {}),
                {build, build}, [&](const Part& part) {
                  const auto run = part.Start({});
                  EXPECT_TRUE(run->Next().has_value());
                  rows.push_back(run->Statistics().rows_in);
                });
    return rows;
  };
  const NodePointer shared = groups();
  const std::vector<uint64_t> apart = rows_in(groups(), groups());
  const std::vector<uint64_t> once = rows_in(shared, shared);
  ASSERT_EQ(once.size(), apart.size());
  for (size_t i = 0; i < once.size(); i++)
    EXPECT_EQ(once[i] + build.size(), apart[i]);
}

//! Five rows of `few` are left, and 20 rows of `many` have each key.
TEST(EstimatedJoins, ATimeBeyondThatOfAScanIsAWrongEstimate) {
  const std::shared_ptr<device::Device> device = UsableDevices().front();
  Fixture fixture;
  fixture.pool = std::make_shared<memory::ExtentPool>(device, fixture.allocator);
  Table few, many;
  for (int64_t i = 0; i < 4000; i++)
    few.emplace_back(i, i);
  for (int64_t i = 0; i < 80'000; i++)
    many.emplace_back(i * 7919 % 4000, i);
  const std::vector<std::shared_ptr<storage::TableImage>> images{Build(fixture, many, {}),
                                                                 Build(fixture, few, {})};
  const NodePointer plan = Summarize(
      Node::Join(JoinKind::Inner, Scan("many"),
                 Node::Filter(Scan("few"), Below(0, Expression::Integer(5, TypeKind::Int64))),
                 {{Column(0), Column(0)}}, nullptr),
      {1}, {});
  const auto make = [&](bool uses_estimates) {
    auto made = Part::Make(plan, images, PlaceOn(device, fixture.pool), optimize::Shape::Loop, {},
                           uses_estimates);
    return std::dynamic_pointer_cast<const ProgramPart>(
        std::get<std::shared_ptr<const Part>>(std::move(made)));
  };
  const auto part = make(true);
  EXPECT_EQ(part->Program().pipelines.back().spared_rows, 80'000u);
  part->Learned().History().Add(0, 0);
  EXPECT_FALSE(part->EstimatedWrong());
  part->Learned().History().Add(1e9, 1'000'000'000);
  EXPECT_FALSE(part->EstimatedWrong()) << "it was another table that took the time";
  part->Learned().History().Add(1e9, 0);
  part->Learned().History().Add(0, 0);
  part->Learned().History().Add(1e9, 0);
  EXPECT_FALSE(part->EstimatedWrong()) << "it was slow once";
  part->Learned().History().Add(1e9, 0);
  EXPECT_TRUE(part->EstimatedWrong());
  const auto scanning = make(false);
  EXPECT_EQ(scanning->Program().pipelines.back().spared_rows, 0u);
  scanning->Learned().History().Add(1e9, 0);
  scanning->Learned().History().Add(1e9, 0);
  EXPECT_FALSE(scanning->EstimatedWrong());
}

}  // namespace
}  // namespace margay::execute
