#include "execute/column_pins.hpp"

#include <algorithm>

#include "execute/part.hpp"

namespace margay::execute {

namespace {

void Append(std::vector<memory::ExtentPin>& to, std::vector<memory::ExtentPin> from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

//! The image whose extents a kernel reads for `column`; null for what is kept on the device.
const storage::ColumnImage* ImageOf(const optimize::InputColumn& column) {
  return column.RefersToText() ? column.TextImage().get() : column.image.get();
}

}  // namespace

void ColumnPins::Hold(const std::vector<optimize::InputColumn>& columns) {
  for (const optimize::InputColumn& column : columns) {
    const storage::ColumnImage* image = ImageOf(column);
    if (image != nullptr && (!source_ || !source_->Has(*image)))
      held_.push_back(PinWhole(*image));
  }
}

std::vector<storage::PinnedExtents> ColumnPins::Pin(
    const std::vector<const storage::ColumnImage*>& columns, size_t extent) {
  std::vector<storage::PinnedExtents> pins(columns.size());
  std::vector<const storage::ColumnImage*> lost;
  std::vector<size_t> places;  // of the lost ones
  for (size_t i = 0; i < columns.size(); i++) {
    if (auto pinned = columns[i]->TryPin(extent)) {
      pins[i] = std::move(*pinned);
      continue;
    }
    if (!source_ || !source_->Has(*columns[i]))
      throw ImageLost("a cached column was dropped for lack of memory");
    lost.push_back(columns[i]);
    places.push_back(i);
  }
  if (lost.empty())
    return pins;
  std::vector<storage::PinnedExtents> restored = source_->Restore(lost, extent);
  for (size_t i = 0; i < places.size(); i++)
    pins[places[i]] = std::move(restored[i]);
  restored_ += lost.size();
  return pins;
}

storage::PinnedExtents ColumnPins::PinWhole(const storage::ColumnImage& column) {
  storage::PinnedExtents whole;
  for (size_t extent = 0; extent < column.ExtentCount(); extent++) {
    storage::PinnedExtents pins = std::move(Pin({&column}, extent)[0]);
    Append(whole.data, std::move(pins.data));
    Append(whole.validity, std::move(pins.validity));
    Append(whole.texts, std::move(pins.texts));
  }
  return whole;
}

memory::ExtentPin ColumnPins::PinText(const storage::ColumnImage& column, size_t text) {
  if (auto pin = column.TextExtents()[text]->TryPin())
    return std::move(*pin);
  size_t extent = 0;
  while (column.FirstTextOf(extent + 1) <= text)
    extent++;
  return std::move(Pin({&column}, extent)[0].texts[text - column.FirstTextOf(extent)]);
}

}  // namespace margay::execute
