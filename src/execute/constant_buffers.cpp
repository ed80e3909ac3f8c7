#include "execute/constant_buffers.hpp"

#include <algorithm>
#include <iterator>

namespace margay::execute {

namespace {

//! Most bytes that are kept of a part: mostly it is some KB. A list of the segments of a table of
//! 60 M rows has 50 to 100 KB.
constexpr size_t kMostBytes = size_t{512} << 10;

//! Larger ones are not kept: their transfer is what takes time, not its start.
constexpr size_t kLargest = kMostBytes / 2;

//! What a buffer takes at the least.
constexpr size_t kSmallestBuffer = 4096;

}  // namespace

size_t ConstantBuffers::Constant::Bytes() const {
  return std::max(content.size(), kSmallestBuffer);
}

std::shared_ptr<const device::Buffer> ConstantBuffers::Find(const std::string& content) {
  const auto found =
      std::find_if(constants_.begin(), constants_.end(),
                   [&](const Constant& constant) { return constant.content == content; });
  if (found == constants_.end())
    return nullptr;
  constants_.splice(constants_.begin(), constants_, found);
  return constants_.front().buffer;
}

std::shared_ptr<const device::Buffer> ConstantBuffers::Get(std::span<const std::byte> content) {
  const bool is_kept = content.size() <= kLargest;
  std::string key;
  if (is_kept) {
    key.assign(reinterpret_cast<const char*>(content.data()), content.size());
    const std::lock_guard lock(mutex_);
    if (auto found = Find(key))
      return found;
  }
  auto buffer = std::make_shared<device::Buffer>(
      device_.CreateBuffer(std::max(content.size(), sizeof(int64_t)), device::Access::ReadOnly));
  // A queue of its own, whose end waits for this transfer alone: others may read it from now on.
  if (!content.empty())
    device_.AcquireQueue()->Write(*buffer, 0, content.data(), content.size());
  if (!is_kept)
    return buffer;
  std::list<Constant> made, dropped;
  made.push_back({std::move(key), buffer});
  const std::lock_guard lock(mutex_);
  bytes_ += made.front().Bytes();
  constants_.splice(constants_.begin(), made);
  while (bytes_ > kMostBytes) {
    bytes_ -= constants_.back().Bytes();
    dropped.splice(dropped.end(), constants_, std::prev(constants_.end()));
  }
  return buffer;
}

size_t ConstantBuffers::Bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace margay::execute
