#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace margay::compile {

//! What an argument of a kernel is. The declaration in the source, and the host that sets it, both
//! know it by this and by its numbers.
enum class ArgumentKind : uint8_t {
  // Of every kernel.
  Parameters,  //!< numbers: see optimize::Parameters
  Lookups,     //!< tables: see there
  Segments,    //!< the work list: per live segment kSegmentHeaderWords words (its place in the
               //!< extent, its rows, the number of the first of them in the table), then one base
               //!< per column that is scanned
  Units,       //!< uint: how many units of work there are
  Faults,      //!< two ints: the first gets kFaultBit where a value left its type's range and
               //!< kFullBit where a table has no room for a group or an entry, and kUnfinishedBit
               //!< where it must be launched again for the same units; the second counts the groups
               //!< that came into such a table
  Resume,      //!< if resumable, uints per unit and work-item, 0 at first: where its next launch
               //!< goes on; where joins multiply the rows of a result also how many rows the row
               //!< there has given

  // Of column `number`, extent `second`.
  Column,
  Validity,  //!< only where the column has NULLs
  Ends,      //!< where its values are rows of a text column: that column
  Text,      //!< bytes
  Strings,   //!< of its dictionary (storage::PackStrings)

  // Of join table `number`: see optimize::JoinTable.
  Heads,
  Bits,
  Counts,
  Nexts,
  Links,     //!< of table `second`
  LastSlot,  //!< ulong, of a hash table

  // Of the join table that is filled.
  KeyRange,       //!< two longs: the least and the greatest ranged key
  Entries,        //!< uint, of a numbered table: entries so far
  EntryCapacity,  //!< uint, of a numbered table: most entries

  // Of aggregates with a table per work-group, or a few that all share: see
  // optimize::AggregateLayout.
  Partials,
  PartialTables,  //!< uint: how many there are, where they are shared

  // Of the one table of many groups: see GroupTableWriter.
  GroupTable,
  GroupSlots,     //!< ulong
  GroupCodes,     //!< if hashed
  IsSecondPass,   //!< int
  Interned,       //!< of text key `number`: see InternedText
  InternedMask,   //!< ulong
  GroupFaults,    //!< int: becomes 1 where a value left its type's range
  GroupCount,     //!< uint: becomes the number of groups that are wanted
  GroupCapacity,  //!< uint: groups beyond are counted, but not packed

  // Of rows.
  Bound,      //!< ulong per word of the order: rows whose words are not below are left out
  RowCounts,  //!< uint per unit: rows produced
  Values,     //!< of output `number`: unit u writes from row u * unit_rows on
  Nulls,      //!< the same: 1 byte per row, or 1 bit, 0 = NULL
};

//! An argument.
struct Argument {
  ArgumentKind kind = ArgumentKind::Parameters;
  size_t number = 0;
  size_t second = 0;

  bool operator==(const Argument&) const = default;
  bool operator<(const Argument& other) const {
    return std::tie(kind, number, second) < std::tie(other.kind, other.number, other.second);
  }

  //! Its name in the source.
  std::string Name() const;
};

//! The arguments of a kernel, in their order: declared once, bound by name.
class ArgumentList {
 public:
  //! Adds an argument of a kind that has one type. Each is added once.
  void Add(const Argument& argument);
  //! Adds one of `type`, like "__global const uint* restrict".
  void Add(const Argument& argument, const std::string& type);

  size_t Size() const { return arguments_.size(); }
  bool Has(const Argument& argument) const { return places_.count(argument) != 0; }
  //! The place of `argument`. Throws std::logic_error where there is none.
  uint32_t PlaceOf(const Argument& argument) const;
  //! Declarations for the source.
  std::vector<std::string> Declarations() const;
  const std::vector<Argument>& All() const { return arguments_; }

 private:
  std::vector<Argument> arguments_;
  std::vector<std::string> types_;
  std::map<Argument, uint32_t> places_;
};

}  // namespace margay::compile
