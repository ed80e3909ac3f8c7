// Runs plans with an order over small images on every usable device in both shapes, and compares
// with a stable sort on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "execute/part.hpp"
#include "memory/heap_allocator.hpp"
#include "storage/constants.hpp"
#include "storage/table_image_builder.hpp"
#include "targets.hpp"

namespace margay::execute {
namespace {

using plan::Expression;
using plan::Node;
using plan::OrderKey;
using plan::Type;
using plan::TypeKind;

//! Columns, by number: row (ascending), backwards (descending), number (with NULLs), real (with
//! NaN, infinities and both zeros), text, wide (more than 64 bits).
struct Rows {
  std::vector<int64_t> row, backwards;
  std::vector<int32_t> number;
  std::vector<uint64_t> number_validity;
  std::vector<double> real;
  std::vector<std::string> text;
  std::vector<Int128> wide;

  size_t Count() const { return row.size(); }
  bool IsNull(size_t column, size_t i) const {
    return column == 2 && (number_validity[i / 64] >> (i % 64) & 1) == 0;
  }
  //! -1, 0 or 1 for two rows, neither NULL, in the order that the plan documents.
  int Compare(size_t column, size_t a, size_t b) const {
    const auto compare = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
    switch (column) {
      case 0:
        return compare(row[a], row[b]);
      case 1:
        return compare(backwards[a], backwards[b]);
      case 2:
        return compare(number[a], number[b]);
      case 3:
        return std::isnan(real[a]) || std::isnan(real[b])
                   ? compare(std::isnan(real[a]), std::isnan(real[b]))
                   : compare(real[a], real[b]);
      case 4:
        return compare(text[a], text[b]);
      default:
        return compare(wide[a], wide[b]);
    }
  }
};

Rows MakeRows(size_t count) {
  std::mt19937_64 random(11);
  Rows rows;
  rows.number_validity.resize(count / 64 + 1);
  const double infinity = std::numeric_limits<double>::infinity();
  const double specials[] = {std::nan(""), -std::nan(""), infinity, -infinity, 0.0, -0.0, 1e-310};
  for (size_t i = 0; i < count; i++) {
    rows.row.push_back(static_cast<int64_t>(i));
    rows.backwards.push_back(-static_cast<int64_t>(i));
    rows.number.push_back(static_cast<int32_t>(random() % 200) - 100);
    if (random() % 10 != 0)
      rows.number_validity[i / 64] |= uint64_t{1} << (i % 64);
    rows.real.push_back(random() % 5 == 0 ? specials[random() % std::size(specials)]
                                          : static_cast<double>(random() % 1000) / 8 - 60);
    rows.text.push_back(std::string(random() % 4, static_cast<char>('a' + random() % 3)));
    rows.wide.push_back(static_cast<Int128>(random() % 50) << 70 | random() % 3);
  }
  return rows;
}

const std::vector<storage::ColumnSpecification> kColumns = {
    {0, "row", TypeKind::Int64},    {1, "backwards", TypeKind::Int64},
    {2, "number", TypeKind::Int32}, {3, "real", TypeKind::Float64},
    {4, "text", TypeKind::Varchar}, {5, "wide", TypeKind::Int128}};

struct Fixture {
  std::shared_ptr<memory::ExtentPool> pool;
  std::shared_ptr<storage::TableImage> image;
};

Fixture Build(const Target& target, const Rows& rows) {
  auto allocator = std::make_shared<memory::HeapAllocator>();
  Fixture fixture;
  fixture.pool = std::make_shared<memory::ExtentPool>(target.device, allocator);
  storage::TableImageBuilder builder(kColumns, allocator, {});
  const std::vector<std::string_view> texts(rows.text.begin(), rows.text.end());
  auto writer = builder.StartBatch(0);
  writer.Append(0, {.values = rows.row.data(), .count = rows.Count()});
  writer.Append(1, {.values = rows.backwards.data(), .count = rows.Count()});
  writer.Append(2, {.values = rows.number.data(),
                    .validity = rows.number_validity.data(),
                    .count = rows.Count()});
  writer.Append(3, {.values = rows.real.data(), .count = rows.Count()});
  writer.Append(4, {.values = texts.data(), .count = rows.Count()});
  writer.Append(5, {.values = rows.wide.data(), .count = rows.Count()});
  writer.Close();
  fixture.image = builder.Finish(*fixture.pool);
  return fixture;
}

plan::NodePointer Scan() {
  std::vector<plan::ScanColumn> columns;
  for (const storage::ColumnSpecification& column : kColumns)
    columns.push_back({column.id, column.name, column.type});
  return Node::Scan("t", std::move(columns));
}

OrderKey Key(size_t column, bool is_descending, bool nulls_first) {
  return {Expression::Column(column, kColumns[column].type, kColumns[column].name), is_descending,
          nulls_first};
}

//! The rows of the table in the order of `keys`, those of the window.
std::vector<int64_t> Reference(const Rows& rows, const std::vector<OrderKey>& keys,
                               const plan::RowWindow& window) {
  std::vector<int64_t> order(rows.Count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t left, int64_t right) {
    const auto a = static_cast<size_t>(left), b = static_cast<size_t>(right);
    for (const OrderKey& key : keys) {
      const size_t column = key.expression->ColumnIndex();
      const bool a_null = rows.IsNull(column, a), b_null = rows.IsNull(column, b);
      if (a_null != b_null)
        return a_null == key.nulls_first;
      const int difference = a_null ? 0 : rows.Compare(column, a, b);
      if (difference != 0)
        return (difference < 0) != key.is_descending;
    }
    return false;
  });
  const size_t begin = std::min<size_t>(window.offset, order.size());
  const size_t end = std::min<size_t>(window.End(), order.size());
  return {order.begin() + static_cast<ptrdiff_t>(begin),
          order.begin() + static_cast<ptrdiff_t>(std::max(begin, end))};
}

std::unique_ptr<Run> Start(const Target& target, const Fixture& fixture,
                           const plan::NodePointer& plan, RunOptions options = {}) {
  auto made = Part::Make(plan, {fixture.image}, PlaceOn(target.device, fixture.pool), target.shape);
  if (auto* refusal = std::get_if<plan::Refusal>(&made))
    throw std::runtime_error(refusal->reason);
  const auto part = std::get<std::shared_ptr<const Part>>(made);
  part->Build();
  return part->Start(std::move(options));
}

//! The first column of a result.
std::vector<int64_t> FirstColumn(Run& run) {
  std::vector<int64_t> values;
  while (auto batch = run.Next()) {
    const auto* begin = reinterpret_cast<const int64_t*>(batch->columns[0].values);
    values.insert(values.end(), begin, begin + batch->rows);
  }
  return values;
}

constexpr size_t kThreeSegments = 2 * storage::kSegmentRows + 5000;

TEST(Order, AgreesWithAStableSort) {
  const Rows rows = MakeRows(kThreeSegments);
  const std::vector<std::vector<OrderKey>> orders = {
      {Key(2, true, false), Key(3, false, false), Key(0, true, false)},
      {Key(3, true, false), Key(5, false, false), Key(1, false, false)},
      {Key(4, true, false), Key(5, true, true), Key(2, false, false), Key(0, false, false)},
  };
  const std::vector<plan::RowWindow> windows = {{{}, 0},      {10, 0},    {2100, 50},
                                                {1000000, 7}, {5, 70000}, {0, 3}};
  for (const Target& target : Targets()) {
    const Fixture fixture = Build(target, rows);
    for (size_t i = 0; i < orders.size(); i++) {
      for (const plan::RowWindow& window : windows) {
        const plan::NodePointer plan = Node::Order(Scan(), orders[i], window);
        EXPECT_EQ(FirstColumn(*Start(target, fixture, plan)), Reference(rows, orders[i], window))
            << target.device->Info().name << " " << plan->ToString();
      }
    }
  }
}

TEST(Order, LimitsWithoutKeysKeepTheOrderOfTheTable) {
  const Rows rows = MakeRows(kThreeSegments);
  for (const Target& target : Targets()) {
    const Fixture fixture = Build(target, rows);
    const plan::RowWindow window{3000, 1000};
    const auto run = Start(target, fixture, Node::Order(Scan(), {}, window));
    EXPECT_EQ(FirstColumn(*run), Reference(rows, {}, window));
    EXPECT_EQ(run->Statistics().segments_skipped, 2U) << "one segment holds enough rows";
  }
}

TEST(Order, SegmentsThatAreNotAmongTheFirstAreSkipped) {
  const Rows rows = MakeRows(kThreeSegments);
  for (const Target& target : Targets()) {
    const Fixture fixture = Build(target, rows);
    for (const OrderKey& key : {Key(0, false, false), Key(0, true, false), Key(1, false, true)}) {
      const plan::RowWindow window{100, 10};
      const auto run = Start(target, fixture, Node::Order(Scan(), {key}, window));
      EXPECT_EQ(FirstColumn(*run), Reference(rows, {key}, window));
      EXPECT_EQ(run->Statistics().segments, 3U);
      EXPECT_EQ(run->Statistics().segments_skipped, 2U) << key.ToString();
      EXPECT_LE(run->Statistics().rows_in, storage::kSegmentRows);
    }
  }
}

TEST(Order, PartsThatAreCutInTwoGiveTheSameRows) {
  const Rows rows = MakeRows(kThreeSegments);
  std::vector<plan::ExpressionPointer> outputs;
  for (int64_t i = 0; i < 130; i++) {
    outputs.push_back(
        Expression::Make(plan::Operation::Add, TypeKind::Int64,
                         {Expression::Column(0, TypeKind::Int64, "row"),
                          Expression::Integer(static_cast<Int128>(i), TypeKind::Int64)}));
  }
  // Nothing but ties: both halves must choose alike.
  const std::vector<OrderKey> keys = {Key(4, false, false)};
  const plan::RowWindow window{500, 20};
  for (const Target& target : Targets()) {
    const Fixture fixture = Build(target, rows);
    const auto run =
        Start(target, fixture, Node::Project(Node::Order(Scan(), keys, window), outputs));
    size_t count = 0;
    while (auto batch = run->Next()) {
      ASSERT_EQ(batch->columns.size(), outputs.size());
      const auto* first = reinterpret_cast<const int64_t*>(batch->columns.front().values);
      const auto* last = reinterpret_cast<const int64_t*>(batch->columns.back().values);
      for (size_t i = 0; i < batch->rows; i++)
        ASSERT_EQ(first[i] + 129, last[i]);
      count += batch->rows;
    }
    EXPECT_EQ(count, 500U);
  }
}

TEST(Order, InterruptsAreHeeded) {
  const Rows rows = MakeRows(kThreeSegments);
  for (const Target& target : Targets()) {
    const Fixture fixture = Build(target, rows);
    RunOptions options;
    int calls = 0;
    options.interrupted = [&] { return ++calls == 2; };
    // More rows than the first batch has.
    const auto run =
        Start(target, fixture, Node::Order(Scan(), {Key(3, false, false)}, {100000, 0}), options);
    EXPECT_THROW(run->Next(), Interrupted);
  }
}

}  // namespace
}  // namespace margay::execute
