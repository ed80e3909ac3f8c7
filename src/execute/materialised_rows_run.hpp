#pragma once

#include "execute/materialised_table_builder.hpp"
#include "execute/rows_run.hpp"

namespace margay::execute {

//! Rows that stay on the device, those of each pipeline behind those of the ones before.
class MaterialisedRowsRun : public RegionsRun {
 public:
  MaterialisedRowsRun(RunContext& context, size_t number);

  void TakeBatch(PipelineRun& pipeline, const Batch& batch) override;
  void Finish() override;

 private:
  MaterialisedTableBuilder rows_;
};

}  // namespace margay::execute
