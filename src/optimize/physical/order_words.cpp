#include "optimize/physical/order_words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "optimize/unsupported.hpp"
#include "optimize/value/dictionary_builder.hpp"
#include "optimize/value/text_builder.hpp"

namespace margay::optimize {

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
Value BuildKey(ValueBuilder& builder, const plan::ExpressionPointer& expression) {
  if (expression->GetOperation() != plan::Operation::Dictionary || expression->GetType().IsFloat())
    return builder.Build(expression);
  return builder.Collect(
      [&] { return DictionaryBuilder(builder).BuildIdentifier(*expression).identifier; });
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

OrderWords::OrderWords(const std::vector<plan::OrderKey>& keys, ValueBuilder& builder) {
  size_t bits = 0;
  for (const plan::OrderKey& order_key : keys) {
    const Value value = BuildKey(builder, order_key.expression);
    const Key& key = keys_.emplace_back(KeyOf(order_key, value, builder));
    AddFields(key, value, builder);
    bits += key.bits + (key.can_be_null ? 1 : 0);
    if (!key.is_long)
      continue;
    Value padding;
    padding.node = builder.Graph().Literal(0, Machine::Int64);
    fields_.push_back({BitsToWord(bits), padding});
    bits += BitsToWord(bits);
    long_texts_.push_back({bits / kWordBits, order_key.expression, order_key.is_descending});
  }
  count_ = bits / kWordBits + 1;
}

bool OrderWords::CanFault() const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [](const Field& field) { return field.value.CanFault(); });
}

OrderWords::Key OrderWords::KeyOf(const plan::OrderKey& order_key, const Value& value,
                                  ValueBuilder& builder) {
  const std::vector<InputColumn>& columns = builder.Context().columns;
  Key key;
  key.key = order_key;
  key.can_be_null = value.CanBeNull();
  key.is_float = order_key.expression->GetType().IsFloat();
  key.range = value.range;
  const std::optional<InputColumn> text = FindTextColumn(*order_key.expression, columns);
  if (text) {
    key.range = {0, LongestText(*text), true};
    key.is_long = key.range.high > kMostTextBytes;
  }
  if (key.is_long)
    key.bits = WordsFor(kLongTextBytes) * kWordBits;
  else if (text)
    key.bits = WordsFor(key.range.high) * kWordBits + BitsFor(key.range);
  else
    key.bits = key.is_float ? kWordBits : BitsFor(key.range);
  if (order_key.expression->GetOperation() != plan::Operation::Column)
    return key;
  const InputColumn& column = columns[order_key.expression->ColumnIndex()];
  if (column.table == builder.Context().table && !column.IsText())
    key.form = column.form;
  return key;
}

void OrderWords::AddField(unsigned bits, const Node* number, const Node* null, NodeGraph& graph) {
  Value field;
  field.node =
      null == nullptr ? number : graph.Select(null, graph.Literal(0, Machine::Int64), number);
  fields_.push_back({bits, field});
}

void OrderWords::AddTextFields(const Key& key, const InputColumn& column, const Value& value,
                               ValueBuilder& builder) {
  NodeGraph& graph = builder.Graph();
  const Node* text = builder.TextOf(column);
  const auto add = [&](unsigned bits, const Node* number) {
    AddField(bits, number, value.null, graph);
  };
  const unsigned words = WordsFor(key.is_long ? kLongTextBytes : key.range.high);
  for (unsigned word = 0; word < words; word++) {
    const Node* bytes = graph.Call(Machine::Int64, "text_order_word",
                                   {text, graph.Literal(word * kWordBytes, Machine::Int32)});
    add(kWordBits, key.key.is_descending ? graph.Call(Machine::Int64, "~", {bytes}) : bytes);
  }
  if (key.is_long)
    return;
  const Node* bytes = graph.Call(Machine::Int64, "text_bytes", {text});
  if (key.key.is_descending)
    bytes = graph.Wrapping("-", builder.Integer(key.range.high, Machine::Int64), bytes);
  add(BitsFor(key.range), bytes);
}

void OrderWords::AddFields(const Key& key, const Value& value, ValueBuilder& builder) {
  NodeGraph& graph = builder.Graph();
  const size_t first = fields_.size();
  const auto add = [&](unsigned bits, const Node* number) {
    AddField(bits, number, value.null, graph);
  };
  if (key.can_be_null) {
    Value null;
    null.node =
        graph.Convert(key.key.nulls_first ? graph.Not(value.null) : value.null, Machine::Int64);
    fields_.push_back({1, null});
  }
  const std::optional<InputColumn> text =
      FindTextColumn(*key.key.expression, builder.Context().columns);
  if (text && key.bits != 0) {
    AddTextFields(key, *text, value, builder);
  } else if (key.is_float) {
    const Node* distance = graph.Infix(Machine::Int64, "^", builder.AsOrdered(value).node,
                                       graph.Literal(INT64_MIN, Machine::Int64));
    add(kWordBits, key.key.is_descending ? graph.Call(Machine::Int64, "~", {distance}) : distance);
  } else if (key.bits != 0) {
    const Machine machine = value.GetMachine() == Machine::Wide ? Machine::Wide : Machine::Int64;
    const Node* end =
        builder.Integer(key.key.is_descending ? key.range.high : key.range.low, machine);
    const Node *from = builder.Convert(value, machine), *to = end;
    if (key.key.is_descending)
      std::swap(from, to);
    if (machine == Machine::Int64) {
      add(key.bits, graph.Wrapping("-", from, to));
    } else {
      const Node* distance = graph.Call(Machine::Wide, "wide_subtract", {from, to});
      if (key.bits > kWordBits)
        add(key.bits - kWordBits, graph.Member(distance, "high"));
      add(std::min(key.bits, kWordBits), graph.Member(distance, "low"));
    }
  }
  // What a key raises, its first field does; one without bits has a field of none.
  if (fields_.size() == first && value.CanFault()) {
    Value none;
    none.node = graph.Literal(0, Machine::Int64);
    fields_.push_back({0, none});
  }
  if (fields_.size() > first)
    fields_[first].value.faults = value.faults;
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

}  // namespace margay::optimize
