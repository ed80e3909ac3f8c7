// Runs plans over small images on every usable device in both shapes and compares with a slow,
// obvious computation on the host.
#include "execute/part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "memory/heap_allocator.hpp"
#include "storage/table_image_builder.hpp"
#include "targets.hpp"

namespace margay::execute {
namespace {

using plan::AggregateFunction;
using plan::Expression;
using plan::ExpressionPointer;
using plan::Node;
using plan::Operation;
using plan::Type;
using plan::TypeKind;

//! A table with the columns key (VARCHAR), number (INTEGER, with NULLs), price (DECIMAL(15,2)).
struct Rows {
  std::vector<std::string> keys;
  std::vector<int32_t> numbers;
  std::vector<bool> has_number;
  std::vector<int64_t> prices;
};

Rows MakeRows(size_t count) {
  std::mt19937 random(7);
  Rows rows;
  const std::vector<std::string> names{"R", "A", "N", "long name"};
  for (size_t i = 0; i < count; i++) {
    rows.keys.push_back(names[random() % names.size()]);
    rows.numbers.push_back(static_cast<int32_t>(random() % 2000) - 1000);
    rows.has_number.push_back(random() % 10 != 0);
    rows.prices.push_back(static_cast<int64_t>(random() % 10000000));
  }
  return rows;
}

struct Fixture {
  std::shared_ptr<memory::ExtentPool> pool;
  std::shared_ptr<storage::TableImage> image;
};

Fixture Build(const Target& target, const Rows& rows) {
  auto allocator = std::make_shared<memory::HeapAllocator>();
  Fixture fixture;
  fixture.pool = std::make_shared<memory::ExtentPool>(target.device, allocator);
  storage::TableImageBuilder builder({{0, "key", TypeKind::Varchar},
                                      {1, "number", TypeKind::Int32},
                                      {2, "price", Type::Decimal(15, 2)}},
                                     allocator, {});
  std::vector<std::string_view> keys(rows.keys.begin(), rows.keys.end());
  std::vector<uint64_t> validity(rows.keys.size() / 64 + 1, 0);
  for (size_t i = 0; i < rows.has_number.size(); i++) {
    if (rows.has_number[i])
      validity[i / 64] |= uint64_t{1} << (i % 64);
  }
  auto writer = builder.StartBatch(0);
  writer.Append(0, {.values = keys.data(), .count = keys.size()});
  writer.Append(1,
                {.values = rows.numbers.data(), .validity = validity.data(), .count = keys.size()});
  writer.Append(2, {.values = rows.prices.data(), .count = keys.size()});
  writer.Close();
  fixture.image = builder.Finish(*fixture.pool);
  return fixture;
}

plan::NodePointer Scan() {
  return Node::Scan("t", {{0, "key", TypeKind::Varchar},
                          {1, "number", TypeKind::Int32},
                          {2, "price", Type::Decimal(15, 2)}});
}

ExpressionPointer Key() {
  return Expression::Column(0, TypeKind::Varchar, "key");
}
ExpressionPointer Number() {
  return Expression::Column(1, TypeKind::Int32, "number");
}
ExpressionPointer Price() {
  return Expression::Column(2, Type::Decimal(15, 2), "price");
}

ExpressionPointer NumberAbove(int32_t bound) {
  return Expression::Make(Operation::Greater, TypeKind::Boolean,
                          {Number(), Expression::Integer(bound, TypeKind::Int32)});
}

template <typename T>
T ValueAt(const ResultColumn& column, size_t row) {
  T value;
  std::memcpy(&value, column.values + row * sizeof(T), sizeof(T));
  return value;
}

std::shared_ptr<const Part> MakePart(const Target& target, const Fixture& fixture,
                                     const plan::NodePointer& plan) {
  auto made = Part::Make(plan, {fixture.image}, PlaceOn(target.device, fixture.pool), target.shape);
  if (auto* refusal = std::get_if<plan::Refusal>(&made))
    throw std::runtime_error(refusal->reason);
  return std::get<std::shared_ptr<const Part>>(made);
}

class PartTest : public testing::TestWithParam<size_t> {};

TEST_P(PartTest, UngroupedAggregates) {
  const Rows rows = MakeRows(GetParam());
  int64_t count = 0, number_sum = 0;
  Int128 price_sum = 0;
  int32_t lowest = INT32_MAX;
  for (size_t i = 0; i < rows.keys.size(); i++) {
    if (!rows.has_number[i] || rows.numbers[i] <= 100)
      continue;
    count++;
    number_sum += rows.numbers[i];
    price_sum += rows.prices[i];
    lowest = std::min(lowest, rows.numbers[i]);
  }
  const auto plan = Node::GroupBy(Node::Filter(Scan(), NumberAbove(100)), {},
                                  {{AggregateFunction::CountStar, nullptr, TypeKind::Int64},
                                   {AggregateFunction::Sum, Number(), TypeKind::Int128},
                                   {AggregateFunction::Sum, Price(), Type::Decimal(38, 2)},
                                   {AggregateFunction::Min, Number(), TypeKind::Int32}});
  for (const Target& target : Targets()) {
    SCOPED_TRACE(target.device->Info().name + " " + std::string(ShapeName(target.shape)));
    const Fixture fixture = Build(target, rows);
    const auto part = MakePart(target, fixture, plan);
    const auto run = part->Start({});
    const auto batch = run->Next();
    ASSERT_TRUE(batch.has_value());
    ASSERT_EQ(batch->rows, 1u);
    EXPECT_EQ(ValueAt<int64_t>(batch->columns[0], 0), count);
    EXPECT_TRUE(ValueAt<Int128>(batch->columns[2], 0) == price_sum || count == 0);
    if (count > 0) {
      EXPECT_TRUE(ValueAt<Int128>(batch->columns[1], 0) == number_sum);
      EXPECT_EQ(ValueAt<int32_t>(batch->columns[3], 0), lowest);
    } else {
      ASSERT_NE(batch->columns[1].validity, nullptr) << "a sum of no rows is NULL";
      EXPECT_EQ(batch->columns[1].validity[0], 0);
    }
    EXPECT_FALSE(run->Next().has_value());
  }
}

TEST_P(PartTest, GroupedAggregates) {
  const Rows rows = MakeRows(GetParam());
  std::map<std::string, std::pair<int64_t, Int128>> expected;
  for (size_t i = 0; i < rows.keys.size(); i++) {
    auto& [count, sum] = expected[rows.keys[i]];
    count += rows.has_number[i];
    sum += rows.prices[i];
  }
  const auto plan = Node::GroupBy(Scan(), {Key()},
                                  {{AggregateFunction::Count, Number(), TypeKind::Int64},
                                   {AggregateFunction::Sum, Price(), Type::Decimal(38, 2)},
                                   {AggregateFunction::Average, Number(), TypeKind::Float64}});
  for (const Target& target : Targets()) {
    SCOPED_TRACE(target.device->Info().name + " " + std::string(ShapeName(target.shape)));
    const Fixture fixture = Build(target, rows);
    const auto part = MakePart(target, fixture, plan);
    // The loop shape fills so small a table in tiles of vectors.
    EXPECT_EQ(part->Source().find("vload8") != std::string::npos,
              target.shape == optimize::Shape::Loop);
    const auto run = part->Start({});
    const auto batch = run->Next();
    ASSERT_EQ(batch ? batch->rows : 0, expected.size());
    for (size_t row = 0; batch && row < batch->rows; row++) {
      const auto code = ValueAt<uint32_t>(batch->columns[0], row);
      const auto& [count, sum] =
          expected.at(std::string(batch->columns[0].dictionary->Value(code)));
      EXPECT_EQ(ValueAt<int64_t>(batch->columns[1], row), count);
      EXPECT_TRUE(ValueAt<Int128>(batch->columns[2], row) == sum);
    }
  }
}

//! Grouping by a number in a domain too large for local memory takes the owned table on lanes.
TEST_P(PartTest, ManyGroups) {
  const Rows rows = MakeRows(GetParam());
  std::map<int32_t, int64_t> expected;
  size_t nulls = 0;
  for (size_t i = 0; i < rows.keys.size(); i++) {
    if (rows.has_number[i]) {
      expected[rows.numbers[i]] += rows.prices[i];
    } else {
      nulls = 1;
    }
  }
  const auto plan =
      Node::GroupBy(Scan(), {Number()}, {{AggregateFunction::Sum, Price(), Type::Decimal(38, 2)}});
  for (const Target& target : Targets()) {
    SCOPED_TRACE(target.device->Info().name + " " + std::string(ShapeName(target.shape)));
    const Fixture fixture = Build(target, rows);
    const auto part = MakePart(target, fixture, plan);
    const auto batch = part->Start({})->Next();
    ASSERT_EQ(batch ? batch->rows : 0, expected.size() + nulls);
    for (size_t row = 0; batch && row < batch->rows; row++) {
      if (batch->columns[0].validity && !batch->columns[0].validity[row])
        continue;
      const auto number = ValueAt<int32_t>(batch->columns[0], row);
      EXPECT_TRUE(ValueAt<Int128>(batch->columns[1], row) == expected.at(number)) << number;
    }
  }
}

//! What scans the groups gets those alone that its filter leaves, where they have a shared table.
TEST_P(PartTest, GroupsThatNobodyWantsAreNotPacked) {
  const Rows rows = MakeRows(GetParam());
  std::map<int64_t, int64_t> counts;
  for (int64_t price : rows.prices)
    counts[price]++;
  for (const int64_t least : {1, 2}) {
    std::map<int64_t, int64_t> expected;
    for (const auto& [price, count] : counts) {
      if (count >= least)
        expected[price] = count;
    }
    const auto count = Expression::Column(1, TypeKind::Int64, "count");
    const auto groups = Node::GroupBy(Scan(), {Price()},
                                      {{AggregateFunction::CountStar, nullptr, TypeKind::Int64}});
    const auto plan = Node::Filter(
        groups, Expression::Make(Operation::GreaterOrEqual, TypeKind::Boolean,
                                 {count, Expression::Integer(least, TypeKind::Int64)}));
    for (const Target& target : Targets()) {
      SCOPED_TRACE(target.device->Info().name + " " + std::string(ShapeName(target.shape)));
      const Fixture fixture = Build(target, rows);
      const auto run = MakePart(target, fixture, plan)->Start({});
      std::map<int64_t, int64_t> actual;
      while (const auto batch = run->Next()) {
        for (size_t row = 0; row < batch->rows; row++)
          actual[ValueAt<int64_t>(batch->columns[0], row)] =
              ValueAt<int64_t>(batch->columns[1], row);
      }
      EXPECT_EQ(actual, expected);
      // One group has no shared table.
      if (GetParam() > 1) {
        EXPECT_EQ(run->Statistics().rows_in, GetParam() + expected.size());
      }
    }
  }
}

TEST_P(PartTest, RowsInOrder) {
  const Rows rows = MakeRows(GetParam());
  std::vector<int64_t> expected;
  for (size_t i = 0; i < rows.keys.size(); i++) {
    if (rows.has_number[i] && rows.numbers[i] > 900)
      expected.push_back(rows.prices[i] * 200);
  }
  const auto product = Expression::Make(Operation::Multiply, Type::Decimal(17, 4),
                                        {Price(), Expression::Integer(200, Type::Decimal(3, 2))});
  const auto plan =
      Node::Project(Node::Filter(Scan(), NumberAbove(900)), {Key(), product, Number()});
  for (const Target& target : Targets()) {
    SCOPED_TRACE(target.device->Info().name + " " + std::string(ShapeName(target.shape)));
    const Fixture fixture = Build(target, rows);
    const auto part = MakePart(target, fixture, plan);
    const auto run = part->Start({});
    std::vector<int64_t> actual;
    while (const auto batch = run->Next()) {
      for (size_t row = 0; row < batch->rows; row++) {
        actual.push_back(ValueAt<int64_t>(batch->columns[1], row));
      }
    }
    EXPECT_EQ(actual, expected);
  }
}

//! The rows of both inputs, one after the other, with values that neither has alone.
TEST_P(PartTest, Unions) {
  const Rows rows = MakeRows(GetParam());
  plan::Constant none;
  none.text = "none";
  const plan::NodePointer first =
      Node::Project(Node::Filter(Scan(), NumberAbove(500)), {Key(), Number()});
  const plan::NodePointer second =
      Node::Project(Node::Filter(Scan(), NumberAbove(900)),
                    {Expression::MakeConstant(none, TypeKind::Varchar),
                     Expression::Make(Operation::Multiply, TypeKind::Int32,
                                      {Number(), Expression::Integer(-70000, TypeKind::Int32)})});
  const plan::NodePointer third =
      Node::Project(Scan(), {Expression::Null(TypeKind::Varchar), Number()});
  const plan::NodePointer plan = Node::Union(Node::Union(first, second), third);
  std::vector<std::string> expected;
  for (size_t input = 0; input < 3; input++) {
    for (size_t i = 0; i < rows.keys.size(); i++) {
      const int32_t bound = input == 0 ? 500 : 900;
      if (input != 2 && !(rows.has_number[i] && rows.numbers[i] > bound))
        continue;
      const int32_t number = rows.numbers[i] * (input == 1 ? -70000 : 1);
      const std::string key = input == 0 ? rows.keys[i] : input == 1 ? "none" : "NULL";
      expected.push_back(key + " " + (rows.has_number[i] ? std::to_string(number) : "NULL"));
    }
  }
  for (const Target& target : Targets()) {
    SCOPED_TRACE(target.device->Info().name + " " + std::string(ShapeName(target.shape)));
    const Fixture fixture = Build(target, rows);
    auto made = Part::Make(plan, {fixture.image, fixture.image, fixture.image},
                           PlaceOn(target.device, fixture.pool), target.shape);
    ASSERT_TRUE(std::holds_alternative<std::shared_ptr<const Part>>(made));
    const auto run = std::get<0>(made)->Start({});
    std::vector<std::string> actual;
    while (const auto batch = run->Next()) {
      const ResultColumn &key = batch->columns[0], &number = batch->columns[1];
      const auto has_value = [](const ResultColumn& column, size_t row) {
        return column.validity == nullptr || column.validity[row] != 0;
      };
      for (size_t i = 0; i < batch->rows; i++) {
        const std::string text = has_value(key, i)
                                     ? std::string(key.dictionary->Value(ValueAt<uint32_t>(key, i)))
                                     : "NULL";
        actual.push_back(
            text + " " +
            (has_value(number, i) ? std::to_string(ValueAt<int32_t>(number, i)) : "NULL"));
      }
    }
    EXPECT_EQ(actual.size(), expected.size());
    EXPECT_TRUE(actual == expected);
  }
}

TEST_P(PartTest, AFaultCountsWhereItIsComputed) {
  if (GetParam() == 0)
    return;
  const Rows rows = MakeRows(GetParam());
  for (const bool is_met : {true, false}) {
    const auto fault = Expression::Make(Operation::Fault, TypeKind::Int32, {});
    const auto number =
        Expression::Make(Operation::Case, TypeKind::Int32,
                         {NumberAbove(is_met ? INT32_MIN : INT32_MAX), fault, Number()});
    const auto plan =
        Node::GroupBy(Scan(), {}, {{AggregateFunction::Max, number, TypeKind::Int32}});
    for (const Target& target : Targets()) {
      SCOPED_TRACE(target.device->Info().name + " " + std::string(ShapeName(target.shape)));
      const Fixture fixture = Build(target, rows);
      const auto part = MakePart(target, fixture, plan);
      if (is_met && std::find(rows.has_number.begin(), rows.has_number.end(), true) !=
                        rows.has_number.end()) {
        EXPECT_THROW(part->Start({})->Next(), ArithmeticFault);
      } else {
        EXPECT_TRUE(part->Start({})->Next().has_value());
      }
    }
  }
}

TEST_P(PartTest, OverflowIsAFault) {
  if (GetParam() == 0)
    return;
  const Rows rows = MakeRows(GetParam());
  const auto square = Expression::Make(
      Operation::Multiply, TypeKind::Int32,
      {Expression::Make(Operation::Multiply, TypeKind::Int32, {Number(), Number()}),
       Expression::Integer(2000000000, TypeKind::Int32)});
  const auto plan = Node::GroupBy(Scan(), {}, {{AggregateFunction::Max, square, TypeKind::Int32}});
  for (const Target& target : Targets()) {
    SCOPED_TRACE(target.device->Info().name + " " + std::string(ShapeName(target.shape)));
    const Fixture fixture = Build(target, rows);
    const auto part = MakePart(target, fixture, plan);
    EXPECT_THROW(part->Start({})->Next(), ArithmeticFault);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PartTest,
                         testing::Values(0, 1, 9, 257, 65535, 65536, 65537, 300000));

}  // namespace
}  // namespace margay::execute
