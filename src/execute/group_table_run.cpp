#include "execute/group_table_run.hpp"

#include <algorithm>
#include <bit>

#include "compile/kernel_context.hpp"
#include "compile/sink/interned_text.hpp"
#include "execute/text_function.hpp"
#include "memory/out_of_memory.hpp"

namespace margay::execute {

using compile::ArgumentKind;

namespace {

//! Fewest slots of a hash table.
constexpr uint64_t kFewestSlots = 1024;

//! Groups are counted in 32 bits.
constexpr uint64_t kMostSlots = UINT32_MAX;

//! Groups of a result batch.
constexpr size_t kGroupsPerBatch = 65536;

//! Room for groups that a filter leaves, to begin with: this many, and this part of all.
constexpr uint32_t kFewGroups = 65536;
constexpr uint32_t kShareOfGroups = 16;

template <typename Word>
const Word* WordsOf(const std::vector<std::byte>& bytes) {
  return reinterpret_cast<const Word*>(bytes.data());
}

}  // namespace

GroupTableRun::GroupTableRun(RunContext& context, size_t number)
    : GrowingSinkRun(context, number),
      sink_(SinkRun::As<optimize::GroupSink>()),
      layout_(sink_.layout),
      shared_(*layout_.shared),
      texts_(layout_.InternedTexts()),
      slots_(context.Part().Learned().Size(number)) {}

const compile::KernelSource& GroupTableRun::Kernel() const {
  return context_.KernelOf(Sink().pipelines[0]);
}

void GroupTableRun::Run(PipelineRun& pipeline) {
  if (first_pipeline_ == nullptr)
    first_pipeline_ = &pipeline;
  GrowingSinkRun::Run(pipeline);
}

void GroupTableRun::GrowTable() {
  too_few_ = slots_;
  slots_ *= kGrowth;
}

void GroupTableRun::Create() {
  device::Device& device = context_.GetDevice();
  DropTable();
  if (slots_ > kMostSlots) {
    throw memory::OutOfMemory("a table of groups", slots_ * sizeof(int64_t),
                              kMostSlots * sizeof(int64_t), 0);
  }
  memory::ExtentPool& pool = context_.Pool();
  table_ = pool.TakeScratch(slots_ * layout_.words * sizeof(int64_t));
  if (shared_.is_hashed)
    codes_ = pool.TakeScratch(slots_ * layout_.index_places.size() * sizeof(uint64_t));
  size_t interned = 0;
  for (size_t i = 0; i < texts_.size(); i++)
    interned += InternedSlots(i) * sizeof(uint32_t);
  reservation_ = pool.Reserve(interned);
  for (size_t i = 0; i < texts_.size(); i++)
    interned_.push_back(device.CreateZeroedBuffer(InternedSlots(i) * sizeof(uint32_t),
                                                  device::Access::ReadWrite, context_.Queue()));
  device::Kernel clear =
      device.Programs().Get(Kernel().program)->CreateKernel(compile::kClearGroupsKernel);
  ArgumentBinder binder(clear, Kernel().clear_arguments);
  BindTable(binder);
  binder.RequireAll();
  RunOverSlots(clear, "groups cleared");
}

void GroupTableRun::RunOverSlots(device::Kernel& kernel, const std::string& name) {
  const uint64_t units = (slots_ - 1) / compile::kSlotsPerUnit + 1;
  const uint32_t groups = first_pipeline_->WorkGroups(
      static_cast<uint32_t>(std::min<uint64_t>(units, UINT32_MAX)), UINT32_MAX);
  device::Event end =
      context_.Queue().Launch(kernel, size_t{groups} * Kernel().work_group, Kernel().work_group);
  first_pipeline_->Defer(name, std::move(end), nullptr);
}

void GroupTableRun::BindTable(ArgumentBinder& binder) const {
  binder.Bind({ArgumentKind::GroupTable}, table_.Buffer());
  binder.Bind({ArgumentKind::GroupSlots}, slots_);
  if (shared_.is_hashed)
    binder.Bind({ArgumentKind::GroupCodes}, codes_.Buffer());
}

void GroupTableRun::Bind(ArgumentBinder& binder, const PipelineRun& /*pipeline*/,
                         const Batch& /*batch*/) {
  BindTable(binder);
  if (shared_.has_two_passes)
    binder.Bind({ArgumentKind::IsSecondPass}, is_second_);
  for (size_t i = 0; i < texts_.size(); i++) {
    binder.Bind({ArgumentKind::Interned, i}, interned_[i]);
    binder.Bind({ArgumentKind::InternedMask, i}, InternedSlots(i) - 1);
  }
}

uint64_t GroupTableRun::InternedSlots(size_t text) const {
  return compile::InternedText::Slots(texts_[text], shared_, slots_);
}

void GroupTableRun::FinishFolds() {
  groups_ = 0;
  for (const PipelineRun* pipeline : Pipelines())
    groups_ += pipeline->Groups();
  // Without keys there is a group even if it has no rows.
  if (layout_.keys.empty())
    groups_ = 1;
  const uint64_t enough = std::bit_ceil(std::max<uint64_t>(2 * uint64_t{groups_}, kFewestSlots));
  if (shared_.is_hashed)
    context_.Part().Learned().LearnSize(number_, enough > too_few_ ? enough : slots_);
  if (!shared_.has_two_passes)
    return;
  is_second_ = 1;
  for (PipelineRun* pipeline : Pipelines())
    RunAgain(*pipeline);
}

GroupTableRun::Packed GroupTableRun::CreatePacked() {
  device::Device& device = context_.GetDevice();
  const std::vector<optimize::RowOutput>& outputs = Packing().outputs;
  const size_t groups = groups_;
  Packed packed;
  size_t bytes = 0;
  for (const optimize::RowOutput& output : outputs)
    bytes += groups * (output.Bytes() + (output.can_be_null ? 1 : 0));
  packed.reservation = context_.Pool().Reserve(bytes);
  const auto create = [&](size_t size) {
    return device.CreateBuffer(groups * size, device::Access::WriteOnly);
  };
  packed.columns.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); i++) {
    packed.columns[i].values = create(outputs[i].Bytes());
    if (outputs[i].can_be_null)
      packed.columns[i].nulls = create(1);
  }
  return packed;
}

template <typename BindOutputs, typename ReadOutputs>
uint32_t GroupTableRun::RunPackingKernel(uint32_t capacity, const BindOutputs& bind_outputs,
                                         const ReadOutputs& read_outputs) {
  device::Device& device = context_.GetDevice();
  device::Queue& queue = context_.Queue();
  const optimize::GroupPacking& packing = Packing();
  const device::Buffer report =
      device.CreateZeroedBuffer(sizeof(int32_t), device::Access::ReadWrite, queue);
  const device::Buffer count =
      device.CreateZeroedBuffer(sizeof(uint32_t), device::Access::ReadWrite, queue);
  const optimize::Parameters& numbers = packing.values->parameters;
  const auto parameters = context_.Constant(numbers.Words());
  const auto lookups = context_.Constant(numbers.Tables());

  device::Kernel kernel =
      device.Programs().Get(Kernel().program)->CreateKernel(compile::kPackGroupsKernel);
  ArgumentBinder binder(kernel, Kernel().packing_arguments);
  binder.Bind({ArgumentKind::Parameters}, *parameters);
  binder.Bind({ArgumentKind::Lookups}, *lookups);
  BindTable(binder);
  binder.Bind({ArgumentKind::GroupFaults}, report);
  binder.Bind({ArgumentKind::GroupCount}, count);
  binder.Bind({ArgumentKind::GroupCapacity}, capacity);
  // Held while the kernel runs.
  const std::vector<storage::PinnedExtents> pins = first_pipeline_->PinWhole(packing.columns);
  for (size_t i = 0; i < packing.columns.size(); i++) {
    first_pipeline_->BindGathered(binder, packing.columns[i],
                                  packing.numbers.ColumnOf(packing.columns[i].number), pins[i]);
  }
  const std::vector<size_t> string_columns = compile::StringColumns(packing.values->graph);
  const std::vector<memory::ExtentPin> strings = first_pipeline_->PinStrings(string_columns);
  for (size_t i = 0; i < strings.size(); i++) {
    binder.Bind({ArgumentKind::Strings, packing.numbers.ColumnOf(string_columns[i])},
                strings[i].Buffer());
  }
  bind_outputs(binder);
  binder.RequireAll();
  RunOverSlots(kernel, "groups packed");
  int32_t faults = 0;
  uint32_t wanted = groups_;
  queue.ReadLater(report, 0, &faults, sizeof(faults));
  if (packing.filter)
    queue.ReadLater(count, 0, &wanted, sizeof(wanted));
  read_outputs();
  context_.SettleAll();
  ThrowFaults(faults);
  return wanted;
}

void GroupTableRun::DropTable() {
  table_ = memory::ScratchExtent();
  codes_ = memory::ScratchExtent();
  interned_.clear();
  reservation_ = memory::ScratchReservation();
}

std::shared_ptr<const void> GroupTableRun::FetchTexts(size_t column,
                                                      std::vector<std::byte>& values) {
  const auto* rows = WordsOf<TextRow>(values);
  const std::vector<PendingText> pending(rows, rows + values.size() / sizeof(TextRow));
  values.resize(pending.size() * sizeof(std::string_view));
  const optimize::InputColumn& text = Packing().columns[column];
  return TextFetch(context_.Part(), *text.TextImage(), first_pipeline_->TextsOf(text))
      .Fetch(context_.Queue(), pending, reinterpret_cast<std::string_view*>(values.data()));
}

std::shared_ptr<MaterialisedTable> GroupTableRun::PackMaterialised(uint32_t capacity,
                                                                   uint32_t& wanted) {
  auto table = std::make_shared<MaterialisedTable>(sink_.materialised, capacity, context_.Queue(),
                                                   context_.Pool());
  wanted = 0;
  if (groups_ == 0)
    return table;
  const auto bind = [&](ArgumentBinder& binder) {
    for (size_t i = 0; i < sink_.materialised.size(); i++) {
      binder.Bind({ArgumentKind::Values, i}, table->At(i).values);
      if (sink_.materialised[i].form->HasValidity())
        binder.Bind({ArgumentKind::Nulls, i}, table->At(i).validity);
    }
  };
  wanted = RunPackingKernel(capacity, bind, [] {});
  return table;
}

void GroupTableRun::Finish() {
  FinishFolds();
  // Without rows nobody has waited for the kernel that clears the table, which others may get.
  if (groups_ == 0) {
    context_.Queue().Finish();
    context_.Settle();
  }
  if (IsMaterialised()) {
    const uint32_t few = std::max(kFewGroups, groups_ / kShareOfGroups);
    const uint32_t capacity = Packing().filter ? std::min(groups_, few) : groups_;
    uint32_t wanted = 0;
    std::shared_ptr<MaterialisedTable> table = PackMaterialised(capacity, wanted);
    if (wanted > capacity)
      table = PackMaterialised(wanted, wanted);
    table->Truncate(wanted);
    context_.SetMaterialised(number_, std::move(table));
  } else if (groups_ != 0) {
    GiveGroups();
  }
  DropTable();
}

void GroupTableRun::GiveGroups() {
  const Packed packed = CreatePacked();
  const auto bind = [&](ArgumentBinder& binder) {
    for (size_t i = 0; i < packed.columns.size(); i++) {
      binder.Bind({ArgumentKind::Values, i}, packed.columns[i].values);
      if (Packing().outputs[i].can_be_null)
        binder.Bind({ArgumentKind::Nulls, i}, packed.columns[i].nulls);
    }
  };
  const auto groups_from = [&](size_t first) { return std::min(kGroupsPerBatch, groups_ - first); };
  std::shared_ptr<Owned> owned;
  RunPackingKernel(groups_, bind, [&] { owned = ReadGroups(packed, 0, groups_from(0)); });
  DropTable();
  for (size_t first = 0; first < groups_; first += kGroupsPerBatch) {
    if (first != 0) {
      context_.Timed([&] {
        owned = ReadGroups(packed, first, groups_from(first));
        context_.Queue().Finish();
      });
    }
    context_.Give(FinishGroups(std::move(owned), groups_from(first)));
  }
}

std::shared_ptr<GroupTableRun::Owned> GroupTableRun::ReadGroups(const Packed& packed, size_t first,
                                                                size_t groups) {
  auto owned = std::make_shared<Owned>();
  owned->columns.resize(packed.columns.size());
  const auto read = [&](const device::Buffer& buffer, size_t bytes, std::vector<std::byte>& into) {
    into.resize(groups * bytes);
    context_.Queue().ReadLater(buffer, first * bytes, into.data(), into.size());
  };
  for (size_t i = 0; i < packed.columns.size(); i++) {
    const optimize::RowOutput& output = Packing().outputs[i];
    read(packed.columns[i].values, output.Bytes(), owned->columns[i].values);
    if (output.can_be_null)
      read(packed.columns[i].nulls, 1, owned->columns[i].validity);
  }
  return owned;
}

ResultBatch GroupTableRun::FinishGroups(std::shared_ptr<Owned> owned, size_t groups) {
  ResultBatch batch;
  batch.rows = groups;
  context_.Timed([&] {
    for (size_t i = 0; i < owned->columns.size(); i++) {
      const optimize::RowOutput& output = Packing().outputs[i];
      auto& [values, validity] = owned->columns[i];
      if (output.text_column)
        owned->texts.push_back(FetchTexts(*output.text_column, values));
      ResultColumn& column = batch.columns.emplace_back(
          ResultColumn{output.type, values.data(),
                       validity.empty() ? nullptr : WordsOf<uint8_t>(validity), output.texts});
      if (output.function) {
        owned->texts.push_back(
            ComputeFunction(*output.function, groups, *context_.Pool().Allocator(), column));
      }
    }
  });
  batch.owner = std::move(owned);
  return batch;
}

}  // namespace margay::execute
