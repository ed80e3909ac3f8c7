#include "ssb_generator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "random.hpp"

namespace margay::tool {
namespace {

using std::string_view;

//! Numbers the streams of random numbers.
enum Kind : uint64_t { kCustomer = 1, kSupplier, kPart, kOrder };

struct Nation {
  string_view name;
  string_view region;
};

// The words are those of TPC-H, clauses 4.2.2.13 and 4.2.3.

//! In this order they have the country codes 10, 11, ... of phone numbers.
constexpr std::array<Nation, 25> kNations = {
    {{"ALGERIA", "AFRICA"},       {"ARGENTINA", "AMERICA"},  {"BRAZIL", "AMERICA"},
     {"CANADA", "AMERICA"},       {"EGYPT", "MIDDLE EAST"},  {"ETHIOPIA", "AFRICA"},
     {"FRANCE", "EUROPE"},        {"GERMANY", "EUROPE"},     {"INDIA", "ASIA"},
     {"INDONESIA", "ASIA"},       {"IRAN", "MIDDLE EAST"},   {"IRAQ", "MIDDLE EAST"},
     {"JAPAN", "ASIA"},           {"JORDAN", "MIDDLE EAST"}, {"KENYA", "AFRICA"},
     {"MOROCCO", "AFRICA"},       {"MOZAMBIQUE", "AFRICA"},  {"PERU", "AMERICA"},
     {"CHINA", "ASIA"},           {"ROMANIA", "EUROPE"},     {"SAUDI ARABIA", "MIDDLE EAST"},
     {"VIETNAM", "ASIA"},         {"RUSSIA", "EUROPE"},      {"UNITED KINGDOM", "EUROPE"},
     {"UNITED STATES", "AMERICA"}}};

constexpr std::array<string_view, 5> kSegments = {"AUTOMOBILE", "BUILDING", "FURNITURE",
                                                  "HOUSEHOLD", "MACHINERY"};

constexpr std::array<string_view, 92> kColors = {
    "almond",   "antique",   "aquamarine", "azure",      "beige",     "bisque",    "black",
    "blanched", "blue",      "blush",      "brown",      "burlywood", "burnished", "chartreuse",
    "chiffon",  "chocolate", "coral",      "cornflower", "cornsilk",  "cream",     "cyan",
    "dark",     "deep",      "dim",        "dodger",     "drab",      "firebrick", "floral",
    "forest",   "frosted",   "gainsboro",  "ghost",      "goldenrod", "green",     "grey",
    "honeydew", "hot",       "indian",     "ivory",      "khaki",     "lace",      "lavender",
    "lawn",     "lemon",     "light",      "lime",       "linen",     "magenta",   "maroon",
    "medium",   "metallic",  "midnight",   "mint",       "misty",     "moccasin",  "navajo",
    "navy",     "olive",     "orange",     "orchid",     "pale",      "papaya",    "peach",
    "peru",     "pink",      "plum",       "powder",     "puff",      "purple",    "red",
    "rose",     "rosy",      "royal",      "saddle",     "salmon",    "sandy",     "seashell",
    "sienna",   "sky",       "slate",      "smoke",      "snow",      "spring",    "steel",
    "tan",      "thistle",   "tomato",     "turquoise",  "violet",    "wheat",     "white",
    "yellow"};

constexpr std::array<string_view, 6> kTypeSizes = {"STANDARD", "SMALL",   "MEDIUM",
                                                   "LARGE",    "ECONOMY", "PROMO"};
constexpr std::array<string_view, 5> kTypeFinishes = {"ANODIZED", "BURNISHED", "PLATED", "POLISHED",
                                                      "BRUSHED"};
constexpr std::array<string_view, 5> kTypeMetals = {"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"};

constexpr std::array<string_view, 5> kContainerSizes = {"SM", "LG", "MED", "JUMBO", "WRAP"};
constexpr std::array<string_view, 8> kContainerForms = {"CASE", "BOX", "BAG", "JAR",
                                                        "PACK", "PKG", "CAN", "DRUM"};

constexpr std::array<string_view, 5> kPriorities = {"1-URGENT", "2-HIGH", "3-MEDIUM",
                                                    "4-NOT SPECIFIED", "5-LOW"};
constexpr std::array<string_view, 7> kShipModes = {"REG AIR", "AIR", "RAIL", "TRUCK",
                                                   "MAIL",    "FOB", "SHIP"};

constexpr std::array<string_view, 7> kWeekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                  "Thursday", "Friday", "Saturday"};
constexpr std::array<string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};
constexpr std::array<string_view, 12> kSeasons = {"Winter", "Winter", "Winter",    "Spring",
                                                  "Summer", "Summer", "Summer",    "Summer",
                                                  "Fall",   "Fall",   "Christmas", "Christmas"};

//! Month and day, 1224 for December 24.
constexpr std::array<int32_t, 10> kHolidays = {101, 220, 420, 520, 720, 820, 920, 1020, 1120, 1224};

constexpr string_view kAddressCharacters =
    "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,";

constexpr std::chrono::sys_days kFirstDay = std::chrono::year(1992) / 1 / 1;
constexpr std::chrono::sys_days kLastDay = std::chrono::year(1998) / 12 / 31;

//! The last day of orders leaves room for the delivery, as in TPC-H: 121 days to ship, 30 to
//! arrive.
constexpr int64_t kLastOrderDay = (kLastDay - kFirstDay).count() - 151;

//! A number of rows at a scale, at least one.
int64_t Scaled(double rows, double scale) {
  return std::max<int64_t>(1, std::llround(rows * scale));
}

int64_t PartsAt(double scale) {
  constexpr double parts = 200000;
  return scale < 1 ? Scaled(parts, scale)
                   : static_cast<int64_t>(parts) * (1 + static_cast<int64_t>(std::log2(scale)));
}

//! `number` with zeros before it, `digits` in all.
std::string Padded(int64_t number, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%0*lld", digits, static_cast<long long>(number));
  return text.data();
}

std::string Joined(string_view first, string_view second) {
  return std::string(first) + " " + std::string(second);
}

std::string Address(Random& random) {
  std::string address(static_cast<size_t>(random.Between(6, 24)), ' ');
  for (char& character : address) {
    character = random.Pick(kAddressCharacters);
  }
  return address;
}

//! The first 9 characters of the nation, filled up with spaces, and a digit.
std::string City(Random& random, string_view nation) {
  std::string city(nation.substr(0, 9));
  city.resize(9, ' ');
  return city + std::to_string(random.Between(0, 9));
}

std::string Phone(Random& random, size_t nation) {
  std::string phone = std::to_string(10 + nation);
  phone += "-" + std::to_string(random.Between(100, 999));
  phone += "-" + std::to_string(random.Between(100, 999));
  return phone + "-" + std::to_string(random.Between(1000, 9999));
}

//! What customers and suppliers have in common.
template <typename Row>
void FillPlace(Random& random, Row& row) {
  auto nation = static_cast<size_t>(random.Between(0, kNations.size() - 1));
  row.address = Address(random);
  row.nation = kNations[nation].name;
  row.region = kNations[nation].region;
  row.city = City(random, row.nation);
  row.phone = Phone(random, nation);
}

//! The price of a part, as TPC-H has it.
int32_t RetailPrice(int64_t partkey) {
  return static_cast<int32_t>(90000 + (partkey / 10) % 20001 + (partkey % 1000) * 100);
}

//! 19980327 for a day counted from the first one.
int32_t DateKey(int64_t day) {
  std::chrono::year_month_day date(kFirstDay + std::chrono::days(day));
  return static_cast<int>(date.year()) * 10000 +
         static_cast<int>(static_cast<unsigned>(date.month()) * 100 +
                          static_cast<unsigned>(date.day()));
}

}  // namespace

SsbGenerator::SsbGenerator(double scale, uint64_t seed)
    : seed_(seed),
      customers_(Scaled(30000, scale)),
      suppliers_(Scaled(2000, scale)),
      parts_(PartsAt(scale)),
      orders_(Scaled(1500000, scale)) {}

int64_t SsbGenerator::Dates() {
  return (kLastDay - kFirstDay).count() + 1;
}

SsbCustomer SsbGenerator::Customer(int64_t number) const {
  Random random(seed_, kCustomer, static_cast<uint64_t>(number));
  SsbCustomer row;
  row.custkey = static_cast<int32_t>(number);
  row.name = "Customer#" + Padded(number, 9);
  FillPlace(random, row);
  row.mktsegment = random.Pick(kSegments);
  return row;
}

SsbSupplier SsbGenerator::Supplier(int64_t number) const {
  Random random(seed_, kSupplier, static_cast<uint64_t>(number));
  SsbSupplier row;
  row.suppkey = static_cast<int32_t>(number);
  row.name = "Supplier#" + Padded(number, 9);
  FillPlace(random, row);
  return row;
}

SsbPart SsbGenerator::Part(int64_t number) const {
  Random random(seed_, kPart, static_cast<uint64_t>(number));
  SsbPart row;
  row.partkey = static_cast<int32_t>(number);
  row.color = random.Pick(kColors);
  string_view first = random.Pick(kColors);
  string_view second = random.Pick(kColors);
  while (first == row.color) {
    first = random.Pick(kColors);
  }
  while (second == row.color || second == first) {
    second = random.Pick(kColors);
  }
  row.name = Joined(first, second);
  row.mfgr = "MFGR#" + std::to_string(random.Between(1, 5));
  row.category = row.mfgr + std::to_string(random.Between(1, 5));
  row.brand1 = row.category + Padded(random.Between(1, 40), 2);
  row.type = random.Pick(kTypeSizes);
  row.type = Joined(row.type, random.Pick(kTypeFinishes));
  row.type = Joined(row.type, random.Pick(kTypeMetals));
  row.size = static_cast<int32_t>(random.Between(1, 50));
  row.container = random.Pick(kContainerSizes);
  row.container = Joined(row.container, random.Pick(kContainerForms));
  return row;
}

SsbOrder SsbGenerator::Order(int64_t number) const {
  Random random(seed_, kOrder, static_cast<uint64_t>(number));
  SsbOrder order;
  // The first 8 of each 32 keys are used.
  order.orderkey = (number / 8) * 32 + number % 8;
  // Every third customer orders nothing: the keys are 1, 2, 4, 5, 7, 8, ...
  int64_t customer = random.Between(0, customers_ - customers_ / 3 - 1);
  order.custkey = static_cast<int32_t>(customer + customer / 2 + 1);
  int64_t day = random.Between(0, kLastOrderDay);
  order.orderdate = DateKey(day);
  order.orderpriority = random.Pick(kPriorities);
  order.shippriority = "0";
  order.lines.resize(static_cast<size_t>(random.Between(1, 7)));
  for (SsbLine& line : order.lines) {
    line.partkey = static_cast<int32_t>(random.Between(1, parts_));
    line.suppkey = static_cast<int32_t>(random.Between(1, suppliers_));
    line.quantity = static_cast<int32_t>(random.Between(1, 50));
    line.discount = static_cast<int32_t>(random.Between(0, 10));
    line.tax = static_cast<int32_t>(random.Between(0, 8));
    line.commitdate = DateKey(day + random.Between(30, 90));
    line.shipmode = random.Pick(kShipModes);
    int32_t price = RetailPrice(line.partkey);
    line.extendedprice = price * line.quantity;
    line.revenue = static_cast<int32_t>(int64_t{line.extendedprice} * (100 - line.discount) / 100);
    line.supplycost = 6 * price / 10;
    order.ordtotalprice += static_cast<int32_t>(int64_t{line.revenue} * (100 + line.tax) / 100);
  }
  return order;
}

SsbDate SsbGenerator::Date(int64_t number) {
  using std::chrono::days;
  std::chrono::sys_days day = kFirstDay + days(number - 1);
  std::chrono::year_month_day date(day);
  unsigned weekday = std::chrono::weekday(day).c_encoding();
  SsbDate row;
  row.datekey = DateKey(number - 1);
  row.year = static_cast<int>(date.year());
  row.monthnuminyear = static_cast<int32_t>(static_cast<unsigned>(date.month()));
  row.daynuminmonth = static_cast<int32_t>(static_cast<unsigned>(date.day()));
  row.daynuminyear =
      static_cast<int32_t>((day - std::chrono::sys_days(date.year() / 1 / 1)).count()) + 1;
  row.daynuminweek = static_cast<int32_t>(weekday) + 1;
  row.weeknuminyear = row.daynuminyear / 7 + 1;
  row.dayofweek = kWeekdays[weekday];
  row.month = kMonths[static_cast<size_t>(row.monthnuminyear - 1)];
  row.sellingseason = kSeasons[static_cast<size_t>(row.monthnuminyear - 1)];
  row.date = Joined(row.month, std::to_string(row.daynuminmonth)) + ", " + std::to_string(row.year);
  row.yearmonthnum = row.year * 100 + row.monthnuminyear;
  row.yearmonth = std::string(row.month.substr(0, 3)) + std::to_string(row.year);
  row.lastdayinweekfl = row.daynuminweek == 7;
  row.lastdayinmonthfl = std::chrono::year_month_day(day + days(1)).day() == std::chrono::day(1);
  row.holidayfl = std::find(kHolidays.begin(), kHolidays.end(),
                            row.monthnuminyear * 100 + row.daynuminmonth) != kHolidays.end();
  row.weekdayfl = weekday >= 1 && weekday <= 5;
  return row;
}

}  // namespace margay::tool
