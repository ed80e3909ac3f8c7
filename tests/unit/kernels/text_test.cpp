// text.cl against slow, obvious functions on the host, on every usable device; and, on demand, how
// fast a segment is searched.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>

#include "kernels/embedded_sources.hpp"
#include "kernels/like_pattern.hpp"
#include "unit/usable_devices.hpp"

namespace margay::kernels {
namespace {

//! Like LIKE of DuckDB: `%` tries every place.
bool Like(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern[0] == '%') {
    for (size_t i = 0; i <= text.size(); i++) {
      if (Like(text.substr(i), pattern.substr(1))) {
        return true;
      }
    }
    return false;
  }
  if (text.empty()) {
    return false;
  }
  if (pattern[0] == '_') {
    size_t next = 1;
    while (next < text.size() && (static_cast<uint8_t>(text[next]) & 0xC0) == 0x80) {
      next++;
    }
    return Like(text.substr(next), pattern.substr(1));
  }
  return text[0] == pattern[0] && Like(text.substr(1), pattern.substr(1));
}

//! Bytes that a kernel may read behind texts and ends, as in an extent.
constexpr size_t kSlack = 64;

//! Texts as a segment has them.
struct Segment {
  std::string bytes;
  std::vector<uint32_t> ends;

  explicit Segment(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      bytes += text;
      ends.push_back(static_cast<uint32_t>(bytes.size()));
    }
    bytes.append(kSlack, '\0');
    ends.resize(ends.size() + kSlack / sizeof(uint32_t));
  }
};

const char* const kKernels = R"(
//! Per pair of text and needle: equal, order, prefix, suffix, characters.
__kernel void compare(__global const uchar* text, __global const uint* ends,
                      __global const uchar* needles, __global const uint* needle_ends,
                      const uint needle_count, __global int* results) {
  const uint row = get_global_id(0);
  const uint begin = row == 0 ? 0 : ends[row - 1];
  for (uint i = 0; i < needle_count; i++) {
    const uint needle_begin = i == 0 ? 0 : needle_ends[i - 1];
    __global const uchar* a = text + begin;
    __global const uchar* b = needles + needle_begin;
    const uint a_bytes = ends[row] - begin, b_bytes = needle_ends[i] - needle_begin;
    __global int* out = results + 5 * (row * needle_count + i);
    out[0] = text_equal(a, a_bytes, b, b_bytes);
    out[1] = text_order(a, a_bytes, b, b_bytes);
    out[2] = text_prefix(a, a_bytes, b, b_bytes);
    out[3] = text_suffix(a, a_bytes, b, b_bytes);
    out[4] = (int)text_characters(a, a_bytes);
  }
}
__kernel void like(__global const uchar* text, __global const uint* ends,
                   __global const uint* pattern, __global int* results) {
  const uint row = get_global_id(0);
  const uint begin = row == 0 ? 0 : ends[row - 1];
  results[row] = text_like(text + begin, ends[row] - begin, pattern);
}
#ifndef TEXT_IN_LANES
__kernel void search(__global const uchar* text, __global const uint* ends, const uint rows,
                     __global const uint* pattern, __global int* results) {
  uint found[2048];
  text_search(text, ends, rows, pattern, found);
  for (uint row = 0; row < rows; row++) {
    results[row] = found[row / 32] >> row % 32 & 1;
  }
}
//! The rows that match, in segments that are all the same size.
__kernel void count_found(__global const uchar* text, __global const uint* ends, const uint rows,
                          const uint segments, const uint segment_bytes,
                          __global const uint* pattern, __global int* counts) {
  int count = 0;
  for (uint segment = get_group_id(0); segment < segments; segment += get_num_groups(0)) {
    uint found[2048];
    text_search(text + (ulong)segment * segment_bytes, ends + (ulong)segment * rows, rows, pattern,
                found);
    for (uint row = 0; row < rows; row++) {
      count += found[row / 32] >> row % 32 & 1;
    }
  }
  counts[get_group_id(0)] = count;
}
#endif
//! The same row by row.
__kernel void count_like(__global const uchar* text, __global const uint* ends, const uint rows,
                         const uint segments, const uint segment_bytes,
                         __global const uint* pattern, __global int* counts) {
  int count = 0;
  for (uint segment = get_group_id(0); segment < segments; segment += get_num_groups(0)) {
    __global const uchar* bytes = text + (ulong)segment * segment_bytes;
    __global const uint* row_ends = ends + (ulong)segment * rows;
    for (uint row = 0; row < rows; row++) {
      const uint begin = row == 0 ? 0 : row_ends[row - 1];
      count += text_like(bytes + begin, row_ends[row] - begin, pattern);
    }
  }
  counts[get_group_id(0)] = count;
}
//! What reading takes.
__kernel void sum_words(__global const uchar* text, __global const uint* ends, const uint rows,
                        const uint segments, const uint segment_bytes,
                        __global const uint* pattern, __global int* counts) {
  ulong16 sum = 0;
  for (uint segment = get_group_id(0); segment < segments; segment += get_num_groups(0)) {
    __global const ulong16* words = (__global const ulong16*)(text + (ulong)segment * segment_bytes);
    for (uint i = 0; i < segment_bytes / 128; i++) {
      sum += words[i];
    }
  }
  counts[get_group_id(0)] = (int)(sum.s0 + sum.s1 + sum.s2 + sum.s3 + sum.s4 + sum.s5 + sum.s6 +
                                  sum.s7 + sum.s8 + sum.s9 + sum.sa + sum.sb + sum.sc + sum.sd +
                                  sum.se + sum.sf);
}
)";

class TextTest : public testing::Test {
 protected:
  //! Calls test(device, program, is_in_lanes) for every device and both forms of text.cl.
  template <typename Test>
  void OnEveryDevice(const Test& test) {
    for (const auto& device : UsableDevices()) {
      const device::DeviceInfo& info = device->Info();
      SCOPED_TRACE(info.name + " on " + info.platform);
      const std::string source = std::string(EmbeddedSource("text.cl")) + kKernels;
      test(*device, *device->Programs().Get(source), false);
      test(*device, *device->Programs().Get("#define TEXT_IN_LANES\n" + source), true);
    }
  }

  template <typename T>
  static device::Buffer Upload(device::Device& device, const T& content) {
    const size_t bytes = content.size() * sizeof(content[0]);
    device::Buffer buffer =
        device.CreateBuffer(std::max<size_t>(bytes, 8), device::Access::ReadOnly);
    if (bytes > 0) {
      device.AcquireQueue()->Write(buffer, 0, content.data(), bytes);
    }
    return buffer;
  }

  static std::vector<int> Download(device::Device& device, const device::Buffer& buffer,
                                   size_t count) {
    std::vector<int> result(count);
    device.AcquireQueue()->Read(buffer, 0, result.data(), count * sizeof(int));
    return result;
  }
};

//! Strings of a small alphabet, some of them with zeros and characters of several bytes.
std::vector<std::string> RandomTexts(size_t count, size_t longest, uint32_t seed) {
  const std::vector<std::string> alphabet{
      "a", "b", "a", "b", "c", "\xC3\xA4", "日", "🦆", std::string(1, '\0')};
  std::mt19937 random(seed);
  std::vector<std::string> texts{"", "a", "ab"};
  while (texts.size() < count) {
    std::string text;
    for (size_t left = random() % (longest + 1); left > 0; left--) {
      text += alphabet[random() % (1 + random() % alphabet.size())];
    }
    texts.push_back(text);
  }
  return texts;
}

TEST_F(TextTest, Comparisons) {
  std::vector<std::string> texts = RandomTexts(300, 20, 1);
  for (size_t length = 0; length < 40; length++) {
    texts.push_back(std::string(length, 'x'));
    texts.push_back(std::string(length, 'x') + "\xFF");
  }
  const Segment segment(texts);
  OnEveryDevice([&](device::Device& device, const device::Program& program, bool /*is_in_lanes*/) {
    const device::Buffer bytes = Upload(device, segment.bytes), ends = Upload(device, segment.ends);
    const size_t count = texts.size() * texts.size();
    device::Buffer results =
        device.CreateBuffer(count * 5 * sizeof(int), device::Access::WriteOnly);
    device::Kernel kernel = program.CreateKernel("compare");
    kernel.Argument(0, bytes).Argument(1, ends).Argument(2, bytes).Argument(3, ends);
    kernel.Argument(4, static_cast<uint32_t>(texts.size())).Argument(5, results);
    device.AcquireQueue()->Launch(kernel, texts.size(), 1).Wait();
    const std::vector<int> found = Download(device, results, count * 5);
    for (size_t i = 0; i < count; i++) {
      const std::string &a = texts[i / texts.size()], &b = texts[i % texts.size()];
      const int* out = found.data() + 5 * i;
      const int order = a.compare(b);
      ASSERT_EQ(out[0], a == b) << a << ", " << b;
      ASSERT_EQ((out[1] > 0) - (out[1] < 0), (order > 0) - (order < 0)) << a << ", " << b;
      ASSERT_EQ(out[2], a.starts_with(b)) << a << ", " << b;
      ASSERT_EQ(out[3], a.ends_with(b)) << a << ", " << b;
      ASSERT_EQ(out[4], std::count_if(a.begin(), a.end(), [](char byte) {
                  return (static_cast<uint8_t>(byte) & 0xC0) != 0x80;
                }));
    }
  });
}

TEST_F(TextTest, LikePatterns) {
  std::vector<std::string> texts = RandomTexts(1500, 12, 2);
  for (const std::string& text : RandomTexts(200, 90, 3)) {
    texts.push_back(text);
  }
  const Segment segment(texts);
  std::vector<std::string> patterns{
      "",        "%",     "%%",    "_",      "__",      "%_%",       "a%",
      "%a",      "%a%",   "a%b",   "%a%b%",  "%ab%ab%", "_b%",       "%b_",
      "%a_b%",   "a_%_b", "%_a_%", "%__%b",  "ab",      "%abab%",    "%日%",
      "_日%",    "%日_",  "%ä_b%", "a%_%_%", "%aab%b",  "%a%a%a%a%", "%\xF0\x9F\xA6\x86%a",
      "%abcab%", "b%a%b", "%_",    "_%",     "%ab",     "ba%",       "%c%_%c%"};
  std::mt19937 random(4);
  const std::vector<std::string> symbols{"a", "b", "%", "_", "\xC3\xA4", "日", "ab"};
  for (size_t i = 0; i < 60; i++) {
    std::string pattern;
    for (size_t left = random() % 7; left > 0; left--) {
      pattern += symbols[random() % symbols.size()];
    }
    patterns.push_back(pattern);
  }
  OnEveryDevice([&](device::Device& device, const device::Program& program, bool is_in_lanes) {
    const device::Buffer bytes = Upload(device, segment.bytes), ends = Upload(device, segment.ends);
    device::Buffer results =
        device.CreateBuffer(texts.size() * sizeof(int), device::Access::WriteOnly);
    for (const std::string& text : patterns) {
      const LikePattern pattern = LikePattern::Parse(text);
      const device::Buffer pattern_buffer = Upload(device, pattern.Bytes());
      std::vector<int> expected;
      for (const std::string& row : texts) {
        expected.push_back(Like(row, text));
      }
      device::Kernel like = program.CreateKernel("like");
      like.Argument(0, bytes).Argument(1, ends).Argument(2, pattern_buffer).Argument(3, results);
      device.AcquireQueue()->Launch(like, texts.size(), 1).Wait();
      ASSERT_EQ(Download(device, results, texts.size()), expected) << text;
      if (!pattern.HasNeedle() || is_in_lanes) {
        continue;
      }
      device::Kernel search = program.CreateKernel("search");
      search.Argument(0, bytes).Argument(1, ends);
      search.Argument(2, static_cast<uint32_t>(texts.size()));
      search.Argument(3, pattern_buffer).Argument(4, results);
      device.AcquireQueue()->Launch(search, 1, 1).Wait();
      ASSERT_EQ(Download(device, results, texts.size()), expected) << "searching for " << text;
    }
  });
}

TEST_F(TextTest, Containing) {
  const std::vector<std::string> texts{"", "100%", "a_b", "axb", "%", "100 %"};
  const Segment segment(texts);
  OnEveryDevice([&](device::Device& device, const device::Program& program, bool /*is_in_lanes*/) {
    const device::Buffer bytes = Upload(device, segment.bytes), ends = Upload(device, segment.ends);
    device::Buffer results =
        device.CreateBuffer(texts.size() * sizeof(int), device::Access::WriteOnly);
    for (const std::string needle : {"", "0%", "_", "a_b"}) {
      const device::Buffer pattern = Upload(device, LikePattern::Containing(needle).Bytes());
      device::Kernel like = program.CreateKernel("like");
      like.Argument(0, bytes).Argument(1, ends).Argument(2, pattern).Argument(3, results);
      device.AcquireQueue()->Launch(like, texts.size(), 1).Wait();
      const std::vector<int> found = Download(device, results, texts.size());
      for (size_t i = 0; i < texts.size(); i++) {
        EXPECT_EQ(found[i], texts[i].find(needle) != std::string::npos) << texts[i];
      }
    }
  });
}

TEST_F(TextTest, WhichPatternsHaveANeedle) {
  for (const char* pattern : {"%a%", "%a%b%", "%a%b", "%_%a%"}) {
    EXPECT_TRUE(LikePattern::Parse(pattern).HasNeedle()) << pattern;
  }
  for (const char* pattern : {"", "%", "a%", "%a", "a%b", "a%b%", "%a_b%", "_%a%"}) {
    EXPECT_FALSE(LikePattern::Parse(pattern).HasNeedle()) << pattern;
  }
}

//! Prints how fast `LIKE '%special%requests%'` goes through comments of about 49 bytes, beside what
//! reading the same bytes takes: as many work-groups as the device has compute units.
TEST_F(TextTest, DISABLED_SearchRate) {
  constexpr uint32_t kRows = 65536, kSegments = 200, kSegmentBytes = 52 * kRows;
  const std::vector<std::string> words{
      "furiously", "quickly",  "carefully",   "special",      "pending",  "ironic",
      "express",   "regular",  "final",       "bold",         "deposits", "requests",
      "packages",  "accounts", "theodolites", "instructions", "sleep",    "haggle",
      "nag",       "wake",     "are",         "among",        "the",      "according",
      "to",        "above",    "even",        "slyly",        "blithely", "unusual"};
  std::mt19937 random(5);
  std::string bytes;
  std::vector<uint32_t> ends;
  for (uint32_t segment = 0; segment < kSegments; segment++) {
    bytes.resize(size_t{segment} * kSegmentBytes);
    uint32_t end = 0;
    for (uint32_t row = 0; row < kRows; row++) {
      std::string text;
      const size_t length = 19 + random() % 60;
      while (text.size() < length) {
        text += words[random() % words.size()] + " ";
      }
      text.resize(length);
      bytes += text;
      end += static_cast<uint32_t>(length);
      ends.push_back(end);
    }
  }
  uint64_t total = 0;
  for (size_t segment = 0; segment < kSegments; segment++) {
    total += ends[(segment + 1) * kRows - 1];
  }
  bytes.resize(size_t{kSegments} * kSegmentBytes + kSlack);
  ends.resize(ends.size() + kSlack / sizeof(uint32_t));
  OnEveryDevice([&](device::Device& device, const device::Program& program, bool is_in_lanes) {
    const device::Buffer text = Upload(device, bytes), row_ends = Upload(device, ends);
    const uint32_t groups = 4 * device.Info().compute_units;
    device::Buffer counts = device.CreateBuffer(groups * sizeof(int), device::Access::WriteOnly);
    for (const char* pattern : {"%special%requests%", "%zebra%", "%theodolites%", "%e%q%"}) {
      const device::Buffer pattern_buffer = Upload(device, LikePattern::Parse(pattern).Bytes());
      for (const std::string name : {"sum_words", "count_like", "count_found"}) {
        if (is_in_lanes && name == "count_found")
          continue;
        device::Kernel kernel = program.CreateKernel(name);
        kernel.Argument(0, text).Argument(1, row_ends).Argument(2, kRows).Argument(3, kSegments);
        kernel.Argument(4, kSegmentBytes).Argument(5, pattern_buffer).Argument(6, counts);
        double best = 1e9;
        for (int round = 0; round < 5; round++) {
          const auto start = std::chrono::steady_clock::now();
          device.AcquireQueue()->Launch(kernel, groups, 1).Wait();
          best = std::min(
              best,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::printf("%-50.50s %-20s %-12s %6.1f GB/s\n", device.Info().name.c_str(), pattern,
                    name.c_str(), static_cast<double>(total) / best / 1e9);
      }
    }
  });
}

}  // namespace
}  // namespace margay::kernels
