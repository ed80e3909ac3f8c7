#include "storage/dictionary_strings.hpp"

#include <algorithm>
#include <cstring>

#include "storage/constants.hpp"

namespace margay::storage {

size_t BytesBegin(const Dictionary& dictionary) {
  constexpr size_t kAlignment = 16;
  const size_t ends = std::max<size_t>(dictionary.Size(), 1) * sizeof(uint32_t);
  return (ends + kAlignment - 1) / kAlignment * kAlignment;
}

std::vector<uint8_t> PackStrings(const Dictionary& dictionary) {
  const size_t begin = BytesBegin(dictionary);
  std::vector<uint8_t> packed(begin);
  for (uint32_t code = 0; code < dictionary.Size(); code++) {
    const std::string_view value = dictionary.Value(code);
    packed.insert(packed.end(), value.begin(), value.end());
    const auto end = static_cast<uint32_t>(packed.size() - begin);
    std::memcpy(packed.data() + code * sizeof(end), &end, sizeof(end));
  }
  packed.resize(packed.size() + kExtentSlackBytes);
  return packed;
}

memory::ExtentPin DictionaryStrings::Pin(const Dictionary& dictionary, memory::ExtentPool& pool) {
  std::shared_ptr<memory::Extent> found;
  {
    const std::lock_guard lock(mutex_);
    found = extent_;
  }
  if (auto pin = found ? found->TryPin() : std::nullopt)
    return std::move(*pin);
  const std::vector<uint8_t> packed = PackStrings(dictionary);
  memory::ExtentPin pin =
      pool.CreatePinned(packed.size(), [&](std::byte* destination, size_t offset, size_t bytes) {
        std::memcpy(destination, packed.data() + offset, bytes);
      });
  const std::lock_guard lock(mutex_);
  extent_ = pin.PinnedExtent();
  return pin;
}

}  // namespace margay::storage
