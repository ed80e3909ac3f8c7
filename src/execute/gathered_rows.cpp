#include "execute/gathered_rows.hpp"

#include <cstring>

#include "execute/pinned_block.hpp"

namespace margay::execute {

namespace {

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

}  // namespace

ResultBatch GatherRows(const std::vector<ResultBatch>& batches, std::span<const RowPlace> rows,
                       std::span<const size_t> widths, memory::HostAllocator& allocator) {
  ResultBatch result;
  result.rows = rows.size();
  result.columns.assign(batches[0].columns.begin(),
                        batches[0].columns.begin() + static_cast<ptrdiff_t>(widths.size()));
  size_t bytes = 0;
  for (size_t i = 0; i < widths.size(); i++) {
    bytes += AlignedBytes(rows.size() * widths[i]);
    bytes += result.columns[i].validity ? AlignedBytes(rows.size()) : 0;
  }
  auto block = std::make_shared<PinnedBlock>(allocator, bytes);
  std::byte* next = block->Address();
  for (size_t i = 0; i < widths.size(); i++) {
    ResultColumn& column = result.columns[i];
    Copy(
        widths[i], rows, [&](uint32_t batch) { return batches[batch].columns[i].values; }, next);
    column.values = next;
    next += AlignedBytes(rows.size() * widths[i]);
    if (!column.validity)
      continue;
    Copy<1>(
        rows,
        [&](uint32_t batch) {
          return reinterpret_cast<const std::byte*>(batches[batch].columns[i].validity);
        },
        next);
    column.validity = reinterpret_cast<const uint8_t*>(next);
    next += AlignedBytes(rows.size());
  }
  result.owner = std::move(block);
  return result;
}

}  // namespace margay::execute
