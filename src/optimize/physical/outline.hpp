// The text of a tree of named things with attributes, as programs are printed and read back:
//
//   pipeline number=0 table=1 sink=2
//     filter test="(o_orderdate < $0)"
//
// A line is one thing; what is part of it is indented by two more blanks. A value with other
// characters than letters, digits and `_.-+$:/(),@` is quoted, and `"` and `\` in it are
// escaped by `\`, the end of a line is `\n`.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace margay::optimize {

//! A text that is no outline. The message names the line and what was expected there.
class OutlineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

//! A named thing with attributes and parts.
struct Outline {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;  //!< in the order of the text
  std::vector<Outline> parts;

  bool operator==(const Outline&) const = default;

  //! Names are words of lower-case letters, digits and underscores.
  void Add(std::string attribute, std::string value) {
    attributes.emplace_back(std::move(attribute), std::move(value));
  }
  void Add(std::string attribute, std::string_view value) {
    Add(std::move(attribute), std::string(value));
  }
  void Add(std::string attribute, const char* value) {
    Add(std::move(attribute), std::string(value));
  }
  void Add(std::string attribute, uint64_t value) {
    Add(std::move(attribute), std::to_string(value));
  }
  //! `attribute=yes`, where `is_set`.
  void AddFlag(std::string attribute, bool is_set) {
    if (is_set)
      Add(std::move(attribute), "yes");
  }
  Outline& AddPart(std::string part) {
    return parts.emplace_back(Outline{std::move(part), {}, {}});
  }

  //! The value of an attribute; null where there is none.
  const std::string* Find(std::string_view attribute) const;
  //! The parts of this name, in their order.
  std::vector<const Outline*> PartsNamed(std::string_view part) const;

  std::string ToString() const;
  //! What `text`, made by ToString(), was made of. Throws OutlineError.
  static Outline Read(std::string_view text);
};

}  // namespace margay::optimize
