#include "ssb_generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace margay::tool {
namespace {

constexpr double kScale = 0.01;

//! All lines of a generator's orders, each with its order.
template <typename Function>
void ForEachLine(const SsbGenerator& generator, Function function) {
  for (int64_t number = 1; number <= generator.Orders(); number++) {
    SsbOrder order = generator.Order(number);
    for (const SsbLine& line : order.lines) {
      function(order, line);
    }
  }
}

std::set<int32_t> DateKeys() {
  std::set<int32_t> keys;
  for (int64_t number = 1; number <= SsbGenerator::Dates(); number++) {
    keys.insert(SsbGenerator::Date(number).datekey);
  }
  return keys;
}

TEST(SsbGenerator, CountsFollowTheScale) {
  SsbGenerator small(kScale);
  EXPECT_EQ(small.Customers(), 300);
  EXPECT_EQ(small.Suppliers(), 20);
  EXPECT_EQ(small.Parts(), 2000);
  EXPECT_EQ(small.Orders(), 15000);
  SsbGenerator one(1);
  EXPECT_EQ(one.Customers(), 30000);
  EXPECT_EQ(one.Suppliers(), 2000);
  EXPECT_EQ(one.Parts(), 200000);
  EXPECT_EQ(one.Orders(), 1500000);
  EXPECT_EQ(SsbGenerator(3.9).Parts(), 400000);
  EXPECT_EQ(SsbGenerator(4).Parts(), 600000);
  EXPECT_EQ(SsbGenerator(100).Parts(), 1400000);
  EXPECT_EQ(SsbGenerator(1e-4).Suppliers(), 1);
  EXPECT_EQ(SsbGenerator::Dates(), 2557);
}

TEST(SsbGenerator, OrdersHaveOneToSevenLines) {
  SsbGenerator generator(kScale);
  std::set<int64_t> keys;
  std::set<size_t> sizes;
  size_t lines = 0;
  for (int64_t number = 1; number <= generator.Orders(); number++) {
    SsbOrder order = generator.Order(number);
    keys.insert(order.orderkey);
    sizes.insert(order.lines.size());
    lines += order.lines.size();
    // The first 8 of each 32 keys are used.
    EXPECT_LT(order.orderkey % 32, 8);
  }
  EXPECT_EQ(keys.size(), 15000U);
  EXPECT_EQ(sizes, (std::set<size_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_NEAR(static_cast<double>(lines), 60000, 600);
}

TEST(SsbGenerator, ValuesOfLinesAreInTheirDomains) {
  SsbGenerator generator(kScale);
  std::set<int32_t> quantities;
  std::set<int32_t> discounts;
  std::set<int32_t> taxes;
  std::set<std::string_view> priorities;
  std::set<std::string_view> ship_modes;
  ForEachLine(generator, [&](const SsbOrder& order, const SsbLine& line) {
    quantities.insert(line.quantity);
    discounts.insert(line.discount);
    taxes.insert(line.tax);
    priorities.insert(order.orderpriority);
    ship_modes.insert(line.shipmode);
    EXPECT_EQ(order.shippriority, "0");
  });
  EXPECT_EQ(quantities.size(), 50U);
  EXPECT_EQ(*quantities.begin(), 1);
  EXPECT_EQ(*quantities.rbegin(), 50);
  EXPECT_EQ(discounts.size(), 11U);
  EXPECT_EQ(*discounts.begin(), 0);
  EXPECT_EQ(*discounts.rbegin(), 10);
  EXPECT_EQ(taxes.size(), 9U);
  EXPECT_EQ(*taxes.begin(), 0);
  EXPECT_EQ(*taxes.rbegin(), 8);
  EXPECT_EQ(priorities.size(), 5U);
  EXPECT_EQ(ship_modes.size(), 7U);
}

TEST(SsbGenerator, PricesFollowTheirFormulas) {
  SsbGenerator generator(kScale);
  for (int64_t number = 1; number <= 1000; number++) {
    SsbOrder order = generator.Order(number);
    int32_t total = 0;
    for (const SsbLine& line : order.lines) {
      int32_t price = 90000 + (line.partkey / 10) % 20001 + (line.partkey % 1000) * 100;
      EXPECT_EQ(line.extendedprice, price * line.quantity);
      EXPECT_EQ(line.revenue, line.extendedprice * (100L - line.discount) / 100);
      EXPECT_EQ(line.supplycost, price * 6 / 10);
      total += static_cast<int32_t>(line.revenue * (100L + line.tax) / 100);
    }
    EXPECT_EQ(order.ordtotalprice, total);
  }
}

TEST(SsbGenerator, ForeignKeysHaveTheirRows) {
  for (double scale : {1e-4, kScale}) {
    SsbGenerator generator(scale);
    std::set<int32_t> dates = DateKeys();
    ForEachLine(generator, [&](const SsbOrder& order, const SsbLine& line) {
      EXPECT_GE(order.custkey, 1);
      EXPECT_LE(order.custkey, generator.Customers());
      // Every third customer orders nothing.
      EXPECT_NE(order.custkey % 3, 0);
      EXPECT_GE(line.partkey, 1);
      EXPECT_LE(line.partkey, generator.Parts());
      EXPECT_GE(line.suppkey, 1);
      EXPECT_LE(line.suppkey, generator.Suppliers());
      EXPECT_EQ(dates.count(order.orderdate), 1U);
      EXPECT_EQ(dates.count(line.commitdate), 1U);
      EXPECT_LT(order.orderdate, line.commitdate);
      EXPECT_LE(order.orderdate, 19980802);
    });
  }
}

TEST(SsbGenerator, PartsHaveManufacturersCategoriesAndBrands) {
  SsbGenerator generator(0.2);
  std::set<std::string> manufacturers;
  std::set<std::string> categories;
  std::set<std::string> brands;
  std::set<std::string_view> colors;
  std::set<std::string> types;
  std::set<std::string> containers;
  for (int64_t number = 1; number <= generator.Parts(); number++) {
    SsbPart part = generator.Part(number);
    manufacturers.insert(part.mfgr);
    categories.insert(part.category);
    brands.insert(part.brand1);
    colors.insert(part.color);
    types.insert(part.type);
    containers.insert(part.container);
    EXPECT_EQ(part.partkey, number);
    EXPECT_EQ(part.category.substr(0, 6), part.mfgr);
    EXPECT_EQ(part.brand1.substr(0, 7), part.category);
    EXPECT_LE(part.name.size(), 22U);
    EXPECT_GE(part.size, 1);
    EXPECT_LE(part.size, 50);
  }
  EXPECT_EQ(manufacturers.size(), 5U);
  EXPECT_EQ(categories.size(), 25U);
  EXPECT_EQ(brands.size(), 1000U);
  EXPECT_EQ(*brands.begin(), "MFGR#1101");
  EXPECT_EQ(*brands.rbegin(), "MFGR#5540");
  EXPECT_EQ(colors.size(), 92U);
  EXPECT_EQ(types.size(), 150U);
  EXPECT_EQ(containers.size(), 40U);
}

TEST(SsbGenerator, CitiesAreTheirNationsWithADigit) {
  SsbGenerator generator(1);
  std::set<std::string> cities;
  std::set<std::string_view> nations;
  std::set<std::string_view> regions;
  std::set<std::string_view> segments;
  for (int64_t number = 1; number <= generator.Customers(); number++) {
    SsbCustomer customer = generator.Customer(number);
    cities.insert(customer.city);
    nations.insert(customer.nation);
    regions.insert(customer.region);
    segments.insert(customer.mktsegment);
    std::string prefix(customer.nation.substr(0, 9));
    prefix.resize(9, ' ');
    EXPECT_EQ(customer.city.substr(0, 9), prefix);
    EXPECT_EQ(customer.city.size(), 10U);
    EXPECT_LE(customer.address.size(), 25U);
    EXPECT_EQ(customer.phone.size(), 15U);
  }
  EXPECT_EQ(cities.size(), 250U);
  EXPECT_EQ(nations.size(), 25U);
  EXPECT_EQ(regions.size(), 5U);
  EXPECT_EQ(segments.size(), 5U);
  EXPECT_EQ(cities.count("UNITED KI1"), 1U);
  EXPECT_EQ(generator.Customer(42).name, "Customer#000000042");
  EXPECT_EQ(generator.Supplier(42).name, "Supplier#000000042");
}

TEST(SsbGenerator, DatesFollowTheCalendar) {
  SsbDate first = SsbGenerator::Date(1);
  EXPECT_EQ(first.datekey, 19920101);
  EXPECT_EQ(first.date, "January 1, 1992");
  EXPECT_EQ(first.dayofweek, "Wednesday");
  EXPECT_EQ(first.daynuminweek, 4);
  EXPECT_EQ(first.yearmonth, "Jan1992");
  EXPECT_TRUE(first.holidayfl);
  EXPECT_TRUE(first.weekdayfl);

  // 1992 is a leap year.
  SsbDate leap = SsbGenerator::Date(60);
  EXPECT_EQ(leap.datekey, 19920229);
  EXPECT_EQ(leap.dayofweek, "Saturday");
  EXPECT_TRUE(leap.lastdayinweekfl);
  EXPECT_TRUE(leap.lastdayinmonthfl);
  EXPECT_FALSE(leap.weekdayfl);

  SsbDate last = SsbGenerator::Date(SsbGenerator::Dates());
  EXPECT_EQ(last.datekey, 19981231);
  EXPECT_EQ(last.daynuminyear, 365);
  EXPECT_EQ(last.weeknuminyear, 53);
  EXPECT_EQ(last.yearmonthnum, 199812);
  EXPECT_EQ(last.yearmonth, "Dec1998");
  EXPECT_EQ(last.sellingseason, "Christmas");
  EXPECT_EQ(DateKeys().size(), 2557U);
}

TEST(SsbGenerator, RowsDependOnSeedAndNumberOnly) {
  SsbGenerator generator(kScale);
  SsbGenerator same(kScale);
  SsbGenerator other(kScale, SsbGenerator::kSeed + 1);
  int equal_orders = 0;
  int equal_addresses = 0;
  for (int64_t number = 300; number >= 1; number--) {
    SsbOrder order = generator.Order(number);
    EXPECT_EQ(order.ordtotalprice, same.Order(number).ordtotalprice);
    EXPECT_EQ(order.orderdate, same.Order(number).orderdate);
    EXPECT_EQ(generator.Customer(number).address, same.Customer(number).address);
    EXPECT_EQ(generator.Part(number).name, same.Part(number).name);
    equal_orders += static_cast<int>(order.ordtotalprice == other.Order(number).ordtotalprice);
    equal_addresses +=
        static_cast<int>(generator.Customer(number).address == other.Customer(number).address);
  }
  EXPECT_LT(equal_orders, 3);
  EXPECT_EQ(equal_addresses, 0);
}

}  // namespace
}  // namespace margay::tool
