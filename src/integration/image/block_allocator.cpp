#include "integration/image/block_allocator.hpp"

#include <mutex>

#include "device/huge_pages.hpp"
#include "duckdb/common/error_data.hpp"
#include "duckdb/storage/buffer/block_handle.hpp"
#include "duckdb/storage/buffer/buffer_handle.hpp"
#include "duckdb/storage/buffer_manager.hpp"
#include "integration/version/buffers.hpp"

namespace margay::integration {
namespace {

constexpr size_t kAlignment = 4096;

//! One block of DuckDB's buffer manager, larger than asked for so that an aligned address lies in
//! it.
class ManagedBlock : public memory::HostBlock {
 public:
  ManagedBlock(duckdb::BufferManager& manager, duckdb::shared_ptr<duckdb::BlockHandle> block,
               size_t bytes)
      : manager_(manager), block_(std::move(block)), bytes_(bytes) {}

  std::byte* TryPin() override {
    std::lock_guard<std::mutex> guard(mutex_);
    if (pins_ == 0 && !PinBlock()) {
      return nullptr;
    }
    pins_++;
    if (!is_advised_) {
      device::AdviseHugePages(AddressOf(pinned_), bytes_ + kAlignment);
      is_advised_ = true;
    }
    auto address = reinterpret_cast<uintptr_t>(AddressOf(pinned_));
    return reinterpret_cast<std::byte*>((address + kAlignment - 1) / kAlignment * kAlignment);
  }

  void Unpin() override {
    std::lock_guard<std::mutex> guard(mutex_);
    pins_--;
    if (pins_ == 0) {
      pinned_.Destroy();
    }
  }

  size_t Size() const override { return bytes_; }

 private:
  bool PinBlock() {
    // Asked first, because DuckDB makes room for a dropped block before it finds that there is
    // nothing to load.
    if (IsDropped(*block_)) {
      return false;
    }
    try {
      pinned_ = manager_.Pin(block_);
    } catch (std::exception&) {
      return false;
    }
    return pinned_.IsValid();
  }

  duckdb::BufferManager& manager_;
  duckdb::shared_ptr<duckdb::BlockHandle> block_;
  const size_t bytes_;
  std::mutex mutex_;
  size_t pins_ = 0;
  bool is_advised_ = false;  //!< memory that is dropped does not come back
  duckdb::BufferHandle pinned_;
};

}  // namespace

std::shared_ptr<memory::HostBlock> BlockAllocator::Allocate(size_t bytes) {
  try {
    return std::make_shared<ManagedBlock>(manager_, AllocateDroppable(manager_, bytes + kAlignment),
                                          bytes);
  } catch (std::exception& error) {
    if (duckdb::ErrorData(error).Type() != duckdb::ExceptionType::OUT_OF_MEMORY) {
      throw;
    }
    throw memory::OutOfMemory("DuckDB (memory_limit)", bytes, manager_.GetMaxMemory(),
                              manager_.GetUsedMemory());
  }
}

}  // namespace margay::integration
