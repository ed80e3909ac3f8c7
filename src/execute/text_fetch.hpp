#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "execute/program_part.hpp"

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

//! Fetches strings of one text column for a result: where the image lies, if the host can read it
//! and its memory is not limited, else in a copy.
class TextFetch {
 public:
  //! Pins a text extent of the column.
  using PinText = std::function<memory::ExtentPin(size_t extent)>;

  //! `part` and `image` outlive the object.
  TextFetch(const ProgramPart& part, const storage::ColumnImage& image, PinText pin)
      : part_(part), image_(image), pin_(std::move(pin)) {}

  //! Sets texts[i] to the string pending[i]. They live as long as what is returned.
  std::shared_ptr<const void> Fetch(device::Queue& queue, std::span<const PendingText> pending,
                                    std::string_view* texts) const;

 private:
  //! Copies the strings `numbers`, all of the extent `pin`.
  std::shared_ptr<const void> Gather(device::Queue& queue, const memory::ExtentPin& pin,
                                     const std::vector<size_t>& numbers,
                                     std::span<const PendingText> pending,
                                     std::string_view* texts) const;
  //! Where a string begins in its extent.
  uint64_t Begin(const PendingText& text) const {
    return static_cast<uint64_t>(image_.Segments()[text.segment].base) + text.place.begin;
  }

  const ProgramPart& part_;
  const storage::ColumnImage& image_;
  const PinText pin_;
};

}  // namespace margay::execute
