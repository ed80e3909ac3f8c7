#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "execute/compiled_part.hpp"

namespace margay::execute {

//! A string of a text column, as kernels give it: in the bytes of its segment.
struct TextPlace {
  uint32_t begin = 0;
  uint32_t end = 0;
};

//! A string of a table whose rows are found by their numbers: its place, and its row, or -1 for no
//! string.
struct TextRow {
  TextPlace place;
  int32_t row = 0;
};

//! A string that is yet to be fetched, in the place that it will have in a result's column. Of a
//! place without bytes the segment does not matter.
struct PendingText {
  TextPlace place;
  uint64_t segment = 0;

  PendingText() = default;
  PendingText(const TextPlace& found, uint64_t found_in) : place(found), segment(found_in) {}
  explicit PendingText(const TextRow& text);
};
static_assert(sizeof(PendingText) == sizeof(std::string_view));

//! Fetches strings of one text column for a result: where the image lies, if the host can read it,
//! else in a copy that the device gathers.
class TextFetch {
 public:
  //! `pins` are those of the column's text extents, and live as long as `owner`, which results
  //! share. All outlive the object.
  TextFetch(const CompiledPart& part, const storage::ColumnImage& image,
            const std::vector<memory::ExtentPin>& pins, std::shared_ptr<const void> owner)
      : part_(part), image_(image), pins_(pins), owner_(std::move(owner)) {}

  //! Sets texts[i] to the string pending[i]. They live as long as what is returned.
  std::shared_ptr<const void> Fetch(device::Queue& queue, std::span<const PendingText> pending,
                                    std::string_view* texts) const;

 private:
  //! Copies the strings `numbers`, all of extent `extent`.
  std::shared_ptr<const void> Gather(device::Queue& queue, size_t extent,
                                     const std::vector<size_t>& numbers,
                                     std::span<const PendingText> pending,
                                     std::string_view* texts) const;
  //! Where a string begins in its extent.
  uint64_t Begin(const PendingText& text) const {
    return static_cast<uint64_t>(image_.Segments()[text.segment].base) + text.place.begin;
  }

  const CompiledPart& part_;
  const storage::ColumnImage& image_;
  const std::vector<memory::ExtentPin>& pins_;
  const std::shared_ptr<const void> owner_;
};

}  // namespace margay::execute
