#include "execute/group_table_run.hpp"

#include <algorithm>
#include <bit>

#include "execute/aggregate_result.hpp"

namespace margay::execute {

using compile::Fold;
using compile::GroupTableWriter;

namespace {

//! A table that was too full is replaced by one this many times as large.
constexpr uint64_t kGrowth = 4;

//! Fewest slots of a hash table.
constexpr uint64_t kFewestSlots = 1024;

//! Slots that a work-group packs at a time, as in the generated loop.
constexpr uint64_t kSlotsPerUnit = 4096;

//! Groups of a result batch.
constexpr size_t kGroupsPerBatch = 65536;

//! Copies `count` values of `bytes` bytes each, from the `first` on, out of a mapped buffer.
std::vector<std::byte> Copied(device::Queue& queue, const device::Buffer& buffer, size_t first,
                              size_t count, size_t bytes) {
  std::vector<std::byte> values(count * bytes);
  queue.Read(buffer, first * bytes, values.data(), values.size());
  return values;
}

template <typename Word>
const Word* As(const std::vector<std::byte>& bytes) {
  return reinterpret_cast<const Word*>(bytes.data());
}

//! What a batch refers to.
struct Owned {
  std::shared_ptr<const void> columns;
  std::vector<std::vector<std::byte>> keys;
};

}  // namespace

GroupTableRun::GroupTableRun(const std::shared_ptr<const CompiledPart>& part, RunOptions options)
    : KernelRun(part, std::move(options)),
      layout_(part->Program().result.aggregate),
      shared_(*layout_.shared),
      slots_(part->LearnedSize(part->Program().builds.size())) {
  for (const compile::InputColumn& column : Kernel().collect.columns)
    collect_pins_.push_back(PinColumn(column));
}

void GroupTableRun::RunAll() {
  RunWhileFull([&] { CreateTable(); }, [&] { slots_ *= kGrowth; });
  if (shared_.is_hashed) {
    GetPart().LearnSize(GetPart().Program().builds.size(),
                        std::bit_ceil(std::max<uint64_t>(2 * Groups(), kFewestSlots)));
  }
  Collect();
}

void GroupTableRun::CreateTable() {
  device::Device& device = GetPart().GetDevice();
  table_ = device::Buffer();
  codes_ = device::Buffer();
  reservation_ = memory::ScratchReservation();
  const size_t table = slots_ * layout_.words * sizeof(int64_t);
  const size_t codes = shared_.is_hashed ? slots_ * sizeof(uint64_t) : 0;
  reservation_ = GetPart().Pool().Reserve(table + codes);
  table_ = device.CreateZeroedBuffer(table, device::Access::ReadWrite);
  if (shared_.is_hashed)
    codes_ = device.CreateZeroedBuffer(codes, device::Access::ReadWrite);
  if (!compile::NeedsPreparation(layout_))
    return;
  device::Kernel prepare =
      device.Programs().Get(Kernel().source)->CreateKernel(GroupTableWriter::kPrepareKernel);
  prepare.Argument(0, table_).Argument(1, slots_);
  RunOverSlots(prepare);
}

void GroupTableRun::RunOverSlots(device::Kernel& kernel) {
  const uint64_t units = (slots_ + kSlotsPerUnit - 1) / kSlotsPerUnit;
  const uint32_t groups = WorkGroups(static_cast<uint32_t>(std::min<uint64_t>(units, UINT32_MAX)));
  device::QueueLease queue = GetPart().GetDevice().AcquireQueue();
  const device::Event event =
      queue->Launch(kernel, size_t{groups} * Kernel().work_group, Kernel().work_group);
  event.Wait();
  statistics_.kernel_milliseconds += static_cast<double>(event.KernelNanoseconds()) / 1e6;
  statistics_.launches++;
}

void GroupTableRun::BindSink(device::Kernel& kernel, uint32_t argument, const Batch& /*batch*/) {
  kernel.Argument(argument, table_).Argument(argument + 1, slots_);
  if (shared_.is_hashed)
    kernel.Argument(argument + 2, codes_);
}

GroupTableRun::Packed GroupTableRun::Pack() {
  device::Device& device = GetPart().GetDevice();
  const compile::CollectKernel& collect = Kernel().collect;
  const size_t groups = Groups();
  Packed packed;
  size_t bytes = groups * (sizeof(uint64_t) + layout_.words * sizeof(int64_t));
  for (const compile::RowOutput& output : collect.outputs)
    bytes += groups * (output.Bytes() + (output.can_be_null ? 1 : 0));
  packed.reservation = GetPart().Pool().Reserve(bytes);
  const auto create = [&](size_t size) {
    return device.CreateBuffer(groups * size, device::Access::WriteOnly);
  };
  packed.indexes = create(sizeof(uint64_t));
  packed.words = create(layout_.words * sizeof(int64_t));
  const device::Buffer report =
      device.CreateZeroedBuffer(sizeof(int32_t), device::Access::ReadWrite);
  const device::Buffer count =
      device.CreateZeroedBuffer(sizeof(uint32_t), device::Access::ReadWrite);
  // Stands for a column of a table without rows.
  const device::Buffer no_rows =
      device.CreateZeroedBuffer(2 * sizeof(int64_t), device::Access::ReadOnly);
  const device::Buffer parameters = Upload(collect.parameters.Words());
  const device::Buffer lookups = Upload(collect.parameters.LookupBytes());

  device::Kernel kernel =
      device.Programs().Get(Kernel().source)->CreateKernel(GroupTableWriter::kCollectKernel);
  uint32_t argument = 0;
  kernel.Argument(argument++, parameters);
  kernel.Argument(argument++, lookups);
  kernel.Argument(argument++, table_);
  kernel.Argument(argument++, slots_);
  if (shared_.is_hashed)
    kernel.Argument(argument++, codes_);
  kernel.Argument(argument++, report);
  kernel.Argument(argument++, count);
  kernel.Argument(argument++, packed.indexes);
  kernel.Argument(argument++, packed.words);
  for (const ColumnPins& pins : collect_pins_) {
    kernel.Argument(argument++, pins.data.empty() ? no_rows : pins.data[0].Buffer());
    if (!pins.validity.empty())
      kernel.Argument(argument++, pins.validity[0].Buffer());
  }
  for (const compile::RowOutput& output : collect.outputs) {
    Packed::Key& key = packed.keys.emplace_back();
    key.values = create(output.Bytes());
    kernel.Argument(argument++, key.values);
    if (output.can_be_null) {
      key.nulls = create(1);
      kernel.Argument(argument++, key.nulls);
    }
  }
  RunOverSlots(kernel);
  int32_t faults = 0;
  Timed([&] { device.AcquireQueue()->Read(report, 0, &faults, sizeof(faults)); });
  ThrowFaults(faults);
  return packed;
}

void GroupTableRun::Collect() {
  if (Groups() == 0)
    return;
  const Packed packed = Pack();
  table_ = device::Buffer();
  codes_ = device::Buffer();
  reservation_ = memory::ScratchReservation();
  for (size_t first = 0; first < Groups(); first += kGroupsPerBatch)
    batches_.push_back(Finish(packed, first, std::min(kGroupsPerBatch, Groups() - first)));
}

ResultBatch GroupTableRun::Finish(const Packed& packed, size_t first, size_t groups) {
  const auto& outputs = Kernel().collect.outputs;
  const size_t accumulators = layout_.accumulators.size();
  std::vector<std::byte> indexes, words;
  Owned owned;
  GroupTotals totals;
  totals.groups = groups;
  Timed([&] {
    device::QueueLease queue = GetPart().GetDevice().AcquireQueue();
    indexes = Copied(*queue, packed.indexes, first, groups, sizeof(uint64_t));
    words = Copied(*queue, packed.words, first, groups, layout_.words * sizeof(int64_t));
    for (size_t i = 0; i < outputs.size(); i++) {
      owned.keys.push_back(
          Copied(*queue, packed.keys[i].values, first, groups, outputs[i].Bytes()));
      ResultColumn column{outputs[i].type, owned.keys.back().data(), nullptr, outputs[i].texts};
      if (outputs[i].can_be_null) {
        owned.keys.push_back(Copied(*queue, packed.keys[i].nulls, first, groups, 1));
        column.validity = As<uint8_t>(owned.keys.back());
      }
      totals.dependent_keys.push_back(column);
    }
  });
  std::vector<Int128> sums(groups * accumulators);
  for (size_t group = 0; group < groups; group++) {
    const int64_t* row = As<int64_t>(words) + group * layout_.words;
    for (size_t i = 0; i < accumulators; i++) {
      const compile::Accumulator& accumulator = layout_.accumulators[i];
      const int64_t* word = row + accumulator.word;
      if (accumulator.fold == Fold::Sum64)
        sums[group * accumulators + i] = word[0];
      else if (accumulator.fold == Fold::Sum128)
        sums[group * accumulators + i] = JoinWords(word[0], word[1]);
    }
  }
  totals.indexes = As<uint64_t>(indexes);
  totals.words = As<int64_t>(words);
  totals.sums = sums.data();
  ResultBatch batch = FinishAggregates(Kernel(), totals);
  owned.columns = batch.owner;
  batch.owner = std::make_shared<const Owned>(std::move(owned));
  return batch;
}

std::optional<ResultBatch> GroupTableRun::NextResult() {
  if (batches_.empty())
    return std::nullopt;
  ResultBatch batch = std::move(batches_.front());
  batches_.pop_front();
  return batch;
}

}  // namespace margay::execute
