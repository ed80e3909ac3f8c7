#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compile/aggregate_layout.hpp"
#include "compile/group_table_writer.hpp"
#include "compile/join_table.hpp"
#include "compile/order_words.hpp"
#include "compile/segment_filter.hpp"
#include "compile/shape.hpp"
#include "storage/table_image.hpp"

namespace margay::compile {

//! A kernel for one pipeline over one image, and all that is needed to launch it.
//!
//! Arguments of the kernel `part`, in order:
//!   parameters, lookups     see Parameters
//!   segments                the work list: per live segment kSegmentHeaderWords words (its place
//!                           in the extent, its rows, the number of the first of them in the
//!                           table), then one base per column read
//!   units                   uint: how many units of work there are
//!   faults                  two ints: the first gets kFaultBit where a value left its type's range
//!                           and kFullBit where a table has no room for a group or an entry, and
//!                           kUnfinishedBit where it must be launched again for the same units;
//!                           the second counts the groups that came into such a table
//!   column, validity, text  per column read; validity only where the column has NULLs, text only
//!                           where it is a text column; then the same for columns of joined tables
//!   strings                 per dictionary whose strings are read (see storage::PackStrings)
//!   heads, bits, counts,    per join table read (see JoinTable)
//!   nexts, links
//!   resume                  if resumable, uints per unit and work-item, 0 at first: where its next
//!                           launch goes on; where joins multiply the rows of a result also how
//!                           many rows the row there has given
//!   aggregate: partials     per work-group one table of groups (see AggregateLayout)
//!              tables       uint, where work-groups share tables: how many there are
//!              or those of GroupTableWriter, then those of InternedText per text among the keys
//!   rows:      bound        ulong per word of the order, if there is a limit: rows whose words are
//!                           not below are left out (see OrderWords)
//!              counts       uint per unit: rows produced
//!              values, nulls per output: unit u writes from row u * unit_rows on; nulls (1 byte
//!              per
//!                           row, 0 = NULL) only where the output can be NULL
//!   build:     heads, bits, counts, nexts, links  of the table that is filled; the host makes
//!                           the counts
//!              key_range    two longs, of a table with a ranged key: its least and greatest value
//!              entries      uint, of a numbered table: entries so far
//!              capacity     uint, of a numbered table: most entries
struct GeneratedKernel {
  //! A join with table `build` by `column` of the scan: segments without a value between the least
  //! and the greatest ranged key of the table are of no use.
  struct RangedJoin {
    size_t build = 0;
    InputColumn column;
  };

  std::string source;
  Shape shape = Shape::Loop;
  uint32_t work_group = 1;  //!< work-items of a work-group
  uint32_t unit_rows = 0;   //!< rows of a unit of work
  uint32_t units_per_segment = 1;
  uint32_t units_per_work_group = UINT32_MAX;  //!< more would overflow a work-group's accumulators

  //! Joins may make several rows of the result of one, or look at very many for it. Such a result
  //! keeps no order: a unit of work gives as many rows as its region holds, and goes on in the next
  //! launch, where its first row may have given some already. The variables `produced`, `given` and
  //! `has_room` tell how many rows the unit, and the row at hand, have given, and whether there is
  //! room for more.
  bool multiplies_result = false;
  bool is_resumable = false;  //!< may stop before its work is done
  uint32_t resume_words = 1;  //!< of `resume`, per unit and work-item

  size_t table = 0;                  //!< that is scanned
  std::vector<InputColumn> columns;  //!< of it that are read, in the order of the arguments
  //! Text columns of the scan, read or not: a launch never crosses the end of a text extent of any,
  //! so that all kernels over one scan are launched for the same segments.
  std::vector<InputColumn> text_columns;
  std::vector<InputColumn> joined_columns;  //!< of other tables
  std::vector<InputColumn> string_columns;  //!< of any table, whose dictionaries' strings are read
  std::vector<JoinTable> joins;             //!< join tables that are read
  std::optional<JoinTable> build;           //!< the join table that is filled, if that is the sink
  //! Says all about the join table that is filled but the columns read, where it depends on nothing
  //! else: it may serve other runs and parts then. Else empty.
  std::string structure_name;
  std::string structure_keys;  //!< what such a table finds rows by, for people
  Parameters parameters;
  std::shared_ptr<const SegmentFilter> filter;
  std::vector<RangedJoin> ranged_joins;

  bool is_aggregate = false;
  //! The work-groups of a launch share `tables` partial tables, which the host makes ready.
  bool shares_tables = false;
  AggregateLayout aggregate;
  CollectKernel collect;  //!< for aggregate.shared; its source is part of `source`
  std::vector<plan::Aggregate> aggregates;
  std::vector<RowOutput> outputs;
  std::vector<KeptColumn> kept;  //!< of a result that stays on the device
  //! Of a result of rows that is ordered: the last outputs are its long texts, then the words of
  //! the rows.
  std::shared_ptr<const OrderWords> order;
  //! A row of an order may raise an error: all are computed, wanted or not.
  bool order_can_fault = false;
  plan::RowWindow window;  //!< of the ordered rows

  //! Whether rows beyond the window are left out before they are computed. Not where joins multiply
  //! them: a launch that goes on within a row must find those again that it has given.
  bool HasBound() const { return order && window.limit && !order_can_fault && !multiplies_result; }
};

inline constexpr const char* kKernelName = "part";
inline constexpr size_t kSegmentHeaderWords = 3;
inline constexpr int kFaultBit = 1;
inline constexpr int kFullBit = 2;
inline constexpr int kUnfinishedBit = 4;

//! Why there is no kernel for a plan.
struct Refusal {
  std::string reason;
  bool is_too_wide = false;  //!< there may be kernels for each half of the plan's outputs
};

//! All kernels of a plan: those of its build sides, in the order in which they run, then the
//! result's.
struct GeneratedProgram {
  std::vector<GeneratedKernel> builds;
  GeneratedKernel result;
  uint64_t spared_rows = 0;  //!< see Program
};

//! What becomes of a plan's result.
enum class ResultUse : uint8_t {
  Rows,  //!< the host gets it
  Kept,  //!< it stays on the device, as a table that other programs scan; not in an order
};

//! Generates the kernels for `plan`, or says why there are none. `columns` are those of the plan's
//! scans, one table after the other in the order of plan::Scans(); `rows` those of the tables, or
//! the most they can have. Groups of a kept result for which `wanted`, a predicate over the plan's
//! outputs that may be null, is not true may be left out. `method` is that of all joins that it can
//! serve; without one each has what suits it. `kept` are the columns of rows that are kept, where
//! others than those that suit them are asked for; null else. `memory` is what the device may use:
//! a table that would take much of it is scanned, not looked up in; with 0 all are.
std::variant<GeneratedProgram, Refusal> GenerateProgram(
    const plan::Node& plan, const std::vector<InputColumn>& columns,
    const std::vector<uint64_t>& rows, Shape shape, ResultUse use = ResultUse::Rows,
    const plan::ExpressionPointer& wanted = {}, std::optional<JoinMethod> method = {},
    const std::vector<KeptColumn>* kept = nullptr, uint64_t memory = UINT64_MAX);

}  // namespace margay::compile
