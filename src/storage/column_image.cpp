#include "storage/column_image.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "storage/constants.hpp"

namespace margay::storage {

namespace {

//! Throws std::logic_error where the parts don't fit together.
ColumnForm::Parts FormOf(const ColumnImage::Parts& parts) {
  const size_t segments = SegmentCount(parts.rows);
  const size_t extents = (segments + parts.segments_per_extent - 1) / parts.segments_per_extent;
  if (parts.segments.size() != segments || parts.data.size() != extents) {
    throw std::logic_error("ColumnImage: segments or extents don't cover the rows");
  }
  if (!parts.validity.empty() && parts.validity.size() != extents) {
    throw std::logic_error("ColumnImage: validity doesn't cover the rows");
  }
  if ((parts.dictionary != nullptr) != (parts.encoding == Encoding::Dictionary)) {
    throw std::logic_error("ColumnImage: a dictionary without its encoding, or the reverse");
  }
  if (parts.text_extents.size() != (parts.encoding == Encoding::Text ? segments : 0)) {
    throw std::logic_error("ColumnImage: texts without their encoding, or the reverse");
  }
  return {parts.type,
          parts.encoding,
          parts.width,
          parts.rows,
          parts.statistics,
          parts.segments,
          !parts.validity.empty(),
          parts.data.size(),
          parts.segments_per_extent * kSegmentRows,
          parts.texts.size(),
          parts.dictionary};
}

}  // namespace

ColumnImage::ColumnImage(Parts parts)
    : ColumnForm(FormOf(parts)),
      segments_per_extent_(parts.segments_per_extent),
      data_(std::move(parts.data)),
      validity_(std::move(parts.validity)),
      texts_(std::move(parts.texts)),
      text_extents_(std::move(parts.text_extents)) {
  bytes_ = Segments().size() * sizeof(SegmentStatistics);
  for (const auto& extent : data_) {
    bytes_ += extent->Bytes();
  }
  for (const auto& extent : validity_) {
    bytes_ += extent->Bytes();
  }
  for (const auto& extent : texts_) {
    bytes_ += extent->Bytes();
  }
  if (GetDictionary() != nullptr) {
    bytes_ += GetDictionary()->Bytes();
  }
}

size_t ColumnImage::FirstTextOf(size_t extent) const {
  const size_t segment = extent * segments_per_extent_;
  return segment < text_extents_.size() ? text_extents_[segment] : texts_.size();
}

std::optional<PinnedExtents> ColumnImage::TryPin(size_t extent) const {
  PinnedExtents pins;
  const auto pin = [](const std::shared_ptr<memory::Extent>& from,
                      std::vector<memory::ExtentPin>& to) {
    auto pinned = from->TryPin();
    if (pinned) {
      to.push_back(std::move(*pinned));
    }
    return pinned.has_value();
  };
  bool has_all = pin(data_[extent], pins.data);
  if (!validity_.empty()) {
    has_all = has_all && pin(validity_[extent], pins.validity);
  }
  for (size_t text = FirstTextOf(extent); text < FirstTextOf(extent + 1); text++) {
    has_all = has_all && pin(texts_[text], pins.texts);
  }
  if (!has_all) {
    return std::nullopt;
  }
  return pins;
}

size_t ColumnImage::HeldBytes() const {
  size_t bytes = bytes_;
  for (const auto* extents : {&data_, &validity_, &texts_}) {
    for (const auto& extent : *extents) {
      bytes -= extent->IsLost() ? extent->Bytes() : 0;
    }
  }
  return bytes;
}

bool ColumnImage::IsGone() const {
  return !data_.empty() && std::all_of(data_.begin(), data_.end(),
                                       [](const auto& extent) { return extent->IsLost(); });
}

bool ColumnImage::IsLost() const {
  const auto is_lost = [](const auto& extent) { return extent->IsLost(); };
  return std::any_of(data_.begin(), data_.end(), is_lost) ||
         std::any_of(validity_.begin(), validity_.end(), is_lost) ||
         std::any_of(texts_.begin(), texts_.end(), is_lost);
}

}  // namespace margay::storage
