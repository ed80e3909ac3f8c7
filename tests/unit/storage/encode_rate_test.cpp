// Not a test: prints how fast columns are encoded. Run with
//   margay_storage_tests --gtest_also_run_disabled_tests --gtest_filter='*EncodeRate*'
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "test_column.hpp"

namespace margay::storage {
namespace {

using Clock = std::chrono::steady_clock;
using plan::Type;
using plan::TypeKind;

constexpr size_t kRows = 60000000;
constexpr size_t kBatchRows = 122880;
constexpr size_t kChunkRows = 2048;
constexpr size_t kThreads = 2;
//! Chunks that repeat: together they fit in the second-level cache, as a scan's output does.
constexpr size_t kChunks = 16;

//! Wall-clock time, and processor time of the whole process: the two differ by the number of
//! threads unless other processes take the cores.
struct Moment {
  Clock::time_point wall = Clock::now();
  double user;
  double system;

  Moment() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    user = seconds(usage.ru_utime);
    system = seconds(usage.ru_stime);
  }
};

double Rate(const Moment& from, const Moment& to) {
  return kRows / std::chrono::duration<double>(to.wall - from.wall).count() / 1e6;
}

//! `chunk_at(i)` is the i-th of kChunks chunks of kChunkRows rows.
template <typename ChunkAt>
void Measure(const char* what, Type type, const ChunkAt& chunk_at, BuildOptions options = {}) {
  TestEnvironment environment;
  ASSERT_NE(environment.device, nullptr);
  options.expected_rows = kRows;
  TableImageBuilder builder({{0, "c", type}}, environment.allocator, options);
  const Moment start;
  std::atomic<size_t> next = 0;
  std::vector<std::thread> workers;
  for (size_t worker = 0; worker < kThreads; worker++) {
    workers.emplace_back([&] {
      for (size_t batch = next++; batch * kBatchRows < kRows; batch = next++) {
        BatchWriter writer = builder.StartBatch(batch);
        const size_t end = std::min(kRows, (batch + 1) * kBatchRows);
        for (size_t row = batch * kBatchRows; row < end; row += kChunkRows) {
          ColumnChunk chunk = chunk_at(row / kChunkRows % kChunks);
          chunk.count = std::min(kChunkRows, end - row);
          writer.Append(0, chunk);
        }
        writer.Close();
      }
    });
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  const Moment staged;
  const double staged_bytes = static_cast<double>(builder.StagedBytes());
  std::shared_ptr<const ColumnImage> image =
      builder.FinishColumn(0, *environment.pool, ThreadedFor(kThreads));
  const Moment done;
  const double user = done.user - start.user;
  const double system = done.system - start.system;
  std::printf(
      "%-33s width %zu: stage %5.0f, finish %5.0f, together %5.0f M values/s; per second of one "
      "core %5.0f (without the kernel's page faults %5.0f); staged %.2f bytes per row\n",
      what, image->Width(), Rate(start, staged), Rate(staged, done), Rate(start, done),
      kRows / (user + system) / 1e6, kRows / user / 1e6, staged_bytes / kRows);
}

template <typename T, typename Value>
void MeasureValues(const char* what, Type type, bool with_nulls, const Value& value) {
  std::vector<T> values(kChunks * kChunkRows);
  std::vector<uint64_t> validity(values.size() / 64, ~uint64_t{0});
  std::mt19937_64 random(1);
  for (size_t i = 0; i < values.size(); i++) {
    values[i] = static_cast<T>(value(random()));
    if (with_nulls && random() % 10 == 0) {
      validity[i / 64] &= ~(uint64_t{1} << (i % 64));
    }
  }
  Measure(what, type, [&](size_t i) {
    ColumnChunk chunk;
    chunk.values = values.data() + i * kChunkRows;
    chunk.validity = with_nulls ? validity.data() + i * kChunkRows / 64 : nullptr;
    return chunk;
  });
}

void MeasureStrings(const char* what, size_t distinct, size_t length, bool as_dictionary,
                    BuildOptions options = {}) {
  std::vector<std::string> texts(distinct);
  std::vector<std::string_view> dictionary(distinct);
  for (size_t i = 0; i < distinct; i++) {
    texts[i] = std::to_string(i * 2654435761 % 1000000007);
    texts[i].resize(length, 'x');
    dictionary[i] = texts[i];
  }
  std::mt19937_64 random(1);
  std::vector<uint32_t> codes(kChunks * kChunkRows);
  std::vector<std::string_view> values(codes.size());
  for (size_t i = 0; i < codes.size(); i++) {
    codes[i] = static_cast<uint32_t>(random() % distinct);
    values[i] = dictionary[codes[i]];
  }
  const auto chunk_at = [&](size_t i) {
    ColumnChunk chunk;
    if (as_dictionary) {
      chunk.values = dictionary.data();
      chunk.selection = codes.data() + i * kChunkRows;
      chunk.dictionary_id = 1;
      chunk.dictionary_size = dictionary.size();
    } else {
      chunk.values = values.data() + i * kChunkRows;
    }
    return chunk;
  };
  Measure(what, TypeKind::Varchar, chunk_at, options);
}

TEST(EncodeRate, DISABLED_Columns) {
  MeasureValues<int32_t>("DATE", TypeKind::Date, false, [](uint64_t r) { return 8000 + r % 2500; });
  MeasureValues<int32_t>("INTEGER", TypeKind::Int32, false, [](uint64_t r) { return r; });
  MeasureValues<int64_t>("BIGINT, 2 bytes", TypeKind::Int64, false,
                         [](uint64_t r) { return 1000000 + r % 60000; });
  MeasureValues<int64_t>("BIGINT, 8 bytes", TypeKind::Int64, false, [](uint64_t r) { return r; });
  MeasureValues<int64_t>("DECIMAL(15,2), 4 bytes", Type::Decimal(15, 2), false,
                         [](uint64_t r) { return r % 10000000; });
  MeasureValues<int64_t>("DECIMAL(15,2), 1 byte", Type::Decimal(15, 2), false,
                         [](uint64_t r) { return r % 11; });
  MeasureValues<Int128>("DECIMAL(38,2), 4 bytes", Type::Decimal(38, 2), false,
                        [](uint64_t r) { return r % 10000000; });
  MeasureValues<int64_t>("BIGINT with NULLs, 2 bytes", TypeKind::Int64, true,
                         [](uint64_t r) { return 1000000 + r % 60000; });
  MeasureValues<double>("DOUBLE", TypeKind::Float64, false,
                        [](uint64_t r) { return static_cast<double>(r); });
  MeasureStrings("VARCHAR, 3 distinct, 1 byte long", 3, 1, false);
  MeasureStrings("VARCHAR, 25 distinct, 10 long", 25, 10, false);
  MeasureStrings("VARCHAR, 25 distinct, dictionary", 25, 10, true);
  MeasureStrings("VARCHAR, 10000 distinct, 20 long", 10000, 20, false);
  BuildOptions text;
  text.largest_dictionary = 0;
  MeasureStrings("VARCHAR as text, 20 long", 10000, 20, false, text);
}

}  // namespace
}  // namespace margay::storage
