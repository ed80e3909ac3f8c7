#include "duckdb/table_reader.hpp"

#include <array>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>

#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parallel/task_executor.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "duckdb/storage/data_table.hpp"
#include "duckdb/storage/table/scan_state.hpp"
#include "duckdb/transaction/duck_transaction.hpp"
#include "execute/part.hpp"
#include "storage/table_image_builder.hpp"

namespace margay::integration {
namespace {

//! The part of the whole work that the scan is, for the progress shown; the rest is encoding.
constexpr double kShareOfScan = 0.7;

//! Calls one function from several of DuckDB's threads and the caller's. Exceptions keep their
//! type, which DuckDB's tasks would lose.
class TeamTask : public duckdb::BaseExecutorTask {
 public:
  struct Team {
    std::function<void()> work;
    std::atomic<bool> has_failed{false};
    std::mutex mutex;
    std::exception_ptr failure;
  };

  TeamTask(duckdb::TaskExecutor& executor, Team& team) : BaseExecutorTask(executor), team_(team) {}

  void ExecuteTask() override {
    try {
      team_.work();
    } catch (...) {
      std::lock_guard<std::mutex> guard(team_.mutex);
      if (!team_.failure) {
        team_.failure = std::current_exception();
      }
      team_.has_failed = true;
    }
  }

 private:
  Team& team_;
};

void RunOnTeam(duckdb::ClientContext& context, size_t largest_team, TeamTask::Team& team) {
  auto threads =
      static_cast<size_t>(duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
  duckdb::TaskExecutor executor(context);
  for (size_t i = 0; i < std::max<size_t>(1, std::min(threads, largest_team)); i++) {
    executor.ScheduleTask(duckdb::make_uniq<TeamTask>(executor, team));
  }
  executor.WorkOnTasks();
  if (team.failure) {
    std::rethrow_exception(team.failure);
  }
}

void ThrowIfInterrupted(const ReadControl& control) {
  if (control.is_interrupted()) {
    throw execute::Interrupted();
  }
}

storage::ParallelFor TeamFor(duckdb::ClientContext& context, const ReadControl& control) {
  return [&context, &control](size_t count, const std::function<void(size_t)>& function) {
    std::atomic<size_t> next{0};
    TeamTask::Team team;
    team.work = [&] {
      while (!team.has_failed) {
        size_t i = next++;
        if (i >= count) {
          return;
        }
        ThrowIfInterrupted(control);
        function(i);
      }
    };
    RunOnTeam(context, count, team);
  };
}

//! Turns DuckDB's vectors of one column into chunks for storage, on one thread.
class VectorConverter {
 public:
  explicit VectorConverter(bool is_varchar) : is_varchar_(is_varchar) {}

  //! The rows of `vector` as a view that is good until the next call.
  storage::ColumnChunk Convert(duckdb::Vector& vector, size_t count) {
    std::string dictionary_id = DictionaryId(vector);
    duckdb::UnifiedVectorFormat format;
    vector.ToUnifiedFormat(count, format);
    storage::ColumnChunk chunk;
    chunk.count = count;
    if (!is_varchar_) {
      format_ = std::move(format);
      chunk.values = format_.data;
      chunk.selection = format_.sel->data();
      chunk.validity = format_.validity.GetData();
      return chunk;
    }
    if (!dictionary_id.empty()) {
      ConvertDictionary(vector, dictionary_id);
      format_ = std::move(format);
      chunk.values = dictionary_.data();
      chunk.selection = format_.sel->data();
      chunk.validity = format_.validity.GetData();
      chunk.dictionary_id = dictionary_number_;
      chunk.dictionary_size = dictionary_.size();
      return chunk;
    }
    ConvertStrings(format, count);
    chunk.values = views_.data();
    chunk.validity = has_nulls_ ? validity_.data() : nullptr;
    return chunk;
  }

 private:
  static constexpr size_t kWords = STANDARD_VECTOR_SIZE / 64;

  static std::string_view View(const duckdb::string_t& text) {
    return {text.GetData(), text.GetSize()};
  }

  //! DuckDB's name of the dictionary that the vector's strings are in; empty where there is none.
  std::string DictionaryId(const duckdb::Vector& vector) const {
    if (!is_varchar_ || vector.GetVectorType() != duckdb::VectorType::DICTIONARY_VECTOR ||
        !duckdb::DictionaryVector::DictionarySize(vector).IsValid() ||
        duckdb::DictionaryVector::Child(vector).GetVectorType() !=
            duckdb::VectorType::FLAT_VECTOR) {
      return {};
    }
    return duckdb::DictionaryVector::DictionaryId(vector);
  }

  void ConvertDictionary(const duckdb::Vector& vector, const std::string& id) {
    if (id == dictionary_id_) {
      return;
    }
    dictionary_id_ = id;
    dictionary_number_++;
    const auto& strings = duckdb::DictionaryVector::Child(vector);
    const auto& validity = duckdb::FlatVector::Validity(strings);
    const auto* values = duckdb::FlatVector::GetData<duckdb::string_t>(strings);
    dictionary_.resize(duckdb::DictionaryVector::DictionarySize(vector).GetIndex());
    for (size_t i = 0; i < dictionary_.size(); i++) {
      dictionary_[i] = validity.RowIsValid(i) ? View(values[i]) : std::string_view();
    }
  }

  void ConvertStrings(const duckdb::UnifiedVectorFormat& format, size_t count) {
    const auto* values = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
    views_.resize(count);
    has_nulls_ = !format.validity.AllValid();
    if (has_nulls_) {
      validity_.fill(~uint64_t{0});
    }
    for (size_t i = 0; i < count; i++) {
      auto index = format.sel->get_index(i);
      if (has_nulls_ && !format.validity.RowIsValid(index)) {
        validity_[i / 64] &= ~(uint64_t{1} << (i % 64));
        views_[i] = {};
      } else {
        views_[i] = View(values[index]);
      }
    }
  }

  const bool is_varchar_;
  duckdb::UnifiedVectorFormat format_;
  std::vector<std::string_view> views_;
  std::array<uint64_t, kWords> validity_;
  bool has_nulls_ = false;
  std::string dictionary_id_;
  uint64_t dictionary_number_ = 0;
  std::vector<std::string_view> dictionary_;
};

//! One parallel scan of some columns into a builder.
class TableScan {
 public:
  TableScan(duckdb::ClientContext& context, duckdb::DataTable& table,
            const std::vector<storage::ColumnSpecification>& columns,
            storage::TableImageBuilder& builder, const ReadControl& control)
      : context_(context),
        table_(table),
        transaction_(duckdb::DuckTransaction::Get(context, table.GetAttached())),
        builder_(builder),
        control_(control),
        expected_rows_(table.GetTotalRows()) {
    duckdb::vector<duckdb::ColumnIndex> indexes;
    auto table_types = table.GetTypes();
    for (const auto& column : columns) {
      indexes.emplace_back(column.id);
      storage_ids_.emplace_back(column.id);
      types_.push_back(table_types[column.id]);
    }
    if (columns.empty()) {
      // Only the number of rows is wanted.
      indexes.emplace_back(duckdb::COLUMN_IDENTIFIER_ROW_ID);
      storage_ids_.emplace_back(duckdb::COLUMN_IDENTIFIER_ROW_ID);
      types_.push_back(duckdb::LogicalType::ROW_TYPE);
    }
    table.InitializeParallelScan(context, parallel_, indexes);
  }

  uint64_t Run() {
    team_.work = [this] { ReadBatches(); };
    RunOnTeam(context_, table_.MaxThreads(context_), team_);
    return rows_;
  }

 private:
  void ReadBatches() {
    duckdb::TableScanState state;
    state.Initialize(storage_ids_, &context_, nullptr);
    duckdb::DataChunk chunk;
    chunk.Initialize(duckdb::Allocator::Get(context_), types_);
    std::vector<VectorConverter> converters;
    converters.reserve(types_.size());
    for (const auto& type : types_) {
      converters.emplace_back(type.id() == duckdb::LogicalTypeId::VARCHAR);
    }
    while (!team_.has_failed && table_.NextParallelScan(context_, parallel_, state) != 0) {
      ReadBatch(state, chunk, converters);
    }
  }

  void ReadBatch(duckdb::TableScanState& state, duckdb::DataChunk& chunk,
                 std::vector<VectorConverter>& converters) {
    // Rows of the transaction itself come after those of the table.
    auto batch = state.table_state.batch_index;
    if (!state.table_state.row_group) {
      batch += state.local_state.batch_index;
    }
    auto writer = builder_.StartBatch(batch);
    uint64_t rows = 0;
    while (!team_.has_failed) {
      ThrowIfInterrupted(control_);
      chunk.Reset();
      table_.Scan(transaction_, chunk, state);
      if (chunk.size() == 0) {
        break;
      }
      for (size_t i = 0; i < builder_.ColumnCount(); i++) {
        Append(writer, i, converters[i].Convert(chunk.data[i], chunk.size()));
      }
      rows += chunk.size();
    }
    if (team_.has_failed) {
      return;
    }
    writer.Close();
    rows_ += rows;
    if (control_.progress != nullptr && expected_rows_ > 0) {
      double share = static_cast<double>(rows_) / static_cast<double>(expected_rows_);
      *control_.progress = std::min(1.0, share) * kShareOfScan;
    }
  }

  void Append(storage::BatchWriter& writer, size_t column, const storage::ColumnChunk& chunk) {
    try {
      writer.Append(column, chunk);
    } catch (const storage::Refusal& refusal) {
      throw ColumnRefusal(builder_.Column(column).Specification().id, refusal);
    }
  }

  duckdb::ClientContext& context_;
  duckdb::DataTable& table_;
  duckdb::DuckTransaction& transaction_;
  storage::TableImageBuilder& builder_;
  const ReadControl& control_;
  const uint64_t expected_rows_;
  duckdb::vector<duckdb::StorageIndex> storage_ids_;
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::ParallelTableScanState parallel_;
  TeamTask::Team team_;
  std::atomic<uint64_t> rows_{0};
};

}  // namespace

ReadColumns ReadTable(duckdb::ClientContext& context, duckdb::DataTable& table,
                      const std::vector<storage::ColumnSpecification>& columns,
                      memory::ExtentPool& pool, size_t segments_per_extent,
                      uint64_t dictionary_strings, const ReadControl& control) {
  ReadColumns result;
  result.segments_per_extent =
      segments_per_extent != 0 ? segments_per_extent
                               : storage::SegmentsPerExtent(pool.Device()->Info().largest_buffer);
  storage::BuildOptions options;
  options.expected_rows = table.GetTotalRows();
  options.segments_per_extent = result.segments_per_extent;
  options.small_dictionary = dictionary_strings;
  storage::TableImageBuilder builder(columns, pool.Allocator(), options);
  result.rows = TableScan(context, table, columns, builder, control).Run();
  for (size_t i = 0; i < columns.size(); i++) {
    if (builder.Column(i).Rows() != result.rows) {
      throw std::logic_error("the scan of " + columns[i].name +
                             " lost rows: " + std::to_string(builder.Column(i).Rows()) + " of " +
                             std::to_string(result.rows));
    }
    try {
      result.columns.push_back(builder.FinishColumn(i, pool, TeamFor(context, control)));
    } catch (const storage::Refusal& refusal) {
      throw ColumnRefusal(columns[i].id, refusal);
    }
    if (control.progress != nullptr) {
      *control.progress = kShareOfScan + (1 - kShareOfScan) * static_cast<double>(i + 1) /
                                             static_cast<double>(columns.size());
    }
  }
  return result;
}

}  // namespace margay::integration
