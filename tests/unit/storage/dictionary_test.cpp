#include "storage/dictionary.hpp"

#include <gtest/gtest.h>

namespace margay::storage {
namespace {

TEST(Dictionary, FindsValuesAndBounds) {
  const Dictionary dictionary({"", "a", "ab", "b", "\xC3\xA9"});
  EXPECT_EQ(dictionary.Size(), 5u);
  for (uint32_t code = 0; code < 5; code++) {
    EXPECT_EQ(dictionary.Find(dictionary.Value(code)), code);
    EXPECT_EQ(dictionary.LowerBound(dictionary.Value(code)), code);
  }
  EXPECT_FALSE(dictionary.Find("aa").has_value());
  EXPECT_FALSE(dictionary.Find("\xFF").has_value());
  EXPECT_EQ(dictionary.LowerBound("aa"), 2u);
  EXPECT_EQ(dictionary.LowerBound("z"), 4u) << "bytes from 0x80 on come after letters";
  EXPECT_EQ(dictionary.LowerBound("\xFF"), 5u);
  EXPECT_GE(dictionary.Bytes(), 6u * 8 + 6);
}

TEST(Dictionary, MayBeEmpty) {
  const Dictionary dictionary(std::vector<std::string_view>{});
  EXPECT_EQ(dictionary.Size(), 0u);
  EXPECT_EQ(dictionary.LowerBound("a"), 0u);
  EXPECT_FALSE(dictionary.Find("").has_value());
}

}  // namespace
}  // namespace margay::storage
