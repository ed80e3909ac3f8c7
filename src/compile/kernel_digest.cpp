#include "compile/kernel_digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/kernel_context.hpp"

namespace margay::compile {

namespace {

using optimize::Node;
using optimize::NodeKind;
using optimize::Value;

//! Collects what a kernel depends on.
class Decisions {
 public:
  void Add(uint64_t number) {
    const auto* bytes = reinterpret_cast<const char*>(&number);
    bytes_.append(bytes, sizeof(number));
  }
  void Add(const std::string& text) {
    Add(text.size());
    bytes_ += text;
  }
  template <typename Enumeration>
  void AddEnum(Enumeration value) {
    Add(static_cast<uint64_t>(value));
  }
  template <typename Items, typename AddItem>
  void AddList(const Items& items, const AddItem& add) {
    Add(items.size());
    for (const auto& item : items)
      add(item);
  }

  KernelDigest Finish() const {
    const XXH128_hash_t hash = XXH3_128bits(bytes_.data(), bytes_.size());
    return {hash.low64, hash.high64};
  }

 private:
  std::string bytes_;
};

//! Adds the values of one kernel, with its numbers of columns and tables. A node is told once;
//! after that it is known by its place.
class ValueDecisions {
 public:
  ValueDecisions(const KernelContext& context, Decisions& decisions)
      : context_(context), decisions_(decisions) {}

  void Add(const Node* node) {
    if (node == nullptr) {
      decisions_.Add(UINT64_MAX);
      return;
    }
    const auto [known, is_new] = places_.emplace(node, places_.size());
    decisions_.Add(known->second);
    if (!is_new)
      return;
    decisions_.AddEnum(node->kind);
    decisions_.AddEnum(node->machine);
    decisions_.Add(NumberOf(*node));
    decisions_.Add(static_cast<uint64_t>(node->integer));
    decisions_.Add(static_cast<uint64_t>(node->integer >> 64));
    decisions_.Add(node->symbol);
    decisions_.AddList(node->operands, [&](const Node* operand) { Add(operand); });
  }

  void Add(const Value& value) {
    Add(value.node);
    Add(value.null);
    decisions_.AddList(value.faults, [&](const Node* fault) { Add(fault); });
  }
  void Add(const std::vector<Value>& values) {
    decisions_.AddList(values, [&](const Value& value) { Add(value); });
  }

 private:
  //! The number of a node, in the numbers of the kernel.
  uint64_t NumberOf(const Node& node) const {
    switch (node.kind) {
      case NodeKind::Column:
      case NodeKind::ColumnNull:
      case NodeKind::TextRow:
      case NodeKind::TextColumn:
        return context_.Column(node.number).number;
      case NodeKind::TextEntry:
        return node.operands.size() == 2 ? context_.Column(node.number).number : 0;
      case NodeKind::Missing:
      case NodeKind::RowNumber:
        return context_.Table(node.number);
      default:
        return node.number;
    }
  }

  const KernelContext& context_;
  Decisions& decisions_;
  std::unordered_map<const Node*, size_t> places_;
};

void AddPlaces(const optimize::GatheredColumns::Places& places, Decisions& decisions) {
  decisions.Add(places.base);
  decisions.Add(places.has_base_table);
  decisions.Add(places.extents);
  decisions.Add(places.rows_per_extent);
  decisions.AddList(places.text_begins, [&](size_t begin) { decisions.Add(begin); });
}

//! A column that a kernel reads, with the numbers of the kernel.
void AddColumn(const InputColumn& column, const KernelContext& context, Decisions& decisions) {
  const storage::ColumnForm& form = *column.form;
  const bool is_scanned = context.IsScanned(column);
  decisions.Add(column.number);
  decisions.Add(column.table);
  decisions.Add(is_scanned);
  decisions.Add(context.CanBeMissing(column));
  decisions.Add(column.is_whole);
  decisions.AddEnum(form.GetEncoding());
  decisions.Add(form.Width());
  decisions.Add(form.HasValidity());
  decisions.Add(form.Type().IsBoolean());
  if (!column.IsText())
    decisions.AddEnum(optimize::MachineOf(form));
  if (!is_scanned || column.is_whole)
    AddPlaces(context.Gathered().Of(form), decisions);
  if (column.RefersToText())
    AddPlaces(context.Gathered().Of(*column.TextImage()), decisions);
}

void AddContext(const KernelContext& context, const std::vector<InputColumn>& columns,
                Decisions& decisions) {
  decisions.AddList(context.GetParameters().Slots(), [&](const optimize::Parameters::Slot& slot) {
    decisions.AddEnum(slot.machine);
    decisions.Add(slot.word);
  });
  decisions.AddList(columns, [&](const InputColumn& column) {
    AddColumn(context.Local(column), context, decisions);
  });
  decisions.AddList(StringColumns(context.Graph()),
                    [&](size_t column) { decisions.Add(context.Column(column).number); });
  decisions.AddList(context.Graph().Sources(),
                    [&](const std::string& source) { decisions.Add(source); });
}

void AddTable(const optimize::JoinTable& table, const KernelContext& context,
              Decisions& decisions) {
  for (const bool flag : {table.is_direct, table.keys_are_unique, table.is_partitioned,
                          table.is_numbered, table.has_bits, table.is_bitmap, table.is_ranked,
                          table.HasNexts(), table.IsNestedLoop(), table.ranged_key.has_value()})
    decisions.Add(flag);
  if (table.ranged_key)
    decisions.Add(*table.ranged_key);
  decisions.Add(context.Table(table.table));
  decisions.AddList(table.links, [&](size_t linked) { decisions.Add(context.Table(linked)); });
}

void AddSlot(const optimize::JoinSlot& slot, ValueDecisions& values) {
  values.Add(slot.index);
  values.Add(slot.exists);
}

void AddOutputs(const std::vector<optimize::RowOutput>& outputs, ValueDecisions& values,
                Decisions& decisions) {
  decisions.AddList(outputs, [&](const optimize::RowOutput& output) {
    decisions.AddEnum(output.type.kind);
    decisions.Add(static_cast<uint64_t>(output.type.PhysicalBytes()));
    for (const bool flag : {output.can_be_null, output.has_validity_bits,
                            output.text_column.has_value(), output.has_text_row, output.is_at_row})
      decisions.Add(flag);
    decisions.Add(output.text_column.value_or(0));
    values.Add(output.value);
    values.Add(output.string);
  });
}

void AddLayout(const optimize::AggregateLayout& layout, const KernelContext& context,
               ValueDecisions& values, Decisions& decisions) {
  decisions.AddList(layout.keys, [&](const optimize::GroupKey& key) {
    decisions.Add(key.is_dependent);
    decisions.Add(key.type.IsBoolean());
    decisions.Add(key.text ? context.Column(key.text->number).number + 1 : 0);
    values.Add(key.string);
  });
  values.Add(layout.index);
  decisions.Add(layout.is_index_certain);
  decisions.Add(layout.index_places.size());
  decisions.Add(layout.words);
  decisions.AddList(layout.arguments, [&](const optimize::AggregateLayout::Argument& argument) {
    decisions.Add(argument.expression->GetType().IsBoolean());
    values.Add(argument.value);
    values.Add(argument.string);
    // How many bits its sums take: see PackedTable, whose tables take in powers of two of rows.
    const auto magnitude = static_cast<UInt128>(argument.value.range.Magnitude());
    const auto high = static_cast<uint64_t>(magnitude >> 64);
    decisions.Add(static_cast<uint64_t>(
        high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(magnitude))));
    decisions.Add(argument.value.range.low < 0);
  });
  decisions.AddList(layout.accumulators, [&](const optimize::Accumulator& accumulator) {
    decisions.AddEnum(accumulator.fold);
    decisions.Add(accumulator.word);
    decisions.Add(accumulator.argument);
    decisions.Add(accumulator.has_argument);
    decisions.Add(accumulator.is_checked);
  });
  decisions.Add(layout.shared.has_value());
  if (!layout.shared) {
    decisions.Add(layout.groups);
    return;
  }
  decisions.Add(layout.shared->is_hashed);
  decisions.Add(layout.shared->is_clustered);
  decisions.Add(layout.shared->has_two_passes);
  decisions.AddList(layout.shared->rows, [&](const optimize::SharedGroups::Row& row) {
    decisions.Add(context.Table(row.table));
    decisions.Add(row.word);
  });
}

void AddPacking(const optimize::GroupPacking& packing, const optimize::AggregateLayout& layout,
                Decisions& decisions) {
  const KernelContext context(*packing.values, packing.numbers, packing.columns);
  AddContext(context, packing.columns, decisions);
  ValueDecisions values(context, decisions);
  decisions.AddList(layout.shared->rows, [&](const optimize::SharedGroups::Row& row) {
    decisions.Add(context.Table(row.table));
  });
  decisions.Add(packing.filter.has_value());
  if (packing.filter)
    values.Add(*packing.filter);
  AddOutputs(packing.outputs, values, decisions);
}

//! Adds the sink of a pipeline, by its type.
class SinkDecisions {
 public:
  SinkDecisions(const KernelContext& context, ValueDecisions& values, Decisions& decisions)
      : context_(context), values_(values), decisions_(decisions) {}

  void operator()(const optimize::JoinBuildSink& sink) {
    AddTable(sink.table, context_, decisions_);
    values_.Add(sink.insert.keys);
    AddSlot(sink.insert.slot, values_);
  }

  void operator()(const optimize::GroupSink& sink) {
    AddLayout(sink.layout, context_, values_, decisions_);
    if (sink.packing)
      AddPacking(*sink.packing, sink.layout, decisions_);
  }

  void operator()(const optimize::RowSink& sink) {
    AddOutputs(sink.outputs, values_, decisions_);
    decisions_.Add(sink.multiplies);
    decisions_.Add(sink.HasBound());
    decisions_.Add(sink.order_is_of_scan);
    decisions_.Add(sink.order ? sink.order->Count() : 0);
    if (!sink.order)
      return;
    decisions_.AddList(sink.order->Fields(), [&](const optimize::OrderWords::Field& field) {
      decisions_.Add(field.bits);
      values_.Add(field.value);
    });
  }

 private:
  const KernelContext& context_;
  ValueDecisions& values_;
  Decisions& decisions_;
};

}  // namespace

KernelDigest KernelDigest::Of(const optimize::LoweredPipeline& pipeline) {
  Decisions decisions;
  decisions.AddEnum(pipeline.shape);
  const std::vector<InputColumn> columns = pipeline.ReadColumns();
  const KernelContext context(*pipeline.values, pipeline.numbers, columns);
  AddContext(context, columns, decisions);
  ValueDecisions values(context, decisions);
  values.Add(pipeline.filters);
  decisions.AddList(pipeline.joins, [&](const optimize::LoweredPipeline::Join& join) {
    decisions.AddEnum(join.kind);
    decisions.Add(join.has_residual);
    AddTable(join.table, context, decisions);
    values.Add(join.probe.keys);
    AddSlot(join.probe.slot, values);
    values.Add(join.probe.equalities);
    if (join.probe.residual)
      values.Add(*join.probe.residual);
    values.Add(join.probe.conjuncts);
  });
  decisions.Add(pipeline.sink.index());
  std::visit(SinkDecisions(context, values, decisions), pipeline.sink);
  return decisions.Finish();
}

}  // namespace margay::compile
