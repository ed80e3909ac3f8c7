#include "optimize/physical/outline.hpp"

#include <algorithm>
#include <cctype>

namespace margay::optimize {

namespace {

constexpr size_t kIndent = 2;
constexpr std::string_view kPlainCharacters = "_.-+$:/(),@";

bool IsNameCharacter(char character) {
  return std::islower(static_cast<unsigned char>(character)) != 0 ||
         std::isdigit(static_cast<unsigned char>(character)) != 0 || character == '_';
}

bool IsPlain(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 ||
         kPlainCharacters.find(character) != std::string_view::npos;
}

std::string Quoted(const std::string& value) {
  if (!value.empty() && std::all_of(value.begin(), value.end(), IsPlain))
    return value;
  std::string quoted = "\"";
  for (const char character : value) {
    if (character == '\n') {
      quoted += "\\n";
      continue;
    }
    if (character == '"' || character == '\\')
      quoted += '\\';
    quoted += character;
  }
  return quoted + "\"";
}

void Write(const Outline& outline, size_t depth, std::string& text) {
  text.append(depth * kIndent, ' ');
  text += outline.name;
  for (const auto& [attribute, value] : outline.attributes)
    text += " " + attribute + "=" + Quoted(value);
  text += '\n';
  for (const Outline& part : outline.parts)
    Write(part, depth + 1, text);
}

//! Reads the lines of a text from the first to the last.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { NextLine(); }

  Outline Read() {
    if (is_at_end_)
      Fail("a line");
    Outline outline = ReadThing(0);
    if (!is_at_end_)
      Fail("the end of the text, as there is one outermost line");
    return outline;
  }

 private:
  [[noreturn]] void Fail(const std::string& expected) const {
    throw OutlineError("line " + std::to_string(number_) + ": expected " + expected);
  }

  //! Goes to the next line that is not empty.
  void NextLine() {
    do {
      is_at_end_ = text_.empty();
      if (is_at_end_)
        return;
      const size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      number_++;
    } while (line_.find_first_not_of(' ') == std::string_view::npos);
    indent_ = line_.find_first_not_of(' ');
  }

  //! The thing of this line, with the parts below it.
  Outline ReadThing(size_t depth) {
    if (indent_ != depth * kIndent)
      Fail(std::to_string(depth * kIndent) + " blanks at the begin");
    place_ = indent_;
    Outline outline{ReadName(), {}, {}};
    while (place_ < line_.size()) {
      Take(' ', "a blank");
      std::string attribute = ReadName();
      Take('=', "'=' behind the attribute " + attribute);
      outline.Add(std::move(attribute), ReadValue());
    }
    NextLine();
    while (!is_at_end_ && indent_ > depth * kIndent)
      outline.parts.push_back(ReadThing(depth + 1));
    return outline;
  }

  void Take(char character, const std::string& what) {
    if (place_ == line_.size() || line_[place_] != character)
      Fail(what);
    place_++;
  }

  std::string ReadName() {
    const size_t begin = place_;
    while (place_ < line_.size() && IsNameCharacter(line_[place_]))
      place_++;
    if (place_ == begin)
      Fail("a name in lower-case letters");
    return std::string(line_.substr(begin, place_ - begin));
  }

  std::string ReadValue() {
    if (place_ < line_.size() && line_[place_] == '"')
      return ReadQuoted();
    const size_t begin = place_;
    while (place_ < line_.size() && IsPlain(line_[place_]))
      place_++;
    if (place_ == begin)
      Fail("a value");
    return std::string(line_.substr(begin, place_ - begin));
  }

  std::string ReadQuoted() {
    place_++;
    std::string value;
    for (; place_ < line_.size() && line_[place_] != '"'; place_++) {
      if (line_[place_] != '\\') {
        value += line_[place_];
        continue;
      }
      place_++;
      if (place_ == line_.size())
        break;
      value += line_[place_] == 'n' ? '\n' : line_[place_];
    }
    Take('"', "'\"' at the end of the value");
    return value;
  }

  std::string_view text_;  //!< behind the line at hand
  std::string_view line_;
  size_t number_ = 0;
  size_t indent_ = 0;
  size_t place_ = 0;  //!< in the line
  bool is_at_end_ = false;
};

}  // namespace

const std::string* Outline::Find(std::string_view attribute) const {
  for (const auto& [name, value] : attributes) {
    if (name == attribute)
      return &value;
  }
  return nullptr;
}

std::vector<const Outline*> Outline::PartsNamed(std::string_view part) const {
  std::vector<const Outline*> found;
  for (const Outline& candidate : parts) {
    if (candidate.name == part)
      found.push_back(&candidate);
  }
  return found;
}

std::string Outline::ToString() const {
  std::string text;
  Write(*this, 0, text);
  return text;
}

Outline Outline::Read(std::string_view text) {
  return Reader(text).Read();
}

}  // namespace margay::optimize
