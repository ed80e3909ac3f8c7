#include "text_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace margay::tool {
namespace {

//! Places on the screen, counting every code point as one.
size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

std::string Repeat(const std::string& text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; i++) {
    result += text;
  }
  return result;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::AddRow(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error("a row of a text table needs one cell per column");
  }
  rows_.push_back(std::move(cells));
}

void TextTable::Print(std::ostream& output) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); i++) {
    size_t width = Width(columns_[i].title);
    for (const auto& row : rows_) {
      width = std::max(width, Width(row[i]));
    }
    widths.push_back(width);
  }

  auto print_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); i++) {
      std::string padding(widths[i] - Width(cells[i]), ' ');
      line += i == 0 ? "" : "  ";
      line += columns_[i].alignment == Alignment::Right ? padding + cells[i] : cells[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    output << line << '\n';
  };

  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (size_t i = 0; i < columns_.size(); i++) {
    titles.push_back(columns_[i].title);
    rules.push_back(Repeat("─", widths[i]));
  }
  print_line(titles);
  print_line(rules);
  for (const auto& row : rows_) {
    print_line(row);
  }
}

}  // namespace margay::tool
