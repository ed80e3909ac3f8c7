#include "optimize/physical/program_outline.hpp"

#include <map>
#include <string>
#include <type_traits>

#include "optimize/value/node_text.hpp"
#include "storage/encoding.hpp"

namespace margay::optimize {

namespace {

std::string_view FoldName(Fold fold) {
  switch (fold) {
    case Fold::Count:
      return "count";
    case Fold::Sum64:
      return "sum64";
    case Fold::Sum128:
      return "sum128";
    case Fold::SumFloat:
      return "sum_float";
    case Fold::Min64:
      return "min64";
    case Fold::Max64:
      return "max64";
    case Fold::MinWide:
      return "min128";
    case Fold::MaxWide:
      return "max128";
    case Fold::MinText:
      return "min_text";
    case Fold::MaxText:
      return "max_text";
  }
  throw std::logic_error("FoldName: unknown fold");
}

void AddRange(const Range& range, Outline& into) {
  if (range.exact && range != Range{})
    into.Add("range", ToString(range.low) + ".." + ToString(range.high));
}

//! `0,2,3`
template <typename Numbers>
std::string ListOf(const Numbers& numbers) {
  std::string list;
  for (const auto number : numbers)
    list += (list.empty() ? "" : ",") + std::to_string(number);
  return list;
}

//! The columns of a program by name; with `@table` behind it where several have one.
class ColumnNames {
 public:
  explicit ColumnNames(const Program& program) : program_(program) {
    for (const InputColumn& column : program.columns)
      count_[column.name]++;
  }

  std::string Of(size_t number) const {
    const InputColumn& column = program_.columns[number];
    return count_.at(column.name) == 1 ? column.name
                                       : column.name + "@" + std::to_string(column.table);
  }
  std::string OfTable(size_t number) const {
    return program_.tables[number].name + "@" + std::to_string(number);
  }

 private:
  const Program& program_;
  std::map<std::string, size_t> count_;
};

void AddColumn(const InputColumn& column, const ColumnNames& names, Outline& into) {
  Outline& part = into.AddPart("column");
  part.Add("name", names.Of(column.number));
  part.Add("type", column.form->Type().ToString());
  part.Add("encoding", storage::EncodingName(column.form->GetEncoding()));
  part.Add("width", column.form->Width());
  if (column.form->ExtentCount() > 1)
    part.Add("extents", column.form->ExtentCount());
  part.AddFlag("nulls", column.form->HasValidity());
  part.AddFlag("whole", column.is_whole);
  if (column.Slice())
    part.Add("slice", column.Slice()->ToString());
}

//! Writes the values of one kernel.
class KernelOutline {
 public:
  KernelOutline(const KernelValues& values, const ColumnNames& names, Outline& into)
      : values_(values),
        text_(
            values.graph, [&names](size_t column) { return names.Of(column); },
            [&names](size_t table) { return names.OfTable(table); }),
        names_(names),
        into_(into) {}

  const ColumnNames& Names() const { return names_; }
  Outline& Into() { return into_; }

  std::string Text(const Node* node) { return text_.Of(node); }

  //! The value, whether it can be NULL or raise an error, and its range.
  void AddValue(const Value& value, Outline& part) {
    if (value.node != nullptr && value.node->machine != Machine::Text) {
      part.Add("value", Text(value.node));
      part.Add("machine", MachineName(value.node->machine));
    }
    if (value.null != nullptr)
      part.Add("null", Text(value.null));
    for (const Node* fault : value.faults)
      part.Add("fault", Text(fault));
    AddRange(value.range, part);
  }

  //! What the texts refer to: nodes with a name, and what is bound to the kernel.
  void AddReferences() {
    for (const auto& [name, text] : text_.Definitions()) {
      Outline& part = into_.AddPart("let");
      part.Add("name", name);
      part.Add("value", text);
    }
    const Parameters& parameters = values_.parameters;
    for (size_t slot = 0; slot < parameters.Slots().size(); slot++) {
      const Parameters::Slot& place = parameters.Slots()[slot];
      Outline& part = into_.AddPart("bind");
      part.Add("parameter", "$" + std::to_string(slot));
      part.Add("machine", MachineName(place.machine));
      const int64_t low = parameters.Words()[place.word];
      part.Add("word", ToString(place.machine == Machine::Wide
                                    ? JoinWords(low, parameters.Words()[place.word + 1])
                                    : Int128{low}));
    }
    if (parameters.TableBytes() > 0)
      into_.AddPart("lookups").Add("bytes", parameters.TableBytes());
  }

 private:
  const KernelValues& values_;
  NodeText text_;
  const ColumnNames& names_;
  Outline& into_;
};

void AddTests(const char* name, const std::vector<Value>& tests, KernelOutline& kernel,
              Outline& into) {
  for (const Value& test : tests)
    kernel.AddValue(test, into.AddPart(name));
}

void AddSlot(const JoinSlot& slot, KernelOutline& kernel, Outline& into) {
  if (slot.index.node != nullptr)
    into.Add("slot", kernel.Text(slot.index.node));
  if (slot.exists != nullptr)
    into.Add("exists", kernel.Text(slot.exists));
}

//! What both sides of a join know of its table.
void AddTable(const JoinTable& table, const KernelOutline& kernel, Outline& into) {
  into.Add("method", JoinMethodName(table.Method()));
  into.Add("table", kernel.Names().OfTable(table.table));
  into.Add("slots", table.slots);
  into.AddFlag("unique", table.keys_are_unique);
  into.AddFlag("numbered", table.is_numbered);
  into.AddFlag("bits", table.has_bits);
  into.AddFlag("chains", table.HasNexts());
  if (!table.compared_keys.empty())
    into.Add("compared_keys", ListOf(table.compared_keys));
  if (!table.links.empty())
    into.Add("links", ListOf(table.links));
  if (table.ranged_key)
    into.Add("ranged_key", uint64_t{*table.ranged_key});
}

void AddJoin(const LoweredPipeline::Join& join, KernelOutline& kernel, Outline& into) {
  Outline& probe = into.AddPart("probe");
  probe.Add("sink", uint64_t{join.build});
  probe.Add("kind", plan::JoinKindName(join.kind));
  AddTable(join.table, kernel, probe);
  AddSlot(join.probe.slot, kernel, probe);
  AddTests("key", join.probe.keys, kernel, probe);
  AddTests("equal", join.probe.equalities, kernel, probe);
  if (join.probe.residual)
    kernel.AddValue(*join.probe.residual, probe.AddPart("residual"));
  AddTests("filter", join.probe.conjuncts, kernel, into);
}

void AddOutputs(const std::vector<RowOutput>& outputs, KernelOutline& kernel, Outline& into) {
  for (const RowOutput& output : outputs) {
    Outline& part = into.AddPart("output");
    part.Add("type", output.type.ToString());
    if (output.string != nullptr)
      part.Add("text", kernel.Text(output.string));
    if (output.function)
      part.Add("function", output.function->ToString("text"));
    part.AddFlag("codes", output.texts != nullptr);
    kernel.AddValue(output.value, part);
  }
}

//! Adds what a pipeline gives to its sink.
class SinkOutline {
 public:
  explicit SinkOutline(KernelOutline& kernel) : kernel_(kernel), into_(kernel.Into()) {}

  void operator()(const JoinBuildSink& sink) {
    Outline& part = into_.AddPart("insert");
    AddTable(sink.table, kernel_, part);
    part.AddFlag("cached", sink.is_plain);
    AddSlot(sink.insert.slot, kernel_, part);
    AddTests("key", sink.insert.keys, kernel_, part);
  }

  void operator()(const GroupSink& sink) {
    Outline& part = into_.AddPart("fold");
    const AggregateLayout& layout = sink.layout;
    if (!layout.keys.empty()) {
      part.Add("groups", layout.groups);
      part.Add("expected_groups", layout.expected_groups);
    }
    part.Add("table", !layout.shared                ? "per_work_group"
                      : layout.shared->is_hashed    ? "shared_hashed"
                      : layout.shared->is_clustered ? "shared_clustered"
                                                    : "shared_direct");
    part.Add("words", uint64_t{layout.words});
    for (const GroupKey& key : layout.keys)
      AddKey(key, part);
    for (const Accumulator& accumulator : layout.accumulators)
      AddAccumulator(accumulator, layout, part);
    if (sink.packing)
      AddPacking(*sink.packing, part);
  }

  void operator()(const RowSink& sink) {
    Outline& part = into_.AddPart("give");
    part.AddFlag("multiplies", sink.multiplies);
    part.AddFlag("bounded", sink.HasBound());
    if (sink.order) {
      part.Add("order_words", uint64_t{sink.order->Count()});
      if (sink.window.limit)
        part.Add("limit", *sink.window.limit);
      if (sink.window.offset != 0)
        part.Add("offset", sink.window.offset);
      for (const OrderWords::Field& field : sink.order->Fields()) {
        Outline& word = part.AddPart("order_field");
        word.Add("bits", uint64_t{field.bits});
        kernel_.AddValue(field.value, word);
      }
    }
    AddOutputs(sink.outputs, kernel_, part);
  }

 private:
  void AddKey(const GroupKey& key, Outline& into) {
    Outline& part = into.AddPart("key");
    part.Add("type", key.type.ToString());
    if (key.is_dependent) {
      part.AddFlag("dependent", true);
      return;
    }
    part.Add("domain", ToString(key.low) + ".." + ToString(key.high));
    kernel_.AddValue(key.value, part);
  }

  void AddAccumulator(const Accumulator& accumulator, const AggregateLayout& layout,
                      Outline& into) {
    Outline& part = into.AddPart("accumulator");
    part.Add("fold", FoldName(accumulator.fold));
    part.Add("word", uint64_t{accumulator.word});
    part.AddFlag("checked", accumulator.is_checked);
    if (!accumulator.has_argument)
      return;
    const AggregateLayout::Argument& argument = layout.arguments[accumulator.argument];
    if (argument.string != nullptr)
      part.Add("text", kernel_.Text(argument.string));
    kernel_.AddValue(argument.value, part);
  }

  void AddPacking(const GroupPacking& packing, Outline& into) {
    Outline& part = into.AddPart("pack");
    KernelOutline kernel(*packing.values, kernel_.Names(), part);
    for (const InputColumn& column : packing.columns)
      AddColumn(column, kernel.Names(), part);
    if (packing.filter)
      kernel.AddValue(*packing.filter, part.AddPart("filter"));
    AddOutputs(packing.outputs, kernel, part);
    kernel.AddReferences();
  }

  KernelOutline& kernel_;
  Outline& into_;
};

void AddPipeline(const Program& program, size_t number, const ColumnNames& names, Outline& into) {
  const ProgramPipeline& pipeline = program.pipelines[number];
  const LoweredPipeline& lowered = *pipeline.lowered;
  Outline& part = into.AddPart("pipeline");
  part.Add("number", uint64_t{number});
  part.Add("table", names.OfTable(lowered.table));
  part.Add("sink", uint64_t{pipeline.sink});
  part.Add("estimated_rows", pipeline.estimated_rows);
  part.Add("bytes", pipeline.bytes);
  if (pipeline.spared_rows > 0)
    part.Add("spared_rows", pipeline.spared_rows);
  KernelOutline kernel(*lowered.values, names, part);
  for (const InputColumn& column : lowered.ReadColumns())
    AddColumn(column, names, part);
  AddTests("filter", lowered.filters, kernel, part);
  for (const LoweredPipeline::RangedJoin& join : lowered.ranged_joins) {
    Outline& ranged = part.AddPart("skip_segments");
    ranged.Add("sink", uint64_t{join.build});
    ranged.Add("column", names.Of(join.column.number));
  }
  for (const LoweredPipeline::Join& join : lowered.joins)
    AddJoin(join, kernel, part);
  std::visit(SinkOutline(kernel), lowered.sink);
  kernel.AddReferences();
}

void AddSink(const Program& program, size_t number, Outline& into) {
  const ProgramSink& sink = program.sinks[number];
  Outline& part = into.AddPart("sink");
  part.Add("number", uint64_t{number});
  part.Add("kind", SinkKindName(sink.kind));
  part.Add("pipelines", ListOf(sink.pipelines));
  part.AddFlag("result", number == program.result);
  for (const MaterialisedColumn& column : sink.columns) {
    Outline& stored = part.AddPart("column");
    stored.Add("type", column.form->Type().ToString());
    stored.Add("encoding", storage::EncodingName(column.form->GetEncoding()));
    stored.Add("width", column.form->Width());
    stored.AddFlag("nulls", column.form->HasValidity());
  }
}

}  // namespace

Outline OutlineOf(const Program& program) {
  Outline outline{"program", {}, {}};
  if (!program.pipelines.empty())
    outline.Add("shape", ShapeName(program.pipelines[0].lowered->shape));
  const ColumnNames names(program);
  for (size_t number = 0; number < program.tables.size(); number++) {
    const ProgramTable& table = program.tables[number];
    Outline& part = outline.AddPart("table");
    part.Add("name", names.OfTable(number));
    if (table.scan)
      part.Add("scan", uint64_t{*table.scan});
    if (table.sink)
      part.Add("sink", uint64_t{*table.sink});
    part.Add("rows", table.rows);
  }
  for (size_t number = 0; number < program.pipelines.size(); number++)
    AddPipeline(program, number, names, outline);
  for (size_t number = 0; number < program.sinks.size(); number++)
    AddSink(program, number, outline);
  return outline;
}

}  // namespace margay::optimize
