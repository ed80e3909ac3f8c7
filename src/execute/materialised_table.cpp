#include "execute/materialised_table.hpp"

#include <algorithm>
#include <cstring>

#include "storage/constants.hpp"

namespace margay::execute {

namespace {

size_t ValueBytes(const optimize::MaterialisedColumn& column, uint64_t rows) {
  return rows * column.form->Width() + storage::kExtentSlackBytes;
}

//! In whole words, which kernels set bits of.
size_t ValidityBytes(uint64_t rows) {
  return (rows + 31) / 32 * sizeof(uint32_t) + storage::kExtentSlackBytes;
}

//! The values of a batch's column, each as wide as it is stored.
std::vector<std::byte> Stored(const optimize::MaterialisedColumn& column, const ResultColumn& from,
                              size_t rows) {
  const size_t stored = column.form->Width();
  const auto bytes = static_cast<size_t>(from.type.PhysicalBytes());
  std::vector<std::byte> values(rows * stored);
  for (size_t row = 0; row < rows; row++) {
    // Little-endian: the low bytes are the value in a narrower type. A wider one gets its sign.
    std::byte* into = values.data() + row * stored;
    const std::byte* value = from.values + row * bytes;
    std::memcpy(into, value, std::min(stored, bytes));
    if (stored > bytes && from.type.LowestValue() < 0 &&
        (value[bytes - 1] & std::byte{0x80}) != std::byte{0}) {
      std::memset(into + bytes, 0xff, stored - bytes);
    }
  }
  return values;
}

}  // namespace

MaterialisedTable::MaterialisedTable(const std::vector<optimize::MaterialisedColumn>& columns,
                                     uint64_t rows, device::Queue& queue, memory::ExtentPool& pool)
    : rows_(rows) {
  size_t bytes = 0;
  for (const optimize::MaterialisedColumn& column : columns)
    bytes += ValueBytes(column, rows) + (column.form->HasValidity() ? ValidityBytes(rows) : 0);
  reservation_ = pool.Reserve(bytes);
  device::Device& device = *pool.Device();
  for (const optimize::MaterialisedColumn& column : columns) {
    Column& made = columns_.emplace_back();
    made.values = device.CreateBuffer(ValueBytes(column, rows), device::Access::ReadWrite);
    if (column.form->HasValidity())
      made.validity =
          device.CreateZeroedBuffer(ValidityBytes(rows), device::Access::ReadWrite, queue);
  }
}

void MaterialisedTable::Write(const std::vector<optimize::MaterialisedColumn>& columns,
                              const ResultBatch& batch, device::Queue& queue) {
  for (size_t i = 0; i < columns.size() && batch.rows != 0; i++) {
    const ResultColumn& from = batch.columns[i];
    const std::vector<std::byte> values = Stored(columns[i], from, batch.rows);
    queue.Write(columns_[i].values, 0, values.data(), values.size());
    if (!columns[i].form->HasValidity())
      continue;
    std::vector<uint8_t> validity((batch.rows + 7) / 8);
    for (size_t row = 0; row < batch.rows; row++) {
      const bool is_valid = from.validity == nullptr || from.validity[row] != 0;
      validity[row / 8] |= static_cast<uint8_t>(uint8_t{is_valid} << row % 8);
    }
    queue.Write(columns_[i].validity, 0, validity.data(), validity.size());
  }
}

}  // namespace margay::execute
