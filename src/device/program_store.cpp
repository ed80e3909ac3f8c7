#include "device/program_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace margay::device {

namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little,
              "the header is written as it is in memory");

constexpr std::array<char, 8> kMagic = {'M', 'A', 'R', 'G', 'A', 'Y', '0', '1'};

struct Header {
  std::array<char, 8> magic;
  uint64_t key_length;
  uint64_t binary_length;
  XXH128_canonical_t checksum;
};
static_assert(sizeof(Header) == 40);

XXH128_canonical_t Hashed(std::string_view text) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(text.data(), text.size()));
  return canonical;
}

//! An open file, closed with the object.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool IsOpen() const { return descriptor_ >= 0; }

  //! The whole content, if the file is a plain one of this user or root.
  std::optional<std::string> ReadTrusted() const {
    struct stat status;
    if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode) ||
        (status.st_uid != geteuid() && status.st_uid != 0)) {
      return std::nullopt;
    }
    std::string content(static_cast<size_t>(status.st_size), '\0');
    for (size_t done = 0; done < content.size();) {
      const ssize_t count = read(descriptor_, content.data() + done, content.size() - done);
      if (count <= 0) {
        return std::nullopt;
      }
      done += static_cast<size_t>(count);
    }
    return content;
  }

  bool Write(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t count = write(descriptor_, content.data(), content.size());
      if (count <= 0) {
        return false;
      }
      content.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

 private:
  int descriptor_;
};

//! Differs between all threads and processes of a machine that save at the same time.
fs::path TemporaryPath(fs::path path) {
  static std::atomic<uint64_t> counter{0};
  path += "." + std::to_string(getpid()) + "." + std::to_string(counter++) + ".tmp";
  return path;
}

}  // namespace

ProgramStore::ProgramStore(fs::path folder) : folder_(std::move(folder)) {}

fs::path ProgramStore::PathOf(const std::string& key) const {
  const XXH128_canonical_t hash = Hashed(key);
  std::string name;
  for (const unsigned char byte : hash.digest) {
    std::array<char, 3> digits;
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    name += digits.data();
  }
  return folder_ / (name + ".program");
}

std::optional<std::string> ProgramStore::Load(const std::string& key) const {
  if (folder_.empty()) {
    return std::nullopt;
  }
  const File file(open(PathOf(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::optional<std::string> content = file.IsOpen() ? file.ReadTrusted() : std::nullopt;
  Header header;
  if (!content || content->size() < sizeof(header)) {
    return std::nullopt;
  }
  std::memcpy(&header, content->data(), sizeof(header));
  const std::string_view body = std::string_view(*content).substr(sizeof(header));
  if (header.magic != kMagic || header.key_length != key.size() || body.size() < key.size() ||
      header.binary_length != body.size() - key.size()) {
    return std::nullopt;
  }
  const XXH128_canonical_t checksum = Hashed(body);
  if (std::memcmp(&checksum, &header.checksum, sizeof(checksum)) != 0 || !body.starts_with(key)) {
    return std::nullopt;
  }
  content->erase(0, sizeof(header) + key.size());
  return content;
}

bool ProgramStore::Save(const std::string& key, const std::string& binary) const {
  if (folder_.empty() || binary.empty()) {
    return false;
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path path = PathOf(key);
  const fs::path temporary = TemporaryPath(path);
  const std::string body = key + binary;
  const Header header{kMagic, key.size(), binary.size(), Hashed(body)};
  {
    const File file(
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.IsOpen()) {
      return false;
    }
    if (!file.Write({reinterpret_cast<const char*>(&header), sizeof(header)}) ||
        !file.Write(body)) {
      unlink(temporary.c_str());
      return false;
    }
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    unlink(temporary.c_str());
    return false;
  }
  return true;
}

}  // namespace margay::device
