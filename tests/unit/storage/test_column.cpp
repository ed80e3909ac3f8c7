#include "test_column.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "device/device_registry.hpp"
#include "storage/constants.hpp"

namespace margay::storage {

namespace {

std::string RandomText(std::mt19937& random) {
  std::string text(random() % 20, 'x');
  for (char& character : text) {
    character = static_cast<char>(random() % 256);
  }
  return text;
}

//! Values in DuckDB's layout, written byte by byte.
std::vector<std::byte> PhysicalValues(const plan::Type& type, const std::vector<Cell>& cells) {
  const size_t width =
      type.IsVarchar() ? sizeof(std::string_view) : static_cast<size_t>(type.PhysicalBytes());
  std::vector<std::byte> values(cells.size() * width, std::byte{0xAA});
  for (size_t i = 0; i < cells.size(); i++) {
    std::byte* place = values.data() + i * width;
    if (cells[i].is_null) {
      continue;
    }
    if (type.kind == plan::TypeKind::Float32) {
      auto value = static_cast<float>(cells[i].real);
      std::memcpy(place, &value, width);
    } else if (type.kind == plan::TypeKind::Float64) {
      std::memcpy(place, &cells[i].real, width);
    } else if (type.IsVarchar()) {
      std::string_view view = cells[i].text;
      std::memcpy(place, &view, width);
    } else {
      std::memcpy(place, &cells[i].integer, width);
    }
  }
  return values;
}

std::vector<uint64_t> ValidityOf(const std::vector<Cell>& cells) {
  std::vector<uint64_t> words((cells.size() + 63) / 64 + 1, 0xAAAAAAAAAAAAAAAA);
  for (size_t i = 0; i < cells.size(); i++) {
    words[i / 64] &= ~(uint64_t{1} << (i % 64));
    words[i / 64] |= uint64_t{!cells[i].is_null} << (i % 64);
  }
  return words;
}

bool HasNulls(const std::vector<Cell>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.is_null; });
}

std::atomic<uint64_t> next_dictionary_id = 1;

void AppendFlat(BatchWriter& writer, size_t position, const plan::Type& type,
                const std::vector<Cell>& cells) {
  std::vector<std::byte> values = PhysicalValues(type, cells);
  std::vector<uint64_t> validity = ValidityOf(cells);
  ColumnChunk chunk;
  chunk.values = values.data();
  chunk.count = cells.size();
  if (HasNulls(cells) || cells.size() % 3 == 0) {
    chunk.validity = validity.data();
  }
  writer.Append(position, chunk);
}

//! The rows lie in any order among others that are not selected.
void AppendSelected(BatchWriter& writer, size_t position, const plan::Type& type,
                    const std::vector<Cell>& cells, std::mt19937& random) {
  std::vector<uint32_t> places(2 * cells.size());
  for (uint32_t i = 0; i < places.size(); i++) {
    places[i] = i;
  }
  std::shuffle(places.begin(), places.end(), random);
  Cell unselected;
  unselected.is_null = HasNulls(cells);
  unselected.integer = type.IsIntegral() ? type.HighestValue() : 0;
  std::vector<Cell> base(places.size(), unselected);
  for (size_t i = 0; i < cells.size(); i++) {
    base[places[i]] = cells[i];
  }
  std::vector<std::byte> values = PhysicalValues(type, base);
  std::vector<uint64_t> validity = ValidityOf(base);
  ColumnChunk chunk;
  chunk.values = values.data();
  chunk.selection = places.data();
  chunk.validity = HasNulls(base) ? validity.data() : nullptr;
  chunk.count = cells.size();
  writer.Append(position, chunk);
}

//! The rows refer to a list of different values, which several chunks share.
void AppendWithDictionary(BatchWriter& writer, size_t position, const plan::Type& type,
                          const std::vector<Cell>& cells) {
  std::map<std::string, uint32_t> codes;
  std::vector<Cell> values_of_codes(1);
  values_of_codes[0].is_null = true;
  std::vector<uint32_t> selection(cells.size());
  for (size_t i = 0; i < cells.size(); i++) {
    if (!cells[i].is_null) {
      auto [place, is_new] =
          codes.try_emplace(cells[i].text, static_cast<uint32_t>(values_of_codes.size()));
      if (is_new) {
        values_of_codes.push_back(cells[i]);
      }
      selection[i] = place->second;
    }
  }
  std::vector<std::byte> values = PhysicalValues(type, values_of_codes);
  std::vector<uint64_t> validity = ValidityOf(values_of_codes);
  ColumnChunk chunk;
  chunk.values = values.data();
  chunk.validity = validity.data();
  chunk.dictionary_id = next_dictionary_id++;
  chunk.dictionary_size = values_of_codes.size();
  for (size_t first = 0; first < cells.size(); first += 500) {
    chunk.selection = selection.data() + first;
    chunk.count = std::min<size_t>(500, cells.size() - first);
    writer.Append(position, chunk);
  }
}

size_t ChunkRows(ChunkShape shape, size_t left, std::mt19937& random) {
  size_t rows = shape == ChunkShape::SmallFlat ? 1 + random() % 100
                : random() % 3 == 0            ? 1 + random() % 5000
                                               : 2048;
  return std::min(rows, left);
}

//! All bytes of an extent as a kernel would read them.
std::vector<std::byte> BytesOf(memory::Extent& extent, device::Device& device) {
  std::optional<memory::ExtentPin> pin = extent.TryPin();
  EXPECT_TRUE(pin.has_value()) << "the extent is lost";
  std::vector<std::byte> bytes(extent.Bytes());
  if (pin.has_value()) {
    device.AcquireQueue()->Read(pin->Buffer(), 0, bytes.data(), bytes.size());
  }
  return bytes;
}

bool SameReal(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

//! Extent sizes, and zeros after the last row.
void ExpectPadding(const std::vector<std::shared_ptr<memory::Extent>>& extents,
                   const ColumnImage& image, size_t bits_per_row, device::Device& device) {
  const uint64_t rows_per_extent = image.SegmentsPerExtent() * uint64_t{kSegmentRows};
  ASSERT_EQ(extents.size(), (image.Rows() + rows_per_extent - 1) / rows_per_extent);
  for (size_t i = 0; i < extents.size(); i++) {
    const uint64_t rows = std::min(rows_per_extent, image.Rows() - i * rows_per_extent);
    const size_t data_bits = rows * bits_per_row;
    const size_t padded = (data_bits + 511) / 512 * 64;
    ASSERT_EQ(extents[i]->Bytes(), padded + 64);
    std::vector<std::byte> bytes = BytesOf(*extents[i], device);
    for (size_t bit = data_bits; bit < 8 * bytes.size(); bit++) {
      ASSERT_EQ(static_cast<uint8_t>(bytes[bit / 8]) >> (bit % 8) & 1, 0)
          << "padding at bit " << bit;
    }
  }
}

//! Where the bytes of segments lie, and zeros between them and behind the last one.
void ExpectTextExtents(const ColumnImage& image, device::Device& device) {
  std::vector<uint64_t> ends(image.TextExtents().size(), 0);
  std::vector<std::vector<std::byte>> bytes;
  for (const auto& extent : image.TextExtents()) {
    bytes.push_back(BytesOf(*extent, device));
  }
  for (size_t s = 0; s < image.Segments().size(); s++) {
    const SegmentStatistics& segment = image.Segments()[s];
    const size_t extent = image.TextExtentOf(s);
    ASSERT_LT(extent, ends.size());
    ASSERT_EQ(static_cast<uint64_t>(segment.base), ends[extent]) << "segment " << s;
    const uint64_t end = ends[extent] + segment.text_bytes;
    ends[extent] = (end + 63) / 64 * 64;
    for (uint64_t i = end; i < ends[extent]; i++) {
      ASSERT_EQ(bytes[extent][i], std::byte{0}) << "padding of segment " << s;
    }
    if (s > 0 && s % image.SegmentsPerExtent() == 0) {
      ASSERT_NE(extent, image.TextExtentOf(s - 1)) << "cut where data extents are";
    }
  }
  for (size_t i = 0; i < ends.size(); i++) {
    ASSERT_EQ(bytes[i].size(), ends[i] + 64);
    for (uint64_t k = ends[i]; k < bytes[i].size(); k++) {
      ASSERT_EQ(bytes[i][k], std::byte{0}) << "slack";
    }
  }
}

//! What is known of a text column.
void ExpectTextStatistics(const std::vector<Cell>& cells, const ColumnImage& image) {
  uint64_t nulls = 0;
  for (size_t s = 0; s < image.Segments().size(); s++) {
    uint64_t segment_nulls = 0, bytes = 0, rows = 0;
    for (size_t row = s * kSegmentRows; row < std::min(cells.size(), (s + 1) * kSegmentRows);
         row++) {
      rows++;
      segment_nulls += cells[row].is_null ? 1 : 0;
      bytes += cells[row].text.size();
    }
    ASSERT_EQ(image.Segments()[s].rows, rows);
    ASSERT_EQ(image.Segments()[s].nulls, segment_nulls);
    ASSERT_EQ(image.Segments()[s].text_bytes, bytes);
    nulls += segment_nulls;
  }
  EXPECT_EQ(image.Statistics().rows, cells.size());
  EXPECT_EQ(image.Statistics().null_count, nulls);
  EXPECT_EQ(image.Statistics().distinct_count, 0u);
  EXPECT_FALSE(image.Statistics().sorted);
}

void ExpectStatistics(const TestColumn& column, const std::vector<Cell>& codes,
                      const ColumnImage& image) {
  const bool is_float = column.type.IsFloat();
  ColumnStatistics expected;
  expected.rows = codes.size();
  expected.sorted = true;
  bool column_has_values = false;
  std::set<Int128> distinct;
  std::set<double> real_distinct;
  ASSERT_EQ(image.Segments().size(), SegmentCount(codes.size()));
  for (size_t s = 0; s < image.Segments().size(); s++) {
    const SegmentStatistics& actual = image.Segments()[s];
    SegmentStatistics segment;
    bool has_values = false;
    const size_t end = std::min(codes.size(), (s + 1) * kSegmentRows);
    for (size_t row = s * kSegmentRows; row < end; row++) {
      const Cell& cell = codes[row];
      segment.rows++;
      if (cell.is_null) {
        segment.nulls++;
        expected.sorted = false;
        continue;
      }
      if (row > 0 && (is_float ? !(codes[row - 1].real <= cell.real)
                               : codes[row - 1].integer > cell.integer)) {
        expected.sorted = false;
      }
      if (std::isnan(cell.real)) {
        segment.has_nan = true;
        expected.sorted = false;
        continue;
      }
      if (is_float) {
        segment.real_min = std::min(segment.real_min, cell.real);
        segment.real_max = std::max(segment.real_max, cell.real);
        real_distinct.insert(cell.real);
      } else {
        segment.min = has_values ? std::min(segment.min, cell.integer) : cell.integer;
        segment.max = has_values ? std::max(segment.max, cell.integer) : cell.integer;
        has_values = true;
        distinct.insert(cell.integer);
      }
    }
    ASSERT_EQ(actual.rows, segment.rows);
    ASSERT_EQ(actual.nulls, segment.nulls);
    ASSERT_EQ(actual.HasValues(), segment.HasValues());
    ASSERT_TRUE(actual.min == segment.min) << ToString(actual.min);
    ASSERT_TRUE(actual.max == segment.max) << ToString(actual.max);
    ASSERT_EQ(actual.real_min, segment.real_min);
    ASSERT_EQ(actual.real_max, segment.real_max);
    ASSERT_EQ(actual.has_nan, segment.has_nan);
    const bool has_base = image.GetEncoding() == Encoding::Narrow;
    ASSERT_TRUE(actual.base == (has_base ? segment.min : 0)) << actual.base;
    if (segment.HasValues()) {
      expected.min = column_has_values ? std::min(expected.min, segment.min) : segment.min;
      expected.max = column_has_values ? std::max(expected.max, segment.max) : segment.max;
      column_has_values = true;
    }
    expected.real_min = std::min(expected.real_min, segment.real_min);
    expected.real_max = std::max(expected.real_max, segment.real_max);
    expected.has_nan |= segment.has_nan;
    expected.null_count += segment.nulls;
  }
  const ColumnStatistics& actual = image.Statistics();
  EXPECT_EQ(actual.rows, expected.rows);
  EXPECT_EQ(actual.null_count, expected.null_count);
  EXPECT_TRUE(actual.min == expected.min) << ToString(actual.min);
  EXPECT_TRUE(actual.max == expected.max) << ToString(actual.max);
  EXPECT_EQ(actual.real_min, expected.real_min);
  EXPECT_EQ(actual.real_max, expected.real_max);
  EXPECT_EQ(actual.has_nan, expected.has_nan);
  EXPECT_EQ(actual.sorted, expected.sorted);
  if (column.type.IsVarchar() || expected.sorted) {
    EXPECT_EQ(actual.distinct_count, is_float ? real_distinct.size() : distinct.size());
  } else {
    EXPECT_EQ(actual.distinct_count, 0u);
  }
}

}  // namespace

TestColumn RandomColumn(plan::Type type, size_t rows, bool with_nulls, uint32_t seed) {
  std::mt19937 random(seed);
  TestColumn column{type, std::vector<Cell>(rows)};
  std::vector<std::string> texts;
  for (size_t i = 0; i < 300; i++) {
    texts.push_back(RandomText(random));
  }
  // Runs of NULLs and of values, so that some pieces have the one, the other, or both.
  size_t nulls_until = 0;
  size_t values_until = 0;
  // Values stay near a centre for a while, so that segments differ in base and spread.
  Int128 centre = 0;
  for (size_t row = 0; row < rows; row++) {
    Cell& cell = column.cells[row];
    if (with_nulls && row >= values_until && row >= nulls_until) {
      nulls_until = row + random() % 7000;
      values_until = nulls_until + random() % 7000;
    }
    cell.is_null = with_nulls && (row < nulls_until || random() % 10 == 0);
    if (type.IsVarchar()) {
      cell.text = texts[random() % (1 + random() % texts.size())];
    } else if (type.IsFloat()) {
      const double special[] = {0.0, -0.0, std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
      cell.real = random() % 1000 == 0
                      ? special[random() % 5]
                      : static_cast<float>(std::ldexp(random() - 2e9, random() % 40));
    } else {
      const Int128 low = type.LowestValue();
      const Int128 high = type.HighestValue();
      if (row % 30000 == 0) {
        UInt128 bits = (static_cast<UInt128>(random()) << 96) |
                       (static_cast<UInt128>(random()) << 64) |
                       (static_cast<UInt128>(random()) << 32) | random();
        UInt128 spread = static_cast<UInt128>(high) - static_cast<UInt128>(low);
        centre = static_cast<Int128>(static_cast<UInt128>(low) +
                                     (spread == ~UInt128{0} ? bits : bits % (spread + 1)));
      }
      Int128 distance = random() % 200;
      cell.integer = centre > high - distance ? centre - distance < low ? high : centre - distance
                                              : centre + distance;
      if (random() % 20000 == 0) {
        cell.integer = random() % 2 == 0 ? low : high;
      }
    }
  }
  return column;
}

TestColumn IntegerColumn(plan::Type type, const std::vector<Int128>& values) {
  TestColumn column{type, std::vector<Cell>(values.size())};
  for (size_t i = 0; i < values.size(); i++) {
    column.cells[i].integer = values[i];
  }
  return column;
}

TestColumn RealColumn(plan::Type type, const std::vector<double>& values) {
  TestColumn column{type, std::vector<Cell>(values.size())};
  for (size_t i = 0; i < values.size(); i++) {
    column.cells[i].real = values[i];
  }
  return column;
}

TestColumn TextColumn(const std::vector<std::string>& values) {
  TestColumn column{plan::TypeKind::Varchar, std::vector<Cell>(values.size())};
  for (size_t i = 0; i < values.size(); i++) {
    column.cells[i].text = values[i];
  }
  return column;
}

void FeedRows(BatchWriter& writer, size_t position, const TestColumn& column, size_t first,
              size_t count, ChunkShape shape, std::mt19937& random) {
  for (size_t row = first; row < first + count;) {
    const size_t rows = ChunkRows(shape, first + count - row, random);
    const std::vector<Cell> cells(column.cells.begin() + static_cast<std::ptrdiff_t>(row),
                                  column.cells.begin() + static_cast<std::ptrdiff_t>(row + rows));
    ChunkShape chunk_shape =
        shape == ChunkShape::Mixed ? static_cast<ChunkShape>(random() % 4) : shape;
    if (chunk_shape == ChunkShape::Dictionary && column.type.IsVarchar()) {
      AppendWithDictionary(writer, position, column.type, cells);
    } else if (chunk_shape == ChunkShape::Selection || chunk_shape == ChunkShape::Dictionary) {
      AppendSelected(writer, position, column.type, cells, random);
    } else {
      AppendFlat(writer, position, column.type, cells);
    }
    row += rows;
  }
}

void FeedBatches(TableImageBuilder& builder, const std::vector<TestColumn>& columns,
                 ChunkShape shape, uint32_t seed) {
  std::mt19937 random(seed);
  struct Batch {
    uint64_t index;
    size_t first;
    size_t count;
  };
  std::vector<Batch> batches;
  const size_t rows = columns.front().cells.size();
  uint64_t index = 5;
  for (size_t row = 0; row < rows;) {
    const size_t count = std::min<size_t>(random() % 30000, rows - row);
    batches.push_back({index, row, count});
    index += 1 + random() % 1000;
    row += count;
  }
  std::shuffle(batches.begin(), batches.end(), random);
  for (const Batch& batch : batches) {
    BatchWriter writer = builder.StartBatch(batch.index);
    for (size_t i = 0; i < columns.size(); i++) {
      FeedRows(writer, i, columns[i], batch.first, batch.count, shape, random);
    }
    writer.Close();
  }
}

std::vector<Cell> Decode(const ColumnImage& image, device::Device& device) {
  std::vector<Cell> cells(image.Rows());
  std::vector<std::vector<std::byte>> data;
  std::vector<std::vector<std::byte>> validity;
  for (const auto& extent : image.DataExtents()) {
    data.push_back(BytesOf(*extent, device));
  }
  for (const auto& extent : image.ValidityExtents()) {
    validity.push_back(BytesOf(*extent, device));
  }
  std::vector<std::vector<std::byte>> texts;
  for (const auto& extent : image.TextExtents()) {
    texts.push_back(BytesOf(*extent, device));
  }
  const size_t width = image.Width();
  for (size_t row = 0; row < cells.size(); row++) {
    Cell& cell = cells[row];
    const size_t segment = row / kSegmentRows;
    const size_t extent = segment / image.SegmentsPerExtent();
    const size_t place = segment % image.SegmentsPerExtent() * kSegmentRows + row % kSegmentRows;
    const std::byte* stored = data[extent].data() + place * width;
    UInt128 bits = 0;
    std::memcpy(&bits, stored, width);
    uint32_t begin = 0;
    if (image.GetEncoding() == Encoding::Text && row % kSegmentRows > 0) {
      std::memcpy(&begin, stored - width, width);
    }
    if (!validity.empty()) {
      cell.is_null = (static_cast<uint8_t>(validity[extent][place / 8]) >> (place % 8) & 1) == 0;
      if (cell.is_null) {
        EXPECT_TRUE(bits == begin) << "NULL in row " << row << " is not stored as zero";
        continue;
      }
    }
    switch (image.GetEncoding()) {
      case Encoding::Narrow:
        cell.integer = static_cast<int64_t>(static_cast<uint64_t>(image.Segments()[segment].base) +
                                            static_cast<uint64_t>(bits));
        break;
      case Encoding::Wide:
        cell.integer = static_cast<Int128>(bits);
        break;
      case Encoding::Float32: {
        float value;
        std::memcpy(&value, stored, sizeof(value));
        cell.real = value;
        break;
      }
      case Encoding::Float64:
        std::memcpy(&cell.real, stored, sizeof(cell.real));
        break;
      case Encoding::Dictionary:
        cell.integer = static_cast<Int128>(bits);
        cell.text = image.GetDictionary()->Value(static_cast<uint32_t>(bits));
        break;
      case Encoding::Text:
        cell.text.assign(reinterpret_cast<const char*>(texts[image.TextExtentOf(segment)].data()) +
                             image.Segments()[segment].base + begin,
                         static_cast<size_t>(bits) - begin);
        break;
      case Encoding::TextRow:
        ADD_FAILURE() << "no image refers to the rows of another one";
        break;
    }
  }
  return cells;
}

void ExpectImageHolds(const TestColumn& column, const ColumnImage& image, device::Device& device) {
  EXPECT_EQ(image.Type(), column.type);
  ASSERT_EQ(image.Rows(), column.cells.size());
  EXPECT_EQ(image.HasValidity(), HasNulls(column.cells));
  ExpectPadding(image.DataExtents(), image, 8 * image.Width(), device);
  if (image.HasValidity()) {
    ExpectPadding(image.ValidityExtents(), image, 1, device);
  }
  std::vector<Cell> decoded = Decode(image, device);
  for (size_t row = 0; row < decoded.size(); row++) {
    const Cell& expected = column.cells[row];
    ASSERT_EQ(decoded[row].is_null, expected.is_null) << "row " << row;
    if (expected.is_null) {
      continue;
    }
    if (column.type.IsVarchar()) {
      ASSERT_EQ(decoded[row].text, expected.text) << "row " << row;
    } else if (column.type.IsFloat()) {
      ASSERT_TRUE(SameReal(decoded[row].real, expected.real)) << "row " << row;
    } else {
      ASSERT_TRUE(decoded[row].integer == expected.integer)
          << "row " << row << ": " << ToString(decoded[row].integer) << " instead of "
          << ToString(expected.integer);
    }
  }
  if (image.GetEncoding() == Encoding::Text) {
    ExpectTextExtents(image, device);
    ExpectTextStatistics(decoded, image);
  } else {
    ExpectStatistics(column, decoded, image);
  }
}

ParallelFor ThreadedFor(size_t threads) {
  return [threads](size_t count, const std::function<void(size_t)>& function) {
    std::atomic<size_t> next = 0;
    std::vector<std::thread> workers;
    for (size_t i = 0; i < std::min(threads, count); i++) {
      workers.emplace_back([&] {
        for (size_t index = next++; index < count; index = next++) {
          function(index);
        }
      });
    }
    for (std::thread& worker : workers) {
      worker.join();
    }
  };
}

TestEnvironment::TestEnvironment(memory::ExtentPool::Placement placement) {
  device::DeviceRegistry& registry = device::DeviceRegistry::Instance();
  const char* selector = std::getenv("MARGAY_TEST_DEVICE");
  std::optional<size_t> index = registry.Find(selector == nullptr ? "cpu" : selector, nullptr);
  if (index.has_value()) {
    device = registry.Open(*index);
    pool = std::make_unique<memory::ExtentPool>(device, allocator, placement);
  }
}

std::shared_ptr<const ColumnImage> BuildColumn(TestEnvironment& environment,
                                               const TestColumn& column, ChunkShape shape,
                                               BuildOptions options, uint32_t seed) {
  TableImageBuilder builder({{0, "c", column.type}}, environment.allocator, options);
  FeedBatches(builder, {column}, shape, seed);
  return builder.FinishColumn(0, *environment.pool);
}

}  // namespace margay::storage
