#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace margay::tool {

//! A table of text for people: columns as wide as their widest cell, two spaces between them.
class TextTable {
 public:
  enum class Alignment { Left, Right };

  struct Column {
    std::string title;
    Alignment alignment = Alignment::Left;
  };

  explicit TextTable(std::vector<Column> columns);

  //! One cell per column.
  void AddRow(std::vector<std::string> cells);

  void Print(std::ostream& output) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace margay::tool
