#pragma once

#include <exception>
#include <optional>
#include <string>

#include "schedule/attempts.hpp"

namespace margay::integration {

//! What begins the errors of force mode.
inline constexpr const char* kForcePrefix = "margay_mode = force: ";

//! Why a device could not run a part, though it was asked to: DuckDB answers, or, in force mode, it
//! is an error.
class DeviceFailure {
 public:
  //! That which `error` is; none where it is something else.
  static std::optional<DeviceFailure> Of(const std::exception& error);

  schedule::Failure Kind() const;
  const std::string& Reason() const { return reason_; }
  //! Throws DuckDB's error for it. `has_limit` says whether Margay limits its memory on the device,
  //! and not only DuckDB's memory_limit does.
  [[noreturn]] void Throw(bool has_limit) const;

 private:
  enum class Cause { ImageLost, LimitReached, OutOfMemory, HostMemory, Device };

  DeviceFailure(Cause cause, std::string reason) : cause_(cause), reason_(std::move(reason)) {}

  Cause cause_;
  std::string reason_;
};

}  // namespace margay::integration
