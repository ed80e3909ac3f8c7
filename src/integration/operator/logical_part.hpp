#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb/planner/operator/logical_extension_operator.hpp"
#include "integration/capture/captured_part.hpp"

namespace margay::integration {

//! An extension operator that gives what its only child gives.
class TransparentOperator : public duckdb::LogicalExtensionOperator {
 public:
  explicit TransparentOperator(duckdb::unique_ptr<duckdb::LogicalOperator> child);

  duckdb::vector<duckdb::ColumnBinding> GetColumnBindings() override;
  duckdb::idx_t EstimateCardinality(duckdb::ClientContext& context) override;
  bool SupportSerialization() const override { return false; }
  std::string GetExtensionName() const override { return "margay"; }

 protected:
  void ResolveTypes() override;
};

class PhysicalTap;

//! The taps of one part in the physical plan, by their numbers; null until they are planned.
using PlannedTaps = std::vector<PhysicalTap*>;

//! A part of the query that Margay can run; its child is the DuckDB subtree that it stands for,
//! which has a LogicalTap above what DuckDB runs in any case.
class LogicalPart : public TransparentOperator {
 public:
  //! `taps` is shared with the LogicalTaps.
  LogicalPart(CapturedPart part, std::shared_ptr<const PlannedTaps> taps,
              duckdb::unique_ptr<duckdb::LogicalOperator> fallback);

  const CapturedPart& Part() const { return part_; }

  std::string GetName() const override { return "MARGAY"; }
  //! Plans the fallback, then makes the PhysicalPart above it.
  duckdb::PhysicalOperator& CreatePlan(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner) override;

 private:
  CapturedPart part_;
  const std::shared_ptr<const PlannedTaps> taps_;
};

//! The border below a part: its child is what DuckDB runs for it.
class LogicalTap : public TransparentOperator {
 public:
  LogicalTap(std::string reason, size_t number, std::shared_ptr<PlannedTaps> taps,
             duckdb::unique_ptr<duckdb::LogicalOperator> child);

  std::string GetName() const override { return "MARGAY_TAP"; }
  //! Plans the child, then makes the PhysicalTap above it, for the part.
  duckdb::PhysicalOperator& CreatePlan(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner) override;

 private:
  std::string reason_;
  const size_t number_;
  const std::shared_ptr<PlannedTaps> taps_;
};

//! Says why its child, an operator over table data, runs in DuckDB.
class LogicalNote : public TransparentOperator {
 public:
  //! `is_refused`: force mode does not run it.
  LogicalNote(std::string reason, bool is_refused,
              duckdb::unique_ptr<duckdb::LogicalOperator> child);

  const std::string& Reason() const { return reason_; }

  std::string GetName() const override { return "MARGAY_NOTE"; }
  //! Plans the child, then makes the PhysicalNote above it.
  duckdb::PhysicalOperator& CreatePlan(duckdb::ClientContext& context,
                                       duckdb::PhysicalPlanGenerator& planner) override;

 private:
  std::string reason_;
  const bool is_refused_;
};

}  // namespace margay::integration
