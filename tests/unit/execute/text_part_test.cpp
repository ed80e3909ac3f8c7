// Parts over a text column on every usable device in both shapes: filters, aggregates, and strings
// as results, with the image in host and in device memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>

#include "execute/part.hpp"
#include "memory/heap_allocator.hpp"
#include "storage/table_image_builder.hpp"
#include "targets.hpp"

namespace margay::execute {
namespace {

using plan::Expression;
using plan::ExpressionPointer;
using plan::Node;
using plan::Operation;
using plan::TypeKind;

struct Row {
  std::string text;
  bool is_null = false;
  std::string other;
};

struct Setting {
  std::shared_ptr<device::Device> device;
  optimize::Shape shape;
  memory::ExtentPool::Placement placement;
  size_t largest_text_extent;
};

//! Calls test(setting) for every combination.
template <typename Test>
void WithEverySetting(const Test& test) {
  for (const auto& device : UsableDevices()) {
    const device::DeviceInfo& info = device->Info();
    for (optimize::Shape shape : {optimize::Shape::Loop, optimize::Shape::Lanes}) {
      for (auto placement :
           {memory::ExtentPool::Placement::Automatic, memory::ExtentPool::Placement::Device}) {
        for (size_t largest_text_extent : {storage::kLargestTextExtent, size_t{1}}) {
          SCOPED_TRACE(info.name + " " + std::string(ShapeName(shape)));
          test(Setting{device, shape, placement, largest_text_extent});
        }
      }
    }
  }
}

std::vector<Row> MakeRows(size_t count) {
  std::mt19937 random(3);
  std::vector<Row> rows(count);
  for (size_t i = 0; i < count; i++) {
    rows[i].is_null = random() % 9 == 0;
    rows[i].text = std::string(random() % 60, 'x') + (random() % 4 == 0 ? "needle" : "straw") +
                   std::to_string(i);
    rows[i].other = random() % 3 == 0 ? rows[i].text : std::to_string(random());
  }
  return rows;
}

struct Fixture {
  std::shared_ptr<memory::ExtentPool> pool;
  std::shared_ptr<storage::TableImage> image;
};

Fixture Build(const Setting& setting, const std::vector<Row>& rows) {
  auto allocator = std::make_shared<memory::HeapAllocator>();
  Fixture fixture;
  fixture.pool = std::make_shared<memory::ExtentPool>(setting.device, allocator, setting.placement);
  storage::BuildOptions options;
  options.small_dictionary = 0;
  options.largest_text_extent = setting.largest_text_extent;
  storage::TableImageBuilder builder(
      {{0, "text", TypeKind::Varchar}, {1, "other", TypeKind::Varchar}}, allocator, options);
  std::vector<std::string_view> texts, others;
  std::vector<uint64_t> validity(rows.size() / 64 + 1, 0);
  for (size_t i = 0; i < rows.size(); i++) {
    texts.push_back(rows[i].text);
    others.push_back(rows[i].other);
    validity[i / 64] |= uint64_t{!rows[i].is_null} << (i % 64);
  }
  auto writer = builder.StartBatch(0);
  writer.Append(0, {.values = texts.data(), .validity = validity.data(), .count = rows.size()});
  writer.Append(1, {.values = others.data(), .count = rows.size()});
  writer.Close();
  fixture.image = builder.Finish(*fixture.pool);
  EXPECT_EQ(fixture.image->Find(0)->GetEncoding(), storage::Encoding::Text);
  return fixture;
}

plan::NodePointer Scan() {
  return Node::Scan("t", {{0, "text", TypeKind::Varchar}, {1, "other", TypeKind::Varchar}});
}
ExpressionPointer TextColumn() {
  return Expression::Column(0, TypeKind::Varchar, "text");
}
ExpressionPointer OtherColumn() {
  return Expression::Column(1, TypeKind::Varchar, "other");
}

ExpressionPointer Contains(const std::string& needle) {
  plan::Constant constant;
  constant.text = needle;
  return Expression::Make(Operation::Contains, TypeKind::Boolean,
                          {TextColumn(), Expression::MakeConstant(constant, TypeKind::Varchar)});
}

std::unique_ptr<Run> Start(const Setting& setting, const Fixture& fixture,
                           const plan::NodePointer& plan) {
  auto made =
      Part::Make(plan, {fixture.image}, PlaceOn(setting.device, fixture.pool), setting.shape);
  if (auto* refusal = std::get_if<plan::Refusal>(&made))
    throw std::runtime_error(refusal->reason);
  return std::get<std::shared_ptr<const Part>>(made)->Start({});
}

std::string TextAt(const ResultColumn& column, size_t row) {
  std::string_view text;
  std::memcpy(&text, column.values + row * sizeof(text), sizeof(text));
  return std::string(text);
}

TEST(TextPart, RowsGiveTheirStrings) {
  const std::vector<Row> rows = MakeRows(150000);
  const auto plan =
      Node::Project(Node::Filter(Scan(), Contains("needle")), {OtherColumn(), TextColumn()});
  WithEverySetting([&](const Setting& setting) {
    const Fixture fixture = Build(setting, rows);
    size_t row = 0;
    std::vector<ResultBatch> batches;
    {
      const auto run = Start(setting, fixture, plan);
      while (auto batch = run->Next())
        batches.push_back(std::move(*batch));
    }
    // The run is over; the batches hold what they refer to.
    fixture.pool->EvictAll();
    for (const ResultBatch& batch : batches) {
      EXPECT_EQ(batch.columns[0].dictionary, nullptr);
      for (size_t i = 0; i < batch.rows; i++, row++) {
        while (rows[row].is_null || rows[row].text.find("needle") == std::string::npos)
          row++;
        ASSERT_EQ(TextAt(batch.columns[0], i), rows[row].other);
        ASSERT_EQ(TextAt(batch.columns[1], i), rows[row].text);
      }
    }
    EXPECT_TRUE(
        std::none_of(rows.begin() + static_cast<ptrdiff_t>(row), rows.end(), [](const Row& left) {
          return !left.is_null && left.text.find("needle") != std::string::npos;
        }));
  });
}

TEST(TextPart, NullsAmongTheStrings) {
  const std::vector<Row> rows = MakeRows(70000);
  const auto plan = Node::Project(Scan(), {TextColumn()});
  WithEverySetting([&](const Setting& setting) {
    const Fixture fixture = Build(setting, rows);
    const auto run = Start(setting, fixture, plan);
    size_t row = 0;
    while (const auto batch = run->Next()) {
      for (size_t i = 0; i < batch->rows; i++, row++) {
        ASSERT_EQ(batch->columns[0].validity[i] == 0, rows[row].is_null);
        if (!rows[row].is_null) {
          ASSERT_EQ(TextAt(batch->columns[0], i), rows[row].text);
        }
      }
    }
    EXPECT_EQ(row, rows.size());
  });
}

TEST(TextPart, ColumnsComparedWithEachOther) {
  const std::vector<Row> rows = MakeRows(70000);
  for (Operation operation : {Operation::Equal, Operation::Less, Operation::DistinctFrom}) {
    int64_t expected = 0;
    for (const Row& row : rows) {
      expected += operation == Operation::Equal  ? !row.is_null && row.text == row.other
                  : operation == Operation::Less ? !row.is_null && row.text < row.other
                                                 : row.is_null || row.text != row.other;
    }
    const auto condition =
        Expression::Make(operation, TypeKind::Boolean, {TextColumn(), OtherColumn()});
    const auto plan =
        Node::GroupBy(Node::Filter(Scan(), condition), {},
                      {{plan::AggregateFunction::CountStar, nullptr, TypeKind::Int64}});
    WithEverySetting([&](const Setting& setting) {
      const Fixture fixture = Build(setting, rows);
      const auto batch = Start(setting, fixture, plan)->Next();
      int64_t count = 0;
      std::memcpy(&count, batch->columns[0].values, sizeof(count));
      EXPECT_EQ(count, expected);
    });
  }
}

//! Rows of which several have the same string.
std::vector<Row> MakeRepeatedRows(size_t count) {
  const std::vector<Row> different = MakeRows(count / 3);
  std::vector<Row> rows;
  for (size_t i = 0; i < count; i++)
    rows.push_back(different[i * 7 % different.size()]);
  return rows;
}

//! How many rows have a string; NULL has none.
using Counts = std::map<std::optional<std::string>, int64_t>;

Counts CountStrings(const std::vector<Row>& rows) {
  Counts counts;
  for (const Row& row : rows)
    counts[row.is_null ? std::nullopt : std::optional(row.text)]++;
  return counts;
}

plan::NodePointer GroupsOfText() {
  return Node::GroupBy(Scan(), {TextColumn()},
                       {{plan::AggregateFunction::CountStar, nullptr, TypeKind::Int64}});
}

//! The rows of a result of a string and a count, none of which comes twice.
Counts ReadCounts(Run& run) {
  Counts counts;
  while (const auto batch = run.Next()) {
    for (size_t i = 0; i < batch->rows; i++) {
      const ResultColumn& text = batch->columns[0];
      const bool is_null = text.validity != nullptr && text.validity[i] == 0;
      int64_t count = 0;
      std::memcpy(&count, batch->columns[1].values + i * sizeof(count), sizeof(count));
      EXPECT_TRUE(
          counts.emplace(is_null ? std::nullopt : std::optional(TextAt(text, i)), count).second);
    }
  }
  return counts;
}

TEST(TextPart, GroupsOfEqualStrings) {
  const std::vector<Row> rows = MakeRepeatedRows(60000);
  const Counts expected = CountStrings(rows);
  WithEverySetting([&](const Setting& setting) {
    const Fixture fixture = Build(setting, rows);
    EXPECT_EQ(ReadCounts(*Start(setting, fixture, GroupsOfText())), expected);
  });
}

TEST(TextPart, StringsOfGroupsBelowOtherOperators) {
  const std::vector<Row> rows = MakeRepeatedRows(60000);
  Counts expected = CountStrings(rows);
  std::erase_if(expected, [](const auto& entry) {
    return !entry.first || entry.first->find("needle") == std::string::npos;
  });
  const auto filtered = Node::Filter(GroupsOfText(), Contains("needle"));
  const auto count = Expression::Column(1, TypeKind::Int64, "count");
  const auto ordered = Node::Order(filtered, {{count, true, false}}, {});
  WithEverySetting([&](const Setting& setting) {
    const Fixture fixture = Build(setting, rows);
    EXPECT_EQ(ReadCounts(*Start(setting, fixture, filtered)), expected);
    EXPECT_EQ(ReadCounts(*Start(setting, fixture, ordered)), expected);
  });
}

TEST(TextPart, GroupsOfTextInSeveralExtents) {
  const std::vector<Row> rows = MakeRepeatedRows(150000);
  const Counts expected = CountStrings(rows);
  WithEverySetting([&](const Setting& setting) {
    if (setting.largest_text_extent != 1)
      return;
    const Fixture fixture = Build(setting, rows);
    EXPECT_EQ(ReadCounts(*Start(setting, fixture, GroupsOfText())), expected);
  });
}

}  // namespace
}  // namespace margay::execute
