#pragma once

#include <string>
#include <vector>

namespace margay::compile {

//! Lines of source text with their indentation.
class CodeBlock {
 public:
  explicit CodeBlock(int indentation = 0) : indentation_(indentation) {}

  void Line(const std::string& text) {
    text_.append(text.empty() ? 0 : 2 * indentation_, ' ').append(text).append("\n");
  }
  //! A line that opens a scope, ended by Close().
  void Open(const std::string& text) {
    Line(text);
    indentation_++;
  }
  void Close(const std::string& text = "}") {
    indentation_--;
    Line(text);
  }
  //! Parameters or arguments, one per line, and the bracket behind them.
  void List(const std::vector<std::string>& items) {
    for (size_t i = 0; i < items.size(); i++)
      Line(items[i] + (i + 1 < items.size() ? "," : ")"));
  }
  //! Text that has its own indentation.
  void Append(const CodeBlock& block) { text_ += block.text_; }

  int Indentation() const { return indentation_; }
  const std::string& Text() const { return text_; }

 private:
  int indentation_;
  std::string text_;
};

}  // namespace margay::compile
