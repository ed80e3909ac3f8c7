#pragma once

#include <deque>
#include <vector>

#include "execute/kernel_run.hpp"

namespace margay::execute {

//! A run whose sink is one shared table of groups (see compile::SharedGroups), which stays on the
//! device until all rows are in it; the groups are then packed and read back. A table that gets too
//! full is replaced by a larger one, and the run starts anew. Where that takes two passes (see
//! compile::NeedsTwoPasses), all rows are folded a second time.
class GroupTableRun : public KernelRun {
 public:
  GroupTableRun(const std::shared_ptr<const CompiledPart>& part, const RunOptions& options);

 protected:
  void RunAll() override;
  void BindSink(device::Kernel& kernel, uint32_t argument, const Batch& batch) override;
  void TakeBatch(device::Queue&, const Batch&) override {}
  //! Packs the groups of the table, and makes result batches of them.
  void Finish() override;
  void ReleaseSink() override { DropTable(); }
  std::shared_ptr<const KeptTable> FinishKept() override;
  size_t LargestBatch() const override { return SIZE_MAX; }

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
    std::vector<std::shared_ptr<const void>> texts;
    std::deque<std::vector<std::byte>> values;
  };

  //! Makes an empty table of slots_ slots.
  void CreateTable();
  //! Sets the arguments that are the table; returns the number of the next one.
  uint32_t BindTable(device::Kernel& kernel, uint32_t argument) const;
  //! Of the table that gives the strings of text number `text` their numbers.
  uint64_t InternedSlots(size_t text) const;
  //! Starts a kernel that walks all slots; `name` is for people.
  void RunOverSlots(device::Kernel& kernel, const std::string& name);
  Packed Pack();
  //! Runs the kernel that packs groups into the buffers `outputs`: values, then NULLs, per output.
  //! They have room for `capacity` groups. Returns how many are wanted.
  uint32_t RunCollect(const std::vector<const device::Buffer*>& outputs, uint32_t capacity);
  //! The groups that are wanted as a table; `wanted` becomes their number. Those beyond `capacity`
  //! have no room.
  std::shared_ptr<KeptTable> PackKept(uint32_t capacity, uint32_t& wanted);
  //! Frees the table.
  void DropTable();
  ResultBatch FinishGroups(const Packed& packed, size_t first, size_t groups);
  //! The values of column `number`, of `groups` groups from the `first` on.
  ResultColumn FinishColumn(device::Queue& queue, const Packed& packed, size_t number, size_t first,
                            size_t groups, Owned& owned);
  //! Turns the strings' rows in `values`, of a column of `collect`, into std::string_views. They
  //! live as long as what is returned.
  std::shared_ptr<const void> FetchTexts(device::Queue& queue, size_t column,
                                         std::vector<std::byte>& values);

  const compile::AggregateLayout& layout_;
  const compile::SharedGroups& shared_;
  const std::vector<compile::InputColumn> texts_;  //!< that are keys
  uint64_t slots_ = 0;
  uint32_t groups_ = 0;    //!< of the result, before a filter
  int32_t is_second_ = 0;  //!< pass
  memory::ScratchExtent table_, codes_;
  memory::ScratchReservation reservation_;  //!< of interned_
  std::vector<device::Buffer> interned_;    //!< per text: see compile::InternedText
  //! What the kernel that packs groups reads, while it runs: by column, by string column.
  std::vector<storage::PinnedExtents> collect_pins_;
  std::vector<memory::ExtentPin> collect_strings_;
};

}  // namespace margay::execute
