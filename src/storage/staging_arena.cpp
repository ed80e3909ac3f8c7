#include "storage/staging_arena.hpp"

#include <algorithm>
#include <utility>

namespace margay::storage {

namespace {

constexpr size_t kSmallestBlock = size_t{64} << 10;
constexpr size_t kLargestBlock = size_t{2} << 20;
constexpr size_t kAlignment = 16;

}  // namespace

StagingArena::StagingArena(std::shared_ptr<memory::HostAllocator> allocator,
                           std::atomic<size_t>& total)
    : allocator_(std::move(allocator)), total_(total) {}

StagingArena::~StagingArena() {
  total_ -= bytes_;
}

std::byte* StagingArena::Allocate(size_t bytes) {
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > left_) {
    size_t block_bytes = std::max(bytes, std::clamp(bytes_, kSmallestBlock, kLargestBlock));
    blocks_.push_back(memory::HostPin::Allocate(*allocator_, block_bytes));
    bytes_ += block_bytes;
    total_ += block_bytes;
    next_ = blocks_.back().Address();
    left_ = block_bytes;
  }
  std::byte* piece = next_;
  next_ += bytes;
  left_ -= bytes;
  return piece;
}

}  // namespace margay::storage
