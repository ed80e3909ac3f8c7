#include "integration/image/duck_table_source.hpp"

#include <stdexcept>
#include <utility>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/duck_table_entry.hpp"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/storage/data_table.hpp"
#include "execute/part.hpp"
#include "integration/image/table_reader.hpp"
#include "integration/instance.hpp"
#include "integration/type_conversion.hpp"
#include "integration/version/names.hpp"
#include "integration/version/statistics.hpp"

namespace margay::integration {

DuckTableSource::DuckTableSource(std::shared_ptr<SnapshotTracker> tracker,
                                 duckdb::DuckTableEntry& table)
    : tracker_(std::move(tracker)),
      table_(table.GetStorage().shared_from_this()),
      name_{NameOf(table.ParentCatalog()), NameOf(table.ParentSchema()), NameOf(table)} {}

duckdb::shared_ptr<duckdb::DataTable> DuckTableSource::Table() const {
  auto table = table_.lock();
  if (!table) {
    throw std::logic_error("the table " + name_.table + " is gone while a query reads it");
  }
  return table;
}

bool DuckTableSource::IsSameTable(const TableSource& other) const {
  const auto* table = dynamic_cast<const DuckTableSource*>(&other);
  const auto own = table_.lock();
  return table != nullptr && own && own == table->table_.lock();
}

bool DuckTableSource::IsGone() const {
  return table_.expired();
}

std::optional<std::string> DuckTableSource::RefuseCaching() const {
  if (Table()->GetAttached().IsTemporary()) {
    return "temporary tables are not cached";
  }
  return std::nullopt;
}

uint64_t DuckTableSource::TotalRows() const {
  return Table()->GetTotalRows();
}

optimize::ColumnBounds DuckTableSource::Bounds(duckdb::ClientContext& reader,
                                               uint64_t column) const {
  return BoundsOf(reader, *Table(), column);
}

Moment DuckTableSource::SnapshotFor(duckdb::ClientContext& reader) const {
  return SnapshotOf(reader, Table()->GetAttached());
}

Validity DuckTableSource::Check(duckdb::ClientContext& reader, Moment built_at) const {
  return tracker_->Check(reader, Table()->GetAttached(), built_at);
}

bool DuckTableSource::CanReadAgain(duckdb::ClientContext& reader) const {
  return !HasOwnRows(reader, *Table());
}

ReadColumns DuckTableSource::Read(duckdb::ClientContext& reader,
                                  const std::vector<storage::ColumnSpecification>& columns,
                                  memory::ExtentPool& pool, storage::BuildOptions options,
                                  const ReadControl& control) const {
  return ReadTable(reader, *Table(), columns, pool, options, control);
}

std::vector<storage::PinnedExtents> DuckTableSource::ReadExtent(
    duckdb::ClientContext& reader, const std::vector<storage::ColumnSpecification>& columns,
    const std::vector<std::shared_ptr<const storage::ColumnImage>>& restored, size_t extent,
    memory::ExtentPool& pool, const ReadControl& control) const {
  const auto table = table_.lock();
  if (!table) {
    throw execute::ImageLost("a table was dropped while a query read it");
  }
  return ReadTableExtent(reader, *table, columns, restored, extent, pool, control);
}

std::shared_ptr<const TableSource> FindDuckTable(duckdb::ClientContext& context,
                                                 const CapturedTable& captured,
                                                 const plan::Node& scan) {
  auto entry = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(
      context, captured.catalog, captured.schema, captured.name,
      duckdb::OnEntryNotFound::RETURN_NULL);
  if (!entry || !entry->IsDuckTable() || entry->oid != captured.oid) {
    return nullptr;
  }
  auto& table = entry->Cast<duckdb::DuckTableEntry>();
  auto types = table.GetStorage().GetTypes();
  for (const auto& column : scan.Columns()) {
    if (column.id >= types.size() || ToPlanType(types[column.id]) != column.type) {
      return nullptr;
    }
  }
  return std::make_shared<DuckTableSource>(Instance::Get(context)->tracker, table);
}

}  // namespace margay::integration
