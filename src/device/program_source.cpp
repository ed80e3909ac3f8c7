#include "device/program_source.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace margay::device {

ProgramSource::ProgramSource(std::string text)
    : text_(std::make_shared<const std::string>(std::move(text))) {
  const XXH128_hash_t hash = XXH3_128bits(text_->data(), text_->size());
  hash_ = {hash.low64, hash.high64};
}

}  // namespace margay::device
