#include "compile/order_words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compile/dictionary_writer.hpp"
#include "compile/refusal.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

namespace {

constexpr unsigned kWordBits = 64;
constexpr unsigned kWordBytes = kWordBits / 8;

//! Texts that can have more bytes are long: each 8 bytes are a word of every row.
constexpr Int128 kMostTextBytes = 128;

//! Of a long text, in the words: most texts differ in them, and each word more is one more to sort
//! by.
constexpr Int128 kLongTextBytes = 32;

//! Words that hold text of up to `bytes` bytes.
unsigned WordsFor(Int128 bytes) {
  return static_cast<unsigned>((bytes + kWordBytes - 1) / kWordBytes);
}

//! From `bits` to the next multiple of those of a word.
unsigned BitsToWord(size_t bits) {
  return static_cast<unsigned>((kWordBits - bits % kWordBits) % kWordBits);
}

//! Strings are ordered by their codes, what is computed of them by the places of the results.
Value WriteKey(ExpressionWriter& writer, const plan::ExpressionPointer& expression) {
  if (expression->GetOperation() == plan::Operation::Dictionary && !expression->GetType().IsFloat())
    return DictionaryWriter(writer).WriteIdentifier(*expression).identifier;
  return writer.Write(expression);
}

//! Bits that hold all distances from an end of `range`.
unsigned BitsFor(const Range& range) {
  using Unsigned128 = unsigned __int128;
  const Unsigned128 span =
      static_cast<Unsigned128>(range.high) - static_cast<Unsigned128>(range.low);
  const auto high = static_cast<uint64_t>(span >> kWordBits);
  return static_cast<unsigned>(high != 0 ? kWordBits + std::bit_width(high)
                                         : std::bit_width(static_cast<uint64_t>(span)));
}

//! What generated code makes of a double: the lowest comes first, NaNs last, and zeros are equal.
uint64_t DistanceOf(double value) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  const double canonical = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
                           : value == 0      ? 0.0
                                             : value;
  const auto bits = std::bit_cast<uint64_t>(canonical);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

OrderWords::OrderWords(const std::vector<plan::OrderKey>& keys, KernelContext scratch) {
  CodeBlock block;
  const DirectReader reader;  // of code that is thrown away
  ExpressionWriter writer(scratch, reader, block);
  size_t bits = 0;
  for (const plan::OrderKey& order_key : keys) {
    const Value value = WriteKey(writer, order_key.expression);
    Key& key = keys_.emplace_back();
    key.key = order_key;
    key.can_be_null = value.CanBeNull();
    key.is_float = order_key.expression->GetType().IsFloat();
    key.range = value.range;
    const std::optional<InputColumn> text = FindTextColumn(*order_key.expression, scratch.columns);
    if (text) {
      key.range = {0, TextWriter::LongestText(*text), true};
      key.is_long = key.range.high > kMostTextBytes;
    }
    if (key.is_long)
      key.bits = WordsFor(kLongTextBytes) * kWordBits;
    else if (text)
      key.bits = WordsFor(key.range.high) * kWordBits + BitsFor(key.range);
    else
      key.bits = key.is_float ? kWordBits : BitsFor(key.range);
    bits += key.bits + (key.can_be_null ? 1 : 0);
    if (key.is_long) {
      bits += BitsToWord(bits);
      long_texts_.push_back({bits / kWordBits, order_key.expression, order_key.is_descending});
    }
    if (order_key.expression->GetOperation() != plan::Operation::Column)
      continue;
    const InputColumn& column = scratch.columns[order_key.expression->ColumnIndex()];
    if (column.table == scratch.table && !column.IsText())
      key.form = column.form;
  }
  count_ = bits / kWordBits + 1;
}

void OrderWords::AddTextFields(ExpressionWriter& writer, const Key& key, const InputColumn& column,
                               const Value& value, std::vector<Field>& fields) {
  const std::string text = TextWriter(writer).WriteBytes(column);
  const std::string is_counted = key.can_be_null ? value.null + " ? 0UL : " : "";
  const std::string sign = key.key.is_descending ? "~" : "";
  const unsigned words = WordsFor(key.is_long ? kLongTextBytes : key.range.high);
  for (unsigned word = 0; word < words; word++) {
    fields.push_back({kWordBits, "(" + is_counted + sign + "text_order_word(" + text + ", " +
                                     std::to_string(word * kWordBytes) + "u))"});
  }
  if (key.is_long)
    return;
  const TextWriter::Bounds bounds = TextWriter(writer).WriteBounds(column);
  const std::string bytes = "(ulong)(" + bounds.end + " - " + bounds.begin + ")";
  const std::string longest =
      "(ulong)" + writer.context_.parameters.AddInteger(key.range.high, Machine::Int64);
  const std::string distance = key.key.is_descending ? longest + " - " + bytes : bytes;
  fields.push_back({BitsFor(key.range), "(" + is_counted + distance + ")"});
}

void OrderWords::AddFields(ExpressionWriter& writer, const Key& key,
                           std::vector<Field>& fields) const {
  const Value value = WriteKey(writer, key.key.expression);
  const auto where_valid = [&](const std::string& code) {
    return key.can_be_null ? "(" + value.null + " ? 0UL : " + code + ")" : code;
  };
  if (key.can_be_null)
    fields.push_back({1, std::string("(ulong)") + (key.key.nulls_first ? "!" : "") + value.null});
  if (key.bits == 0)
    return;
  if (const std::optional<InputColumn> text =
          FindTextColumn(*key.key.expression, writer.context_.columns)) {
    AddTextFields(writer, key, *text, value, fields);
    return;
  }
  if (key.is_float) {
    const std::string distance = "((ulong)double_to_ordered(" + value.code +
                                 " == 0 ? 0.0 : (double)" + value.code +
                                 ") ^ 0x8000000000000000UL)";
    fields.push_back({kWordBits, where_valid((key.key.is_descending ? "~" : "") + distance)});
    return;
  }
  const Machine machine = value.machine == Machine::Wide ? Machine::Wide : Machine::Int64;
  const std::string end = writer.context_.parameters.AddInteger(
      key.key.is_descending ? key.range.high : key.range.low, machine);
  std::string from = writer.Convert(value, machine), to = end;
  if (key.key.is_descending)
    std::swap(from, to);
  if (machine == Machine::Int64) {
    fields.push_back({key.bits, where_valid("((ulong)" + from + " - (ulong)" + to + ")")});
    return;
  }
  const std::string distance =
      writer.Declare(Machine::Wide, "wide_subtract(" + from + ", " + to + ")");
  if (key.bits > kWordBits)
    fields.push_back({key.bits - kWordBits, where_valid("(ulong)" + distance + ".high")});
  fields.push_back({std::min(key.bits, kWordBits), where_valid(distance + ".low")});
}

std::vector<std::string> OrderWords::Write(ExpressionWriter& writer) const {
  std::vector<Field> fields;
  for (const Key& key : keys_) {
    AddFields(writer, key, fields);
    if (!key.is_long)
      continue;
    size_t bits = 0;
    for (const Field& field : fields)
      bits += field.bits;
    fields.push_back({BitsToWord(bits), "0UL"});
  }
  const auto declare = [&](const std::string& code) {
    const std::string name = "v" + std::to_string(writer.context_.variables++);
    writer.block_.Line("const ulong " + name + " = " + code + ";");
    return name;
  };
  std::vector<std::string> words(count_);
  const auto add = [&](size_t word, const std::string& code) {
    words[word] += (words[word].empty() ? "" : " | ") + code;
  };
  size_t position = 0;
  for (const Field& field : fields) {
    if (field.bits == 0)
      continue;
    const std::string name = declare(field.code);
    const size_t word = position / kWordBits;
    const auto room = static_cast<unsigned>(kWordBits - position % kWordBits);
    if (field.bits <= room) {
      add(word, name + " << " + std::to_string(room - field.bits));
    } else {
      add(word, name + " >> " + std::to_string(field.bits - room));
      add(word + 1, name + " << " + std::to_string(kWordBits - (field.bits - room)));
    }
    position += field.bits;
  }
  for (std::string& word : words)
    word = declare(word.empty() ? "0UL" : word);
  return words;
}

std::string OrderWords::IsBelowBound(const std::vector<std::string>& words) {
  std::string code;
  for (size_t i = words.size(); i-- > 0;) {
    const std::string bound = "bound[" + std::to_string(i) + "]";
    const std::string below = "(" + words[i] + " < " + bound + ")";
    code = code.empty() ? below
                        : "(" + below + " | ((" + words[i] + " == " + bound + ") & " + code + "))";
  }
  return code;
}

uint64_t OrderWords::LowestDistance(const Key& key, const storage::SegmentStatistics& statistics) {
  if (!key.is_float) {
    return static_cast<uint64_t>(key.key.is_descending ? key.range.high - statistics.max
                                                       : statistics.min - key.range.low);
  }
  const bool has_numbers = statistics.real_min <= statistics.real_max;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return key.key.is_descending ? ~DistanceOf(statistics.has_nan ? nan : statistics.real_max)
                               : DistanceOf(has_numbers ? statistics.real_min : nan);
}

uint64_t OrderWords::LowestFirstWord(size_t segment) const {
  if (keys_.empty() || !keys_[0].form || keys_[0].bits > kWordBits ||
      segment >= keys_[0].form->Segments().size())
    return 0;
  const Key& key = keys_[0];
  const storage::SegmentStatistics& statistics = key.form->Segments()[segment];
  const bool has_nulls = statistics.nulls > 0;
  if ((has_nulls && key.key.nulls_first) || (!has_nulls && !statistics.HasValues()))
    return 0;
  // Rows of NULL alone come last here; what is left is the lowest value, behind the bit for NULL.
  const uint64_t distance = statistics.HasValues() ? LowestDistance(key, statistics) : 0;
  uint64_t word = key.bits == 0 ? 0 : distance << (kWordBits - key.bits);
  if (key.can_be_null) {
    const bool is_set = key.key.nulls_first || !statistics.HasValues();
    word = word >> 1 | uint64_t{is_set} << (kWordBits - 1);
  }
  return word;
}

}  // namespace margay::compile
