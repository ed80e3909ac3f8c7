#pragma once

#include <memory>
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

//! Fetches strings of one text column for a result: where the image lies, if the host can read it,
//! else in a copy that the device gathers.
class TextFetch {
 public:
  //! `pins` are those of the column's text extents, and live as long as `owner`, which results
  //! share. All outlive the object.
  TextFetch(const CompiledPart& part, const storage::ColumnImage& image,
            const std::vector<memory::ExtentPin>& pins, std::shared_ptr<const void> owner)
      : part_(part), image_(image), pins_(pins), owner_(std::move(owner)) {}

  //! Sets texts[i] to the string at places[i] of segment segments[i]; a place of no bytes may be of
  //! any segment. They live as long as what is returned.
  std::shared_ptr<const void> Fetch(device::Queue& queue, const std::vector<size_t>& segments,
                                    const std::vector<TextPlace>& places,
                                    std::string_view* texts) const;
  //! The same of strings with their rows.
  std::shared_ptr<const void> Fetch(device::Queue& queue, const std::vector<TextRow>& rows,
                                    std::string_view* texts) const;

 private:
  //! Copies the strings `numbers`, all of extent `extent`.
  std::shared_ptr<const void> Gather(device::Queue& queue, size_t extent,
                                     const std::vector<size_t>& numbers,
                                     const std::vector<size_t>& segments,
                                     const std::vector<TextPlace>& places,
                                     std::string_view* texts) const;
  //! Where a string begins in its extent.
  uint64_t Begin(size_t segment, const TextPlace& place) const {
    return static_cast<uint64_t>(image_.Segments()[segment].base) + place.begin;
  }

  const CompiledPart& part_;
  const storage::ColumnImage& image_;
  const std::vector<memory::ExtentPin>& pins_;
  const std::shared_ptr<const void> owner_;
};

}  // namespace margay::execute
