#pragma once

#include <string>

#include "command.hpp"
#include "session.hpp"

namespace margay::tool {

//! `margay sql`: runs statements and prints what they give.
class SqlCommand : public Command {
 public:
  explicit SqlCommand(CLI::App& parent);
  bool IsChosen() const override;
  ExitCode Run() override;

 private:
  //! The statements themselves, or those of the file or of the standard input that is named.
  std::string ReadSource() const;
  void Print(Answer& answer) const;

  CLI::App* app_;
  std::string source_;
  SessionOptions options_;
  std::string format_ = "table";
  size_t largest_rows_ = 40;
  bool timing_ = false;
};

}  // namespace margay::tool
