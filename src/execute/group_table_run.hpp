#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "execute/sink_run.hpp"
#include "memory/scratch_extent.hpp"
#include "memory/scratch_reservation.hpp"

namespace margay::execute {

//! One shared table of groups (see optimize::SharedGroups), which stays on the device until all
//! rows are in it; the groups are then packed and read back. A table that gets too full is replaced
//! by a larger one, and all rows are folded anew. Where that takes two passes (see
//! optimize::NeedsTwoPasses), all rows are folded a second time.
class GroupTableRun : public GrowingSinkRun {
 public:
  GroupTableRun(RunContext& context, size_t number);

  void Run(PipelineRun& pipeline) override;
  void Bind(ArgumentBinder& binder, const PipelineRun& pipeline, const Batch& batch) override;
  //! Packs the groups of the table, for the host or for other pipelines.
  void Finish() override;

 protected:
  void Create() override;
  void GrowTable() override;

 private:
  //! The packed groups, as columns of the result.
  struct Packed {
    struct Column {
      device::Buffer values;
      device::Buffer nulls;
    };

    memory::ScratchReservation reservation;
    std::vector<Column> columns;
  };

  //! What a batch refers to.
  struct Owned {
    struct Column {
      std::vector<std::byte> values;
      std::vector<std::byte> validity;
    };

    std::vector<Column> columns;
    std::vector<std::shared_ptr<const void>> texts;
  };

  //! The kernels that clear and pack the table: those of the first pipeline that feeds it.
  const compile::KernelSource& Kernel() const;
  const optimize::GroupPacking& Packing() const { return *sink_.packing; }
  //! Sets the arguments that are the table.
  void BindTable(ArgumentBinder& binder) const;
  //! Of the table that gives the strings of text number `text` their numbers.
  uint64_t InternedSlots(size_t text) const;
  //! Starts a kernel that walks all slots; `name` is for people.
  void RunOverSlots(device::Kernel& kernel, const std::string& name);
  //! Remembers the size that was right, and folds all rows a second time where that is needed.
  void FinishFolds();
  //! Buffers for the groups.
  Packed CreatePacked();
  //! Runs the kernel that packs groups into buffers, which `bind_outputs` sets and which have room
  //! for `capacity` groups. The host waits once, also for what `read_outputs` begins to read.
  //! Returns how many groups are wanted.
  template <typename BindOutputs, typename ReadOutputs>
  uint32_t RunPackingKernel(uint32_t capacity, const BindOutputs& bind_outputs,
                            const ReadOutputs& read_outputs);
  //! The groups that are wanted as a table; `wanted` becomes their number. Those beyond `capacity`
  //! have no room.
  std::shared_ptr<MaterialisedTable> PackMaterialised(uint32_t capacity, uint32_t& wanted);
  //! Gives the groups to the host.
  void GiveGroups();
  //! Frees the table.
  void DropTable();
  //! Begins to read `groups` groups from the `first` on.
  std::shared_ptr<Owned> ReadGroups(const Packed& packed, size_t first, size_t groups);
  //! The same groups, once they have been read.
  ResultBatch FinishGroups(std::shared_ptr<Owned> owned, size_t groups);
  //! Turns the strings' rows in `values`, of a column of the packing, into std::string_views. They
  //! live as long as what is returned.
  std::shared_ptr<const void> FetchTexts(size_t column, std::vector<std::byte>& values);

  const optimize::GroupSink& sink_;
  const optimize::AggregateLayout& layout_;
  const optimize::SharedGroups& shared_;
  const std::vector<optimize::InputColumn> texts_;  //!< that are keys
  PipelineRun* first_pipeline_ = nullptr;
  uint64_t slots_ = 0;
  uint64_t too_few_ = 0;   //!< slots that were
  uint32_t groups_ = 0;    //!< of the result, before a filter
  int32_t is_second_ = 0;  //!< pass
  memory::ScratchExtent table_, codes_;
  memory::ScratchReservation reservation_;  //!< of interned_
  std::vector<device::Buffer> interned_;    //!< per text: see compile::InternedText
};

}  // namespace margay::execute
