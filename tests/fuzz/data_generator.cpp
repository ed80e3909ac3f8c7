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
  for (const Column& column : table_.columns) {
    profiles_.push_back(DrawProfile(random, column, extreme));
  }
}

DataGenerator::Profile DataGenerator::DrawProfile(Random& random, const Column& column,
                                                  bool extreme) const {
  const Type& type = column.type;
  Profile profile;
  profile.null_percent = column.not_null ? 0 : random.Pick({0, 0, 5, 20, 60});
  if (!column.not_null && random.Percent(2)) {
    profile.null_percent = 100;
  }
  profile.extreme_percent = extreme ? random.Pick({0, 5, 50}) : 0;
  profile.ascending = random.Percent(15);
  profile.few_reals = random.Percent(50);
  if (type.IsVarchar()) {
    const size_t count = random.Percent(90) ? 1 + random.Below(30) : 300;
    for (size_t i = 0; i < count; i++) {
      profile.words.push_back(DrawWord(random, column.vocabulary, extreme));
    }
    return profile;
  }
  if (type.IsFloat()) {
    return profile;
  }

  const Int128 middle = type.kind == TypeKind::Date        ? kDayIn1992
                        : type.kind == TypeKind::Timestamp ? kDayIn1992 * kMicrosecondsPerDay
                        : random.Percent(20)               ? random.Between(-10'000'000, 10'000'000)
                                                           : 0;
  const Int128 unit = type.kind == TypeKind::Timestamp
                          ? random.Pick<Int128>({1, 1'000'000, kMicrosecondsPerDay})
                          : 1;
  const Int128 spread = unit * random.Pick<Int128>({0, 1, 3, 10, 100, 2'500, 1'000'000});
  profile.lowest = std::clamp(middle - spread, Lowest(type), Highest(type));
  profile.highest = std::clamp(middle + spread, Lowest(type), Highest(type));
  if (extreme && random.Percent(50)) {
    profile.lowest = Lowest(type);
    profile.highest = Highest(type);
  }
  return profile;
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

Cell DataGenerator::DrawValue(Random& random, const Type& type, const Profile& profile) {
  Cell cell;
  const bool extreme = random.Percent(profile.extreme_percent);
  if (type.IsVarchar()) {
    cell.text = random.Pick(profile.words);
  } else if (type.IsFloat()) {
    cell.real = extreme             ? ExtremeReal(random, type)
                : profile.few_reals ? static_cast<double>(random.Between(-400, 400)) / 4
                                    : (random.Unit() - 0.5) * 2e6;
    if (type.kind == TypeKind::Float32) {
      cell.real = static_cast<float>(cell.real);
    }
  } else {
    cell.integer =
        extreme ? ExtremeInteger(random, type) : random.Between(profile.lowest, profile.highest);
  }
  return cell;
}

Rows DataGenerator::DrawRows(Random& random, size_t count) const {
  Rows rows;
  rows.count = count;
  for (size_t i = 0; i < table_.columns.size(); i++) {
    const Type& type = table_.columns[i].type;
    std::vector<Cell>& cells = rows.columns.emplace_back();
    cells.reserve(count);
    for (size_t row = 0; row < count; row++) {
      cells.push_back(DrawValue(random, type, profiles_[i]));
    }
    if (profiles_[i].ascending) {
      std::sort(cells.begin(), cells.end(), [](const Cell& left, const Cell& right) {
        // NaN must not spoil the order that sort needs.
        const auto place = [](double real) { return std::isnan(real) ? INFINITY : real; };
        return std::tuple(left.integer, place(left.real), left.text) <
               std::tuple(right.integer, place(right.real), right.text);
      });
    }
    for (Cell& cell : cells) {
      if (random.Percent(profiles_[i].null_percent)) {
        cell = Cell{};
        cell.is_null = true;
      }
    }
  }
  return rows;
}

void DataGenerator::DrawLiteral(Random& random, LiteralSlot& slot) const {
  if (slot.cell.is_null) {
    return;
  }
  Profile general;
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
  const bool like_column = slot.column && table_.columns[*slot.column].type == slot.type;
  const Profile& profile = like_column && !random.Percent(15) ? profiles_[*slot.column] : general;
  slot.cell = DrawValue(random, slot.type, profile);
  if (slot.role == LiteralRole::Pattern) {
    slot.cell.text = DrawPattern(random, slot.cell.text);
  } else if (slot.role == LiteralRole::Prefix) {
    slot.cell.text = DrawPrefix(random, slot.cell.text);
  }
}

}  // namespace margay::fuzz
