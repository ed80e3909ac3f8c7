#include "integration/version/transactions.hpp"

#include "duckdb/main/attached_database.hpp"
#include "duckdb/storage/data_table.hpp"
#include "duckdb/transaction/duck_transaction.hpp"
#include "duckdb/transaction/duck_transaction_manager.hpp"
#include "duckdb/transaction/local_storage.hpp"

namespace margay::integration {

Moment SnapshotOf(duckdb::ClientContext& context, duckdb::AttachedDatabase& database) {
  return duckdb::DuckTransaction::Get(context, database).start_time;
}

bool HasOwnChanges(duckdb::ClientContext& context, duckdb::AttachedDatabase& database) {
  return duckdb::DuckTransaction::Get(context, database).ChangesMade();
}

bool HasOwnRows(duckdb::ClientContext& context, duckdb::DataTable& table) {
  return duckdb::LocalStorage::Get(context, table.GetAttached()).Find(table);
}

std::optional<Moment> LastCommitOf(duckdb::AttachedDatabase& database) {
  auto& manager = database.GetTransactionManager();
  if (!manager.IsDuckTransactionManager()) {
    return std::nullopt;
  }
  return static_cast<duckdb::DuckTransactionManager&>(manager).GetLastCommit();
}

}  // namespace margay::integration
