#include "compile/kernel_library.hpp"

#include <stdexcept>

namespace margay::compile {

namespace {

//! Most kernels that are kept: a source has some 20 KB.
constexpr size_t kMostKernels = 8192;

std::atomic<bool> is_each_checked{false};

}  // namespace

void KernelLibrary::SetChecked(bool is_checked) {
  is_each_checked = is_checked;
}

std::shared_ptr<const KernelSource> KernelLibrary::Touch(const KernelDigest& digest) {
  const auto found = kernels_.find(digest);
  if (found == kernels_.end())
    return nullptr;
  order_.splice(order_.begin(), order_, found->second.place);
  return found->second.kernel;
}

std::shared_ptr<const KernelSource> KernelLibrary::Find(const KernelDigest& digest) {
  const std::lock_guard lock(mutex_);
  return Touch(digest);
}

std::shared_ptr<const KernelSource> KernelLibrary::Get(const KernelDigest& digest,
                                                       const optimize::LoweredPipeline& pipeline) {
  if (auto known = Find(digest)) {
    if (is_each_checked && known->program.Text() != WriteKernel(pipeline).program.Text()) {
      throw std::logic_error("two kernels have one digest:\n" + known->program.Text() + "\nand:\n" +
                             WriteKernel(pipeline).program.Text());
    }
    return known;
  }
  auto kernel = std::make_shared<const KernelSource>(WriteKernel(pipeline));
  written_++;
  const std::lock_guard lock(mutex_);
  if (auto known = Touch(digest))
    return known;  // another thread wrote it meanwhile
  order_.push_front(digest);
  kernels_.emplace(digest, Entry{kernel, order_.begin()});
  if (kernels_.size() > kMostKernels) {
    kernels_.erase(order_.back());
    order_.pop_back();
  }
  return kernel;
}

void KernelLibrary::Clear() {
  const std::lock_guard lock(mutex_);
  kernels_.clear();
  order_.clear();
}

}  // namespace margay::compile
