#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace margay::device {

//! The source of a program, and a hash that it is known by. Copies share the text. Immutable.
class ProgramSource {
 public:
  //! Hashes the text; keep what is used often.
  ProgramSource(std::string text);  // NOLINT: a text is a source
  ProgramSource(const char* text) : ProgramSource(std::string(text)) {}  // NOLINT: the same
  ProgramSource() : ProgramSource(std::string()) {}

  const std::string& Text() const { return *text_; }
  const std::shared_ptr<const std::string>& SharedText() const { return text_; }
  //! 128 bits that no other text has.
  const std::pair<uint64_t, uint64_t>& Hash() const { return hash_; }

 private:
  std::shared_ptr<const std::string> text_;
  std::pair<uint64_t, uint64_t> hash_;
};

}  // namespace margay::device
