#include "compile/sink/packed_table.hpp"

#include <algorithm>

#include "compile/expression_writer.hpp"

namespace margay::compile {

namespace {

int BitsOf(UInt128 value) {
  int bits = 0;
  for (; value != 0; value >>= 1)
    bits++;
  return bits;
}

std::string Shifted(const std::string& code, int shift) {
  return shift == 0 ? code : "(" + code + " << " + std::to_string(shift) + ")";
}

}  // namespace

PackedTable::PackedTable(const AggregateLayout& layout, uint64_t rows) : layout_(layout) {
  first_words_.resize(layout.accumulators.size(), 0);
  is_packed_.resize(layout.accumulators.size(), false);
  std::vector<Field> candidates;
  for (size_t i = 0; i < layout.accumulators.size(); i++) {
    const Accumulator& accumulator = layout.accumulators[i];
    Field field;
    field.accumulator = i;
    field.bits = 65;
    if (accumulator.fold == Fold::Count) {
      field.bits = BitsOf(rows);
    } else if (accumulator.fold == Fold::Sum64) {
      const optimize::Range& range = layout.arguments[accumulator.argument].value.range;
      field.is_signed = range.low < 0;
      const Int128 largest = range.Magnitude();
      if (largest <= kInt128Max / static_cast<Int128>(rows)) {
        field.bits = BitsOf(static_cast<UInt128>(largest) * rows) + (field.is_signed ? 1 : 0);
      }
    }
    is_packed_[i] = field.bits <= 64;
    if (is_packed_[i])
      candidates.push_back(field);
  }
  // Unsigned fields first, the wide ones before the narrow: a signed field closes its word and so
  // looks for the fullest one that still has room.
  std::stable_sort(candidates.begin(), candidates.end(), [](const Field& a, const Field& b) {
    return a.is_signed != b.is_signed ? b.is_signed : a.bits > b.bits;
  });
  for (const Field& field : candidates)
    Place(field);
  shared_words_ = words_.size();
  for (size_t i = 0; i < layout.accumulators.size(); i++) {
    if (is_packed_[i])
      continue;
    first_words_[i] = words_.size();
    for (int64_t initial : optimize::InitialWords(layout.accumulators[i].fold)) {
      words_.push_back({64, true, initial});
    }
  }
}

void PackedTable::Place(Field field) {
  size_t best = words_.size();
  for (size_t i = 0; i < words_.size(); i++) {
    if (words_[i].is_closed || words_[i].used_bits + field.bits > 64)
      continue;
    if (best == words_.size() || words_[i].used_bits > words_[best].used_bits)
      best = i;
  }
  if (best == words_.size())
    words_.push_back({});
  field.word = best;
  field.shift = words_[best].used_bits;
  words_[best].used_bits += field.bits;
  words_[best].is_closed = field.is_signed;
  fields_.push_back(field);
}

std::vector<int64_t> PackedTable::InitialWords() const {
  std::vector<int64_t> initial;
  for (const Word& word : words_)
    initial.push_back(word.initial);
  return initial;
}

std::vector<std::string> PackedTable::SharedSums(const std::vector<WrittenValue>& values,
                                                 const Dialect& dialect) const {
  std::vector<std::string> sums(shared_words_);
  for (const Field& field : fields_) {
    const Accumulator& accumulator = layout_.accumulators[field.accumulator];
    std::string code = dialect.Constant("1L", Machine::Int64);
    if (accumulator.has_argument) {
      const WrittenValue& value = values[accumulator.argument];
      if (accumulator.fold == Fold::Sum64)
        code = dialect.Convert(value, Machine::Int64);
      if (value.CanBeNull()) {
        code = "(" +
               dialect.Choose(value.null, dialect.Constant("0L", Machine::Int64), code,
                              Machine::Int64) +
               ")";
      }
    }
    std::string& sum = sums[field.word];
    sum += (sum.empty() ? "" : " + ") + Shifted(code, field.shift);
  }
  return sums;
}

std::vector<std::string> PackedTable::FoldCode(const std::vector<WrittenValue>& values,
                                               const std::vector<std::string>& words) const {
  const std::vector<std::string> sums = SharedSums(values, Dialect::Row());
  std::vector<std::string> lines;
  for (size_t word = 0; word < sums.size(); word++)
    lines.push_back(words[word] + " += " + sums[word] + ";");
  for (const std::string& line : FoldOthers(values, words))
    lines.push_back(line);
  return lines;
}

std::vector<std::string> PackedTable::FoldOthers(const std::vector<WrittenValue>& values,
                                                 const std::vector<std::string>& words) const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < layout_.accumulators.size(); i++) {
    if (is_packed_[i])
      continue;
    const Accumulator& accumulator = layout_.accumulators[i];
    const WrittenValue& value = values[accumulator.argument];
    if (value.CanBeNull())
      lines.push_back("if (!" + value.null + ") {");
    for (const std::string& line : compile::FoldCode(accumulator, Unpack(i, words), value)) {
      lines.push_back(line);
    }
    if (value.CanBeNull())
      lines.push_back("}");
  }
  return lines;
}

std::vector<std::string> PackedTable::Unpack(size_t accumulator,
                                             const std::vector<std::string>& words) const {
  if (!is_packed_[accumulator]) {
    const size_t first = first_words_[accumulator];
    const size_t count = layout_.accumulators[accumulator].Words();
    return {words.begin() + static_cast<ptrdiff_t>(first),
            words.begin() + static_cast<ptrdiff_t>(first + count)};
  }
  const Field& field = *std::find_if(fields_.begin(), fields_.end(), [&](const Field& candidate) {
    return candidate.accumulator == accumulator;
  });
  const std::string& word = words[field.word];
  if (field.is_signed)
    return {"(" + word + " >> " + std::to_string(field.shift) + ")"};
  if (field.bits == 64)
    return {word};
  const uint64_t mask = (uint64_t{1} << field.bits) - 1;
  return {"(long)((ulong)" + word + " >> " + std::to_string(field.shift) + " & " +
          std::to_string(mask) + "UL)"};
}

}  // namespace margay::compile
