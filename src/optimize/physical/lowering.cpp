#include "optimize/physical/lowering.hpp"

#include <algorithm>
#include <unordered_map>

#include "optimize/estimate/uniqueness.hpp"
#include "optimize/physical/join_order.hpp"
#include "optimize/physical/kept_rows.hpp"
#include "optimize/physical/nested_loops.hpp"
#include "optimize/physical/ranged_keys.hpp"
#include "optimize/physical/stage_cut.hpp"
#include "optimize/physical/text_resolution.hpp"
#include "optimize/physical/verify_program.hpp"
#include "optimize/refusal.hpp"
#include "optimize/rewrite/early_groups.hpp"

namespace margay::optimize {

namespace {

//! How the result of a stage is wanted.
struct Wanted {
  ResultUse use = ResultUse::Rows;
  //! Which groups of a result that stays on the device are of use; null: all.
  plan::ExpressionPointer groups = nullptr;
  //! The columns of rows that stay on the device, where others than those that suit them are asked
  //! for; null else.
  const std::vector<KeptColumn>* columns = nullptr;
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
    if (node->Kind() == plan::NodeKind::Aggregate)
      readers_[node]++;
    for (const plan::NodePointer& input : {node->Input(), node->Build()}) {
      if (input)
        CountReaders(input);
    }
  }

  //! Lowers `plan`, whose first scan has the number `scan`; returns the sink of its result.
  size_t LowerStage(const plan::NodePointer& plan, size_t scan, const Wanted& wanted) {
    const StageCut cut = CutStage(plan);
    const std::vector<const plan::Node*> scans = plan::Scans(*cut.plan);
    std::vector<std::optional<size_t>> sinks(scans.size());
    std::vector<size_t> numbers(scans.size());
    for (size_t i = 0; i < scans.size(); i++) {
      numbers[i] = scan;
      if (const plan::NodePointer& inner = cut.inners[i]) {
        sinks[i] = LowerInner(inner, scan, cut.wanted[i]);
        scan += plan::Scans(*inner).size();
      } else {
        scan++;
      }
    }
    std::vector<size_t> column_tables;
    for (const InputColumn& column : program_.columns)
      column_tables.push_back(column.table);
    const size_t first_table = program_.tables.size();
    for (size_t i = 0; i < scans.size(); i++)
      AddTable(*scans[i], numbers[i], sinks[i]);
    return LowerPipelines(Stage::From(*cut.plan, std::move(column_tables), first_table), wanted);
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

  //! Arranges the joins of a stage and adds its pipelines; returns the sink of the result.
  size_t LowerPipelines(Stage stage, const Wanted& wanted) {
    const std::vector<InputColumn>& columns = program_.columns;
    std::vector<uint64_t> rows;
    for (const ProgramTable& table : program_.tables)
      rows.push_back(table.rows);
    DictionaryCache dictionaries(columns);
    stage = ResolveTexts(std::move(stage), columns);
    if (options_.method == JoinMethod::NestedLoop)
      stage = ForceNestedLoops(std::move(stage));
    stage =
        OrderJoins(std::move(stage), columns, rows, dictionaries, options_.shape, options_.memory);
    ChooseRangedKeys(stage, columns, rows, dictionaries);

    std::vector<JoinTable> tables;
    std::vector<size_t> sinks;  // of the build sides
    const LoweredPipeline::Input input{options_.shape, stage,         columns,
                                       rows,           dictionaries,  tables,
                                       wanted.use,     wanted.groups, wanted.columns};
    for (size_t i = 0; i < stage.builds.size(); i++) {
      const Pipeline& pipeline = stage.builds[i].pipeline;
      const ValueContext context{columns, dictionaries, pipeline.table,
                                 stage.MissingTables(pipeline)};
      tables.push_back(
          JoinTable::Of(stage, i, tables, context, rows, options_.shape, options_.method));
      sinks.push_back(AddSink(SinkKind::JoinBuild));
      AddPipeline(LoweredPipeline::OfBuild(input, tables.back()), sinks, sinks.back(),
                  stage.builds[i].expected_share, 0);
    }
    LoweredPipeline result = LoweredPipeline::OfResult(input);
    const size_t sink = wanted.into ? *wanted.into : AddSinkOf(result, wanted.use);
    AddPipeline(std::move(result), sinks, sink, stage.expected_share, stage.spared_rows);
    return sink;
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
      program_.sinks[sink].columns = groups->kept;
      most_rows_[sink] = std::min(groups->layout.MostGroups(), kMostEntries);
      return sink;
    }
    const auto& rows = std::get<RowSink>(result.sink);
    const size_t sink = AddSink(use == ResultUse::Kept ? SinkKind::MaterialisedRows
                                : rows.order           ? SinkKind::OrderedRows
                                                       : SinkKind::Rows);
    program_.sinks[sink].columns = rows.kept;
    if (use == ResultUse::Kept)
      most_rows_[sink] = rows.kept[0].form->Rows();
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
      sink =
          LowerStage(node, scan, {ResultUse::Kept, is_read_once ? wanted : nullptr, nullptr, {}});
    }
    inners_.emplace(node, sink);
    return sink;
  }

  //! The inputs are lowered as they suit themselves first: what their columns are then tells what
  //! the columns of the union must be.
  size_t LowerUnion(const plan::NodePointer& node, size_t scan) {
    const std::vector<plan::NodePointer> inputs = plan::UnionInputs(node);
    std::vector<std::vector<KeptColumn>> columns_of_inputs;
    {
      const Mark mark = MarkState();
      size_t first = scan;
      for (const plan::NodePointer& input : inputs) {
        const size_t sink = LowerRows(input, first, {ResultUse::Kept, nullptr, nullptr, {}});
        columns_of_inputs.push_back(program_.sinks[sink].columns);
        first += plan::Scans(*input).size();
      }
      Rollback(mark);
    }
    std::vector<KeptColumn> united;
    for (size_t column = 0; column < columns_of_inputs[0].size(); column++) {
      std::vector<KeptColumn> columns;
      columns.reserve(inputs.size());
      for (const std::vector<KeptColumn>& of_input : columns_of_inputs)
        columns.push_back(of_input[column]);
      united.push_back(Concatenation(columns));
    }
    const size_t sink = AddSink(SinkKind::MaterialisedRows);
    program_.sinks[sink].columns = united;
    most_rows_[sink] = united[0].form->Rows();
    for (const plan::NodePointer& input : inputs) {
      LowerRows(input, scan, {ResultUse::Kept, nullptr, &united, sink});
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
  std::unordered_map<plan::NodePointer, size_t> readers_;  //!< per aggregate of the plan
};

}  // namespace

std::variant<std::shared_ptr<const Program>, LoweringRefusal> Lower(
    const plan::NodePointer& plan, const std::vector<ScanInput>& inputs,
    const LoweringOptions& options) {
  const plan::NodePointer grouped = GroupBeforeJoins(plan, [&](size_t scan, uint64_t column) {
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
    return LoweringRefusal{unsupported.what()};
  }
}

}  // namespace margay::optimize
