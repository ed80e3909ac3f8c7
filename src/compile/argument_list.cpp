#include "compile/argument_list.hpp"

#include <stdexcept>

namespace margay::compile {

namespace {

//! The name of all arguments of a kind, without their numbers, and their type where they have one.
struct KindOfArgument {
  const char* name;
  const char* type = nullptr;
};

KindOfArgument Describe(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::Parameters:
      return {"parameters", "__global const long* restrict"};
    case ArgumentKind::Lookups:
      return {"lookups", "__global const uchar* restrict"};
    case ArgumentKind::Segments:
      return {"segments", "__global const long* restrict"};
    case ArgumentKind::Units:
      return {"units", "const uint"};
    case ArgumentKind::Faults:
      return {"faults", "__global int* restrict"};
    case ArgumentKind::Resume:
      return {"resume", "__global uint* restrict"};
    case ArgumentKind::Column:
      return {"column"};
    case ArgumentKind::Validity:
      return {"validity", "__global const uchar* restrict"};
    case ArgumentKind::Ends:
      return {"ends", "__global const uint* restrict"};
    case ArgumentKind::Text:
      return {"text", "__global const uchar* restrict"};
    case ArgumentKind::Strings:
      return {"strings", "__global const uchar* restrict"};
    case ArgumentKind::Heads:
      return {"heads"};
    case ArgumentKind::Bits:
      return {"bits"};
    case ArgumentKind::Counts:
      return {"counts"};
    case ArgumentKind::Nexts:
      return {"nexts"};
    case ArgumentKind::Links:
      return {"links"};
    case ArgumentKind::LastSlot:
      return {"last_slot", "const ulong"};
    case ArgumentKind::KeyRange:
      return {"key_range", "volatile __global long*"};
    case ArgumentKind::Entries:
      return {"entries", "volatile __global uint*"};
    case ArgumentKind::EntryCapacity:
      return {"capacity", "const uint"};
    case ArgumentKind::Partials:
      return {"partials"};
    case ArgumentKind::PartialTables:
      return {"tables", "const uint"};
    case ArgumentKind::GroupTable:
      return {"group_table"};
    case ArgumentKind::GroupSlots:
      return {"slots", "const ulong"};
    case ArgumentKind::GroupCodes:
      return {"group_codes"};
    case ArgumentKind::IsSecondPass:
      return {"is_second", "const int"};
    case ArgumentKind::Interned:
      return {"interned", "volatile __global uint*"};
    case ArgumentKind::InternedMask:
      return {"interned_mask", "const ulong"};
    case ArgumentKind::GroupFaults:
      return {"faults", "__global int* restrict"};
    case ArgumentKind::GroupCount:
      return {"count", "volatile __global uint*"};
    case ArgumentKind::GroupCapacity:
      return {"capacity", "const uint"};
    case ArgumentKind::Bound:
      return {"bound", "__global const ulong* restrict"};
    case ArgumentKind::RowCounts:
      return {"counts", "__global uint* restrict"};
    case ArgumentKind::Values:
      return {"values"};
    case ArgumentKind::Nulls:
      return {"nulls"};
  }
  throw std::logic_error("Argument: unknown kind");
}

//! Whether there may be several arguments of a kind, told apart by `number`.
bool IsNumbered(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::Column:
    case ArgumentKind::Validity:
    case ArgumentKind::Ends:
    case ArgumentKind::Text:
    case ArgumentKind::Strings:
    case ArgumentKind::Heads:
    case ArgumentKind::Bits:
    case ArgumentKind::Counts:
    case ArgumentKind::Nexts:
    case ArgumentKind::Links:
    case ArgumentKind::LastSlot:
    case ArgumentKind::Interned:
    case ArgumentKind::InternedMask:
    case ArgumentKind::Values:
    case ArgumentKind::Nulls:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string Argument::Name() const {
  std::string name = Describe(kind).name;
  if (IsNumbered(kind))
    name += std::to_string(number);
  // The first extent has no number.
  if (second != 0 || kind == ArgumentKind::Links)
    name += "_" + std::to_string(second);
  return name;
}

void ArgumentList::Add(const Argument& argument) {
  const char* type = Describe(argument.kind).type;
  if (type == nullptr)
    throw std::logic_error("ArgumentList: " + argument.Name() + " has no type of its own");
  Add(argument, type);
}

void ArgumentList::Add(const Argument& argument, const std::string& type) {
  if (!places_.emplace(argument, static_cast<uint32_t>(arguments_.size())).second)
    throw std::logic_error("ArgumentList: " + argument.Name() + " is there already");
  arguments_.push_back(argument);
  types_.push_back(type);
}

uint32_t ArgumentList::PlaceOf(const Argument& argument) const {
  const auto found = places_.find(argument);
  if (found == places_.end())
    throw std::logic_error("the kernel has no argument " + argument.Name());
  return found->second;
}

std::vector<std::string> ArgumentList::Declarations() const {
  std::vector<std::string> declarations;
  for (size_t i = 0; i < arguments_.size(); i++)
    declarations.push_back(types_[i] + " " + arguments_[i].Name());
  return declarations;
}

}  // namespace margay::compile
