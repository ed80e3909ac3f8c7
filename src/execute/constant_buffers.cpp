#include "execute/constant_buffers.hpp"

#include <algorithm>

namespace margay::execute {

namespace {

//! Most bytes that are kept of a part. Lists of segments of a table of 600 M rows have some 0.5 MB.
constexpr size_t kMostBytes = size_t{4} << 20;

//! Larger ones are not kept: their transfer is what takes time, not its start.
constexpr size_t kLargest = kMostBytes / 4;

}  // namespace

std::shared_ptr<const device::Buffer> ConstantBuffers::Find(const std::string& content) {
  const auto found =
      std::find_if(constants_.begin(), constants_.end(),
                   [&](const Constant& constant) { return constant.content == content; });
  if (found == constants_.end())
    return nullptr;
  constants_.splice(constants_.begin(), constants_, found);
  return constants_.front().buffer;
}

std::shared_ptr<const device::Buffer> ConstantBuffers::Get(std::span<const std::byte> content,
                                                           device::Queue& queue) {
  std::string key;
  if (content.size() <= kLargest) {
    key.assign(reinterpret_cast<const char*>(content.data()), content.size());
    const std::lock_guard lock(mutex_);
    if (auto found = Find(key))
      return found;
  }
  auto buffer = std::make_shared<device::Buffer>(
      device_.CreateBuffer(std::max(content.size(), sizeof(int64_t)), device::Access::ReadOnly));
  queue.Write(*buffer, 0, content.data(), content.size());
  if (content.size() > kLargest)
    return buffer;
  queue.Finish();  // others use it through their own queues
  std::list<Constant> made, dropped;
  made.push_back({std::move(key), buffer});
  const std::lock_guard lock(mutex_);
  bytes_ += content.size();
  constants_.splice(constants_.begin(), made);
  while (bytes_ > kMostBytes) {
    bytes_ -= constants_.back().content.size();
    dropped.splice(dropped.end(), constants_, std::prev(constants_.end()));
  }
  return buffer;
}

size_t ConstantBuffers::Bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace margay::execute
