#include "turns_data.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "session.hpp"
#include "stopwatch.hpp"
#include "units.hpp"

namespace margay::tool {
namespace {

//! Bytes of disk per sale: measured 26, and half as much again for what an interrupted load leaves.
constexpr double kDatabaseBytesPerSale = 40;
constexpr double kLeastDatabaseBytes = 4e6;

//! Four years, from 2020 to 2023.
constexpr int64_t kDays = 1461;
constexpr int64_t kStores = 200;

struct Column {
  std::string name;
  std::string type;
  //! Of row `i`, counted from 0.
  std::string value;
};

struct Table {
  std::string name;
  int64_t rows;
  std::vector<Column> columns;
};

//! A number from 0 to `count` - 1 that depends on the row, and is independent of those of other
//! `column`s.
std::string Dice(int column, int64_t count) {
  return "hash(i, " + std::to_string(column) + ") % " + std::to_string(count);
}

//! One of the texts "`word` 1" to "`word` `count`".
std::string Word(const std::string& word, int column, int64_t count) {
  return "'" + word + " ' || (" + Dice(column, count) + " + 1)";
}

Table Sales(int64_t rows, int64_t customers, int64_t products) {
  // One sale in fifty is of a customer that is not known.
  const int64_t buyers = customers + customers / 50;
  const std::string day =
      "(i * " + std::to_string(kDays) + " // " + std::to_string(rows) + ")::INTEGER";
  return {"sale",
          rows,
          {{"s_number", "BIGINT", "i"},
           {"s_date", "DATE", "DATE '2020-01-01' + " + day},
           {"s_customer", "INTEGER", Dice(1, buyers) + " + 1"},
           {"s_product", "INTEGER", Dice(2, products) + " + 1"},
           {"s_store", "SMALLINT", Dice(3, kStores) + " + 1"},
           {"s_quantity", "SMALLINT", Dice(4, 50) + " + 1"},
           {"s_price", "DECIMAL(10,2)", "(" + Dice(5, 99900) + " + 100) * 0.01"},
           {"s_discount", "DECIMAL(4,2)", "(" + Dice(6, 31) + ") * 0.01"},
           {"s_weight", "DOUBLE", "(" + Dice(7, 1000000) + ") / 1000.0"},
           {"s_channel", "VARCHAR", Word("channel", 8, 5)},
           {"s_paid", "BOOLEAN", Dice(9, 10) + " > 0"}}};
}

Table Customers(int64_t rows) {
  return {"customer",
          rows,
          {{"c_number", "INTEGER", "i + 1"},
           {"c_region", "VARCHAR", Word("region", 11, 5)},
           {"c_city", "VARCHAR", Word("city", 12, 100)},
           {"c_segment", "VARCHAR", Word("segment", 13, 4)},
           {"c_birth", "SMALLINT", Dice(14, 60) + " + 1945"},
           {"c_credit", "DECIMAL(10,2)", "(" + Dice(15, 1000000) + ") * 0.01 - 1000"},
           {"c_since", "DATE", "DATE '2010-01-01' + (" + Dice(16, 3650) + ")::INTEGER"}}};
}

Table Products(int64_t rows) {
  return {"product",
          rows,
          {{"p_number", "INTEGER", "i + 1"},
           {"p_category", "VARCHAR", Word("category", 21, 12)},
           {"p_brand", "VARCHAR", Word("brand", 22, 100)},
           {"p_color", "VARCHAR", Word("color", 23, 10)},
           {"p_size", "TINYINT", Dice(24, 20) + " + 1"},
           {"p_cost", "DECIMAL(8,2)", "(" + Dice(25, 50000) + " + 50) * 0.01"}}};
}

Table Stores() {
  return {"store",
          kStores,
          {{"t_number", "SMALLINT", "i + 1"},
           {"t_country", "VARCHAR", Word("country", 31, 8)},
           {"t_kind", "VARCHAR", Word("kind", 32, 3)},
           {"t_area", "INTEGER", Dice(33, 1900) + " + 100"}}};
}

Table Days() {
  const std::string date = "DATE '2020-01-01' + i::INTEGER";
  return {"day",
          kDays,
          {{"d_date", "DATE", date},
           {"d_year", "SMALLINT", "year(" + date + ")"},
           {"d_quarter", "TINYINT", "quarter(" + date + ")"},
           {"d_month", "TINYINT", "month(" + date + ")"},
           {"d_weekday", "TINYINT", "isodow(" + date + ")"},
           {"d_holiday", "BOOLEAN", Dice(41, 30) + " = 0"}}};
}

std::vector<Table> TablesFor(int64_t sales) {
  const int64_t customers = std::max<int64_t>(100, sales / 20);
  const int64_t products = std::max<int64_t>(50, sales / 50);
  return {Sales(sales, customers, products), Customers(customers), Products(products), Stores(),
          Days()};
}

std::vector<std::string> ColumnList(const Table& table) {
  std::vector<std::string> list;
  for (const Column& column : table.columns) {
    list.push_back(column.name + " " + column.type);
  }
  return list;
}

//! The rows of a table as a subquery.
std::string Rows(const Table& table) {
  std::string values;
  for (const Column& column : table.columns) {
    values += (values.empty() ? "" : ", ") + column.value + " AS " + column.name;
  }
  return "(SELECT " + values + " FROM range(" + std::to_string(table.rows) + ") r(i))";
}

}  // namespace

TurnsData::TurnsData(const std::filesystem::path& folder, int64_t sales)
    : BenchmarkData("turns", folder / ("turns-" + std::to_string(sales) + ".db"),
                    static_cast<double>(sales) / 1e6),
      sales_(sales) {}

std::set<std::string> TurnsData::Tables() const {
  std::set<std::string> names;
  for (const Table& table : TablesFor(sales_)) {
    names.insert(table.name);
  }
  return names;
}

double TurnsData::NeededBytes() const {
  return kLeastDatabaseBytes + static_cast<double>(sales_) * kDatabaseBytesPerSale;
}

void TurnsData::Load(Session& session, const std::set<std::string>& tables,
                     std::ostream& progress) {
  for (const Table& table : TablesFor(sales_)) {
    if (tables.count(table.name) == 0) {
      continue;
    }
    Stopwatch watch;
    CreateLoadingTable(session, table.name, ColumnList(table));
    Append(session, table.name, Rows(table));
    progress << "  " << table.name;
    FinishLoadingTable(session, table.name, progress);
    progress << ", " << FormatSeconds(watch.Milliseconds()) << std::endl;
  }
}

}  // namespace margay::tool
