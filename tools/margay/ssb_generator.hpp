#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace margay::tool {

//! Rows of the Star Schema Benchmark, named like the columns without their prefix. A view looks at
//! a text that lives as long as the program. Dates are written as numbers, 19980327; money is in
//! cents.

struct SsbCustomer {
  int32_t custkey = 0;
  std::string name;
  std::string address;
  std::string city;
  std::string_view nation;
  std::string_view region;
  std::string phone;
  std::string_view mktsegment;
};

struct SsbSupplier {
  int32_t suppkey = 0;
  std::string name;
  std::string address;
  std::string city;
  std::string_view nation;
  std::string_view region;
  std::string phone;
};

struct SsbPart {
  int32_t partkey = 0;
  std::string name;
  std::string mfgr;
  std::string category;
  std::string brand1;
  std::string_view color;
  std::string type;
  int32_t size = 0;
  std::string container;
};

struct SsbDate {
  int32_t datekey = 0;
  std::string date;
  std::string_view dayofweek;
  std::string_view month;
  int32_t year = 0;
  int32_t yearmonthnum = 0;
  std::string yearmonth;
  int32_t daynuminweek = 0;
  int32_t daynuminmonth = 0;
  int32_t daynuminyear = 0;
  int32_t monthnuminyear = 0;
  int32_t weeknuminyear = 0;
  std::string_view sellingseason;
  bool lastdayinweekfl = false;
  bool lastdayinmonthfl = false;
  bool holidayfl = false;
  bool weekdayfl = false;
};

//! What differs among the lines of an order.
struct SsbLine {
  int32_t partkey = 0;
  int32_t suppkey = 0;
  int32_t quantity = 0;
  int32_t extendedprice = 0;
  int32_t discount = 0;
  int32_t revenue = 0;
  int32_t supplycost = 0;
  int32_t tax = 0;
  int32_t commitdate = 0;
  std::string_view shipmode;
};

//! An order; each of its lines is a row of lineorder.
struct SsbOrder {
  int64_t orderkey = 0;
  int32_t custkey = 0;
  int32_t orderdate = 0;
  std::string_view orderpriority;
  std::string_view shippriority;
  int32_t ordtotalprice = 0;
  std::vector<SsbLine> lines;
};

//! Makes the data of the Star Schema Benchmark (O'Neil, O'Neil, Chen: Star Schema Benchmark,
//! Revision 3, 2009); docs/ssb.md says what follows the specification and how. A row depends on
//! nothing but scale, seed and its own number, so that rows can be made in any order. Safe to use
//! by several threads at once.
class SsbGenerator {
 public:
  //! The seed of all data that benchmarks use.
  static constexpr uint64_t kSeed = 1;
  //! The scale up to which the keys of dimensions are integers of 32 bits.
  static constexpr double kLargestScale = 10000;

  //! `scale` is positive, up to kLargestScale, and may be a fraction.
  explicit SsbGenerator(double scale, uint64_t seed = kSeed);

  int64_t Customers() const { return customers_; }
  int64_t Suppliers() const { return suppliers_; }
  int64_t Parts() const { return parts_; }
  int64_t Orders() const { return orders_; }
  //! Days from 1992-01-01 to 1998-12-31.
  static int64_t Dates();

  //! `number` counts from 1 to the number of such items.
  SsbCustomer Customer(int64_t number) const;
  SsbSupplier Supplier(int64_t number) const;
  SsbPart Part(int64_t number) const;
  SsbOrder Order(int64_t number) const;
  static SsbDate Date(int64_t number);

 private:
  uint64_t seed_;
  int64_t customers_;
  int64_t suppliers_;
  int64_t parts_;
  int64_t orders_;
};

}  // namespace margay::tool
