#pragma once

#include <cstdint>
#include <string_view>

namespace margay::storage {

//! The one physical form of all rows of a column. NULL rows hold the value that is stored as zero.
enum class Encoding : uint8_t {
  Narrow,  //!< value - base of its segment, unsigned, in 1, 2, 4 or 8 bytes; modulo 2^64
  Wide,    //!< 128-bit two's complement: low word, high word; for columns with values outside int64
  Float32,     //!< as it is
  Float64,     //!< as it is
  Dictionary,  //!< code in the column's sorted dictionary, in 1, 2 or 4 bytes; all bases are 0
  Text,        //!< end of the row's bytes in its segment, in 4 bytes; the bytes lie in text extents
  TextRow,     //!< row of a Text column, whose string it is, in 4 bytes; computed on the device
};

//! In lower case, for users.
std::string_view EncodingName(Encoding encoding);

}  // namespace margay::storage
