#include "script.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace margay::test {

namespace {

struct Line {
  int number = 0;
  std::string text;
};

using Lines = std::vector<Line>;

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

std::string FirstWord(const std::string& text) {
  auto words = Words(text);
  return words.empty() ? "" : words[0];
}

//! What follows the first word.
std::string Rest(const std::string& text) {
  auto end = text.find_first_of(" \t");
  auto begin = text.find_first_not_of(" \t", end);
  return begin == std::string::npos ? "" : text.substr(begin);
}

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

class Reader {
 public:
  Reader(std::string path, const std::string& directory) : path_(std::move(path)) {
    std::ifstream file(path_);
    if (!file) {
      throw std::runtime_error(path_ + ": cannot be read");
    }
    Lines lines;
    int number = 0;
    for (std::string text; std::getline(file, text);) {
      ReplaceAll(text, "${directory}", directory);
      lines.push_back({++number, text});
    }
    Unroll(lines);
  }

  std::vector<Block> Read() {
    std::vector<Block> blocks;
    bool skipping = false;
    Block prefix;
    while (at_ < lines_.size()) {
      const Line& line = lines_[at_];
      auto words = Words(line.text);
      if (words.empty() || words[0][0] == '#') {
        ++at_;
      } else if (words[0] == "connection") {
        prefix.connection = Rest(line.text);
        ++at_;
      } else if (words[0] == "stays") {
        prefix.stays = Rest(line.text);
        ++at_;
      } else if (words[0] == "mode") {
        skipping = Rest(line.text) == "skip";
        ++at_;
      } else {
        Block block = ReadBlock(words, std::exchange(prefix, Block()));
        if (!skipping) {
          blocks.push_back(std::move(block));
        }
      }
    }
    return blocks;
  }

 private:
  [[noreturn]] void Fail(int line, const std::string& problem) const {
    throw std::runtime_error(path_ + ":" + std::to_string(line) + ": " + problem);
  }

  //! Appends `lines` to lines_ with every loop written out.
  void Unroll(const Lines& lines) {
    for (size_t i = 0; i < lines.size(); ++i) {
      auto command = FirstWord(lines[i].text);
      if (command == "endloop") {
        Fail(lines[i].number, "endloop without a loop");
      }
      if (command != "loop" && command != "foreach") {
        lines_.push_back(lines[i]);
        continue;
      }
      size_t end = EndOfLoop(lines, i);
      auto words = Words(lines[i].text);
      for (const auto& value : LoopValues(words, lines[i].number)) {
        Lines body(lines.begin() + i + 1, lines.begin() + end);
        for (auto& line : body) {
          ReplaceAll(line.text, "${" + words[1] + "}", value);
        }
        Unroll(body);
        lines_.push_back({lines[end].number, ""});
      }
      i = end;
    }
  }

  size_t EndOfLoop(const Lines& lines, size_t begin) const {
    int depth = 0;
    for (size_t i = begin; i < lines.size(); ++i) {
      auto command = FirstWord(lines[i].text);
      if (command == "loop" || command == "foreach") {
        ++depth;
      } else if (command == "endloop" && --depth == 0) {
        return i;
      }
    }
    Fail(lines[begin].number, "a loop without endloop");
  }

  std::vector<std::string> LoopValues(const std::vector<std::string>& words, int line) const {
    if (words.size() < 3 || (words[0] == "loop" && words.size() != 4)) {
      Fail(line, "expected: loop NAME FIRST END, or: foreach NAME VALUE...");
    }
    if (words[0] == "foreach") {
      return {words.begin() + 2, words.end()};
    }
    std::vector<std::string> values;
    for (int i = std::stoi(words[2]); i < std::stoi(words[3]); ++i) {
      values.push_back(std::to_string(i));
    }
    return values;
  }

  Block ReadBlock(const std::vector<std::string>& words, Block block) {
    block.line = lines_[at_].number;
    const auto& command = words[0];
    if (command == "database" || command == "restart" || command == "tails" ||
        command == "memory" || command == "require") {
      block.kind = command == "database"  ? BlockKind::Database
                   : command == "restart" ? BlockKind::Restart
                   : command == "tails"   ? BlockKind::Tails
                   : command == "memory"  ? BlockKind::Memory
                                          : BlockKind::Require;
      block.argument = Rest(lines_[at_].text);
      ++at_;
      return block;
    }
    if (command == "statement") {
      ReadStatementLine(words, block);
    } else if (command == "query") {
      ReadQueryLine(words, block);
    } else if (command == "error") {
      block.kind = BlockKind::Error;
    } else {
      Fail(block.line, "unknown command " + command);
    }
    ++at_;
    ReadBody(block);
    return block;
  }

  void ReadStatementLine(const std::vector<std::string>& words, Block& block) const {
    if (words.size() < 2 || (words[1] != "ok" && words[1] != "error")) {
      Fail(block.line, "expected: statement ok, or: statement error");
    }
    block.kind = words[1] == "ok" ? BlockKind::Statement : BlockKind::StatementError;
    for (size_t i = 2; i < words.size(); ++i) {
      if (words[i] != "forced" || words[1] != "ok") {
        Fail(block.line, "unknown word " + words[i]);
      }
      block.forced = true;
    }
  }

  void ReadQueryLine(const std::vector<std::string>& words, Block& block) const {
    block.kind = BlockKind::Query;
    if (words.size() < 2) {
      Fail(block.line, "expected: query TYPES");
    }
    block.types = words[1];
    for (size_t i = 2; i < words.size(); ++i) {
      if (words[i] == "rowsort") {
        block.sort = SortMode::Rows;
      } else if (words[i] == "valuesort") {
        block.sort = SortMode::Values;
      } else if (words[i] == "float") {
        block.tolerant = true;
      } else if (words[i] == "anywhere") {
        block.anywhere = true;
      } else if (words[i] != "nosort") {
        block.label = words[i];
      }
    }
  }

  void ReadBody(Block& block) {
    for (; at_ < lines_.size() && !lines_[at_].text.empty(); ++at_) {
      const auto& text = lines_[at_].text;
      if (text == "----" && !block.expected) {
        block.expected.emplace();
      } else if (block.expected) {
        block.expected->push_back(text);
      } else if (text[0] != '#') {
        block.sql += (block.sql.empty() ? "" : "\n") + text;
      }
    }
    if (block.sql.empty()) {
      Fail(block.line, "no SQL");
    }
  }

  std::string path_;
  Lines lines_;
  size_t at_ = 0;
};

}  // namespace

std::vector<Block> ReadScript(const std::string& path, const std::string& directory) {
  return Reader(path, directory).Read();
}

}  // namespace margay::test
