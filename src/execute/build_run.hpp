#pragma once

#include "execute/kernel_run.hpp"

namespace margay::execute {

//! A run whose sink is a join table. A numbered one that gets full is replaced by a larger one, and
//! the run starts anew. One that depends on columns of its table alone is kept with the table's
//! image, or found there.
class BuildRun : public KernelRun {
 public:
  BuildRun(std::shared_ptr<const CompiledPart> part, const compile::GeneratedKernel& kernel,
           RunOptions options, std::shared_ptr<RunTables> tables)
      : KernelRun(std::move(part), kernel, std::move(options), std::move(tables)) {}

  void RunAll() override;

 protected:
  void BindSink(device::Kernel& kernel, uint32_t argument, const Batch& batch) override;
  void TakeBatch(device::Queue&, const Batch&) override {}
  size_t LargestBatch() const override { return SIZE_MAX; }
  //! A table that can get full is replaced then.
  bool NeedsReport() const override { return Kernel().is_resumable || Kernel().build->is_numbered; }

 private:
  //! Finds the table of a plain build side, or fills it and keeps it.
  void RunShared();
  //! Fills a partitioned table, once its `entries` entries have their slots.
  void FillPartitions(uint64_t entries);
};

}  // namespace margay::execute
