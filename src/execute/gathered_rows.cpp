#include "execute/gathered_rows.hpp"

#include <cstring>

#include "execute/pinned_block.hpp"
#include "execute/text_fetch.hpp"

namespace margay::execute {

namespace {

size_t WidthOf(const ResultColumn& column) {
  return column.type.IsVarchar() && !column.dictionary
             ? sizeof(PendingText)
             : static_cast<size_t>(column.type.PhysicalBytes());
}

//! Copies values of a width that the compiler knows.
template <size_t width, typename BytesOf>
void Copy(std::span<const RowPlace> rows, const BytesOf& bytes_of, std::byte* destination) {
  for (const RowPlace& place : rows) {
    std::memcpy(destination, bytes_of(place.batch) + place.row * width, width);
    destination += width;
  }
}

template <typename BytesOf>
void Copy(size_t width, std::span<const RowPlace> rows, const BytesOf& bytes_of,
          std::byte* destination) {
  switch (width) {
    case 1:
      return Copy<1>(rows, bytes_of, destination);
    case 2:
      return Copy<2>(rows, bytes_of, destination);
    case 4:
      return Copy<4>(rows, bytes_of, destination);
    case 8:
      return Copy<8>(rows, bytes_of, destination);
    default:
      return Copy<16>(rows, bytes_of, destination);
  }
}

size_t Aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace

ResultBatch GatherRows(const std::vector<ResultBatch>& batches, std::span<const RowPlace> rows,
                       size_t columns, memory::HostAllocator& allocator) {
  ResultBatch result;
  result.rows = rows.size();
  result.columns.assign(batches[0].columns.begin(),
                        batches[0].columns.begin() + static_cast<ptrdiff_t>(columns));
  size_t bytes = 0;
  for (const ResultColumn& column : result.columns)
    bytes += Aligned(rows.size() * WidthOf(column)) + (column.validity ? Aligned(rows.size()) : 0);
  auto block = std::make_shared<PinnedBlock>(allocator, bytes);
  std::byte* next = block->Address();
  for (size_t i = 0; i < columns; i++) {
    ResultColumn& column = result.columns[i];
    const size_t width = WidthOf(column);
    Copy(
        width, rows, [&](uint32_t batch) { return batches[batch].columns[i].values; }, next);
    column.values = next;
    next += Aligned(rows.size() * width);
    if (!column.validity)
      continue;
    Copy<1>(
        rows,
        [&](uint32_t batch) {
          return reinterpret_cast<const std::byte*>(batches[batch].columns[i].validity);
        },
        next);
    column.validity = reinterpret_cast<const uint8_t*>(next);
    next += Aligned(rows.size());
  }
  result.owner = std::move(block);
  return result;
}

}  // namespace margay::execute
