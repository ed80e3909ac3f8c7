#include "storage/table_image.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "test_column.hpp"

namespace margay::storage {
namespace {

//! A column without rows needs no device.
std::shared_ptr<const ColumnImage> EmptyColumn(size_t segments_per_extent) {
  ColumnImage::Parts parts;
  parts.segments_per_extent = segments_per_extent;
  return std::make_shared<ColumnImage>(parts);
}

TEST(TableImage, AddsFindsReplacesAndRemovesColumns) {
  TableImage image(0, 4);
  auto column = EmptyColumn(4);
  EXPECT_EQ(image.Find(1), nullptr);
  image.AddColumn(1, column);
  EXPECT_EQ(image.Find(1), column);
  auto replacement = EmptyColumn(4);
  image.AddColumn(1, replacement);
  EXPECT_EQ(image.Find(1), replacement);
  EXPECT_TRUE(image.Remove(1));
  EXPECT_FALSE(image.Remove(1));
  EXPECT_TRUE(image.ColumnIds().empty());
}

TEST(TableImage, ColumnsMustAgree) {
  EXPECT_THROW(TableImage(1, 4).AddColumn(0, EmptyColumn(4)), std::logic_error);
  EXPECT_THROW(TableImage(0, 4).AddColumn(0, EmptyColumn(5)), std::logic_error);
}

TEST(TableImage, PartsOfAColumnMustFitTogether) {
  ColumnImage::Parts parts;
  parts.rows = 1;
  EXPECT_THROW(ColumnImage{parts}, std::logic_error);
  parts.rows = 0;
  parts.encoding = Encoding::Dictionary;
  EXPECT_THROW(ColumnImage{parts}, std::logic_error);
}

TEST(TableImage, SegmentsPerExtentFollowTheDevice) {
  EXPECT_EQ(SegmentsPerExtent(0), 1u);
  EXPECT_EQ(SegmentsPerExtent(uint64_t{1} << 30), 1023u) << "slack must fit as well";
  EXPECT_EQ(SegmentsPerExtent((uint64_t{1} << 30) + 64), 1024u);
  EXPECT_EQ(SegmentsPerExtent(uint64_t{1} << 40), 1024u);
}

TEST(TableImage, ColumnsComeAndGoWhileOthersRead) {
  TableImage image(0, 1);
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) {
      for (uint64_t id : image.ColumnIds()) {
        auto column = image.Find(id);
        if (column != nullptr) {
          EXPECT_EQ(column->Rows(), 0u);
        }
      }
      image.Bytes();
    }
  });
  for (uint64_t round = 0; round < 2000; round++) {
    image.AddColumn(round % 10, EmptyColumn(1));
    image.Remove((round + 5) % 10);
  }
  stop = true;
  reader.join();
}

}  // namespace
}  // namespace margay::storage
