#pragma once

#include "execute/kept_rows.hpp"
#include "execute/rows_run.hpp"

namespace margay::execute {

//! A run whose rows stay on the device, behind those that are in the table already.
class KeptRowsRun : public RowsRun {
 public:
  KeptRowsRun(const std::shared_ptr<const CompiledPart>& part, const RunOptions& options,
              std::shared_ptr<KeptRows> rows)
      : RowsRun(part, options), rows_(std::move(rows)) {}

 protected:
  void TakeBatch(device::Queue& queue, const Batch& batch) override;
  std::shared_ptr<const KeptTable> FinishKept() override { return rows_->Table(Queue()); }

 private:
  const std::shared_ptr<KeptRows> rows_;
};

}  // namespace margay::execute
