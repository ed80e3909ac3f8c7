#pragma once

#include <filesystem>
#include <optional>
#include <string>

// Private to src/device. Knows nothing of OpenCL.

namespace margay::device {

//! Device binaries in a folder, one file per key. A key is text of any length that names all the
//! binary depends on. A file's name is the 128-bit hash of its key; its content, all numbers
//! little-endian:
//!
//!     8 bytes   magic "MARGAY01"
//!     8 bytes   length of the key
//!     8 bytes   length of the binary
//!    16 bytes   128-bit XXH3 hash of key and binary together
//!               the key
//!               the binary
//!
//! A file is believed only if all of this fits, to its last byte, and the file belongs to this user
//! or root (drivers run what is in it); else it counts as absent, and the next Save() replaces it.
//! Files appear by renaming a finished temporary one, so processes may share the folder.
//!
//! Thread-safe: no state but the folder's path.
class ProgramStore {
 public:
  //! An empty path makes a store that is always empty.
  explicit ProgramStore(std::filesystem::path folder);

  bool IsEnabled() const { return !folder_.empty(); }

  std::optional<std::string> Load(const std::string& key) const;

  //! Creates the folder if needed. False if the binary could not be stored, which leaves no file.
  bool Save(const std::string& key, const std::string& binary) const;

  //! The file in which the binary of `key` is kept.
  std::filesystem::path PathOf(const std::string& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace margay::device
