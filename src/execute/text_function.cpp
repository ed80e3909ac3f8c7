#include "execute/text_function.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "execute/part.hpp"
#include "execute/pinned_block.hpp"

namespace margay::execute {

namespace {

using State = plan::DictionaryResults::State;

//! Texts that a function is given at once: nobody counts what it takes to compute their results.
constexpr size_t kTextsPerCall = 16384;

//! The strings among `results`, one behind the other, in memory of `allocator`.
std::shared_ptr<const PinnedBlock> KeepTexts(const plan::DictionaryResults& results,
                                             std::vector<std::string_view>& texts,
                                             memory::HostAllocator& allocator) {
  size_t bytes = 0;
  for (const std::string& text : results.texts)
    bytes += text.size();
  auto block = std::make_shared<const PinnedBlock>(allocator, bytes);
  auto* end = reinterpret_cast<char*>(block->Address());
  texts.clear();
  for (const std::string& text : results.texts) {
    texts.emplace_back(end, text.size());
    end = std::copy(text.begin(), text.end(), end);
  }
  return block;
}

}  // namespace

std::shared_ptr<const void> ComputeFunction(const plan::DictionaryFunction& function, size_t rows,
                                            memory::HostAllocator& allocator,
                                            ResultColumn& column) {
  const plan::Type type = function.ResultType();
  const auto bytes =
      type.IsVarchar() ? sizeof(std::string_view) : static_cast<size_t>(type.PhysicalBytes());
  auto owners = std::make_shared<std::vector<std::shared_ptr<const PinnedBlock>>>();
  owners->push_back(
      std::make_shared<const PinnedBlock>(allocator, AlignedBytes(rows * bytes) + rows));
  std::byte* const values = owners->front()->Address();
  auto* const validity = reinterpret_cast<uint8_t*>(values + AlignedBytes(rows * bytes));
  const auto* const arguments = reinterpret_cast<const std::string_view*>(column.values);
  std::vector<std::string_view> texts;
  for (size_t first = 0; first < rows; first += kTextsPerCall) {
    const size_t count = std::min(kTextsPerCall, rows - first);
    const plan::DictionaryResults results = function.Evaluate({arguments + first, count});
    if (type.IsVarchar())
      owners->push_back(KeepTexts(results, texts, allocator));
    for (size_t row = first; row < first + count; row++) {
      const bool is_null = column.validity != nullptr && column.validity[row] == 0;
      const size_t entry = is_null ? count : row - first;
      if (results.states[entry] == State::Error)
        throw ArithmeticFault("a function of strings failed; DuckDB runs this part again");
      validity[row] = results.states[entry] != State::Null;
      std::byte* const value = values + row * bytes;
      if (results.states[entry] == State::Null) {
        std::memset(value, 0, bytes);
      } else if (type.IsVarchar()) {
        std::memcpy(value, &texts[entry], bytes);
      } else if (type.kind == plan::TypeKind::Float32) {
        const auto single = static_cast<float>(results.reals[entry]);
        std::memcpy(value, &single, bytes);
      } else if (type.IsFloat()) {
        std::memcpy(value, &results.reals[entry], bytes);
      } else {
        // Little-endian: the low bytes are the value in any narrower type.
        std::memcpy(value, &results.integers[entry], bytes);
      }
    }
  }
  column.type = type;
  column.values = values;
  column.validity = validity;
  return owners;
}

}  // namespace margay::execute
