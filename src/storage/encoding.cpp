#include "storage/encoding.hpp"

#include <stdexcept>

namespace margay::storage {

std::string_view EncodingName(Encoding encoding) {
  switch (encoding) {
    case Encoding::Narrow:
      return "narrow";
    case Encoding::Wide:
      return "wide";
    case Encoding::Float32:
      return "float32";
    case Encoding::Float64:
      return "float64";
    case Encoding::Dictionary:
      return "dictionary";
    case Encoding::Text:
      return "text";
    case Encoding::TextRow:
      return "text row";
  }
  throw std::logic_error("EncodingName: unknown encoding");
}

}  // namespace margay::storage
