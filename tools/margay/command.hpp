#pragma once

#include <stdexcept>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace margay::tool {

//! What the program ends with.
enum class ExitCode {
  Ok = 0,
  Failed = 1,    //!< a statement failed, or a benchmark did, or answers differ
  Usage = 2,     //!< the command line can't be understood
  NoDevice = 3,  //!< a device is required, and none is usable
};

//! Ends the command; `what()` is printed as it is, so it says what to do.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ExitCode Code() const { return code_; }

 private:
  ExitCode code_;
};

//! One subcommand of the program. Its constructor adds the subcommand to the parser and binds the
//! options to members; the parser fills these.
class Command {
 public:
  virtual ~Command() = default;
  //! The subcommand was on the command line.
  virtual bool IsChosen() const = 0;
  //! Called once, after parsing. Throws CommandError, SqlError or device::DeviceError.
  virtual ExitCode Run() = 0;
};

}  // namespace margay::tool
