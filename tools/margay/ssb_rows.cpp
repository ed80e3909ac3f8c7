#include "ssb_rows.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "duckdb.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "ssb_generator.hpp"

namespace margay::tool {
namespace {

//! Writes rows into a chunk, value by value in the order of the columns.
class RowWriter {
 public:
  explicit RowWriter(duckdb::DataChunk& chunk) : chunk_(chunk) {}

  size_t Rows() const { return row_; }

  RowWriter& operator<<(bool value) { return Put(value); }
  RowWriter& operator<<(int32_t value) { return Put(value); }
  RowWriter& operator<<(int64_t value) { return Put(value); }
  RowWriter& operator<<(std::string_view value) {
    return Put(duckdb::StringVector::AddString(chunk_.data[column_], value.data(), value.size()));
  }

  void EndRow() {
    row_++;
    column_ = 0;
  }

 private:
  template <typename Value>
  RowWriter& Put(Value value) {
    duckdb::FlatVector::GetData<Value>(chunk_.data[column_])[row_] = value;
    column_++;
    return *this;
  }

  duckdb::DataChunk& chunk_;
  size_t row_ = 0;
  size_t column_ = 0;
};

void WriteCustomer(const SsbGenerator& generator, int64_t number, RowWriter& writer) {
  SsbCustomer row = generator.Customer(number);
  writer << row.custkey << row.name << row.address << row.city << row.nation << row.region
         << row.phone << row.mktsegment;
  writer.EndRow();
}

void WriteSupplier(const SsbGenerator& generator, int64_t number, RowWriter& writer) {
  SsbSupplier row = generator.Supplier(number);
  writer << row.suppkey << row.name << row.address << row.city << row.nation << row.region
         << row.phone;
  writer.EndRow();
}

void WritePart(const SsbGenerator& generator, int64_t number, RowWriter& writer) {
  SsbPart row = generator.Part(number);
  writer << row.partkey << row.name << row.mfgr << row.category << row.brand1 << row.color
         << row.type << row.size << row.container;
  writer.EndRow();
}

void WriteDate(const SsbGenerator&, int64_t number, RowWriter& writer) {
  SsbDate row = SsbGenerator::Date(number);
  writer << row.datekey << row.date << row.dayofweek << row.month << row.year << row.yearmonthnum
         << row.yearmonth << row.daynuminweek << row.daynuminmonth << row.daynuminyear
         << row.monthnuminyear << row.weeknuminyear << row.sellingseason << row.lastdayinweekfl
         << row.lastdayinmonthfl << row.holidayfl << row.weekdayfl;
  writer.EndRow();
}

void WriteOrder(const SsbGenerator& generator, int64_t number, RowWriter& writer) {
  SsbOrder order = generator.Order(number);
  int32_t line_number = 0;
  for (const SsbLine& line : order.lines) {
    line_number++;
    writer << order.orderkey << line_number << order.custkey << line.partkey << line.suppkey
           << order.orderdate << order.orderpriority << order.shippriority << line.quantity
           << line.extendedprice << order.ordtotalprice << line.discount << line.revenue
           << line.supplycost << line.tax << line.commitdate << line.shipmode;
    writer.EndRow();
  }
}

//! A table, and what writes the rows of one item of it.
struct Source {
  SsbTable table;
  int64_t most_rows_per_item;
  void (*write)(const SsbGenerator& generator, int64_t number, RowWriter& writer);
};

const std::vector<Source>& Sources() {
  static const std::vector<Source> sources = {
      {{"customer",
        {{"c_custkey", "INTEGER"},
         {"c_name", "VARCHAR"},
         {"c_address", "VARCHAR"},
         {"c_city", "VARCHAR"},
         {"c_nation", "VARCHAR"},
         {"c_region", "VARCHAR"},
         {"c_phone", "VARCHAR"},
         {"c_mktsegment", "VARCHAR"}},
        [](const SsbGenerator& generator) { return generator.Customers(); }},
       1,
       WriteCustomer},
      {{"supplier",
        {{"s_suppkey", "INTEGER"},
         {"s_name", "VARCHAR"},
         {"s_address", "VARCHAR"},
         {"s_city", "VARCHAR"},
         {"s_nation", "VARCHAR"},
         {"s_region", "VARCHAR"},
         {"s_phone", "VARCHAR"}},
        [](const SsbGenerator& generator) { return generator.Suppliers(); }},
       1,
       WriteSupplier},
      {{"part",
        {{"p_partkey", "INTEGER"},
         {"p_name", "VARCHAR"},
         {"p_mfgr", "VARCHAR"},
         {"p_category", "VARCHAR"},
         {"p_brand1", "VARCHAR"},
         {"p_color", "VARCHAR"},
         {"p_type", "VARCHAR"},
         {"p_size", "INTEGER"},
         {"p_container", "VARCHAR"}},
        [](const SsbGenerator& generator) { return generator.Parts(); }},
       1,
       WritePart},
      {{"date",
        {{"d_datekey", "INTEGER"},
         {"d_date", "VARCHAR"},
         {"d_dayofweek", "VARCHAR"},
         {"d_month", "VARCHAR"},
         {"d_year", "INTEGER"},
         {"d_yearmonthnum", "INTEGER"},
         {"d_yearmonth", "VARCHAR"},
         {"d_daynuminweek", "INTEGER"},
         {"d_daynuminmonth", "INTEGER"},
         {"d_daynuminyear", "INTEGER"},
         {"d_monthnuminyear", "INTEGER"},
         {"d_weeknuminyear", "INTEGER"},
         {"d_sellingseason", "VARCHAR"},
         {"d_lastdayinweekfl", "BOOLEAN"},
         {"d_lastdayinmonthfl", "BOOLEAN"},
         {"d_holidayfl", "BOOLEAN"},
         {"d_weekdayfl", "BOOLEAN"}},
        [](const SsbGenerator&) { return SsbGenerator::Dates(); }},
       1,
       WriteDate},
      {{"lineorder",
        {{"lo_orderkey", "BIGINT"},
         {"lo_linenumber", "INTEGER"},
         {"lo_custkey", "INTEGER"},
         {"lo_partkey", "INTEGER"},
         {"lo_suppkey", "INTEGER"},
         {"lo_orderdate", "INTEGER"},
         {"lo_orderpriority", "VARCHAR"},
         {"lo_shippriority", "VARCHAR"},
         {"lo_quantity", "INTEGER"},
         {"lo_extendedprice", "INTEGER"},
         {"lo_ordtotalprice", "INTEGER"},
         {"lo_discount", "INTEGER"},
         {"lo_revenue", "INTEGER"},
         {"lo_supplycost", "INTEGER"},
         {"lo_tax", "INTEGER"},
         {"lo_commitdate", "INTEGER"},
         {"lo_shipmode", "VARCHAR"}},
        [](const SsbGenerator& generator) { return generator.Orders(); }},
       7,
       WriteOrder},
  };
  return sources;
}

struct BindData : duckdb::TableFunctionData {
  BindData(const Source& source, double scale, int64_t first, int64_t last)
      : source(source), generator(scale), first(first), last(last) {}

  const Source& source;
  const SsbGenerator generator;
  const int64_t first;
  const int64_t last;
};

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext& context,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<duckdb::LogicalType>& types,
                                              duckdb::vector<std::string>& names) {
  auto table = input.inputs[0].GetValue<std::string>();
  auto source = std::find_if(Sources().begin(), Sources().end(),
                             [&](const Source& source) { return source.table.name == table; });
  if (source == Sources().end()) {
    throw duckdb::BinderException("ssb_rows: SSB has no table %s", table);
  }
  for (const auto& [name, type] : source->table.columns) {
    names.push_back(name);
    types.push_back(duckdb::TransformStringToLogicalType(type, context));
  }
  return duckdb::make_uniq<BindData>(*source, input.inputs[1].GetValue<double>(),
                                     input.inputs[2].GetValue<int64_t>(),
                                     input.inputs[3].GetValue<int64_t>());
}

//! Hands out the items to the threads, batch by batch.
struct GlobalState : duckdb::GlobalTableFunctionState {
  //! Four of DuckDB's row groups: the last one of a batch is not full.
  static constexpr int64_t kRowsPerBatch = int64_t{4} * 122880;

  explicit GlobalState(const BindData& data)
      : items_per_batch(2 * kRowsPerBatch / (data.source.most_rows_per_item + 1)),
        batches((data.last - data.first + items_per_batch) / items_per_batch) {}

  duckdb::idx_t MaxThreads() const override { return static_cast<duckdb::idx_t>(batches); }

  const int64_t items_per_batch;
  const int64_t batches;
  std::atomic<int64_t> next_batch{0};
};

//! The batch that a thread is in.
struct LocalState : duckdb::LocalTableFunctionState {
  int64_t batch = 0;
  int64_t next = 0;  //!< the item that comes next
  int64_t end = 0;   //!< the item after the batch
};

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> StartScan(
    duckdb::ClientContext&, duckdb::TableFunctionInitInput& input) {
  return duckdb::make_uniq<GlobalState>(input.bind_data->Cast<BindData>());
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> StartThread(duckdb::ExecutionContext&,
                                                                duckdb::TableFunctionInitInput&,
                                                                duckdb::GlobalTableFunctionState*) {
  return duckdb::make_uniq<LocalState>();
}

void WriteChunk(duckdb::ClientContext&, duckdb::TableFunctionInput& input,
                duckdb::DataChunk& output) {
  const auto& data = input.bind_data->Cast<BindData>();
  auto& global = input.global_state->Cast<GlobalState>();
  auto& local = input.local_state->Cast<LocalState>();
  if (local.next == local.end) {
    local.batch = global.next_batch++;
    local.next = std::min(data.first + local.batch * global.items_per_batch, data.last + 1);
    local.end = std::min(local.next + global.items_per_batch, data.last + 1);
  }
  RowWriter writer(output);
  auto most_rows = static_cast<size_t>(data.source.most_rows_per_item);
  while (local.next < local.end && writer.Rows() + most_rows <= STANDARD_VECTOR_SIZE) {
    data.source.write(data.generator, local.next, writer);
    local.next++;
  }
  output.SetCardinality(writer.Rows());
}

duckdb::OperatorPartitionData Partition(duckdb::ClientContext&,
                                        duckdb::TableFunctionGetPartitionInput& input) {
  return duckdb::OperatorPartitionData(
      static_cast<duckdb::idx_t>(input.local_state->Cast<LocalState>().batch));
}

}  // namespace

const std::vector<SsbTable>& SsbTables() {
  static const std::vector<SsbTable> tables = [] {
    std::vector<SsbTable> list;
    for (const Source& source : Sources()) {
      list.push_back(source.table);
    }
    return list;
  }();
  return tables;
}

void RegisterSsbRows(duckdb::DatabaseInstance& database) {
  duckdb::TableFunction function("ssb_rows",
                                 {duckdb::LogicalType::VARCHAR, duckdb::LogicalType::DOUBLE,
                                  duckdb::LogicalType::BIGINT, duckdb::LogicalType::BIGINT},
                                 WriteChunk, Bind, StartScan, StartThread);
  function.get_partition_data = Partition;
  duckdb::ExtensionLoader(database, "margay").RegisterFunction(std::move(function));
}

}  // namespace margay::tool
