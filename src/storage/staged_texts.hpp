#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage/staged_piece.hpp"
#include "storage/string_interner.hpp"

namespace margay::storage {

//! The strings of staged pieces, whether they were staged as codes or as they are. NULLs count as
//! empty strings. Immutable, so thread-safe.
class StagedTexts {
 public:
  //! `interners` by stager; they outlive the object.
  explicit StagedTexts(std::vector<const StringInterner*> interners)
      : interners_(std::move(interners)) {}

  //! Bytes of all strings of a part.
  uint64_t Bytes(const SegmentPart& part) const;

  //! Writes where each string ends to ends[part.row ..], given that the first one begins at
  //! `begin`; returns the end of the last one.
  uint32_t WriteEnds(const SegmentPart& part, uint32_t begin, uint32_t* ends) const;

  //! Copies the strings of a part, one after the other, but for the first `skip` bytes, at most
  //! `room` bytes; returns how many. Reduces `skip` by what was skipped.
  size_t Copy(const SegmentPart& part, size_t& skip, std::byte* destination, size_t room) const;

 private:
  //! Calls function(run) for the bytes of the part, run by run.
  template <typename Function>
  void ForEachRun(const SegmentPart& part, const Function& function) const;
  //! Calls function(i, string) for every row of the part that was staged as codes.
  template <typename Function>
  void ForEachInterned(const SegmentPart& part, const Function& function) const;

  std::vector<const StringInterner*> interners_;
};

}  // namespace margay::storage
