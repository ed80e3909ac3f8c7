#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace margay::kernels {

//! A LIKE pattern without escapes as text.cl reads it; the layout is drawn there. The bytes of a
//! pattern are data of a kernel, not part of its source.
class LikePattern {
 public:
  //! `%` is any text, `_` one character.
  static LikePattern Parse(std::string_view pattern);
  //! The pattern of all texts that contain `needle`, which may hold any characters.
  static LikePattern Containing(std::string_view needle);

  //! Whether text_search() can look for the pattern: it has a piece to search for, and its texts
  //! may begin with anything, so that comparing their first bytes would not do.
  bool HasNeedle() const;

  //! For a buffer of the device, with the slack that the kernel needs behind it.
  std::vector<uint8_t> Bytes() const;

 private:
  struct Piece {
    std::string bytes;        //!< 0xFF for `_`
    uint32_t characters = 0;  //!< 0 where there is no `_`
  };

  void AddPiece(std::string_view piece, bool has_wildcards);
  uint32_t Needle() const;

  std::vector<Piece> pieces_;
  bool begins_anywhere_ = false;
  bool ends_anywhere_ = false;
};

}  // namespace margay::kernels
