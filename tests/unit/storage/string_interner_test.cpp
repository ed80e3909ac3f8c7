#include "storage/string_interner.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "memory/heap_allocator.hpp"
#include "storage/dictionary_merge.hpp"

namespace margay::storage {
namespace {

TEST(StringInterner, CodesInOrderOfAppearance) {
  std::atomic<size_t> bytes = 0;
  auto allocator = std::make_shared<memory::HeapAllocator>();
  {
    StringInterner interner(allocator, bytes);
    for (int round = 0; round < 2; round++) {
      for (uint32_t i = 0; i < 20000; i++) {
        ASSERT_EQ(interner.Intern("string number " + std::to_string(i)), i);
      }
      ASSERT_EQ(interner.Intern(""), 20000u);
    }
    EXPECT_EQ(interner.Size(), 20001u);
    EXPECT_EQ(interner.Value(12345), "string number 12345");
    EXPECT_EQ(bytes, allocator->Used());
  }
  EXPECT_EQ(bytes, 0u);
}

TEST(MergeStrings, SortsAndRemovesDuplicates) {
  std::atomic<size_t> bytes = 0;
  auto allocator = std::make_shared<memory::HeapAllocator>();
  StringInterner first(allocator, bytes);
  StringInterner second(allocator, bytes);
  StringInterner empty(allocator, bytes);
  for (const char* value : {"pear", "apple", "long common prefix 2"}) {
    first.Intern(value);
  }
  for (const char* value : {"apple", "long common prefix 1", "", "pear"}) {
    second.Intern(value);
  }
  MergedStrings merged = MergeStrings({&first, &empty, &second}, SequentialFor);
  EXPECT_EQ(merged.values, (std::vector<std::string_view>{"", "apple", "long common prefix 1",
                                                          "long common prefix 2", "pear"}));
  EXPECT_EQ(merged.bytes, 5u + 20 + 20 + 4);
  EXPECT_EQ(merged.codes[0], (std::vector<uint32_t>{4, 1, 3}));
  EXPECT_EQ(merged.codes[1], std::vector<uint32_t>{});
  EXPECT_EQ(merged.codes[2], (std::vector<uint32_t>{1, 2, 0, 4}));
}

}  // namespace
}  // namespace margay::storage
