#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "plan/node.hpp"

namespace margay::optimize {

//! A build side that a pipeline's rows are joined with, and the filters that follow.
struct PipelineJoin {
  plan::JoinKind kind = plan::JoinKind::Inner;
  size_t build = 0;  //!< number in Stage::builds
  std::vector<plan::JoinKey> keys;
  //! May be null; of an inner join it is: what it asks of a match, the conjuncts do.
  plan::ExpressionPointer residual;
  std::vector<plan::ExpressionPointer> conjuncts;

  //! Whether rows go on with a row of the build side.
  bool GivesBuildSide() const { return plan::GivesBuildSide(kind); }
  //! Asks `conditions` of a match too, before what it asks now.
  void AddConditions(std::vector<plan::ExpressionPointer> conditions);
};

//! How the rows of a result are ordered and which of them are wanted.
struct PipelineOrder {
  std::vector<plan::OrderKey> keys;
  plan::RowWindow window;
};

//! One pass over a table: filters, joins, then the sink. Expressions are over the columns of all
//! tables of the stage, numbered one table after the other; projections are gone.
struct Pipeline {
  size_t table = 0;  //!< that is scanned
  std::vector<plan::ExpressionPointer> conjuncts;
  std::vector<PipelineJoin> joins;

  bool is_aggregate = false;
  std::vector<plan::ExpressionPointer> outputs;  //!< rows: the output; aggregate: the group keys
  std::vector<plan::Aggregate> aggregates;
  std::optional<PipelineOrder> order;  //!< of a result of rows
};

//! A pipeline whose sink is a table that other pipelines join with.
struct BuildPipeline {
  Pipeline pipeline;
  std::vector<plan::ExpressionPointer> keys;
  std::vector<bool> nulls_are_equal;  //!< per key: NULL matches NULL
  //! Tables joined in this pipeline whose rows must be found again from a row of its own table.
  std::vector<size_t> links;
  bool needs_rows = true;     //!< the join with it asks for more of a row than whether there is one
  bool needs_matches = true;  //!< each match counts: neither a semi nor an anti join
  std::optional<size_t> ranged_key;  //!< whose least and greatest values are noted
  double expected_share = 1;         //!< its rows per row of its table; an estimate
};

//! What lies between two results that stay on the device: the pipelines of build sides, each behind
//! the ones it needs, then the result's. Columns and tables have the numbers of the program.
struct Stage {
  std::vector<plan::ScanColumn> columns;  //!< by number; those before the stage's have no content
  std::vector<size_t> column_tables;      //!< per column
  std::vector<BuildPipeline> builds;
  Pipeline result;
  double expected_share = 1;       //!< rows of the result per row of its table; an estimate
  double expected_scan_share = 1;  //!< of them that are left before the first join; an estimate
  //! Of stored tables that are not scanned, by estimates: few of their rows are looked up instead.
  uint64_t spared_rows = 0;

  //! Cuts Scan, (Filter | Project | Join)*, and at most one Aggregate, or one Order below nothing
  //! but Projects, at the top. Tables are numbered in the order of plan::Scans(), from
  //! `first_table` on, and their columns behind those that the program has, whose tables are
  //! `column_tables`. Throws Unsupported.
  static Stage From(const plan::Node& plan, std::vector<size_t> column_tables = {},
                    size_t first_table = 0);

  //! Sets the links of all build sides, and what is needed of them, after a change of pipelines.
  void SetLinks();

  //! The tables whose rows are known behind a join with `build`, given links for all of them.
  std::vector<size_t> Reach(size_t build) const;
  //! The tables of which a row may be missing in the joins of `pipeline` or behind them: left
  //! joins, its own or those of build sides, found none.
  std::set<size_t> MissingTables(const Pipeline& pipeline) const;
};

//! Passes the columns that a pipeline reads to `visit`, but those of the keys of its joins' build
//! sides.
template <typename Visit>
void VisitOwnColumns(const Pipeline& pipeline, const Visit& visit) {
  for (const auto& conjunct : pipeline.conjuncts)
    VisitColumns(*conjunct, visit);
  for (const PipelineJoin& join : pipeline.joins) {
    for (const plan::JoinKey& key : join.keys)
      VisitColumns(*key.probe, visit);
    if (join.residual)
      VisitColumns(*join.residual, visit);
    for (const auto& conjunct : join.conjuncts)
      VisitColumns(*conjunct, visit);
  }
  for (const auto& output : pipeline.outputs)
    VisitColumns(*output, visit);
  for (const plan::Aggregate& aggregate : pipeline.aggregates) {
    if (aggregate.argument)
      VisitColumns(*aggregate.argument, visit);
  }
  if (pipeline.order) {
    for (const plan::OrderKey& key : pipeline.order->keys)
      VisitColumns(*key.expression, visit);
  }
}

//! Passes all columns that a pipeline reads to `visit`; plan::VisitColumns does for expressions.
template <typename Visit>
void VisitColumns(const Pipeline& pipeline, const Visit& visit) {
  VisitOwnColumns(pipeline, visit);
  for (const PipelineJoin& join : pipeline.joins) {
    for (const plan::JoinKey& key : join.keys)
      VisitColumns(*key.build, visit);
  }
}

}  // namespace margay::optimize
