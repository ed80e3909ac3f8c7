#include "compile/kernel_generator.hpp"

#include <algorithm>

#include "compile/group_index_writer.hpp"
#include "compile/interned_text.hpp"
#include "compile/join_writer.hpp"
#include "compile/kept_rows.hpp"
#include "compile/refusal.hpp"
#include "compile/string_argument.hpp"
#include "compile/text_extreme.hpp"
#include "kernels/embedded_sources.hpp"
#include "storage/constants.hpp"

namespace margay::compile {

namespace {

std::string Numbered(const std::string& name, size_t number) {
  return name + std::to_string(number);
}

//! Nested loops may have this many steps for one row, in the middle of which no kernel stops: some
//! 100 ms of a CPU's core.
constexpr uint64_t kMostNestedSteps = uint64_t{1} << 26;

//! Throws Unsupported where nested loops would keep a row for too long.
void RefuseLongLoops(const std::vector<JoinTable>& joins) {
  uint64_t steps = 1;
  for (const JoinTable& table : joins) {
    if (!table.IsNestedLoop())
      continue;
    if (table.rows > kMostNestedSteps / steps)
      throw Unsupported("a join without an equality over more than " +
                        std::to_string(kMostNestedSteps) + " rows for each row");
    steps *= std::max<uint64_t>(table.rows, 1);
  }
}

//! Those of `conjuncts` that may tell segments apart: something is known about them in all columns,
//! and none before can raise an error, which must be met.
std::vector<plan::ExpressionPointer> ConjunctsOfSegments(
    const std::vector<plan::ExpressionPointer>& conjuncts, const KernelContext& context) {
  std::vector<plan::ExpressionPointer> known;
  for (const plan::ExpressionPointer& conjunct : conjuncts) {
    if (CanFault(conjunct, context))
      break;
    bool is_known = true;
    VisitColumns(*conjunct, [&](size_t column) {
      is_known = is_known && !context.columns[column].form->Segments().empty();
    });
    if (is_known)
      known.push_back(conjunct);
  }
  return known;
}

}  // namespace

KernelGenerator::KernelGenerator(const Input& input)
    : KernelGenerator(input, input.program.result) {
  kernel_.aggregates = pipeline_.aggregates;
  if (pipeline_.is_aggregate) {
    if (input.use == ResultUse::Kept && !group_table_)
      kernel_.kept = KeepGroups(kernel_.aggregate, pipeline_.aggregates, context_);
    return;
  }
  kernel_.multiplies_result = NeedsStops();
  if (input.use == ResultUse::Kept) {
    KeepRows();
    return;
  }
  for (const plan::ExpressionPointer& expression : pipeline_.outputs)
    kernel_.outputs.push_back(RowOutput::Of(expression, ReadColumns(), context_));
  if (!pipeline_.order)
    return;
  kernel_.order = std::make_shared<const OrderWords>(pipeline_.order->keys, context_);
  kernel_.window = pipeline_.order->window;
  kernel_.order_can_fault = OrderCanFault();
  order_is_of_scan_ = true;
  for (const plan::OrderKey& key : pipeline_.order->keys) {
    VisitColumns(*key.expression, [&](size_t column) {
      order_is_of_scan_ = order_is_of_scan_ && input_.columns[column].table == pipeline_.table;
    });
  }
  for (const OrderWords::LongText& text : kernel_.order->LongTexts())
    kernel_.outputs.push_back(RowOutput::Of(text.text, ReadColumns(), context_));
  RowOutput word;
  word.type = plan::TypeKind::UInt64;
  kernel_.outputs.insert(kernel_.outputs.end(), kernel_.order->Count(), word);
}

void KernelGenerator::KeepRows() {
  if (pipeline_.order)
    throw Unsupported("an order or a limit below other operators");
  if (input_.kept) {
    kernel_.kept = *input_.kept;
  } else {
    const auto expected =
        static_cast<double>(input_.rows[pipeline_.table]) * input_.program.expected_share;
    const KeptSize rows{
        std::min(
            MostRows(input_.program, pipeline_, input_.join_tables, input_.columns, input_.rows),
            kMostEntries),
        static_cast<uint64_t>(std::min(expected, static_cast<double>(kMostEntries)))};
    for (const plan::ExpressionPointer& expression : pipeline_.outputs)
      kernel_.kept.push_back(KeepOutput(expression, rows, pipeline_.conjuncts, context_));
  }
  for (const KeptColumn& column : kernel_.kept)
    kernel_.outputs.push_back(RowOutputOf(column));
}

bool KernelGenerator::OrderCanFault() const {
  KernelContext scratch{context_.columns, context_.dictionaries, context_.table,
                        context_.missing_tables};
  CodeBlock block;  // of code that is thrown away
  const DirectReader reader;
  ExpressionWriter writer(scratch, reader, block);
  for (size_t i = 0; i < pipeline_.outputs.size(); i++) {
    if (!kernel_.outputs[i].text_column)
      WriteOutputValue(pipeline_.outputs[i], writer);
  }
  kernel_.order->Write(writer);
  return scratch.can_fault;
}

KernelGenerator::KernelGenerator(const Input& input, const JoinTable& build)
    : KernelGenerator(input, input.program.builds[build.number].pipeline) {
  kernel_.build = build;
}

KernelGenerator::KernelGenerator(const Input& input, const Pipeline& pipeline)
    : input_(input),
      pipeline_(pipeline),
      context_{input.columns, input.dictionaries, pipeline.table,
               input.program.MissingTables(pipeline)} {
  kernel_.table = pipeline.table;
  kernel_.is_aggregate = pipeline.is_aggregate;
  for (const PipelineJoin& join : pipeline.joins)
    kernel_.joins.push_back(input.join_tables[join.build]);
  RefuseLongLoops(kernel_.joins);
  for (const PipelineJoin& join : pipeline.joins) {
    if (const auto& key = input.join_tables[join.build].ranged_key)
      kernel_.ranged_joins.push_back(
          {join.build, input.columns[join.keys[*key].probe->ColumnIndex()]});
  }
  Pipeline reading = pipeline;
  if (pipeline.is_aggregate) {
    kernel_.aggregate =
        AggregateLayout::Of(input.program, input.join_tables, context_, input.rows, input.shape);
    if (kernel_.aggregate.shared)
      group_table_.emplace(pipeline, kernel_.aggregate, context_);
    for (size_t i = reading.outputs.size(); i-- > 0;) {
      if (kernel_.aggregate.keys[i].is_dependent)
        reading.outputs.erase(reading.outputs.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  // Keys of build sides that are not compared are only in the tables.
  for (PipelineJoin& join : reading.joins) {
    const std::vector<size_t>& compared = input.join_tables[join.build].compared_keys;
    for (size_t i = 0; i < join.keys.size(); i++) {
      if (std::find(compared.begin(), compared.end(), i) == compared.end())
        join.keys[i].build = join.keys[i].probe;
    }
  }
  std::set<size_t> read;
  VisitColumns(reading, [&](size_t column) { read.insert(column); });
  for (const BuildPipeline& build : input.program.builds) {
    if (&build.pipeline != &pipeline)
      continue;
    for (const plan::ExpressionPointer& key : build.keys)
      VisitColumns(*key, [&](size_t column) { read.insert(column); });
  }
  const std::set<size_t> compared_texts = kernel_.aggregate.ComparedTexts(input.columns);
  for (const InputColumn& column : input.columns) {
    if (read.count(column.number) != 0)
      (column.table == pipeline.table ? kernel_.columns : kernel_.joined_columns).push_back(column);
    if (column.table == pipeline.table && column.HoldsText())
      kernel_.text_columns.push_back(column);
  }
  for (InputColumn& column : kernel_.columns)
    column.is_whole = column.HoldsText() && compared_texts.count(column.number) != 0;
  kernel_.filter = std::make_shared<SegmentFilter>(
      ConjunctsOfSegments(pipeline.conjuncts, context_), input.columns, input.dictionaries);
}

bool KernelGenerator::NeedsStops() const {
  return MultipliesRows() ||
         std::any_of(kernel_.joins.begin(), kernel_.joins.end(),
                     [](const JoinTable& table) { return table.IsNestedLoop(); });
}

bool KernelGenerator::HasChains() const {
  return std::any_of(kernel_.joins.begin(), kernel_.joins.end(),
                     [](const JoinTable& table) { return !table.keys_are_unique; });
}

void KernelGenerator::MakeResumable(uint32_t most_steps) {
  kernel_.is_resumable = HasChains();
  kernel_.resume_words = kernel_.multiplies_result ? 2 : 1;
  most_steps_ = most_steps;
}

std::string KernelGenerator::WhileSteps(const std::string& text) const {
  if (!kernel_.is_resumable)
    return text;
  return text + " && steps < " + std::to_string(most_steps_) + "u" +
         (kernel_.multiplies_result ? " && has_room" : "");
}

bool KernelGenerator::MultipliesRows() const {
  return compile::MultipliesRows(pipeline_, input_.join_tables);
}

std::vector<InputColumn> KernelGenerator::ReadColumns() const {
  std::vector<InputColumn> columns = kernel_.columns;
  columns.insert(columns.end(), kernel_.joined_columns.begin(), kernel_.joined_columns.end());
  return columns;
}

std::string KernelGenerator::ColumnPointer(const InputColumn& column) {
  return Numbered("c", column.number);
}

void KernelGenerator::AddJoinArguments(const JoinTable& table, bool is_filled,
                                       std::vector<std::string>& arguments) {
  const std::string qualifier = is_filled ? "" : "const ";
  // What is filled by several work-groups is not restricted to one pointer.
  const std::string words =
      is_filled ? "volatile __global uint* " : "__global const uint* restrict ";
  if (table.HasHeads())
    arguments.push_back(words + JoinWriter::Heads(table));
  if (table.has_bits)
    arguments.push_back(words + JoinWriter::Bits(table));
  if (table.is_ranked)
    arguments.push_back(words + JoinWriter::Counts(table));
  const auto add = [&](const std::string& name) {
    arguments.push_back("__global " + qualifier + "int* restrict " + name);
  };
  if (table.HasNexts())
    add(JoinWriter::Nexts(table));
  for (size_t linked : table.links)
    add(JoinWriter::Links(table, linked));
  if (!table.is_direct)
    arguments.push_back("const ulong " + JoinWriter::LastSlot(table));
}

void KernelGenerator::WriteArgumentsList(CodeBlock& block) {
  std::vector<std::string> arguments{"__global const long* restrict parameters",
                                     "__global const uchar* restrict lookups",
                                     "__global const long* restrict segments", "const uint units",
                                     "__global int* restrict faults"};
  for (const InputColumn& column : kernel_.columns) {
    for (const std::string& argument : ScanArguments(column))
      arguments.push_back(argument);
  }
  for (const InputColumn& column : kernel_.joined_columns) {
    for (const std::string& argument : GatherArguments(column))
      arguments.push_back(argument);
  }
  for (const InputColumn& column : context_.string_columns)
    arguments.push_back("__global const uchar* restrict " + StringsArgument(column));
  for (const JoinTable& table : kernel_.joins)
    AddJoinArguments(table, false, arguments);
  if (kernel_.is_resumable)
    arguments.push_back("__global uint* restrict resume");
  if (kernel_.build) {
    AddJoinArguments(*kernel_.build, true, arguments);
    if (kernel_.build->ranged_key)
      arguments.push_back("volatile __global long* key_range");
    if (kernel_.build->is_numbered) {
      arguments.push_back("volatile __global uint* entries");
      arguments.push_back("const uint capacity");
    }
  } else if (group_table_) {
    for (const std::string& argument : group_table_->Arguments())
      arguments.push_back(argument);
    for (size_t i = 0; i < kernel_.aggregate.InternedTexts().size(); i++) {
      for (const std::string& argument : InternedText::Arguments(i))
        arguments.push_back(argument);
    }
  } else if (kernel_.is_aggregate) {
    if (kernel_.shares_tables) {
      arguments.push_back("volatile __global long* partials");
      arguments.push_back("const uint tables");
    } else {
      arguments.push_back("__global long* restrict partials");
    }
  } else {
    if (kernel_.HasBound())
      arguments.push_back("__global const ulong* restrict bound");
    arguments.push_back("__global uint* restrict counts");
    for (const std::string& argument : OutputArguments(kernel_.outputs))
      arguments.push_back(argument);
  }
  if (arguments.size() > kMostArguments) {
    const std::string reason =
        "a part that reads and writes more than " + std::to_string(kMostArguments) + " columns";
    // Halves of it would find the groups of a shared table, or the matches of a row, in different
    // orders.
    if (group_table_ || kernel_.multiplies_result)
      throw Unsupported(reason);
    throw TooManyArguments(reason);
  }
  block.List(arguments);
}

GeneratedKernel KernelGenerator::Generate() {
  kernel_.shape = input_.shape;
  if (kernel_.shape == Shape::Loop)
    context_.searches = TextSearches::Of(pipeline_, input_.columns);
  CodeBlock body(1);
  WriteBody(body);

  std::string table_kernels;
  if (group_table_) {
    table_kernels = group_table_->PrepareSource() + "\n" +
                    group_table_->CollectSource(
                        kernel_.shape, kernel_.collect, context_,
                        input_.use == ResultUse::Kept ? &kernel_.kept : nullptr, input_.wanted) +
                    "\n";
  }

  CodeBlock block;
  block.Line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
  block.Line("#pragma OPENCL FP_CONTRACT OFF");
  block.Line("");
  block.Line(std::string(kernels::EmbeddedSource("numeric.cl")));
  const bool has_key_range = kernel_.build && kernel_.build->ranged_key;
  if (kernel_.shares_tables || group_table_ || has_key_range)
    block.Line(std::string(kernels::EmbeddedSource("atomic.cl")));
  if (!kernel_.joins.empty() || kernel_.build || group_table_)
    block.Line(std::string(kernels::EmbeddedSource("hash.cl")));
  const auto has_text = [](const std::vector<InputColumn>& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const InputColumn& column) { return column.IsText(); });
  };
  if (has_text(kernel_.columns) || has_text(kernel_.joined_columns) ||
      has_text(kernel_.collect.columns))
    context_.sources.insert("text.cl");
  if (kernel_.shape == Shape::Lanes)
    block.Line("#define TEXT_IN_LANES");
  for (const char* source : {"text.cl", "text_slice.cl", "text_hash.cl", "search.cl"}) {
    if (context_.sources.count(source) != 0)
      block.Line(std::string(kernels::EmbeddedSource(source)));
  }
  for (const CalendarForm& calendar : context_.calendars)
    block.Line(calendar.Source());
  block.Line("#define SEGMENT_ROWS " + std::to_string(storage::kSegmentRows));
  block.Line("#define SEGMENT_WORDS " +
             std::to_string(kSegmentHeaderWords + kernel_.columns.size()));
  block.Line("#define UNIT_ROWS " + std::to_string(kernel_.unit_rows));
  block.Line("#define UNITS_PER_SEGMENT " + std::to_string(kernel_.units_per_segment));
  block.Line("#define LANES " + std::to_string(kernel_.work_group));
  if (kernel_.is_aggregate) {
    if (!group_table_)
      block.Line("#define GROUPS " + std::to_string(kernel_.aggregate.groups));
    block.Line("#define WORDS " + std::to_string(kernel_.aggregate.words));
    if (group_table_)
      block.Line("#define CODE_WORDS " + std::to_string(kernel_.aggregate.index_places.size()));
  }
  block.Line("");
  if (kernel_.build)
    block.Line(std::string(kernels::EmbeddedSource("join_table.cl")));
  if (group_table_) {
    block.Line(std::string(kernels::EmbeddedSource("average.cl")));
    block.Line(std::string(kernels::EmbeddedSource("group_table.cl")));
    block.Line(group_table_->FoldFunctions(kernel_.shape));
    block.Line(table_kernels);
  }
  block.Line("__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))");
  block.Open("void " + std::string(kKernelName) + "(");
  WriteArgumentsList(block);
  block.Close("{");
  CodeBlock parameters(1);
  context_.parameters.Declare(parameters);
  block.Append(parameters);
  CodeBlock fault(1);
  fault.Line("int fault = 0;");
  const bool can_be_full = group_table_ || (kernel_.build && kernel_.build->is_numbered);
  if (HasChains())
    fault.Line("uint steps = 0;");
  if (kernel_.is_resumable)
    fault.Line("int unfinished = 0;");
  if (can_be_full)
    fault.Line("int full = 0;");
  if (group_table_) {
    fault.Line("int added = 0;");
    for (size_t i = 0; i < kernel_.aggregate.InternedTexts().size(); i++)
      InternedText::WriteRecent(fault, i, kernel_.shape);
  }
  if (has_key_range)
    fault.Line("long least = LONG_MAX, greatest = LONG_MIN;");
  const bool has_bits = kernel_.build && kernel_.build->has_bits;
  if (has_bits)
    fault.Line("held_bits held = {0, 0};");
  block.Append(fault);
  block.Append(body);
  CodeBlock report(1);
  report.Line("if (fault) atomic_or(faults, " + std::to_string(kFaultBit) + ");");
  if (kernel_.is_resumable) {
    report.Line("if (unfinished) atomic_or(faults, " + std::to_string(kUnfinishedBit) + ");");
  }
  if (can_be_full)
    report.Line("if (full) atomic_or(faults, " + std::to_string(kFullBit) + ");");
  if (group_table_)
    report.Line("if (added) atomic_add(faults + 1, added);");
  if (has_bits)
    report.Line("give_bits(" + JoinWriter::Bits(*kernel_.build) + ", &held);");
  if (has_key_range) {
    report.Open("if (least <= greatest) {");
    report.Line("atomic_min_long(key_range, least);");
    report.Line("atomic_max_long(key_range + 1, greatest);");
    report.Close();
  }
  block.Append(report);
  block.Line("}");

  kernel_.source = block.Text();
  kernel_.parameters = std::move(context_.parameters);
  kernel_.string_columns = std::move(context_.string_columns);
  return std::move(kernel_);
}

void KernelGenerator::WriteSegment(CodeBlock& block) {
  block.Line("const ulong first = (ulong)segment[0] * SEGMENT_ROWS;");
  block.Line("const uint rows = (uint)segment[1];");
  block.Line("const ulong table_first = (ulong)segment[2];");
  const GatherReader whole(context_.parameters, std::string("table_first"));
  const auto extent = [&](const InputColumn& column, const std::string& name) {
    return column.is_whole ? whole.Extent(column, name) : Numbered(name, column.number);
  };
  for (size_t i = 0; i < kernel_.columns.size(); i++) {
    const InputColumn& column = kernel_.columns[i];
    if (column.form->GetEncoding() == storage::Encoding::Narrow) {
      const auto& statistics = column.form->Statistics();
      const Range range =
          statistics.HasValues() ? Range{statistics.min, statistics.max, true} : Range::Of(0);
      const std::string type = MachineFor(range) == Machine::Int32 ? "uint" : "ulong";
      block.Line("const " + type + " " + Numbered("base", column.number) + " = (" + type +
                 ")segment[" + std::to_string(kSegmentHeaderWords + i) + "];");
    }
    const std::string stride = column.form->GetEncoding() == storage::Encoding::Wide ? "2 * " : "";
    block.Line("__global const " + EncodedType(column) + "* " + ColumnPointer(column) + " = " +
               extent(column, "column") + " + " + stride + "first;");
    if (column.form->HasValidity()) {
      block.Line("__global const uchar* " + Numbered("n", column.number) + " = " +
                 extent(column, "validity") + " + first / 8;");
    }
    if (column.HoldsText()) {
      block.Line("__global const uchar* " + Numbered("t", column.number) + " = " +
                 (column.is_whole ? whole.TextExtent(column) : Numbered("text", column.number)) +
                 " + segment[" + std::to_string(kSegmentHeaderWords + i) + "];");
    }
  }
  context_.searches.Write(block, context_.parameters);
}

std::string KernelGenerator::WriteConjunction(
    ExpressionWriter& writer, const std::vector<plan::ExpressionPointer>& conjuncts) {
  std::string condition;
  for (const plan::ExpressionPointer& conjunct : conjuncts) {
    const std::string passes = writer.IsTrue(writer.Write(conjunct));
    condition += condition.empty() ? passes : " & " + passes;
  }
  return condition.empty() ? "1" : condition;
}

std::string KernelGenerator::WriteFilters(ExpressionWriter& writer) {
  std::string condition = WriteConjunction(writer, pipeline_.conjuncts);
  if (!FiltersByBound())
    return condition;
  if (condition == "1")
    return OrderWords::IsBelowBound(kernel_.order->Write(writer));
  condition = writer.Declare(Machine::Int32, condition);
  writer.Restrict(condition);
  return "(" + condition + " & " + OrderWords::IsBelowBound(kernel_.order->Write(writer)) + ")";
}

std::string KernelGenerator::WriteLastFilter(ExpressionWriter& writer) {
  if (!kernel_.HasBound() || FiltersByBound())
    return "1";
  return OrderWords::IsBelowBound(kernel_.order->Write(writer));
}

void KernelGenerator::OpenJoins(ExpressionWriter& writer, CodeBlock& block, size_t first,
                                const std::string& head) {
  open_scopes_ = 0;
  JoinWriter join_writer(writer, context_, block);
  for (size_t i = first; i < pipeline_.joins.size(); i++) {
    const PipelineJoin& join = pipeline_.joins[i];
    open_scopes_ += join_writer.WriteProbe(join, kernel_.joins[i], i == first ? head : "");
    if (join.conjuncts.empty())
      continue;
    block.Open("if (" + WriteConjunction(writer, join.conjuncts) + ") {");
    open_scopes_++;
  }
}

void KernelGenerator::CloseJoins(CodeBlock& block) {
  for (; open_scopes_ > 0; open_scopes_--)
    block.Close();
}

void KernelGenerator::WriteInsert(ExpressionWriter& writer, CodeBlock& block) {
  JoinWriter(writer, context_, block)
      .WriteInsert(input_.program.builds[kernel_.build->number].keys, *kernel_.build,
                   "(table_first + row)");
}

void KernelGenerator::WriteGroup(ExpressionWriter& writer, CodeBlock& block) {
  GroupIndexWriter(kernel_.aggregate, pipeline_.outputs, writer, context_).Write(block);
}

void KernelGenerator::WriteTextFold(CodeBlock& block, const Accumulator& accumulator,
                                    const std::string& into, const std::string& from) {
  const plan::ExpressionPointer& argument = kernel_.aggregate.arguments[accumulator.argument];
  TextExtreme(*StringArgument::FindText(argument, input_.columns), accumulator.fold)
      .WriteFold(context_, block, into, from);
}

std::vector<Value> KernelGenerator::WriteArguments(ExpressionWriter& writer) {
  std::vector<Value> values;
  for (const plan::ExpressionPointer& argument : kernel_.aggregate.arguments) {
    // A flag is no number in the vector dialect.
    if (argument->GetType().IsBoolean())
      writer.GetDialect().RequireRow();
    values.push_back(WriteArgument(argument, writer, input_.columns));
  }
  return values;
}

void KernelGenerator::WriteOutputs(ExpressionWriter& writer, CodeBlock& block,
                                   const std::string& position) {
  if (!kernel_.kept.empty()) {
    for (size_t i = 0; i < kernel_.kept.size(); i++) {
      WriteOutput(kernel_.outputs[i], i,
                  WriteKept(pipeline_.outputs[i], kernel_.kept[i], writer, context_), writer, block,
                  position);
    }
    return;
  }
  const std::vector<InputColumn> columns = ReadColumns();
  for (size_t i = 0; i < pipeline_.outputs.size(); i++)
    WriteOutput(kernel_.outputs[i], i, pipeline_.outputs[i], columns, writer, block, position);
  if (!kernel_.order)
    return;
  size_t output = pipeline_.outputs.size();
  for (const OrderWords::LongText& text : kernel_.order->LongTexts()) {
    WriteOutput(kernel_.outputs[output], output, text.text, columns, writer, block, position);
    output++;
  }
  for (const std::string& word : kernel_.order->Write(writer))
    block.Line(Numbered("values", output++) + "[" + position + "] = (long)" + word + ";");
}

void KernelGenerator::OpenGiving(CodeBlock& block) {
  block.Line("uint found = 0;");
}

void KernelGenerator::CloseGiving(CodeBlock& block) {
  block.Line("if (!has_room) break;");
  block.Line("given = 0;");
}

void KernelGenerator::WriteGive(ExpressionWriter& writer, CodeBlock& block,
                                const std::string& claim) {
  block.Open("if (found++ >= given) {");
  block.Line("const uint claimed = " + claim + ";");
  block.Line("has_room = claimed < UNIT_ROWS;");
  block.Open("if (has_room) {");
  block.Line("const ulong position = (ulong)unit * UNIT_ROWS + claimed;");
  WriteOutputs(writer, block, "position");
  block.Line("given++;");
  block.Close();
  for (size_t i = 0; i < pipeline_.joins.size(); i++) {
    if (!JoinWriter::IsLookup(pipeline_.joins[i], kernel_.joins[i]))
      block.Line("if (!has_room) " + JoinWriter::EndCode(kernel_.joins[i]));
  }
  block.Close();
}

}  // namespace margay::compile
