#include "compile/kernel_generator.hpp"

#include <algorithm>

#include "compile/parameter_declarations.hpp"
#include "compile/sink/order_words_writer.hpp"
#include "kernels/embedded_sources.hpp"
#include "optimize/unsupported.hpp"
#include "storage/constants.hpp"

namespace margay::compile {

namespace {

std::string Numbered(const std::string& name, size_t number) {
  return name + std::to_string(number);
}

//! The joins of `pipeline` with the numbers of its kernel.
std::vector<PipelineJoin> LocalJoins(const LoweredPipeline& pipeline,
                                     const KernelContext& context) {
  std::vector<PipelineJoin> joins = pipeline.joins;
  for (size_t i = 0; i < joins.size(); i++) {
    joins[i].table.number = i;
    joins[i].table.table = context.Table(joins[i].table.table);
    for (size_t& linked : joins[i].table.links)
      linked = context.Table(linked);
  }
  return joins;
}

}  // namespace

KernelGenerator::KernelGenerator(const LoweredPipeline& pipeline)
    : pipeline_(pipeline),
      context_(*pipeline.values, pipeline.numbers, pipeline.ReadColumns()),
      joins_(LocalJoins(pipeline, context_)) {
  for (const InputColumn& column : pipeline.ReadColumns())
    read_columns_.push_back(context_.Local(column));
}

bool KernelGenerator::FiltersByBound() const {
  return sink_->HasBound() && std::get<optimize::RowSink>(pipeline_.sink).order_is_of_scan;
}

std::string KernelGenerator::WhileSteps(const std::string& text) const {
  if (!source_.is_resumable)
    return text;
  return text + " && steps < " + std::to_string(MostSteps()) + "u" +
         (sink_->GivesManyRows() ? " && has_room" : "");
}

void KernelGenerator::WriteResume(CodeBlock& block, const std::string& next,
                                  const std::string& place) {
  if (!source_.is_resumable)
    return;
  block.Line("__global uint* next = resume + " + next + " * " +
             std::to_string(source_.resume_words) + ";");
  block.Line("uint " + place + " = next[0];");
  if (sink_->GivesManyRows()) {
    block.Line("uint given = next[1];");
    block.Line("uint has_room = 1;");
  }
}

void KernelGenerator::WriteStop(CodeBlock& block, const std::string& place,
                                const std::string& is_unfinished) {
  if (!source_.is_resumable)
    return;
  block.Line("next[0] = " + place + ";");
  if (sink_->GivesManyRows())
    block.Line("next[1] = given;");
  block.Line("unfinished |= " + is_unfinished + ";");
}

void KernelGenerator::OpenGiving(CodeBlock& block) const {
  if (sink_->GivesManyRows())
    block.Line("uint found = 0;");
}

void KernelGenerator::CloseGiving(CodeBlock& block) const {
  if (!sink_->GivesManyRows())
    return;
  block.Line("if (!has_room) break;");
  block.Line("given = 0;");
}

void KernelGenerator::ChooseSearches(const optimize::Node* node) {
  for (const optimize::Node* operand : node->operands)
    ChooseSearches(operand);
  if (!context_.searches.HasRoom() || node->kind != optimize::NodeKind::Call || node->number != 1)
    return;
  const optimize::Node& text = *node->operands[0];
  if (text.kind == optimize::NodeKind::TextColumn && context_.Column(text.number).HoldsText())
    context_.searches.Add(node);
}

void KernelGenerator::AddArguments() {
  ArgumentList& arguments = source_.arguments;
  for (ArgumentKind kind : {ArgumentKind::Parameters, ArgumentKind::Lookups, ArgumentKind::Segments,
                            ArgumentKind::Units, ArgumentKind::Faults})
    arguments.Add({kind});
  for (const InputColumn& column : read_columns_) {
    if (context_.IsScanned(column))
      AddScanArguments(column, arguments);
    else
      AddGatherArguments(column, arguments);
  }
  for (size_t column : StringColumns(context_.Graph()))
    arguments.Add({ArgumentKind::Strings, context_.Column(column).number});
  for (const PipelineJoin& join : joins_)
    JoinWriter::AddArguments(join.table, false, arguments);
  if (source_.is_resumable)
    arguments.Add({ArgumentKind::Resume});
  sink_->AddArguments(arguments);
  if (arguments.Size() <= kMostArguments)
    return;
  const std::string reason =
      "a part that reads and writes more than " + std::to_string(kMostArguments) + " columns";
  // Halves of it would find the groups of a shared table, or the matches of a row, in different
  // orders.
  const auto* groups = std::get_if<optimize::GroupSink>(&pipeline_.sink);
  if ((groups != nullptr && groups->layout.shared) || sink_->GivesManyRows())
    throw optimize::Unsupported(reason);
  throw optimize::TooManyArguments(reason);
}

void KernelGenerator::WriteHeader(CodeBlock& block) {
  const auto include = [&](const std::string& file) {
    block.Line(std::string(kernels::EmbeddedSource(file)));
  };
  block.Line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
  block.Line("#pragma OPENCL FP_CONTRACT OFF");
  block.Line("");
  include("numeric.cl");
  std::set<std::string> sources = context_.Graph().Sources();
  for (const std::string& source : sink_->Sources())
    sources.insert(source);
  if (!joins_.empty())
    sources.insert("hash.cl");
  if (std::any_of(read_columns_.begin(), read_columns_.end(),
                  [](const InputColumn& column) { return column.IsText(); }))
    sources.insert("text.cl");
  if (pipeline_.shape == optimize::Shape::Lanes)
    block.Line("#define TEXT_IN_LANES");
  for (const char* source :
       {"atomic.cl", "hash.cl", "text.cl", "text_slice.cl", "text_hash.cl", "search.cl"}) {
    if (sources.count(source) != 0)
      include(source);
  }
  for (const CalendarForm& calendar : context_.calendars)
    block.Line(calendar.Source());
  const size_t scanned = static_cast<size_t>(
      std::count_if(read_columns_.begin(), read_columns_.end(),
                    [&](const auto& column) { return context_.IsScanned(column); }));
  block.Line("#define SEGMENT_ROWS " + std::to_string(storage::kSegmentRows));
  block.Line("#define SEGMENT_WORDS " + std::to_string(kSegmentHeaderWords + scanned));
  block.Line("#define UNIT_ROWS " + std::to_string(source_.unit_rows));
  block.Line("#define UNITS_PER_SEGMENT " + std::to_string(source_.units_per_segment));
  block.Line("#define LANES " + std::to_string(source_.work_group));
  sink_->WriteDefinitions(block);
  block.Line("");
}

void KernelGenerator::Begin() {
  sink_ = MakeSink();
  source_.is_resumable = sink_->CanStop() && pipeline_.HasChains();
  source_.resume_words = sink_->GivesManyRows() ? 2 : 1;
  AddArguments();
}

void KernelGenerator::Check() {
  Begin();
}

KernelSource KernelGenerator::Generate() {
  Begin();
  if (pipeline_.shape == optimize::Shape::Loop) {
    for (const optimize::Value& filter : pipeline_.filters)
      ChooseSearches(filter.node);
  }
  CodeBlock body(1);
  WriteBody(body);
  CodeBlock functions;
  sink_->WriteFunctions(functions);

  CodeBlock block;
  WriteHeader(block);
  block.Append(functions);
  block.Line("__kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))");
  block.Open("void " + std::string(kPipelineKernel) + "(");
  block.List(source_.arguments.Declarations());
  block.Close("{");
  CodeBlock declarations(1);
  DeclareParameters(context_.GetParameters(), declarations);
  declarations.Line("int fault = 0;");
  if (pipeline_.HasChains())
    declarations.Line("uint steps = 0;");
  if (source_.is_resumable)
    declarations.Line("int unfinished = 0;");
  block.Append(declarations);
  block.Append(body);
  CodeBlock report(1);
  report.Line("if (fault) atomic_or(faults, " + std::to_string(kFaultBit) + ");");
  if (source_.is_resumable)
    report.Line("if (unfinished) atomic_or(faults, " + std::to_string(kUnfinishedBit) + ");");
  sink_->WriteReport(report);
  block.Append(report);
  block.Line("}");
  source_.program = block.Text();
  return std::move(source_);
}

void KernelGenerator::WriteSegment(CodeBlock& block) {
  block.Line("const ulong first = (ulong)segment[0] * SEGMENT_ROWS;");
  block.Line("const uint rows = (uint)segment[1];");
  block.Line("const ulong table_first = (ulong)segment[2];");
  const GatherReader whole(context_.Gathered(), std::string("table_first"));
  size_t word = kSegmentHeaderWords;
  for (const InputColumn& column : read_columns_) {
    if (!context_.IsScanned(column))
      continue;
    const auto extent = [&](ArgumentKind kind) {
      return column.is_whole ? whole.Extent(column, kind) : Argument{kind, column.number}.Name();
    };
    const std::string base = "segment[" + std::to_string(word++) + "]";
    const storage::Encoding encoding = column.form->GetEncoding();
    if (encoding == storage::Encoding::Narrow) {
      const std::string type =
          optimize::MachineOf(*column.form) == Machine::Int32 ? "uint" : "ulong";
      block.Line("const " + type + " " + Numbered("base", column.number) + " = (" + type + ")" +
                 base + ";");
    }
    const std::string stride = encoding == storage::Encoding::Wide ? "2 * " : "";
    block.Line("__global const " + EncodedType(column) + "* " + Numbered("c", column.number) +
               " = " + extent(ArgumentKind::Column) + " + " + stride + "first;");
    if (column.form->HasValidity()) {
      block.Line("__global const uchar* " + Numbered("n", column.number) + " = " +
                 extent(ArgumentKind::Validity) + " + first / 8;");
    }
    if (column.HoldsText()) {
      block.Line("__global const uchar* " + Numbered("t", column.number) + " = " +
                 (column.is_whole ? whole.TextExtent(column)
                                  : Argument{ArgumentKind::Text, column.number}.Name()) +
                 " + " + base + ";");
    }
  }
  const auto& searches = context_.searches.List();
  for (size_t i = 0; i < searches.size(); i++) {
    const std::string found = Numbered("found", i);
    const std::string column =
        std::to_string(context_.Column(searches[i]->operands[0]->number).number);
    block.Line("uint " + found + "[SEGMENT_ROWS / 32];");
    block.Line("text_search(t" + column + ", c" + column +
               ", rows, (__global const uint*)(lookups + " +
               ParameterName(searches[i]->operands[1]->number) + "), " + found + ");");
  }
}

std::string KernelGenerator::WriteConjunction(ExpressionWriter& writer,
                                              const std::vector<optimize::Value>& conjuncts) {
  std::string condition;
  for (const optimize::Value& conjunct : conjuncts) {
    const std::string passes = writer.IsTrue(writer.Write(conjunct));
    condition += condition.empty() ? passes : " & " + passes;
  }
  return condition.empty() ? "1" : condition;
}

std::string KernelGenerator::WriteFilters(ExpressionWriter& writer) {
  std::string condition = WriteConjunction(writer, pipeline_.filters);
  if (!FiltersByBound())
    return condition;
  const OrderWords& order = *std::get<optimize::RowSink>(pipeline_.sink).order;
  if (condition == "1")
    return IsBelowBound(WriteOrderWords(order, writer));
  condition = writer.Declare(Machine::Int32, condition);
  writer.Restrict(condition);
  return "(" + condition + " & " + IsBelowBound(WriteOrderWords(order, writer)) + ")";
}

std::string KernelGenerator::WriteLastFilter(ExpressionWriter& writer) {
  if (!sink_->HasBound() || FiltersByBound())
    return "1";
  return IsBelowBound(WriteOrderWords(*std::get<optimize::RowSink>(pipeline_.sink).order, writer));
}

void KernelGenerator::OpenJoins(ExpressionWriter& writer, CodeBlock& block, size_t first,
                                const std::string& head) {
  open_scopes_ = 0;
  JoinWriter join_writer(writer);
  for (size_t i = first; i < joins_.size(); i++) {
    open_scopes_ += join_writer.WriteProbe(joins_[i], i == first ? head : "");
    if (joins_[i].probe.conjuncts.empty())
      continue;
    block.Open("if (" + WriteConjunction(writer, joins_[i].probe.conjuncts) + ") {");
    open_scopes_++;
  }
}

void KernelGenerator::CloseJoins(CodeBlock& block) {
  for (; open_scopes_ > 0; open_scopes_--)
    block.Close();
}

}  // namespace margay::compile
