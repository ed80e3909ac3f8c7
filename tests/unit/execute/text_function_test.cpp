#include "execute/text_function.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "execute/part.hpp"
#include "memory/heap_allocator.hpp"

namespace margay::execute {
namespace {

using State = plan::DictionaryResults::State;

//! Each text a hundred times, or how many bytes that are; NULL is one more text.
class Hundredfold : public plan::DictionaryFunction {
 public:
  explicit Hundredfold(plan::TypeKind type) : type_(type) {}

  plan::Type ResultType() const override { return type_; }
  plan::DictionaryResults Evaluate(std::span<const std::string_view> values) const override {
    plan::DictionaryResults results;
    const auto add = [&](std::string_view text) {
      std::string result;
      for (int i = 0; i < 100; i++)
        result += text;
      results.states.push_back(text == "fails"     ? State::Error
                               : text == "nothing" ? State::Null
                                                   : State::Valid);
      results.integers.push_back(static_cast<Int128>(result.size()));
      results.reals.push_back(static_cast<double>(result.size()) / 2);
      results.texts.push_back(std::move(result));
    };
    for (std::string_view value : values)
      add(value);
    add("null");
    return results;
  }
  std::string ToString(const std::string& argument) const override { return argument; }

 private:
  const plan::Type type_;
};

class TextFunctionTest : public ::testing::Test {
 protected:
  //! More texts than one call gets.
  static constexpr size_t kRows = 40000;

  TextFunctionTest() {
    for (size_t i = 0; i < kRows; i++) {
      strings_.push_back(i == 7 ? "nothing" : std::to_string(i));
      validity_.push_back(i % 10 != 3);
    }
    texts_.assign(strings_.begin(), strings_.end());
  }

  std::shared_ptr<const void> Compute(plan::TypeKind type, memory::HostAllocator& allocator) {
    column_ = {plan::TypeKind::Varchar, reinterpret_cast<const std::byte*>(texts_.data()),
               validity_.data(), nullptr};
    return ComputeFunction(Hundredfold(type), kRows, allocator, column_);
  }
  size_t BytesOf(size_t row) const { return 100 * (validity_[row] ? strings_[row].size() : 4); }
  template <typename Value>
  Value At(size_t row) const {
    return reinterpret_cast<const Value*>(column_.values)[row];
  }

  std::vector<std::string> strings_;
  std::vector<std::string_view> texts_;
  std::vector<uint8_t> validity_;
  ResultColumn column_;
};

TEST_F(TextFunctionTest, ResultsAreCountedAsLongAsTheyLive) {
  memory::HeapAllocator allocator;
  {
    const auto owner = Compute(plan::TypeKind::Varchar, allocator);
    size_t bytes = 0;
    for (size_t row = 0; row < kRows; row++) {
      EXPECT_EQ(column_.validity[row], row != 7);
      if (row == 7)
        continue;
      EXPECT_EQ(At<std::string_view>(row).size(), BytesOf(row));
      EXPECT_TRUE(At<std::string_view>(row).starts_with(validity_[row] ? texts_[row] : "null"));
      bytes += BytesOf(row);
    }
    EXPECT_GT(allocator.Used(), bytes + kRows * sizeof(std::string_view));
  }
  EXPECT_EQ(allocator.Used(), 0);
}

TEST_F(TextFunctionTest, Numbers) {
  memory::HeapAllocator allocator;
  const auto integers = Compute(plan::TypeKind::Int16, allocator);
  for (size_t row = 0; row < kRows; row++)
    EXPECT_EQ(static_cast<size_t>(At<int16_t>(row)), row == 7 ? 0 : BytesOf(row));
  const auto floats = Compute(plan::TypeKind::Float32, allocator);
  for (size_t row = 0; row < kRows; row++)
    EXPECT_EQ(static_cast<size_t>(At<float>(row) * 2), row == 7 ? 0 : BytesOf(row));
}

TEST_F(TextFunctionTest, NoRoom) {
  memory::HeapAllocator allocator(8 << 20);
  EXPECT_THROW(Compute(plan::TypeKind::Varchar, allocator), memory::OutOfMemory);
  EXPECT_EQ(allocator.Used(), 0);
}

TEST_F(TextFunctionTest, AFailureCountsWhereTheTextIsNotNull) {
  memory::HeapAllocator allocator;
  texts_[13] = "fails";
  EXPECT_NO_THROW(Compute(plan::TypeKind::Int64, allocator));
  texts_[14] = "fails";
  EXPECT_THROW(Compute(plan::TypeKind::Int64, allocator), ArithmeticFault);
}

}  // namespace
}  // namespace margay::execute
