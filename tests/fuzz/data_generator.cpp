#include "data_generator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace margay::fuzz {

namespace {

using plan::Type;
using plan::TypeKind;

constexpr Int128 kMicrosecondsPerDay = 86'400'000'000;
constexpr Int128 kDayIn1992 = 8'035;
//! A vector of DuckDB, and the number of rows after which Margay begins a new segment.
constexpr size_t kVectorRows = 2'048;
constexpr size_t kSegmentRows = 65'536;
//! Keys so far apart that no join table has a place for each value between them.
constexpr Int128 kSparseStride = 1'000'003;
//! How many values of a skewed column are the same.
constexpr int kSkewPercent = 85;
//! A join of all tables gives no more, whatever the keys are.
constexpr size_t kMostJoinedRows = 300'000;

//! The finite values that DuckDB can hold; of times, less than the integer behind could.
Int128 Lowest(const Type& type) {
  if (type.kind == TypeKind::Date) {
    return -2'147'483'646;
  }
  return type.kind == TypeKind::Timestamp ? Int128(-9'223'372'022'400'000'000) : type.LowestValue();
}
Int128 Highest(const Type& type) {
  const bool has_infinity = type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp;
  return type.HighestValue() - (has_infinity ? 1 : 0);
}

Int128 ExtremeInteger(Random& random, const Type& type) {
  if ((type.kind == TypeKind::Date || type.kind == TypeKind::Timestamp) && random.Percent(25)) {
    return random.Percent(50) ? type.HighestValue() : -type.HighestValue();
  }
  const Int128 value = random.Pick<Int128>(
      {Lowest(type), Lowest(type) + 1, Highest(type), Highest(type) - 1, 0, 1, -1});
  return std::clamp(value, Lowest(type), Highest(type));
}

double ExtremeReal(Random& random, const Type& type) {
  if (type.kind == TypeKind::Float32) {
    using Limits = std::numeric_limits<float>;
    return random.Pick<double>({Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -0.0,
                                0.0, Limits::max(), Limits::lowest(), Limits::denorm_min(),
                                16'777'217.0F});
  }
  using Limits = std::numeric_limits<double>;
  return random.Pick<double>({Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -0.0,
                              0.0, Limits::max(), Limits::lowest(), Limits::denorm_min(), 0.5,
                              9'007'199'254'740'993.0, 9.2233720368547758e18});
}

std::string DrawWord(Random& random, Vocabulary vocabulary, bool extreme) {
  if (extreme && random.Percent(10)) {
    return random.Pick<const char*>({"", " ", "%", "_", "it's", "1e2", " 7 ", "ä%b", "nan", "0x1"});
  }
  switch (vocabulary) {
    case Vocabulary::Words: {
      // Few letters, so that words share prefixes and patterns hit.
      std::string word;
      const size_t length = random.Below(random.Percent(80) ? 6 : 20);
      for (size_t i = 0; i < length; i++) {
        word += random.Pick<const char*>({"a", "a", "b", "b", "B", "é", " ", "%", "_", "z"});
      }
      return word;
    }
    case Vocabulary::Numbers:
      return ToString(random.Between(-99, 99));
    case Vocabulary::Dates:
      return "199" + std::to_string(random.Below(10)) + "-0" + std::to_string(1 + random.Below(9)) +
             "-1" + std::to_string(random.Below(10));
    case Vocabulary::Booleans:
      return random.Pick<const char*>({"true", "false", "t", "f", "1", "0", "TRUE"});
  }
  return "";
}

//! The letters of a text, each with all its bytes.
std::vector<std::string> Letters(const std::string& text) {
  std::vector<std::string> letters;
  for (const char byte : text) {
    const bool continues = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    if (!continues || letters.empty()) {
      letters.emplace_back();
    }
    letters.back() += byte;
  }
  return letters;
}

std::string Join(const std::vector<std::string>& letters, size_t first, size_t count) {
  std::string text;
  for (size_t i = first; i < letters.size() && i < first + count; i++) {
    text += letters[i];
  }
  return text;
}

//! A pattern that some of the words may match.
std::string DrawPattern(Random& random, const std::string& word) {
  const std::vector<std::string> letters = Letters(word);
  const size_t first = letters.empty() ? 0 : random.Below(letters.size());
  const std::string beginning = Join(letters, 0, first);
  const std::string part = Join(letters, first, 1 + random.Below(3));
  switch (random.Below(6)) {
    case 0:
      return beginning + "%";
    case 1:
      return "%" + part;
    case 2:
      return "%" + part + "%";
    case 3:
      return "_" + part + "%";
    case 4:
      return beginning + "%" + part + "_%";
    default:
      return word;
  }
}

std::string DrawPrefix(Random& random, const std::string& word) {
  const std::vector<std::string> letters = Letters(word);
  return Join(letters, 0, random.Below(letters.size() + 1));
}

}  // namespace

void DataGenerator::DrawProfiles(Random& random, bool extreme) {
  extreme_ = extreme;
  profiles_.clear();
  for (const Table& table : tables_) {
    for (const Column& column : table.columns) {
      profiles_[column.name] = DrawProfile(random, column, extreme);
    }
  }
}

DataGenerator::Profile DataGenerator::DrawProfile(Random& random, const Column& column,
                                                  bool extreme) const {
  Profile profile;
  profile.type = column.type;
  profile.null_percent = column.not_null ? 0 : random.Pick({0, 0, 5, 20, 60});
  if (!column.not_null && random.Percent(2)) {
    profile.null_percent = 100;
  }
  profile.extreme_percent = extreme ? random.Pick({0, 5, 50}) : 0;
  profile.ascending = random.Percent(15);
  profile.few_reals = random.Percent(50);
  profile.is_skewed = column.is_key && random.Percent(20);
  if (!column.like) {
    DrawDomain(random, column, extreme, profile);
    return profile;
  }
  const Profile& other = profiles_.at(*column.like);
  profile.few_reals = other.few_reals;
  profile.words = other.words;
  profile.stride = other.stride;
  if (column.type.IsIntegral()) {
    profile.lowest = std::clamp(other.lowest, Lowest(column.type), Highest(column.type));
    profile.highest = std::clamp(other.highest, Lowest(column.type), Highest(column.type));
  }
  return profile;
}

void DataGenerator::DrawDomain(Random& random, const Column& column, bool extreme,
                               Profile& profile) {
  const Type& type = column.type;
  if (type.IsVarchar()) {
    const size_t count = random.Percent(90) ? 1 + random.Below(30) : 300;
    for (size_t i = 0; i < count; i++) {
      profile.words.push_back(DrawWord(random, column.vocabulary, extreme));
    }
    return;
  }
  if (type.IsFloat()) {
    return;
  }

  const Int128 middle = type.kind == TypeKind::Date        ? kDayIn1992
                        : type.kind == TypeKind::Timestamp ? kDayIn1992 * kMicrosecondsPerDay
                        : random.Percent(20)               ? random.Between(-10'000'000, 10'000'000)
                                                           : 0;
  Int128 unit = type.kind == TypeKind::Timestamp
                    ? random.Pick<Int128>({1, 1'000'000, kMicrosecondsPerDay})
                    : 1;
  Int128 spread = unit * random.Pick<Int128>({0, 1, 3, 10, 100, 2'500, 1'000'000});
  if (column.is_key) {
    unit *= random.Pick<Int128>({1, 1, 1, kSparseStride});
    spread = unit * random.Pick<Int128>({0, 1, 3, 10, 60, 400});
    profile.stride = unit;
  }
  profile.lowest = std::clamp(middle - spread, Lowest(type), Highest(type));
  profile.highest = std::clamp(middle + spread, Lowest(type), Highest(type));
  if (extreme && random.Percent(50)) {
    profile.lowest = Lowest(type);
    profile.highest = Highest(type);
  }
}

size_t DataGenerator::DrawRowCount(Random& random) {
  switch (random.PickByWeight({5, 7, 35, 40, 9, 3, 1})) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return 2 + random.Below(40);
    case 3:
      return 50 + random.Below(3'000);
    case 4:
      return kVectorRows - 1 + random.Below(3);
    case 5:
      return kSegmentRows - 1 + random.Below(3);
    default:
      return 2 * kSegmentRows - 1 + random.Below(3);
  }
}

Cell DataGenerator::DrawValue(Random& random, const Profile& profile) {
  const Type& type = profile.type;
  Cell cell;
  const bool extreme = random.Percent(profile.extreme_percent);
  const bool usual = profile.is_skewed && random.Percent(kSkewPercent);
  if (type.IsVarchar()) {
    cell.text = usual ? profile.words[0] : random.Pick(profile.words);
  } else if (type.IsFloat()) {
    cell.real = usual               ? 0
                : extreme           ? ExtremeReal(random, type)
                : profile.few_reals ? static_cast<double>(random.Between(-400, 400)) / 4
                                    : (random.Unit() - 0.5) * 2e6;
    if (type.kind == TypeKind::Float32) {
      cell.real = static_cast<float>(cell.real);
    }
  } else if (extreme && !usual) {
    cell.integer = ExtremeInteger(random, type);
  } else if (usual) {
    cell.integer = profile.lowest;
  } else {
    // In unsigned words: the range may be that of all integers.
    const UInt128 span =
        static_cast<UInt128>(profile.highest) - static_cast<UInt128>(profile.lowest);
    const UInt128 steps = span / static_cast<UInt128>(profile.stride);
    const auto step = static_cast<UInt128>(random.Between(0, static_cast<Int128>(steps)));
    cell.integer = static_cast<Int128>(static_cast<UInt128>(profile.lowest) +
                                       step * static_cast<UInt128>(profile.stride));
  }
  return cell;
}

std::vector<Cell> DataGenerator::DecidingCells(const Profile& profile) {
  std::vector<Cell> cells;
  if (profile.type.IsVarchar()) {
    for (const std::string& word : profile.words) {
      cells.emplace_back().text = word;
    }
  } else if (profile.type.IsIntegral()) {
    cells.emplace_back().integer = profile.lowest;
    cells.emplace_back().integer = profile.highest;
  }
  if (profile.null_percent > 0) {
    cells.emplace_back().is_null = true;
  }
  return cells;
}

std::vector<Cell> DataGenerator::DrawCells(Random& random, const Profile& profile, size_t count,
                                           bool whole_range) {
  std::vector<Cell> cells;
  cells.reserve(count);
  for (size_t row = 0; row < count; row++) {
    cells.push_back(DrawValue(random, profile));
  }
  if (profile.ascending) {
    std::sort(cells.begin(), cells.end(), [](const Cell& left, const Cell& right) {
      // NaN must not spoil the order that sort needs.
      const auto place = [](double real) { return std::isnan(real) ? INFINITY : real; };
      return std::tuple(left.integer, place(left.real), left.text) <
             std::tuple(right.integer, place(right.real), right.text);
    });
  }
  for (Cell& cell : cells) {
    if (random.Percent(profile.null_percent)) {
      cell = Cell{};
      cell.is_null = true;
    }
  }
  if (whole_range && profile.null_percent < 100) {
    const std::vector<Cell> deciding = DecidingCells(profile);
    std::copy_n(deciding.begin(), std::min(count, deciding.size()), cells.begin());
  }
  return cells;
}

Rows DataGenerator::DrawTableRows(Random& random, const Table& table, size_t count,
                                  bool whole_range) const {
  Rows rows;
  rows.count = count;
  for (const Column& column : table.columns) {
    rows.columns.push_back(DrawCells(random, profiles_.at(column.name), count, whole_range));
  }
  for (size_t i = 0; i < table.columns.size(); i++) {
    if (table.columns[i].is_unique) {
      rows = rows.WithoutRepeated(i);
    }
  }
  return rows;
}

std::vector<Rows> DataGenerator::DrawRows(Random& random, size_t fewest, size_t most,
                                          bool whole_range) const {
  std::vector<Rows> result;
  size_t joined = 1;  // rows of a join of all tables, if all keys that repeat are equal
  for (const Table& table : tables_) {
    size_t count = std::min(std::max(DrawRowCount(random), fewest), most);
    const bool is_unique = std::any_of(table.columns.begin(), table.columns.end(),
                                       [](const Column& column) { return column.is_unique; });
    if (!result.empty() && !is_unique) {
      count = std::min(count, std::max<size_t>(kMostJoinedRows / joined, 1));
    }
    result.push_back(DrawTableRows(random, table, count, whole_range));
    joined *= is_unique ? 1 : std::max<size_t>(count, 1);
  }
  return result;
}

void DataGenerator::DrawLiteral(Random& random, LiteralSlot& slot) const {
  if (slot.cell.is_null) {
    return;
  }
  Profile general;
  general.type = slot.type;
  general.words = {"", "a", "ab", "b"};
  general.few_reals = true;
  general.extreme_percent = extreme_ ? 10 : 0;
  if (slot.type.IsIntegral()) {
    const Int128 middle = slot.type.kind == TypeKind::Date        ? kDayIn1992
                          : slot.type.kind == TypeKind::Timestamp ? kDayIn1992 * kMicrosecondsPerDay
                                                                  : 0;
    general.lowest = std::clamp<Int128>(middle - 20, Lowest(slot.type), Highest(slot.type));
    general.highest = std::clamp<Int128>(middle + 20, Lowest(slot.type), Highest(slot.type));
  }
  const bool like_column = slot.column && profiles_.at(*slot.column).type == slot.type;
  const Profile& profile =
      like_column && !random.Percent(15) ? profiles_.at(*slot.column) : general;
  slot.cell = DrawValue(random, profile);
  if (slot.role == LiteralRole::Pattern) {
    slot.cell.text = DrawPattern(random, slot.cell.text);
  } else if (slot.role == LiteralRole::Prefix) {
    slot.cell.text = DrawPrefix(random, slot.cell.text);
  }
}

}  // namespace margay::fuzz
