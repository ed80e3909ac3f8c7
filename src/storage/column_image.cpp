#include "storage/column_image.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "storage/constants.hpp"

namespace margay::storage {

ColumnImage::ColumnImage(Parts parts) : parts_(std::move(parts)) {
  const size_t segments = SegmentCount(parts_.rows);
  const size_t extents = (segments + parts_.segments_per_extent - 1) / parts_.segments_per_extent;
  if (parts_.segments.size() != segments || parts_.data.size() != extents) {
    throw std::logic_error("ColumnImage: segments or extents don't cover the rows");
  }
  if (!parts_.validity.empty() && parts_.validity.size() != extents) {
    throw std::logic_error("ColumnImage: validity doesn't cover the rows");
  }
  if ((parts_.dictionary != nullptr) != (parts_.encoding == Encoding::Dictionary)) {
    throw std::logic_error("ColumnImage: a dictionary without its encoding, or the reverse");
  }
  if (parts_.text_extents.size() != (parts_.encoding == Encoding::Text ? segments : 0)) {
    throw std::logic_error("ColumnImage: texts without their encoding, or the reverse");
  }
  bytes_ = parts_.segments.size() * sizeof(SegmentStatistics);
  for (const auto& extent : parts_.data) {
    bytes_ += extent->Bytes();
  }
  for (const auto& extent : parts_.validity) {
    bytes_ += extent->Bytes();
  }
  for (const auto& extent : parts_.texts) {
    bytes_ += extent->Bytes();
  }
  if (parts_.dictionary != nullptr) {
    bytes_ += parts_.dictionary->Bytes();
  }
}

bool ColumnImage::IsLost() const {
  const auto is_lost = [](const auto& extent) { return extent->IsLost(); };
  return std::any_of(parts_.data.begin(), parts_.data.end(), is_lost) ||
         std::any_of(parts_.validity.begin(), parts_.validity.end(), is_lost) ||
         std::any_of(parts_.texts.begin(), parts_.texts.end(), is_lost);
}

}  // namespace margay::storage
