//! Attacks the decision whether a copy of table data is valid (SnapshotTracker) with concurrent
//! updates, inserts, deletes, appenders, explicit transactions, rollbacks, changes of the catalog
//! and checkpoints. Readers keep one shared copy of a few aggregates; whenever the tracker calls it
//! valid for a reader, it is compared with what DuckDB answers at the reader's snapshot. Exits with
//! 1 where any decision was wrong.
//!
//!   margay_stress                                  a short run, for ctest
//!   margay_stress --decisions 1000000 --file x.db  by hand

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/catalog/catalog_entry/duck_table_entry.hpp"
#include "duckdb/main/appender.hpp"
#include "integration/instance.hpp"
#include "integration/margay_extension.hpp"

namespace {

using margay::integration::Instance;
using margay::integration::Moment;
using margay::integration::SnapshotOf;
using margay::integration::Validity;

constexpr int kRows = 2000;
constexpr int kWriters = 3;
constexpr int kReaders = 4;

struct Options {
  double seconds = 8;
  uint64_t decisions = std::numeric_limits<uint64_t>::max();
  std::string file;
};

//! What the readers share: the aggregates at one snapshot.
struct Copy {
  std::mutex mutex;
  Moment built_at = 0;
  std::string content;
};

struct Tally {
  std::atomic<uint64_t> valid{0};
  std::atomic<uint64_t> own_changes{0};
  std::atomic<uint64_t> busy{0};
  std::atomic<uint64_t> stale{0};
  std::atomic<uint64_t> wrong{0};
  std::atomic<uint64_t> writes{0};
  std::atomic<uint64_t> failed_writes{0};
  std::atomic<uint64_t> failed_reads{0};

  uint64_t Decisions() const { return valid + own_changes + busy + stale; }

  void Count(Validity validity) {
    switch (validity) {
      case Validity::Valid:
        valid++;
        break;
      case Validity::OwnChanges:
        own_changes++;
        break;
      case Validity::BusyWriter:
        busy++;
        break;
      case Validity::WrittenSince:
        stale++;
        break;
    }
  }
};

void Pause(std::mt19937& random, int most_microseconds) {
  std::this_thread::sleep_for(
      std::chrono::microseconds(random() % static_cast<unsigned>(most_microseconds)));
}

//! One writer's random changes.
class Writer {
 public:
  Writer(duckdb::DuckDB& database, Tally& tally, unsigned number)
      : connection_(database), tally_(tally), random_(number + 1), number_(number) {}

  void Write() {
    std::string key = std::to_string(random_() % kRows);
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
        Run("UPDATE t SET v = v + 1 WHERE k = " + key);
        break;
      case 3:
      case 4:
        Run("INSERT INTO t VALUES (" + key + ", 1)");
        break;
      case 5:
        Run("DELETE FROM t WHERE k = " + key + " AND v > 0");
        break;
      case 6:
      case 7:
        Append();
        break;
      case 8:
      case 9:
        Run("BEGIN");
        Run("UPDATE t SET v = v + 2 WHERE k = " + key);
        Pause(random_, 20000);
        Run(random_() % 4 != 0 ? "COMMIT" : "ROLLBACK");
        break;
      case 10:
        Run("CHECKPOINT");
        break;
      default:
        std::string table = "z" + std::to_string(number_);
        Run("CREATE TABLE IF NOT EXISTS " + table + "(i INTEGER)");
        Run("INSERT INTO " + table + " VALUES (1)");
    }
    tally_.writes++;
    Pause(random_, 30000);
  }

 private:
  void Run(const std::string& sql) {
    if (connection_.Query(sql)->HasError()) {
      tally_.failed_writes++;
    }
  }

  void Append() {
    try {
      duckdb::Appender appender(connection_, "t");
      appender.AppendRow(static_cast<int64_t>(random_() % kRows), static_cast<int64_t>(3));
      appender.Close();
    } catch (std::exception&) {
      tally_.failed_writes++;
    }
  }

  duckdb::Connection connection_;
  Tally& tally_;
  std::mt19937 random_;
  const unsigned number_;
};

//! One reader: decides, asks DuckDB, compares, and refreshes the copy.
class Reader {
 public:
  Reader(duckdb::DuckDB& database, Copy& copy, Tally& tally, unsigned number)
      : connection_(database), copy_(copy), tally_(tally), random_(number + 100) {}

  void Read() {
    connection_.Query("BEGIN");
    Decide();
    connection_.Query(random_() % 16 != 0 ? "COMMIT" : "ROLLBACK");
  }

 private:
  void Decide() {
    auto& context = *connection_.context;
    auto& table = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(context, INVALID_CATALOG,
                                                                       INVALID_SCHEMA, "t");
    auto& database = table.ParentCatalog().GetAttached();
    auto snapshot = SnapshotOf(context, database);
    if (random_() % 32 == 0) {
      connection_.Query("UPDATE t SET v = v + 1 WHERE k = " + std::to_string(random_() % kRows));
    }
    if (random_() % 8 == 0) {
      Pause(random_, 3000);
    }
    Moment built_at = 0;
    std::string content;
    {
      std::lock_guard<std::mutex> guard(copy_.mutex);
      built_at = copy_.built_at;
      content = copy_.content;
    }
    auto validity = Instance::Get(context)->tracker->Check(context, database, built_at);
    auto result = connection_.Query("SELECT count(*) || '/' || sum(k) || '/' || sum(v) FROM t");
    if (result->HasError()) {
      tally_.failed_reads++;
      return;
    }
    std::string truth = result->GetValue(0, 0).ToString();
    tally_.Count(validity);
    if (validity == Validity::Valid && content != truth) {
      tally_.wrong++;
      std::fprintf(stderr, "wrong: copy of %llu for a reader of %llu: %s instead of %s\n",
                   static_cast<unsigned long long>(built_at),
                   static_cast<unsigned long long>(snapshot), content.c_str(), truth.c_str());
    }
    if (validity == Validity::WrittenSince || validity == Validity::BusyWriter) {
      std::lock_guard<std::mutex> guard(copy_.mutex);
      if (snapshot > copy_.built_at) {
        copy_.built_at = snapshot;
        copy_.content = truth;
      }
    }
  }

  duckdb::Connection connection_;
  Copy& copy_;
  Tally& tally_;
  std::mt19937 random_;
};

void Run(const Options& options, Tally& tally) {
  duckdb::DuckDB database(options.file.empty() ? nullptr : options.file.c_str());
  margay::Register(*database.instance);
  duckdb::Connection connection(database);
  // The readers' own queries must be DuckDB's.
  connection.Query("SET GLOBAL margay_mode = 'off'");
  connection.Query("CREATE OR REPLACE TABLE t(k BIGINT, v BIGINT)");
  connection.Query("INSERT INTO t SELECT i, i FROM range(" + std::to_string(kRows) + ") r(i)");
  std::atomic<bool> stop{false};
  Copy copy;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kWriters; i++) {
    threads.emplace_back([&, i] {
      Writer writer(database, tally, i);
      while (!stop) {
        writer.Write();
      }
    });
  }
  for (unsigned i = 0; i < kReaders; i++) {
    threads.emplace_back([&, i] {
      Reader reader(database, copy, tally, i);
      while (!stop) {
        reader.Read();
      }
    });
  }
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  while (std::chrono::steady_clock::now() < end && tally.Decisions() < options.decisions) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  stop = true;
  for (auto& thread : threads) {
    thread.join();
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Attacks the decision whether cached table data is valid");
  auto* seconds = app.add_option("--seconds", options.seconds, "How long");
  auto* decisions = app.add_option("--decisions", options.decisions, "Until so many were made");
  app.add_option("--file", options.file, "A database file; in memory otherwise");
  CLI11_PARSE(app, argc, argv);
  if (*decisions && !*seconds) {
    options.seconds = 24 * 3600;
  }
  Tally tally;
  Run(options, tally);
  std::printf(
      "%llu decisions: %llu valid, %llu own changes, %llu busy writer, %llu stale; "
      "%llu WRONG; %llu writes (%llu statements failed), %llu failed reads\n",
      static_cast<unsigned long long>(tally.Decisions()),
      static_cast<unsigned long long>(tally.valid.load()),
      static_cast<unsigned long long>(tally.own_changes.load()),
      static_cast<unsigned long long>(tally.busy.load()),
      static_cast<unsigned long long>(tally.stale.load()),
      static_cast<unsigned long long>(tally.wrong.load()),
      static_cast<unsigned long long>(tally.writes.load()),
      static_cast<unsigned long long>(tally.failed_writes.load()),
      static_cast<unsigned long long>(tally.failed_reads.load()));
  return tally.wrong == 0 && tally.valid > 0 ? 0 : 1;
}
