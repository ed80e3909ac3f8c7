#include "memory/heap_allocator.hpp"

#include <atomic>
#include <new>

#include "device/huge_pages.hpp"

namespace margay::memory {

//! Shared with the blocks, which may outlive the allocator.
struct HeapAllocator::Account {
  const uint64_t limit;
  std::atomic<uint64_t> used{0};
};

class HeapBlock : public HostBlock {
 public:
  HeapBlock(size_t bytes, std::shared_ptr<HeapAllocator::Account> account)
      : bytes_(bytes),
        account_(std::move(account)),
        content_(static_cast<std::byte*>(::operator new(bytes, kAlignment))) {
    device::AdviseHugePages(content_, bytes);
    account_->used += bytes_;
  }

  ~HeapBlock() override { Free(); }

  std::byte* TryPin() override {
    std::lock_guard lock(mutex_);
    if (content_ != nullptr) {
      pins_++;
    }
    return content_;
  }

  void Unpin() override {
    std::lock_guard lock(mutex_);
    pins_--;
  }

  size_t Size() const override { return bytes_; }

  bool DropIfUnpinned() {
    std::lock_guard lock(mutex_);
    if (content_ == nullptr || pins_ > 0) {
      return false;
    }
    Free();
    return true;
  }

 private:
  static constexpr std::align_val_t kAlignment{4096};

  void Free() {
    if (content_ != nullptr) {
      ::operator delete(content_, kAlignment);
      content_ = nullptr;
      account_->used -= bytes_;
    }
  }

  const size_t bytes_;
  const std::shared_ptr<HeapAllocator::Account> account_;
  std::mutex mutex_;
  std::byte* content_;
  size_t pins_ = 0;
};

HeapAllocator::HeapAllocator(uint64_t limit) : account_(new Account{limit}) {}

HeapAllocator::~HeapAllocator() = default;

std::shared_ptr<HostBlock> HeapAllocator::Allocate(size_t bytes) {
  uint64_t used = account_->used;
  if (bytes > account_->limit || used > account_->limit - bytes) {
    throw OutOfMemory("the host", bytes, account_->limit, used);
  }
  std::shared_ptr<HeapBlock> block;
  try {
    block = std::make_shared<HeapBlock>(bytes, account_);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("the host", bytes, account_->limit, used);
  }
  std::lock_guard lock(mutex_);
  if (blocks_.size() == blocks_.capacity()) {
    std::erase_if(blocks_, [](const std::weak_ptr<HeapBlock>& dead) { return dead.expired(); });
  }
  blocks_.push_back(block);
  return block;
}

uint64_t HeapAllocator::Used() const {
  return account_->used;
}

size_t HeapAllocator::DropUnpinned() {
  std::lock_guard lock(mutex_);
  size_t dropped = 0;
  for (const std::weak_ptr<HeapBlock>& weak : blocks_) {
    std::shared_ptr<HeapBlock> block = weak.lock();
    if (block != nullptr && block->DropIfUnpinned()) {
      dropped++;
    }
  }
  return dropped;
}

}  // namespace margay::memory
