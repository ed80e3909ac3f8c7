#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "optimize/value/machine.hpp"

namespace margay::optimize {

//! One step of what a kernel computes for a row, or for a group. Steps without a note give a value
//! of the node's machine type; flags are 1 or 0 (in vectors of rows -1 or 0: see compile::Dialect).
enum class NodeKind : uint8_t {
  // What there is of the row, or the group, at hand.
  Column,      //!< the value of column `number`, decoded
  ColumnNull,  //!< flag: column `number` is NULL
  Missing,     //!< flag: a left join has found no row of table `number`
  RowNumber,   //!< of the row of table `number`
  TextRow,     //!< of text column `number`: the row of its string in the column that holds the
               //!< bytes, or any row where it has none
  Interned,    //!< the number of text key `number` (see compile::InternedText)
  GroupWord,   //!< word `number` of the accumulators
  GroupIndex,  //!< word `number` of the group's index

  // What is the same for all rows.
  Parameter,  //!< parameter `number` (see Parameters)
  Literal,    //!< `integer`: follows from types and operations, never from data or constants
  Real,       //!< the same of a float, whose bits are `integer`
  Flag,       //!< `number`, 0 or 1
  Table,      //!< the address of the look-up table whose place is parameter `number`, of elements
              //!< of type `symbol`; an operand of calls

  // Computation. Both dialects have these, of integers.
  Convert,   //!< the operand in another machine integer that can hold it, or cut to it
  Wrapping,  //!< integers `symbol` (+ - *), modulo the machine's size
  Compare,   //!< flag: two integers of one machine `symbol` (< <= > >= == !=)
  And,       //!< flag: all operands are set
  Or,        //!< flag: any operand is set
  Not,       //!< flag
  Select,    //!< operand 1 where flag operand 0 is set, else operand 2
  Calendar,  //!< function `symbol` of kernels/calendar.cl; `number` is 1 for recent days only
  Sign,      //!< 1 where flag operand 0 is set, -1 where operand 1 is, else 0
  InRange,   //!< flag: 32 bits of operand 0 less operand 1 are below operand 2, unsigned

  // Only the row dialect has these.
  Infix,       //!< operand 0 `symbol` operand 1, as C has it
  Call,        //!< function `symbol` of the operands; a text is two arguments, address and bytes.
               //!< `number` is 1 for a search that can be made for a whole segment: see Like
  CallOutput,  //!< the same with the address of a second result behind them, whose machine type is
               //!< `number`: see Output
  Output,      //!< the second result of a CallOutput; before the call it is 0
  Member,      //!< field `symbol` of a Wide
  Element,     //!< entry operand 0 of a look-up table of elements of type `symbol`, at parameter
               //!< `number`; two of type ulong for a Wide
  Bit,         //!< flag: bit operand 0 of the look-up table at parameter `number` is set, and flag
               //!< operand 1 is

  // Text (machine type Text): an address, and where the string begins and ends behind it.
  TextColumn,    //!< the string of text column `number`
  TextConstant,  //!< the bytes at parameter `number`; operand 0 is their number
  TextSlice,     //!< the characters of operand 0 from place operand 1 on, before place operand 2
  TextTrim,      //!< operand 0 without characters of operand 1 at its begin or end, by the function
                 //!< `symbol`
  TextEntry,     //!< string operand 0, a code, of packed strings (storage::PackStrings): the column
                 //!< `number`'s dictionary, or, with three operands, the table operand 2; the bytes
                 //!< begin at operand 1
};

//! A step. Owned by its graph; equal ones of a graph are one.
struct Node {
  NodeKind kind = NodeKind::Flag;
  Machine machine = Machine::Int32;
  uint64_t number = 0;
  Int128 integer = 0;
  std::string symbol = {};
  std::vector<const Node*> operands = {};
  size_t id = 0;  //!< in the order in which the graph's nodes were made
};

//! The nodes of one kernel. What they compute depends on nothing else: neither on the data of a
//! column nor on constants, which are parameters. Nodes live as long as their graph. Not
//! thread-safe.
class NodeGraph {
 public:
  NodeGraph() = default;
  NodeGraph(const NodeGraph&) = delete;
  NodeGraph& operator=(const NodeGraph&) = delete;

  const Node* Column(size_t column, Machine machine);
  const Node* ColumnNull(size_t column);
  const Node* Missing(size_t table);
  const Node* RowNumber(size_t table, Machine machine);
  const Node* TextRow(size_t column);
  const Node* Interned(size_t text);
  const Node* GroupWord(size_t word);
  const Node* GroupIndex(size_t word);

  const Node* Parameter(size_t parameter, Machine machine);
  //! One that is a BOOLEAN: 0 or 1.
  const Node* FlagParameter(size_t parameter);
  const Node* Literal(Int128 value, Machine machine);
  const Node* Real(double value, Machine machine = Machine::Float64);
  const Node* Flag(bool is_set);
  const Node* Table(size_t parameter, const std::string& element);

  const Node* Convert(const Node* value, Machine machine);
  const Node* Wrapping(const std::string& symbol, const Node* a, const Node* b);
  const Node* Compare(const std::string& symbol, const Node* a, const Node* b);
  const Node* And(const Node* a, const Node* b);
  const Node* Or(const Node* a, const Node* b);
  const Node* Not(const Node* flag);
  const Node* Select(const Node* condition, const Node* yes, const Node* no);
  const Node* Calendar(const std::string& function, bool is_recent,
                       std::vector<const Node*> operands);
  const Node* Sign(const Node* is_above, const Node* is_below);
  const Node* InRange(const Node* value, const Node* low, const Node* count);

  const Node* Infix(Machine machine, const std::string& symbol, const Node* a, const Node* b);
  const Node* Call(Machine machine, const std::string& function, std::vector<const Node*> operands);
  //! A flag: a text is like the pattern in a table; `has_needle`: see kernels::LikePattern.
  const Node* Like(const Node* text, const Node* pattern, bool has_needle);
  const Node* CallOutput(Machine machine, Machine output, const std::string& function,
                         std::vector<const Node*> operands);
  const Node* Output(const Node* call);
  const Node* Member(const Node* wide, const std::string& field);
  const Node* Element(Machine machine, size_t parameter, const std::string& element,
                      const Node* entry);
  const Node* Bit(size_t parameter, const Node* place, const Node* is_inside);

  const Node* TextColumn(size_t column);
  const Node* TextConstant(size_t parameter, const Node* bytes);
  const Node* TextSlice(const Node* text, const Node* begin, const Node* end);
  const Node* TextTrim(const std::string& function, const Node* text, const Node* characters);
  //! Of the dictionary of a column whose image has its strings on the device.
  const Node* TextEntry(const Node* code, const Node* begin, size_t column);
  //! Of a dictionary whose strings are packed in `table`.
  const Node* TextEntry(const Node* code, const Node* begin, const Node* table);

  //! Notes that functions of a file of kernels/ are used.
  void Require(const std::string& source) { sources_.insert(source); }
  const std::set<std::string>& Sources() const { return sources_; }
  //! All nodes, each behind its operands.
  const std::deque<Node>& Nodes() const { return nodes_; }

 private:
  struct Hash {
    size_t operator()(const Node* node) const;
  };
  struct Equal {
    bool operator()(const Node* left, const Node* right) const;
  };

  const Node* Make(Node node);

  std::deque<Node> nodes_;
  std::unordered_set<const Node*, Hash, Equal> known_;
  std::set<std::string> sources_;
};

}  // namespace margay::optimize
