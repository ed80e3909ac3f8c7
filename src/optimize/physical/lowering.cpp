#include "optimize/physical/lowering.hpp"

#include <algorithm>
#include <unordered_map>

#include "optimize/estimate/uniqueness.hpp"
#include "optimize/physical/join_order.hpp"
#include "optimize/physical/materialised_output.hpp"
#include "optimize/physical/nested_loops.hpp"
#include "optimize/physical/ranged_keys.hpp"
#include "optimize/physical/stage_cut.hpp"
#include "optimize/physical/text_resolution.hpp"
#include "optimize/physical/verify_program.hpp"
#include "optimize/rewrite/eager_aggregation.hpp"
#include "optimize/unsupported.hpp"

namespace margay::optimize {

namespace {

//! How the result of a stage is wanted.
struct Wanted {
  ResultUse use = ResultUse::Rows;
  //! Which groups of a result that stays on the device are of use; null: all.
  plan::ExpressionPointer groups = nullptr;
  //! The columns of rows that stay on the device, where others than those that suit them are asked
  //! for; null else.
  const std::vector<MaterialisedColumn>* columns = nullptr;
  std::optional<size_t> into = {};  //!< the sink that gets them, if there is one
};

//! What a scan of `columns` reads, strings of text included.
uint64_t BytesOf(const std::vector<InputColumn>& columns) {
  uint64_t bytes = 0;
  for (const InputColumn& column : columns) {
    bytes += column.form->Rows() * column.form->Width();
    for (const storage::SegmentStatistics& segment : column.form->Segments())
      bytes += segment.text_bytes;
  }
  return bytes;
}

//! The columns that hold the rows of all inputs of a union.
struct United {
  std::vector<MaterialisedColumn> columns;
  uint64_t most_rows = 0;  //!< of all inputs together, stored or not
};

//! A stage whose joins are arranged and whose build sides are lowered.
struct BuiltStage {
  Stage stage;
  std::vector<uint64_t> rows;     //!< of the tables
  std::vector<JoinTable> tables;  //!< of the build sides
  std::vector<size_t> sinks;      //!< the same
};

//! Makes a program, the stages whose results others read first. Throws Unsupported.
class Lowerer {
 public:
  Lowerer(const std::vector<ScanInput>& inputs, const LoweringOptions& options)
      : inputs_(inputs), options_(options) {}

  Program Lower(const plan::NodePointer& plan) {
    CountReaders(plan);
    program_.result = LowerStage(plan, 0, {});
    VerifyProgram(program_);
    return std::move(program_);
  }

 private:
  void CountReaders(const plan::NodePointer& node) {
    if (node->Kind() == plan::NodeKind::Aggregate || node->Kind() == plan::NodeKind::Union)
      readers_[node]++;
    for (const plan::NodePointer& input : {node->Input(), node->Build()}) {
      if (input)
        CountReaders(input);
    }
  }

  //! Lowers `plan`, whose first scan has the number `scan`; returns the sink of its result.
  size_t LowerStage(const plan::NodePointer& plan, size_t scan, const Wanted& wanted) {
    const StageCut cut = CutStage(plan);
    if (const auto sink = LowerOverUnion(*plan, cut, scan, wanted))
      return *sink;
    DictionaryCache dictionaries(program_.columns);
    const BuiltStage built = Build(MakeStage(cut, scan, nullptr), dictionaries);
    LoweredPipeline result = LoweredPipeline::OfResult(InputOf(built, dictionaries, wanted));
    const size_t sink = wanted.into ? *wanted.into : AddSinkOf(result, wanted.use);
    AddPipeline(std::move(result), built.sinks, sink, built.stage.expected_share,
                built.stage.spared_rows);
    return sink;
  }

  //! The stage above what `cut` cuts off, which is lowered first, and whose first scan has the
  //! number `scan`. With `united`, the first table is a union that is not stored, with these
  //! columns.
  Stage MakeStage(const StageCut& cut, size_t scan, const United* united) {
    const std::vector<const plan::Node*> scans = plan::Scans(*cut.plan);
    std::vector<std::optional<size_t>> sinks(scans.size());
    std::vector<size_t> numbers(scans.size());
    for (size_t i = 0; i < scans.size(); i++) {
      numbers[i] = scan;
      const plan::NodePointer& inner = cut.inners[i];
      if (inner && (i > 0 || united == nullptr))
        sinks[i] = LowerInner(inner, scan, cut.wanted[i]);
      scan += inner ? plan::Scans(*inner).size() : 1;
    }
    std::vector<size_t> column_tables;
    for (const InputColumn& column : program_.columns)
      column_tables.push_back(column.table);
    const size_t first_table = program_.tables.size();
    for (size_t i = 0; i < scans.size(); i++) {
      if (i == 0 && united != nullptr)
        AddUnion(*scans[i], *united);
      else
        AddTable(*scans[i], numbers[i], sinks[i]);
    }
    return Stage::From(*cut.plan, std::move(column_tables), first_table);
  }

  //! Lowers an aggregate over the rows of a union, or what else is done with each of them, so that
  //! the pipelines of the union's inputs feed its sink, and no rows are stored. None where the plan
  //! is something else, or where that can't be done: the union is stored then.
  std::optional<size_t> LowerOverUnion(const plan::Node& plan, const StageCut& cut, size_t scan,
                                       const Wanted& wanted) {
    const plan::NodePointer& node = cut.inners[0];
    if (!node || node->Kind() != plan::NodeKind::Union || !node->Build() ||
        readers_.at(node) != 1 || options_.stores_unions ||
        (plan.Kind() != plan::NodeKind::Aggregate && wanted.use != ResultUse::Rows))
      return std::nullopt;
    // What is stored for an input would have to stay until all have run.
    for (const plan::NodePointer& input : plan::UnionInputs(node)) {
      if (input->Kind() == plan::NodeKind::Aggregate)
        return std::nullopt;
      const StageCut below = CutStage(input);
      if (std::any_of(below.inners.begin(), below.inners.end(),
                      [](const plan::NodePointer& inner) { return inner != nullptr; }))
        return std::nullopt;
    }
    Mark mark = MarkState();
    try {
      return LowerInputs(cut, scan, wanted);
    } catch (const Unsupported&) {
      Rollback(std::move(mark));
      return std::nullopt;
    }
  }

  //! Does so. Throws Unsupported.
  size_t LowerInputs(const StageCut& cut, size_t scan, const Wanted& wanted) {
    const std::vector<plan::NodePointer> inputs = plan::UnionInputs(cut.inners[0]);
    const United united = ColumnsOfUnion(inputs, scan);
    DictionaryCache dictionaries(program_.columns);
    const size_t first_table = program_.tables.size();
    const BuiltStage built = Build(MakeStage(cut, scan, &united), dictionaries);
    if (built.stage.result.table != first_table)
      throw Unsupported("a union that a join searches");
    std::optional<size_t> sink;
    for (const plan::NodePointer& input : inputs) {
      const BuiltStage below = Build(MakeStage(CutStage(input), scan, nullptr), dictionaries);
      scan += plan::Scans(*input).size();
      LoweredPipeline pipeline = LoweredPipeline::OfUnionInput(
          InputOf(built, dictionaries, wanted), InputOf(below, dictionaries, {}), united.columns);
      if (!sink) {
        sink = AddSinkOf(pipeline, wanted.use);
      } else if (!program_.pipelines[program_.sinks[*sink].pipelines[0]].lowered->EndsLike(
                     pipeline)) {
        throw Unsupported("inputs of a union whose results differ");
      }
      std::vector<size_t> sinks = below.sinks;
      sinks.insert(sinks.end(), built.sinks.begin(), built.sinks.end());
      AddPipeline(std::move(pipeline), sinks, *sink,
                  below.stage.expected_share * built.stage.expected_share,
                  below.stage.spared_rows + built.stage.spared_rows);
    }
    return *sink;
  }

  //! Adds the table of a union that is not stored, which `scan` reads.
  void AddUnion(const plan::Node& scan, const United& united) {
    const size_t place = program_.tables.size();
    for (const plan::ScanColumn& column : scan.Columns())
      program_.columns.push_back({program_.columns.size(), place, column.name,
                                  united.columns[column.id].form, nullptr, column.id});
    program_.tables.push_back({scan.Table(), std::nullopt, std::nullopt, united.most_rows});
  }

  //! Adds a table that `scan`, of this number in the plan, reads: from `sink`, if there is one.
  void AddTable(const plan::Node& scan, size_t number, std::optional<size_t> sink) {
    ProgramTable table{scan.Table(), std::nullopt, sink, 0};
    const size_t place = program_.tables.size();
    const auto add = [&](const plan::ScanColumn& column, const ScanInput::Column& from) {
      program_.columns.push_back(
          {program_.columns.size(), place, column.name, from.form, from.image, column.id});
    };
    if (sink) {
      table.rows = most_rows_[*sink];
      for (const plan::ScanColumn& column : scan.Columns())
        add(column, {program_.sinks[*sink].columns[column.id].form, nullptr});
    } else {
      table.scan = number;
      table.rows = inputs_[number].rows;
      for (size_t i = 0; i < scan.Columns().size(); i++)
        add(scan.Columns()[i], ColumnOf(number, scan.Columns()[i]));
    }
    program_.tables.push_back(std::move(table));
  }

  //! The input of a column of a scan, of which rewrites may have left out columns.
  const ScanInput::Column& ColumnOf(size_t scan, const plan::ScanColumn& column) const {
    const ScanInput& input = inputs_[scan];
    const auto found = std::find(input.ids.begin(), input.ids.end(), column.id);
    if (found == input.ids.end())
      throw std::logic_error("Lower: the scan has no column " + column.name);
    return input.columns[static_cast<size_t>(found - input.ids.begin())];
  }

  //! Arranges the joins of a stage and adds the pipelines of its build sides.
  BuiltStage Build(Stage stage, DictionaryCache& dictionaries) {
    const std::vector<InputColumn>& columns = program_.columns;
    BuiltStage built;
    for (const ProgramTable& table : program_.tables)
      built.rows.push_back(table.rows);
    stage = ResolveTexts(std::move(stage), columns);
    if (options_.method == JoinMethod::NestedLoop)
      stage = ForceNestedLoops(std::move(stage));
    built.stage = OrderJoins(std::move(stage), columns, built.rows, dictionaries, options_.shape,
                             options_.memory);
    ChooseRangedKeys(built.stage, columns, built.rows, dictionaries);
    for (size_t i = 0; i < built.stage.builds.size(); i++) {
      const Pipeline& pipeline = built.stage.builds[i].pipeline;
      const ValueContext context{columns, dictionaries, pipeline.table,
                                 built.stage.MissingTables(pipeline)};
      built.tables.push_back(JoinTable::Of(built.stage, i, built.tables, context, built.rows,
                                           options_.shape, options_.method));
      built.sinks.push_back(AddSink(SinkKind::JoinBuild));
      AddPipeline(LoweredPipeline::OfBuild(InputOf(built, dictionaries, {}), built.tables.back()),
                  built.sinks, built.sinks.back(), built.stage.builds[i].expected_share, 0);
    }
    return built;
  }

  LoweredPipeline::Input InputOf(const BuiltStage& built, DictionaryCache& dictionaries,
                                 const Wanted& wanted) const {
    return {options_.shape, built.stage, program_.columns, built.rows,    dictionaries,
            built.tables,   wanted.use,  wanted.groups,    wanted.columns};
  }

  size_t AddSink(SinkKind kind) {
    program_.sinks.push_back({kind, {}, {}});
    most_rows_.push_back(0);
    return program_.sinks.size() - 1;
  }

  //! Adds the sink of a stage's result.
  size_t AddSinkOf(const LoweredPipeline& result, ResultUse use) {
    if (const auto* groups = std::get_if<GroupSink>(&result.sink)) {
      const size_t sink =
          AddSink(groups->layout.keys.empty() ? SinkKind::SingleResult : SinkKind::GroupTable);
      program_.sinks[sink].columns = groups->materialised;
      most_rows_[sink] = std::min(groups->layout.MostGroups(), kMostEntries);
      return sink;
    }
    const auto& rows = std::get<RowSink>(result.sink);
    const size_t sink = AddSink(use == ResultUse::Materialised ? SinkKind::MaterialisedRows
                                : rows.order                   ? SinkKind::OrderedRows
                                                               : SinkKind::Rows);
    program_.sinks[sink].columns = rows.materialised;
    if (use == ResultUse::Materialised)
      most_rows_[sink] = rows.materialised[0].form->Rows();
    return sink;
  }

  //! `sinks` are those of the stage's build sides; `share` is an estimate of the rows that get to
  //! `sink` per row of the table.
  void AddPipeline(LoweredPipeline pipeline, const std::vector<size_t>& sinks, size_t sink,
                   double share, uint64_t spared_rows) {
    for (LoweredPipeline::Join& join : pipeline.joins)
      join.build = sinks[join.build];
    for (LoweredPipeline::RangedJoin& join : pipeline.ranged_joins)
      join.build = sinks[join.build];
    program_.sinks[sink].pipelines.push_back(program_.pipelines.size());
    const auto rows = static_cast<double>(program_.tables[pipeline.table].rows) * share;
    const uint64_t bytes = BytesOf(pipeline.columns);
    program_.pipelines.push_back(
        {sink, std::make_shared<const LoweredPipeline>(std::move(pipeline)), spared_rows,
         static_cast<uint64_t>(std::min(rows, static_cast<double>(kMostMultipliedRows))), bytes});
  }

  //! What makes a table that stays on the device: one of each aggregate or union, wherever the plan
  //! reads its result.
  size_t LowerInner(const plan::NodePointer& node, size_t scan,
                    const plan::ExpressionPointer& wanted) {
    const auto known = inners_.find(node);
    if (known != inners_.end())
      return known->second;
    size_t sink = 0;
    if (node->Kind() == plan::NodeKind::Union) {
      sink = LowerUnion(node, scan);
    } else {
      // Of groups that are read in several places each may be wanted somewhere.
      const bool is_read_once = readers_.at(node) == 1;
      sink = LowerStage(node, scan,
                        {ResultUse::Materialised, is_read_once ? wanted : nullptr, nullptr, {}});
    }
    inners_.emplace(node, sink);
    return sink;
  }

  //! What holds the rows of all inputs of a union: these are lowered as they suit themselves, on
  //! trial. The first scan of the first one has the number `scan`.
  United ColumnsOfUnion(const std::vector<plan::NodePointer>& inputs, size_t scan) {
    std::vector<std::vector<MaterialisedColumn>> columns_of_inputs;
    United united;
    Mark mark = MarkState();
    for (const plan::NodePointer& input : inputs) {
      const size_t sink = LowerRows(input, scan, {ResultUse::Materialised, nullptr, nullptr, {}});
      columns_of_inputs.push_back(program_.sinks[sink].columns);
      for (size_t pipeline : program_.sinks[sink].pipelines)
        united.most_rows += std::get<RowSink>(program_.pipelines[pipeline].lowered->sink).most_rows;
      scan += plan::Scans(*input).size();
    }
    Rollback(std::move(mark));
    for (size_t column = 0; column < columns_of_inputs[0].size(); column++) {
      std::vector<MaterialisedColumn> columns;
      columns.reserve(inputs.size());
      for (const std::vector<MaterialisedColumn>& of_input : columns_of_inputs)
        columns.push_back(of_input[column]);
      united.columns.push_back(Concatenation(columns));
    }
    return united;
  }

  //! Lowers a union whose rows are stored.
  size_t LowerUnion(const plan::NodePointer& node, size_t scan) {
    const std::vector<plan::NodePointer> inputs = plan::UnionInputs(node);
    const std::vector<MaterialisedColumn> united = ColumnsOfUnion(inputs, scan).columns;
    const size_t sink = AddSink(SinkKind::MaterialisedRows);
    program_.sinks[sink].columns = united;
    most_rows_[sink] = united[0].form->Rows();
    for (const plan::NodePointer& input : inputs) {
      LowerRows(input, scan, {ResultUse::Materialised, nullptr, &united, sink});
      scan += plan::Scans(*input).size();
    }
    return sink;
  }

  //! Lowers what gives rows that stay on the device. Groups are read as rows.
  size_t LowerRows(const plan::NodePointer& node, size_t scan, const Wanted& wanted) {
    return LowerStage(node->Kind() == plan::NodeKind::Aggregate
                          ? plan::Node::Project(node, plan::OutputColumns(*node))
                          : node,
                      scan, wanted);
  }

  //! What a trial must leave as it was.
  struct Mark {
    Program program;
    std::vector<uint64_t> most_rows;
    std::unordered_map<plan::NodePointer, size_t> inners;
  };

  Mark MarkState() const { return {program_, most_rows_, inners_}; }
  void Rollback(Mark mark) {
    program_ = std::move(mark.program);
    most_rows_ = std::move(mark.most_rows);
    inners_ = std::move(mark.inners);
  }

  const std::vector<ScanInput>& inputs_;
  const LoweringOptions& options_;
  Program program_;
  std::vector<uint64_t> most_rows_;                        //!< by sink that stays on the device
  std::unordered_map<plan::NodePointer, size_t> inners_;   //!< their sinks
  std::unordered_map<plan::NodePointer, size_t> readers_;  //!< per aggregate and union
};

}  // namespace

std::variant<std::shared_ptr<const Program>, plan::Refusal> Lower(
    const plan::NodePointer& plan, const std::vector<ScanInput>& inputs,
    const LoweringOptions& options) {
  const plan::NodePointer grouped = AggregateEagerly(plan, [&](size_t scan, uint64_t column) {
    const auto& ids = inputs[scan].ids;
    const auto found = std::find(ids.begin(), ids.end(), column);
    if (found == ids.end())
      return false;
    const auto& form = *inputs[scan].columns[static_cast<size_t>(found - ids.begin())].form;
    return !form.HasValidity() && HasUniqueValues(form.Statistics());
  });
  if (grouped) {
    try {
      return std::make_shared<const Program>(Lowerer(inputs, options).Lower(grouped));
    } catch (const Unsupported&) {
      // Perhaps as it was.
    }
  }
  try {
    return std::make_shared<const Program>(Lowerer(inputs, options).Lower(plan));
  } catch (const Unsupported& unsupported) {
    return plan::Refusal{unsupported.what()};
  }
}

}  // namespace margay::optimize
