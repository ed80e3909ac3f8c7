#pragma once

#include <string>

#include "duckdb/execution/physical_operator.hpp"

namespace margay::integration {

//! Says in EXPLAIN why its child runs in DuckDB, or in force mode not at all. It takes no part in
//! execution, except that in force mode it is the error that refuses the query, unless the rows are
//! ones that only DuckDB can read.
class PhysicalNote : public duckdb::PhysicalOperator {
 public:
  //! `is_refused`: force mode does not run it.
  PhysicalNote(duckdb::PhysicalPlan& plan, duckdb::ClientContext& context, std::string reason,
               bool is_refused, duckdb::PhysicalOperator& child);

  std::string GetName() const override { return "MARGAY_NOTE"; }
  duckdb::InsertionOrderPreservingMap<std::string> ParamsToString() const override;
  duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> GetSources() const override;
  void BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) override;

 private:
  const duckdb::weak_ptr<duckdb::ClientContext> context_;
  const std::string reason_;
  const bool is_refused_;
};

}  // namespace margay::integration
