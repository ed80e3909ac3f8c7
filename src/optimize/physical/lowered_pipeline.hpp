#pragma once

#include <memory>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "optimize/estimate/segment_filter.hpp"
#include "optimize/physical/aggregate_layout.hpp"
#include "optimize/physical/group_packing.hpp"
#include "optimize/physical/join_probe.hpp"
#include "optimize/physical/join_table.hpp"
#include "optimize/physical/kernel_values.hpp"
#include "optimize/physical/local_numbers.hpp"
#include "optimize/physical/materialised_column.hpp"
#include "optimize/physical/order_words.hpp"
#include "optimize/physical/row_output.hpp"
#include "optimize/physical/shape.hpp"
#include "optimize/physical/stage.hpp"

namespace margay::optimize {

//! What becomes of a pipeline's result.
enum class ResultUse : uint8_t {
  Rows,          //!< the host gets it
  Materialised,  //!< it stays on the device, as a table that other pipelines scan; not in an order
};

//! The sinks of a pipeline, with what its kernel computes for them.

struct JoinBuildSink {
  JoinTable table;
  JoinInsert insert;
  //! The table depends on columns of its own table alone: it may serve other executions.
  bool is_plain = false;
  std::string keys_text;  //!< what such a table finds rows by, for people
};

struct GroupSink {
  AggregateLayout layout;
  std::vector<plan::Aggregate> aggregates;
  std::optional<GroupPacking> packing;           //!< of a shared table
  std::vector<MaterialisedColumn> materialised;  //!< of a result that stays on the device
};

struct RowSink {
  std::vector<RowOutput> outputs;
  //! Of ordered rows: the last outputs are the long texts, then the words of the rows.
  std::shared_ptr<const OrderWords> order;
  bool order_is_of_scan = false;  //!< the words need columns of the scanned table alone
  //! A row of an order may raise an error: all are computed, wanted or not.
  bool order_can_fault = false;
  plan::RowWindow window;                        //!< of the ordered rows
  std::vector<MaterialisedColumn> materialised;  //!< of rows that stay on the device
  //! Of these, where they are lowered as they suit themselves: at most so many.
  uint64_t most_rows = 0;
  //! Joins may make several rows of the result of one, or look at very many for it. Such a result
  //! keeps no order: a unit of work gives as many rows as its region holds, and goes on in the next
  //! launch.
  bool multiplies = false;

  //! Whether rows beyond the window are left out before they are computed. Not where joins multiply
  //! them: a launch that goes on within a row must find those again that it has given.
  bool HasBound() const { return order && window.limit && !order_can_fault && !multiplies; }
};

//! A pipeline as values: all that its kernel computes, and what binds it to data.
struct LoweredPipeline {
  struct Join {
    plan::JoinKind kind = plan::JoinKind::Inner;
    size_t build = 0;  //!< number of its build side in the stage
    bool has_residual = false;
    JoinTable table;
    JoinProbe probe;

    bool GivesBuildSide() const { return plan::GivesBuildSide(kind); }
    //! Whether the join gives at most one row, which is found without a branch.
    bool IsLookup() const { return !table.HasNexts() && !has_residual; }
  };
  //! A join with table `build` by `column` of the scan: segments without a value between the least
  //! and the greatest ranged key of the table are of no use.
  struct RangedJoin {
    size_t build = 0;
    InputColumn column;
  };

  //! What the pipelines of a stage share. All outlive what is made of it.
  struct Input {
    Shape shape;
    const Stage& stage;
    const std::vector<InputColumn>& columns;  //!< of all tables, by number
    const std::vector<uint64_t>& rows;        //!< of the tables
    DictionaryCache& dictionaries;
    const std::vector<JoinTable>& join_tables;  //!< of the builds that come before
    ResultUse use = ResultUse::Rows;            //!< of the result's pipeline
    plan::ExpressionPointer wanted = {};        //!< groups of a materialised result; null: all
    const std::vector<MaterialisedColumn>* materialised =
        nullptr;  //!< of materialised rows; null: what suits them
  };

  //! The result's pipeline. Throws Unsupported.
  static LoweredPipeline OfResult(const Input& input);
  //! The result's pipeline of a stage that scans a union, over one of the union's inputs: the steps
  //! of the result of `below`, the input's stage, then those of `input`'s, whose scanned columns
  //! are the outputs of `below` as `united` has them. So the pipelines of all inputs feed one sink,
  //! and the union's rows are not stored. Both have the same columns and dictionaries. Throws
  //! Unsupported, also where rows of the union must be stored: those that joins multiply, or that
  //! are text, or may raise errors, or get an order.
  static LoweredPipeline OfUnionInput(const Input& input, const Input& below,
                                      const std::vector<MaterialisedColumn>& united);
  //! That of a build side, which fills `table`. Throws Unsupported.
  static LoweredPipeline OfBuild(const Input& input, const JoinTable& table);

  Shape shape = Shape::Loop;
  size_t table = 0;  //!< that is scanned
  std::shared_ptr<KernelValues> values;
  LocalNumbers numbers{0};
  std::vector<InputColumn> columns;  //!< of the scan that are read, in the order of their numbers
  //! Text columns of the scan, read or not: a launch never crosses the end of a text extent of any,
  //! so that all kernels over one scan are launched for the same segments.
  std::vector<InputColumn> text_columns;
  std::vector<InputColumn> joined_columns;  //!< of other tables
  std::vector<Value> filters;               //!< before the first join
  std::vector<Join> joins;
  std::variant<JoinBuildSink, GroupSink, RowSink> sink;
  std::shared_ptr<const SegmentFilter> segment_filter;
  std::vector<RangedJoin> ranged_joins;

  //! Whether the rows of both can end in one sink, of groups or of rows.
  bool EndsLike(const LoweredPipeline& other) const;
  //! Whether joins can make several rows of one.
  bool MultipliesRows() const;
  //! Whether a row may become so many, or look at so many, that the kernel must be able to stop in
  //! the middle of a unit of work.
  bool NeedsStops() const;
  //! Whether a row may have any number of entries of a join table to look at.
  bool HasChains() const;
  //! Those of the scanned table, then those of joined ones.
  std::vector<InputColumn> ReadColumns() const;

 private:
  //! Without steps. Rows of `missing_tables` may be missing.
  LoweredPipeline(const Input& input, size_t scanned, std::set<size_t> missing_tables);

  //! Adds filters and joins behind those that are there; the numbers of the build sides follow the
  //! first `builds`.
  void AddSteps(const Input& input, const Pipeline& pipeline, size_t builds);
  void SetSegmentFilter(const Input& input, const Pipeline& pipeline);
  //! Set the sink, that of the stage's result.
  const GroupSink& LowerGroups(const Input& input);
  void LowerRows(const Input& input);
  //! Sorts the columns of the program that are `read` by where they come from.
  void FindColumns(const Input& input, const std::set<size_t>& read);
};

}  // namespace margay::optimize
