#include "execute/group_table_run.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "compile/interned_text.hpp"
#include "execute/text_fetch.hpp"
#include "execute/text_function.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::execute {

using compile::GroupTableWriter;

namespace {

//! Fewest slots of a hash table.
constexpr uint64_t kFewestSlots = 1024;

//! Groups are counted in 32 bits.
constexpr uint64_t kMostSlots = UINT32_MAX;

//! Groups of a result batch.
constexpr size_t kGroupsPerBatch = 65536;

//! `count` values of `bytes` bytes each, from the `first` on.
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

//! Room for groups that a filter leaves, to begin with: this many, and this part of all.
constexpr uint32_t kFewGroups = 65536;
constexpr uint32_t kShareOfGroups = 16;

}  // namespace

GroupTableRun::GroupTableRun(const std::shared_ptr<const CompiledPart>& part,
                             const RunOptions& options)
    : KernelRun(part, options),
      layout_(part->Program().result.aggregate),
      shared_(*layout_.shared),
      texts_(layout_.InternedTexts()),
      slots_(part->LearnedSize(part->Program().builds.size())) {}

void GroupTableRun::RunAll() {
  uint64_t too_few = 0;
  RunWhileFull([&] { CreateTable(); },
               [&] {
                 too_few = slots_;
                 slots_ *= kGrowth;
               });
  // Without keys there is a group even if it has no rows.
  groups_ = layout_.keys.empty() ? 1 : Groups();
  const uint64_t enough = std::bit_ceil(std::max<uint64_t>(2 * uint64_t{groups_}, kFewestSlots));
  if (shared_.is_hashed)
    GetPart().LearnSize(GetPart().Program().builds.size(), enough > too_few ? enough : slots_);
  if (!shared_.has_two_passes)
    return;
  is_second_ = 1;
  const RunStatistics first = statistics_;
  KernelRun::RunAll();
  statistics_.ResetRows(first);
}

void GroupTableRun::CreateTable() {
  device::Device& device = GetPart().GetDevice();
  DropTable();
  if (slots_ > kMostSlots) {
    throw memory::OutOfMemory("a table of groups", slots_ * sizeof(int64_t),
                              kMostSlots * sizeof(int64_t), 0);
  }
  table_ = GetPart().Pool().TakeScratch(slots_ * layout_.words * sizeof(int64_t));
  if (shared_.is_hashed)
    codes_ = GetPart().Pool().TakeScratch(slots_ * layout_.index_places.size() * sizeof(uint64_t));
  size_t interned = 0;
  for (size_t i = 0; i < texts_.size(); i++)
    interned += InternedSlots(i) * sizeof(uint32_t);
  reservation_ = GetPart().Pool().Reserve(interned);
  for (size_t i = 0; i < texts_.size(); i++)
    interned_.push_back(device.CreateZeroedBuffer(InternedSlots(i) * sizeof(uint32_t),
                                                  device::Access::ReadWrite, Queue()));
  device::Kernel prepare =
      device.Programs().Get(Kernel().source)->CreateKernel(GroupTableWriter::kPrepareKernel);
  BindTable(prepare, 0);
  RunOverSlots(prepare, "groups cleared");
}

void GroupTableRun::RunOverSlots(device::Kernel& kernel, const std::string& name) {
  const uint64_t units = (slots_ - 1) / GroupTableWriter::kSlotsPerUnit + 1;
  const uint32_t groups = WorkGroups(static_cast<uint32_t>(std::min<uint64_t>(units, UINT32_MAX)));
  Defer(name, Queue().Launch(kernel, size_t{groups} * Kernel().work_group, Kernel().work_group),
        nullptr);
}

uint32_t GroupTableRun::BindTable(device::Kernel& kernel, uint32_t argument) const {
  kernel.Argument(argument++, table_.Buffer());
  kernel.Argument(argument++, slots_);
  if (shared_.is_hashed)
    kernel.Argument(argument++, codes_.Buffer());
  return argument;
}

void GroupTableRun::BindSink(device::Kernel& kernel, uint32_t argument, const Batch& /*batch*/) {
  argument = BindTable(kernel, argument);
  if (shared_.has_two_passes)
    kernel.Argument(argument++, is_second_);
  for (size_t i = 0; i < texts_.size(); i++) {
    kernel.Argument(argument++, interned_[i]);
    kernel.Argument(argument++, InternedSlots(i) - 1);
  }
}

uint64_t GroupTableRun::InternedSlots(size_t text) const {
  return compile::InternedText::Slots(texts_[text], shared_, slots_);
}

GroupTableRun::Packed GroupTableRun::Pack() {
  device::Device& device = GetPart().GetDevice();
  const compile::CollectKernel& collect = Kernel().collect;
  const size_t groups = groups_;
  Packed packed;
  size_t bytes = 0;
  for (const compile::RowOutput& output : collect.outputs)
    bytes += groups * (output.Bytes() + (output.can_be_null ? 1 : 0));
  packed.reservation = GetPart().Pool().Reserve(bytes);
  const auto create = [&](size_t size) {
    return device.CreateBuffer(groups * size, device::Access::WriteOnly);
  };
  packed.columns.resize(collect.outputs.size());
  std::vector<const device::Buffer*> outputs;
  for (size_t i = 0; i < collect.outputs.size(); i++) {
    Packed::Column& column = packed.columns[i];
    column.values = create(collect.outputs[i].Bytes());
    outputs.push_back(&column.values);
    if (!collect.outputs[i].can_be_null)
      continue;
    column.nulls = create(1);
    outputs.push_back(&column.nulls);
  }
  RunCollect(outputs, groups_);
  return packed;
}

uint32_t GroupTableRun::RunCollect(const std::vector<const device::Buffer*>& outputs,
                                   uint32_t capacity) {
  device::Device& device = GetPart().GetDevice();
  const compile::CollectKernel& collect = Kernel().collect;
  const device::Buffer report =
      device.CreateZeroedBuffer(sizeof(int32_t), device::Access::ReadWrite, Queue());
  const device::Buffer count =
      device.CreateZeroedBuffer(sizeof(uint32_t), device::Access::ReadWrite, Queue());
  // Stands for a column of a table without rows.
  const device::Buffer no_rows =
      device.CreateZeroedBuffer(2 * sizeof(int64_t), device::Access::ReadOnly, Queue());
  const auto parameters = Constant(collect.parameters.Words());
  const auto lookups = Constant(collect.parameters.LookupBytes());

  device::Kernel kernel =
      device.Programs().Get(Kernel().source)->CreateKernel(GroupTableWriter::kCollectKernel);
  uint32_t argument = 0;
  kernel.Argument(argument++, *parameters);
  kernel.Argument(argument++, *lookups);
  argument = BindTable(kernel, argument);
  kernel.Argument(argument++, report);
  kernel.Argument(argument++, count);
  kernel.Argument(argument++, capacity);
  collect_pins_ = PinWhole(collect.columns);
  for (size_t i = 0; i < collect.columns.size(); i++)
    argument = BindJoined(kernel, argument, collect.columns[i], collect_pins_[i], no_rows);
  collect_strings_ = PinStrings(collect.string_columns);
  for (const memory::ExtentPin& pin : collect_strings_)
    kernel.Argument(argument++, pin.Buffer());
  for (const device::Buffer* output : outputs)
    kernel.Argument(argument++, *output);
  RunOverSlots(kernel, "groups packed");
  int32_t faults = 0;
  uint32_t wanted = groups_;
  Queue().Read(report, 0, &faults, sizeof(faults));
  if (collect.is_filter)
    Queue().Read(count, 0, &wanted, sizeof(wanted));
  collect_pins_.clear();
  collect_strings_.clear();
  Settle();
  ThrowFaults(faults);
  return wanted;
}

void GroupTableRun::DropTable() {
  table_ = memory::ScratchExtent();
  codes_ = memory::ScratchExtent();
  interned_.clear();
  reservation_ = memory::ScratchReservation();
}

std::shared_ptr<const void> GroupTableRun::FetchTexts(device::Queue& queue, size_t column,
                                                      std::vector<std::byte>& values) {
  const auto* rows = As<TextRow>(values);
  const std::vector<PendingText> pending(rows, rows + values.size() / sizeof(TextRow));
  values.resize(pending.size() * sizeof(std::string_view));
  const compile::InputColumn& text = Kernel().collect.columns[column];
  return TextFetch(GetPart(), *text.TextImage(), TextsOf(text))
      .Fetch(queue, pending, reinterpret_cast<std::string_view*>(values.data()));
}

void GroupTableRun::Finish() {
  if (groups_ == 0)
    return;
  const Packed packed = Pack();
  DropTable();
  for (size_t first = 0; first < groups_; first += kGroupsPerBatch)
    Give(FinishGroups(packed, first, std::min(kGroupsPerBatch, groups_ - first)));
}

std::shared_ptr<KeptTable> GroupTableRun::PackKept(uint32_t capacity, uint32_t& wanted) {
  const std::vector<compile::KeptColumn>& columns = Kernel().kept;
  auto table = std::make_shared<KeptTable>(columns, capacity, Queue(), GetPart().Pool());
  std::vector<const device::Buffer*> outputs;
  for (size_t i = 0; i < columns.size(); i++) {
    outputs.push_back(&table->At(i).values);
    if (columns[i].form->HasValidity())
      outputs.push_back(&table->At(i).validity);
  }
  wanted = groups_ == 0 ? 0 : RunCollect(outputs, capacity);
  return table;
}

std::shared_ptr<const KeptTable> GroupTableRun::FinishKept() {
  const uint32_t few = std::max(kFewGroups, groups_ / kShareOfGroups);
  const uint32_t capacity = Kernel().collect.is_filter ? std::min(groups_, few) : groups_;
  uint32_t wanted = 0;
  std::shared_ptr<KeptTable> table = PackKept(capacity, wanted);
  if (wanted > capacity)
    table = PackKept(wanted, wanted);
  table->Truncate(wanted);
  DropTable();
  return table;
}

ResultColumn GroupTableRun::FinishColumn(device::Queue& queue, const Packed& packed, size_t number,
                                         size_t first, size_t groups, Owned& owned) {
  const compile::RowOutput& output = Kernel().collect.outputs[number];
  const Packed::Column& column = packed.columns[number];
  std::vector<std::byte>& values =
      owned.values.emplace_back(Copied(queue, column.values, first, groups, output.Bytes()));
  std::vector<std::byte>& validity = owned.values.emplace_back();
  if (output.can_be_null)
    validity = Copied(queue, column.nulls, first, groups, 1);
  if (output.text_column)
    owned.texts.push_back(FetchTexts(queue, *output.text_column, values));
  ResultColumn result{output.type, values.data(),
                      validity.empty() ? nullptr : As<uint8_t>(validity), output.texts};
  if (output.function) {
    owned.texts.push_back(
        ComputeFunction(*output.function, groups, *GetPart().Pool().Allocator(), result));
  }
  return result;
}

ResultBatch GroupTableRun::FinishGroups(const Packed& packed, size_t first, size_t groups) {
  auto owned = std::make_shared<Owned>();
  ResultBatch batch;
  batch.rows = groups;
  Timed([&] {
    for (size_t i = 0; i < packed.columns.size(); i++)
      batch.columns.push_back(FinishColumn(Queue(), packed, i, first, groups, *owned));
  });
  batch.owner = std::move(owned);
  return batch;
}

}  // namespace margay::execute
