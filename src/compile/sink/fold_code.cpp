#include "compile/sink/fold_code.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "compile/expression_writer.hpp"

namespace margay::compile {

namespace {

std::string WideOf(const std::vector<std::string>& words) {
  return "wide_make((ulong)" + words[0] + ", " + words[1] + ")";
}

std::vector<std::string> StoreWide(const std::vector<std::string>& into, const std::string& name) {
  return {into[0] + " = (long)" + name + ".low;", into[1] + " = " + name + ".high;"};
}

std::vector<std::string> InBraces(std::vector<std::string> lines) {
  lines.insert(lines.begin(), "{");
  lines.push_back("}");
  return lines;
}

//! Folds the integer `code`, of the accumulator's own width, into `into`.
std::vector<std::string> FoldWords(Fold fold, bool is_checked, const std::vector<std::string>& into,
                                   const std::string& code) {
  switch (fold) {
    case Fold::Count:
    case Fold::Sum64:
      return {into[0] + " += " + code + ";"};
    case Fold::SumFloat:
      return {into[0] + " = as_long(as_double(" + into[0] + ") + " + code + ");"};
    case Fold::Min64:
      return {into[0] + " = min(" + into[0] + ", " + code + ");"};
    case Fold::Max64:
      return {into[0] + " = max(" + into[0] + ", " + code + ");"};
    case Fold::Sum128: {
      std::vector<std::string> lines{
          is_checked
              ? "const wide sum = wide_add_checked(" + WideOf(into) + ", " + code + ", &fault);"
              : "const wide sum = wide_add(" + WideOf(into) + ", " + code + ");"};
      for (const std::string& line : StoreWide(into, "sum"))
        lines.push_back(line);
      return InBraces(lines);
    }
    case Fold::MinWide:
    case Fold::MaxWide: {
      std::vector<std::string> lines{
          "const wide held = " + WideOf(into) + ";", "const wide next = " + code + ";",
          std::string("const wide kept = wide_less(") +
              (fold == Fold::MinWide ? "next, held" : "held, next") + ") ? next : held;"};
      for (const std::string& line : StoreWide(into, "kept"))
        lines.push_back(line);
      return InBraces(lines);
    }
    case Fold::MinText:
    case Fold::MaxText:
      break;
  }
  throw std::logic_error("FoldWords: text is folded by a TextExtreme");
}

}  // namespace

std::vector<std::string> CombineCode(Fold fold, const std::vector<std::string>& into,
                                     const std::vector<std::string>& from) {
  if (fold == Fold::SumFloat)
    return FoldWords(fold, false, into, "as_double(" + from[0] + ")");
  if (from.size() == 1)
    return FoldWords(fold, false, into, from[0]);
  return FoldWords(fold, fold == Fold::Sum128, into, WideOf(from));
}

namespace {

//! What `value` contributes, of the accumulator's own width.
std::string ContributionOf(const Accumulator& accumulator, const WrittenValue& value) {
  const bool is_float = value.machine == Machine::Float32 || value.machine == Machine::Float64;
  switch (accumulator.fold) {
    case Fold::Count:
      return "1";
    case Fold::SumFloat:
      return "(double)" + value.code;
    case Fold::Min64:
    case Fold::Max64:
      if (is_float) {
        return std::string(accumulator.fold == Fold::Min64 ? "double_to_ordered"
                                                           : "double_to_ordered_up") +
               "((double)" + value.code + ")";
      }
      return Dialect::Row().Convert(value, Machine::Int64);
    case Fold::Sum64:
      return Dialect::Row().Convert(value, Machine::Int64);
    default:
      return Dialect::Row().Convert(value, Machine::Wide);
  }
}

}  // namespace

std::vector<std::string> FoldCode(const Accumulator& accumulator,
                                  const std::vector<std::string>& into, const WrittenValue& value) {
  return FoldWords(accumulator.fold, accumulator.is_checked, into,
                   ContributionOf(accumulator, value));
}

namespace {

//! Folds `code`, of the accumulator's own width, into words that others update at once.
std::string AtomicFoldWords(Fold fold, const std::string& into, const std::string& code) {
  const std::string arguments = "(" + into + ", " + code;
  switch (fold) {
    case Fold::Count:
    case Fold::Sum64:
      return "atomic_add_long" + arguments + ");";
    case Fold::SumFloat:
      return "atomic_add_double" + arguments + ");";
    case Fold::Min64:
      return "atomic_min_long" + arguments + ");";
    case Fold::Max64:
      return "atomic_max_long" + arguments + ");";
    case Fold::Sum128:
      return "atomic_add_wide" + arguments + ", &fault);";
    case Fold::MinWide:
    case Fold::MaxWide:
    case Fold::MinText:
    case Fold::MaxText:
      break;
  }
  throw std::logic_error("AtomicFoldWords: no fold of one word of a number");
}

}  // namespace

std::string AtomicFoldCode(const Accumulator& accumulator, const std::string& into,
                           const WrittenValue& value) {
  return AtomicFoldWords(accumulator.fold, into, ContributionOf(accumulator, value));
}

std::string AtomicCombineCode(Fold fold, const std::string& into,
                              const std::vector<std::string>& from) {
  if (NeedsTwoPasses(fold)) {
    return AtomicFoldWords(fold == Fold::MinWide ? Fold::Min64 : Fold::Max64, into + " + 1",
                           from[1]);
  }
  if (fold == Fold::SumFloat)
    return AtomicFoldWords(fold, into, "as_double(" + from[0] + ")");
  return AtomicFoldWords(fold, into, from.size() == 1 ? from[0] : WideOf(from));
}

std::string AtomicLowCode(Fold fold, const std::string& into,
                          const std::vector<std::string>& from) {
  return std::string(fold == Fold::MinWide ? "atomic_min_low(" : "atomic_max_low(") + into + ", " +
         WideOf(from) + ");";
}

}  // namespace margay::compile
