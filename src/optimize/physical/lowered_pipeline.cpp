#include "optimize/physical/lowered_pipeline.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "optimize/physical/materialised_output.hpp"
#include "optimize/physical/plain_build.hpp"
#include "optimize/unsupported.hpp"

namespace margay::optimize {

namespace {

//! Nested loops may have this many steps for one row, in the middle of which no kernel stops: some
//! 100 ms of a CPU's core.
constexpr uint64_t kMostNestedSteps = uint64_t{1} << 26;

//! Throws Unsupported where nested loops would keep a row for too long.
void RefuseLongLoops(const std::vector<LoweredPipeline::Join>& joins) {
  uint64_t steps = 1;
  for (const LoweredPipeline::Join& join : joins) {
    if (!join.table.IsNestedLoop())
      continue;
    if (join.table.rows > kMostNestedSteps / steps)
      throw Unsupported("a join without an equality over more than " +
                        std::to_string(kMostNestedSteps) + " rows for each row");
    steps *= std::max<uint64_t>(join.table.rows, 1);
  }
}

//! Those of `conjuncts` that may tell segments apart: something is known about them in all columns,
//! and none before can raise an error, which must be met.
std::vector<plan::ExpressionPointer> ConjunctsOfSegments(
    const std::vector<plan::ExpressionPointer>& conjuncts, const std::vector<Value>& values,
    const std::vector<InputColumn>& columns) {
  std::vector<plan::ExpressionPointer> known;
  for (size_t i = 0; i < conjuncts.size() && !values[i].CanFault(); i++) {
    bool is_known = true;
    VisitColumns(*conjuncts[i], [&](size_t column) {
      is_known = is_known && !columns[column].form->Segments().empty();
    });
    if (is_known)
      known.push_back(conjuncts[i]);
  }
  return known;
}

//! The columns that a pipeline reads, and those of the keys of its own build side.
std::set<size_t> ColumnsRead(const LoweredPipeline::Input& input, Pipeline pipeline,
                             const std::vector<plan::ExpressionPointer>& build_keys) {
  // Keys of build sides that are not compared are only in the tables.
  for (PipelineJoin& join : pipeline.joins) {
    const std::vector<size_t>& compared = input.join_tables[join.build].compared_keys;
    for (size_t i = 0; i < join.keys.size(); i++) {
      if (std::find(compared.begin(), compared.end(), i) == compared.end())
        join.keys[i].build = join.keys[i].probe;
    }
  }
  std::set<size_t> read;
  VisitColumns(pipeline, [&](size_t column) { read.insert(column); });
  for (const plan::ExpressionPointer& key : build_keys)
    VisitColumns(*key, [&](size_t column) { read.insert(column); });
  return read;
}

//! The same of an aggregate: keys that follow from others are computed when its groups are packed.
std::set<size_t> ColumnsRead(const LoweredPipeline::Input& input, const AggregateLayout& layout) {
  Pipeline reading = input.stage.result;
  for (size_t i = reading.outputs.size(); i-- > 0;) {
    if (layout.keys[i].is_dependent)
      reading.outputs.erase(reading.outputs.begin() + static_cast<ptrdiff_t>(i));
  }
  return ColumnsRead(input, std::move(reading), {});
}

//! The value of `expression`, an output of a union's input, as a column of the union holds it.
Value ValueInUnion(const plan::ExpressionPointer& expression, const MaterialisedColumn& column,
                   ValueBuilder& builder) {
  const storage::ColumnForm& form = *column.form;
  if (form.TextSource())
    throw Unsupported("a union of text that is not stored");
  Value value = RowOutputOf(expression, column, builder).value;
  // It would have to be raised for rows that are left out before they need the value.
  if (value.CanFault())
    throw Unsupported("a union of values that may raise errors, and are not stored");
  // What is made of the column may depend only on what all inputs agree on.
  if (form.HasValidity() && !value.CanBeNull())
    value.null = builder.Graph().Flag(false);
  if (!IsFloat(value.GetMachine())) {
    value.node = builder.Convert(value, MachineOf(form));
    value.range = value.domain = RangeOf(form);
  }
  return value;
}

}  // namespace

LoweredPipeline::LoweredPipeline(const Input& input, size_t scanned,
                                 std::set<size_t> missing_tables)
    : shape(input.shape),
      table(scanned),
      values(std::make_shared<KernelValues>(
          ValueContext{input.columns, input.dictionaries, scanned, std::move(missing_tables)})),
      numbers(scanned) {}

void LoweredPipeline::AddSteps(const Input& input, const Pipeline& pipeline, size_t builds) {
  ValueBuilder& builder = values->builder;
  for (const plan::ExpressionPointer& conjunct : pipeline.conjuncts) {
    std::vector<Value>& tests = joins.empty() ? filters : joins.back().probe.conjuncts;
    tests.push_back(builder.Build(conjunct));
  }
  for (const PipelineJoin& join : pipeline.joins) {
    const JoinTable& join_table = input.join_tables[join.build];
    joins.push_back({join.kind, builds + join.build, join.residual != nullptr, join_table,
                     JoinProbe::Of(join, join_table, builder)});
    if (join_table.ranged_key)
      ranged_joins.push_back(
          {builds + join.build,
           input.columns[join.keys[*join_table.ranged_key].probe->ColumnIndex()]});
  }
  RefuseLongLoops(joins);
}

void LoweredPipeline::SetSegmentFilter(const Input& input, const Pipeline& pipeline) {
  segment_filter = std::make_shared<SegmentFilter>(
      ConjunctsOfSegments(pipeline.conjuncts, filters, input.columns), input.columns,
      input.dictionaries);
}

LoweredPipeline LoweredPipeline::OfBuild(const Input& input, const JoinTable& table) {
  const BuildPipeline& build = input.stage.builds[table.number];
  LoweredPipeline lowered(input, build.pipeline.table, input.stage.MissingTables(build.pipeline));
  lowered.AddSteps(input, build.pipeline, 0);
  lowered.SetSegmentFilter(input, build.pipeline);
  JoinBuildSink sink{table,
                     JoinInsert::Of(build.keys, table, lowered.values->builder),
                     IsPlainBuild(build, input.columns),
                     {}};
  for (const plan::ExpressionPointer& key : build.keys)
    sink.keys_text += (sink.keys_text.empty() ? "" : ", ") + key->ToString();
  lowered.sink = std::move(sink);
  lowered.FindColumns(input, ColumnsRead(input, build.pipeline, build.keys));
  return lowered;
}

LoweredPipeline LoweredPipeline::OfResult(const Input& input) {
  const Pipeline& pipeline = input.stage.result;
  LoweredPipeline lowered(input, pipeline.table, input.stage.MissingTables(pipeline));
  lowered.AddSteps(input, pipeline, 0);
  lowered.SetSegmentFilter(input, pipeline);
  if (pipeline.is_aggregate) {
    const GroupSink& groups = lowered.LowerGroups(input);
    lowered.FindColumns(input, ColumnsRead(input, groups.layout));
  } else {
    lowered.FindColumns(input, ColumnsRead(input, pipeline, {}));
    lowered.LowerRows(input);
  }
  return lowered;
}

LoweredPipeline LoweredPipeline::OfUnionInput(const Input& input, const Input& below,
                                              const std::vector<MaterialisedColumn>& united) {
  const Pipeline& pipeline = input.stage.result;
  if (pipeline.order)
    throw Unsupported("an order of the rows of a union that are not stored");
  Pipeline pipeline_below = below.stage.result;
  std::set<size_t> missing = input.stage.MissingTables(pipeline);
  missing.merge(below.stage.MissingTables(pipeline_below));
  LoweredPipeline lowered(input, pipeline_below.table, std::move(missing));
  lowered.AddSteps(below, pipeline_below, 0);
  if (lowered.NeedsStops())
    throw Unsupported("a union of rows that joins multiply, and that are not stored");
  lowered.SetSegmentFilter(below, pipeline_below);
  const std::vector<plan::ExpressionPointer> outputs = std::exchange(pipeline_below.outputs, {});
  for (const InputColumn& column : input.columns) {
    if (column.table != pipeline.table)
      continue;
    pipeline_below.outputs.push_back(outputs[column.id]);
    lowered.values->builder.GiveColumn(
        column.number,
        ValueInUnion(outputs[column.id], united[column.id], lowered.values->builder));
  }
  lowered.AddSteps(input, pipeline, below.stage.builds.size());
  const auto find_columns = [&](std::set<size_t> read) {
    std::erase_if(read,
                  [&](size_t column) { return input.columns[column].table == pipeline.table; });
    read.merge(ColumnsRead(below, pipeline_below, {}));
    lowered.FindColumns(input, read);
  };
  if (pipeline.is_aggregate) {
    const AggregateLayout& layout = lowered.LowerGroups(input).layout;
    if (layout.shared &&
        std::any_of(layout.shared->rows.begin(), layout.shared->rows.end(),
                    [&](const SharedGroups::Row& row) { return row.table == pipeline.table; }))
      throw Unsupported("groups that hold rows of a union that is not stored");
    find_columns(ColumnsRead(input, layout));
  } else {
    find_columns(ColumnsRead(input, pipeline, {}));
    lowered.LowerRows(input);
  }
  return lowered;
}

const GroupSink& LoweredPipeline::LowerGroups(const Input& input) {
  const Pipeline& pipeline = input.stage.result;
  GroupSink groups;
  groups.layout =
      AggregateLayout::Of(input.stage, input.join_tables, values->builder, input.rows, input.shape);
  groups.aggregates = pipeline.aggregates;
  if (groups.layout.shared) {
    groups.packing =
        GroupPacking::Of(pipeline, groups.layout, values->context, input.wanted,
                         input.use == ResultUse::Materialised ? &groups.materialised : nullptr);
  } else if (input.use == ResultUse::Materialised) {
    groups.materialised = MaterialiseGroups(groups.layout, pipeline.aggregates);
  }
  return sink.emplace<GroupSink>(std::move(groups));
}

void LoweredPipeline::LowerRows(const Input& input) {
  const Pipeline& pipeline = input.stage.result;
  ValueBuilder& builder = values->builder;
  RowSink rows;
  rows.multiplies = NeedsStops();
  if (input.use == ResultUse::Materialised) {
    if (pipeline.order)
      throw Unsupported("an order or a limit below other operators");
    if (input.materialised) {
      rows.materialised = *input.materialised;
    } else {
      rows.most_rows =
          MostRows(input.stage, pipeline, input.join_tables, input.columns, input.rows);
      const auto expected =
          static_cast<double>(input.rows[pipeline.table]) * input.stage.expected_share;
      const MaterialisedSize size{
          std::min(rows.most_rows, kMostEntries),
          static_cast<uint64_t>(std::min(expected, static_cast<double>(kMostEntries)))};
      for (const plan::ExpressionPointer& output : pipeline.outputs)
        rows.materialised.push_back(MaterialiseOutput(output, size, pipeline.conjuncts, builder));
    }
    for (size_t i = 0; i < rows.materialised.size(); i++)
      rows.outputs.push_back(RowOutputOf(pipeline.outputs[i], rows.materialised[i], builder));
    sink = std::move(rows);
    return;
  }
  const std::vector<InputColumn> read = ReadColumns();
  for (const plan::ExpressionPointer& output : pipeline.outputs)
    rows.outputs.push_back(RowOutput::Of(output, read, builder));
  if (pipeline.order) {
    rows.order = std::make_shared<const OrderWords>(pipeline.order->keys, builder);
    rows.window = pipeline.order->window;
    rows.order_can_fault =
        rows.order->CanFault() ||
        std::any_of(rows.outputs.begin(), rows.outputs.end(), [](const RowOutput& output) {
          return !output.text_column && output.value.CanFault();
        });
    rows.order_is_of_scan = true;
    for (const plan::OrderKey& key : pipeline.order->keys) {
      VisitColumns(*key.expression, [&](size_t column) {
        rows.order_is_of_scan =
            rows.order_is_of_scan && input.columns[column].table == pipeline.table;
      });
    }
    for (const OrderWords::LongText& text : rows.order->LongTexts())
      rows.outputs.push_back(RowOutput::Of(text.text, read, builder));
    RowOutput word;
    word.type = plan::TypeKind::UInt64;
    rows.outputs.insert(rows.outputs.end(), rows.order->Count(), word);
  }
  sink = std::move(rows);
}

void LoweredPipeline::FindColumns(const Input& input, const std::set<size_t>& read) {
  std::set<size_t> compared_texts;
  if (const auto* groups = std::get_if<GroupSink>(&sink))
    compared_texts = groups->layout.ComparedTexts();
  for (InputColumn column : input.columns) {
    if (column.table == table && column.HoldsText())
      text_columns.push_back(column);
    if (read.count(column.number) == 0)
      continue;
    if (column.table == table) {
      column.is_whole = column.HoldsText() && compared_texts.count(column.number) != 0;
      columns.push_back(std::move(column));
    } else {
      joined_columns.push_back(std::move(column));
    }
  }
  for (const InputColumn& column : columns)
    numbers.AddColumn(column.number);
  for (const Join& join : joins) {
    numbers.AddTable(join.table.table);
    for (size_t linked : join.table.links)
      numbers.AddTable(linked);
  }
  for (const InputColumn& column : joined_columns) {
    numbers.AddColumn(column.number);
    numbers.AddTable(column.table);
  }
  // What kernels find rows of by their numbers.
  for (const std::vector<InputColumn>* list : {&columns, &joined_columns}) {
    for (const InputColumn& column : *list)
      values->gathered.Add(column, list == &joined_columns || column.is_whole);
  }
}

bool LoweredPipeline::EndsLike(const LoweredPipeline& other) const {
  if (const auto* groups = std::get_if<GroupSink>(&sink)) {
    const auto* other_groups = std::get_if<GroupSink>(&other.sink);
    return other_groups != nullptr && groups->layout.IsLike(other_groups->layout);
  }
  const auto* rows = std::get_if<RowSink>(&sink);
  const auto* other_rows = std::get_if<RowSink>(&other.sink);
  return rows != nullptr && other_rows != nullptr && rows->multiplies == other_rows->multiplies &&
         std::equal(rows->outputs.begin(), rows->outputs.end(), other_rows->outputs.begin(),
                    other_rows->outputs.end(), [](const RowOutput& a, const RowOutput& b) {
                      // The place of a text column is the pipeline's own.
                      return a.type == b.type && a.can_be_null == b.can_be_null &&
                             storage::AreEqual(a.texts, b.texts) &&
                             a.text_column.has_value() == b.text_column.has_value() &&
                             a.has_text_row == b.has_text_row && a.function == b.function;
                    });
}

bool LoweredPipeline::MultipliesRows() const {
  return std::any_of(joins.begin(), joins.end(), [](const Join& join) {
    return join.GivesBuildSide() && !join.table.keys_are_unique;
  });
}

bool LoweredPipeline::NeedsStops() const {
  return MultipliesRows() || std::any_of(joins.begin(), joins.end(), [](const Join& join) {
           return join.table.IsNestedLoop();
         });
}

bool LoweredPipeline::HasChains() const {
  return std::any_of(joins.begin(), joins.end(),
                     [](const Join& join) { return !join.table.keys_are_unique; });
}

std::vector<InputColumn> LoweredPipeline::ReadColumns() const {
  std::vector<InputColumn> all = columns;
  all.insert(all.end(), joined_columns.begin(), joined_columns.end());
  return all;
}

}  // namespace margay::optimize
