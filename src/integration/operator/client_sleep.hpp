#pragma once

#include "duckdb/common/shared_ptr.hpp"
#include "duckdb/execution/executor.hpp"

namespace margay::integration {

//! While it lives, the thread that waits for a query's result sleeps. Without tasks for it, DuckDB
//! lets that thread ask for some again and again, which takes a core away from a device that is the
//! CPU. So there is a task that waits, as far as DuckDB knows; at the end it is scheduled, does
//! nothing, and wakes the thread.
class ClientSleep {
 public:
  explicit ClientSleep(duckdb::Executor& executor);
  ~ClientSleep();
  ClientSleep(const ClientSleep&) = delete;
  ClientSleep& operator=(const ClientSleep&) = delete;

 private:
  duckdb::Executor& executor_;
  duckdb::shared_ptr<duckdb::Task> task_;
};

}  // namespace margay::integration
