#include "storage/dictionary_strings.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "storage/constants.hpp"
#include "test_column.hpp"

namespace margay::storage {
namespace {

TEST(DictionaryStrings, EndsThenBytes) {
  const Dictionary dictionary({"", "a", "abc", "b"});
  EXPECT_EQ(BytesBegin(dictionary), 16);
  const std::vector<uint8_t> packed = PackStrings(dictionary);
  EXPECT_EQ(packed.size(), 16 + 5 + kExtentSlackBytes);
  uint32_t ends[4];
  std::memcpy(ends, packed.data(), sizeof(ends));
  EXPECT_EQ(ends[0], 0);
  EXPECT_EQ(ends[1], 1);
  EXPECT_EQ(ends[2], 4);
  EXPECT_EQ(ends[3], 5);
  EXPECT_EQ(std::memcmp(packed.data() + 16, "aabcb", 5), 0);
}

TEST(DictionaryStrings, AnEmptyDictionaryHasAnEndToRead) {
  const Dictionary dictionary(std::vector<std::string_view>{});
  EXPECT_EQ(BytesBegin(dictionary), 16);
  EXPECT_EQ(PackStrings(dictionary).size(), 16 + kExtentSlackBytes);
}

TEST(DictionaryStrings, AreMadeOnceAndAgainWhereTheyWereLost) {
  TestEnvironment environment(memory::ExtentPool::Placement::Device);
  if (environment.pool == nullptr)
    GTEST_SKIP() << "no device";
  const Dictionary dictionary({"one", "two"});
  DictionaryStrings strings;
  const auto extent = [&] { return strings.Pin(dictionary, *environment.pool).PinnedExtent(); };
  const auto first = extent();
  EXPECT_EQ(extent(), first);
  environment.pool->EvictAll();
  EXPECT_TRUE(first->IsLost());
  const auto second = extent();
  EXPECT_NE(second, first);
  EXPECT_EQ(extent(), second);
}

}  // namespace
}  // namespace margay::storage
