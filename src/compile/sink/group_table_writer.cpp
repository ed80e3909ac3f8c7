#include "compile/sink/group_table_writer.hpp"

#include <algorithm>
#include <set>

#include "compile/kernel_source.hpp"
#include "compile/parameter_declarations.hpp"
#include "compile/sink/group_index_writer.hpp"
#include "compile/sink/row_output_writer.hpp"
#include "compile/sink/text_extreme.hpp"
#include "optimize/unsupported.hpp"

namespace margay::compile {

namespace {

std::string Number(size_t number) {
  return std::to_string(number);
}

std::string Accumulated(size_t word) {
  return "a" + Number(word);
}

constexpr const char* kWorkGroup = "__attribute__((reqd_work_group_size(LANES, 1, 1)))";

const std::string kUnit = Number(kSlotsPerUnit) + "UL";

//! The loop over the units of a work-group, which are neighbouring slots, and that over the slots
//! of one.
void OpenUnits(CodeBlock& block) {
  block.Open("for (ulong chunk = get_group_id(0) * " + kUnit +
             "; chunk < slots; chunk += get_num_groups(0) * " + kUnit + ") {");
}

void OpenUnit(CodeBlock& block) {
  block.Open("for (ulong slot = chunk + get_local_id(0); slot < min(slots, chunk + " + kUnit +
             "); slot += LANES) {");
}

void OpenSlots(CodeBlock& block) {
  OpenUnits(block);
  OpenUnit(block);
}

}  // namespace

GroupTableWriter::GroupTableWriter(const optimize::LoweredPipeline& pipeline,
                                   KernelContext& context)
    : sink_(std::get<optimize::GroupSink>(pipeline.sink)),
      layout_(sink_.layout),
      shape_(pipeline.shape),
      context_(context) {}

std::string GroupTableWriter::GroupRow(size_t table) const {
  return "group_row" + Number(context_.Table(table));
}

template <typename Visit>
void GroupTableWriter::VisitInitialWords(const Visit& visit) const {
  for (const Accumulator& accumulator : layout_.accumulators) {
    const std::vector<int64_t> words = InitialWords(accumulator.fold);
    for (size_t i = 0; i < words.size(); i++)
      visit(accumulator.word + i, IntegerLiteral(words[i], Machine::Int64));
  }
}

void GroupTableWriter::AddArguments(ArgumentList& arguments) const {
  arguments.Add({ArgumentKind::GroupTable}, "volatile __global long*");
  arguments.Add({ArgumentKind::GroupSlots});
  if (layout_.shared->is_hashed)
    arguments.Add({ArgumentKind::GroupCodes}, "volatile __global ulong*");
  if (layout_.shared->has_two_passes)
    arguments.Add({ArgumentKind::IsSecondPass});
}

void GroupTableWriter::WriteDeclarations(CodeBlock& block) const {
  VisitInitialWords([&](size_t word, const std::string& initial) {
    block.Line("long " + Accumulated(word) + " = " + initial + ";");
  });
  for (const optimize::SharedGroups::Row& row : layout_.shared->rows)
    block.Line("int " + GroupRow(row.table) + " = 0;");
}

void GroupTableWriter::WriteReset(CodeBlock& block) const {
  VisitInitialWords([&](size_t word, const std::string& initial) {
    block.Line(Accumulated(word) + " = " + initial + ";");
  });
}

void GroupTableWriter::WriteRows(CodeBlock& block) const {
  for (const optimize::SharedGroups::Row& row : layout_.shared->rows) {
    block.Line(GroupRow(row.table) + " = " +
               (context_.Table(row.table) == 0 ? "(int)(table_first + row)"
                                               : JoinedRow(context_.Table(row.table))) +
               ";");
  }
}

void GroupTableWriter::WriteRunDeclaration(CodeBlock& block) const {
  for (size_t word = 0; word < IndexWords(); word++)
    block.Line("ulong " + IndexWord("run_group", word) + " = ~0UL;");
}

std::string GroupTableWriter::DiffersFromRun() const {
  std::string differs;
  for (size_t word = 0; word < IndexWords(); word++) {
    differs += (word == 0 ? "(" : " || (") + IndexWord("group", word) +
               " != " + IndexWord("run_group", word) + ")";
  }
  return differs;
}

void GroupTableWriter::WriteRunStart(CodeBlock& block) const {
  for (size_t word = 0; word < IndexWords(); word++)
    block.Line(IndexWord("run_group", word) + " = " + IndexWord("group", word) + ";");
}

void GroupTableWriter::WriteFold(CodeBlock& block, const std::string& group) const {
  CodeBlock texts(block.Indentation() + 2);
  for (const Accumulator& accumulator : layout_.accumulators) {
    if (!IsText(accumulator.fold))
      continue;
    TextExtreme(layout_.arguments[accumulator.argument].string, accumulator.fold)
        .WriteAtomicFold(context_, texts, "words + " + Number(accumulator.word),
                         Accumulated(accumulator.word));
  }
  const std::string call = Call("fold_group", group) + ";";
  if (texts.Text().empty()) {
    block.Line(call);
    return;
  }
  block.Open("{");
  block.Line("volatile __global long* words = " + call);
  block.Open("if (words != 0) {");
  block.Append(texts);
  block.Close();
  block.Close();
}

void GroupTableWriter::WriteStore(CodeBlock& block, const std::string& group) const {
  block.Line(Call("store_group", group) + ";");
}

std::string GroupTableWriter::Call(const std::string& function, const std::string& group) const {
  std::string call = function + "(group_table, slots, ";
  if (layout_.shared->is_hashed)
    call += "group_codes, ";
  if (layout_.shared->has_two_passes)
    call += "is_second, ";
  for (size_t word = 0; word < IndexWords(); word++)
    call += (word == 0 ? "" : ", ") + IndexWord(group, word);
  VisitInitialWords([&](size_t word, const std::string&) { call += ", " + Accumulated(word); });
  for (const optimize::SharedGroups::Row& row : layout_.shared->rows)
    call += ", " + GroupRow(row.table);
  return call + ", &fault, &full, &added)";
}

void GroupTableWriter::OpenFunction(CodeBlock& block, const std::string& function) const {
  block.Open("static inline volatile __global long* " + function + "(");
  ArgumentList arguments;
  AddArguments(arguments);
  std::vector<std::string> parameters = arguments.Declarations();
  for (size_t word = 0; word < IndexWords(); word++)
    parameters.push_back("const ulong " + IndexWord("group", word));
  VisitInitialWords([&](size_t word, const std::string&) {
    parameters.push_back("const long " + Accumulated(word));
  });
  for (const optimize::SharedGroups::Row& row : layout_.shared->rows)
    parameters.push_back("const int " + GroupRow(row.table));
  parameters.insert(parameters.end(), {"int* raised", "int* full", "int* added"});
  block.List(parameters);
  block.Close("");
  block.Open("{");
  if (layout_.shared->is_hashed) {
    block.Line("if (*full) return 0;");
    std::string code;
    for (size_t word = 0; word < IndexWords(); word++)
      code += (word == 0 ? "" : ", ") + IndexWord("group", word) + " + 1";
    block.Line("const ulong code[CODE_WORDS] = {" + code + "};");
    block.Line("const ulong slot = group_slot(group_codes, slots - 1, code);");
    block.Open("if (slot >= slots) {");
    block.Line("*full = 1;");
    block.Line("return 0;");
    block.Close();
  } else {
    block.Line("const ulong slot = group;");
  }
  block.Line("volatile __global long* words = group_table + slot * WORDS;");
}

template <typename Code>
void GroupTableWriter::WriteCombine(CodeBlock& block, const Accumulator& accumulator,
                                    const Code& code) const {
  const std::vector<int64_t> initial = InitialWords(accumulator.fold);
  std::vector<std::string> words;
  std::string is_changed;
  for (size_t word = 0; word < initial.size(); word++) {
    words.push_back(Accumulated(accumulator.word + word));
    is_changed += (word == 0 ? "" : " | ") + words.back() +
                  " != " + IntegerLiteral(initial[word], Machine::Int64);
  }
  block.Line("if (" + is_changed + ") " +
             code(accumulator.fold, "words + " + Number(accumulator.word), words));
}

void GroupTableWriter::WriteSecondPass(CodeBlock& block) const {
  if (!layout_.shared->has_two_passes)
    return;
  block.Open("if (is_second) {");
  for (const Accumulator& accumulator : layout_.accumulators) {
    if (NeedsTwoPasses(accumulator.fold))
      WriteCombine(block, accumulator, AtomicLowCode);
  }
  block.Line("return 0;");
  block.Close();
}

std::string GroupTableWriter::FoldFunctions() const {
  CodeBlock block;
  const auto write_rows = [&] {
    for (const optimize::SharedGroups::Row& row : layout_.shared->rows)
      block.Line("words[" + Number(row.word) + "] = " + GroupRow(row.table) + ";");
  };
  if (shape_ == optimize::Shape::Loop && layout_.shared->is_clustered) {
    block.Line("// Puts the accumulators of a group, of which nobody else has rows, into its row.");
    OpenFunction(block, "store_group");
    WriteSecondPass(block);
    VisitInitialWords([&](size_t word, const std::string&) {
      block.Line("words[" + Number(word) + "] = " + Accumulated(word) + ";");
    });
    write_rows();
    block.Line("*added += 1;");
    block.Line("return words;");
    block.Close();
    block.Line("");
  }
  block.Line(
      "// Folds accumulators of one group into its row of the table. The first to count rows");
  block.Line("// there sets what is the same in all rows of the group.");
  OpenFunction(block, "fold_group");
  WriteSecondPass(block);
  block.Line("int fault = 0;");
  block.Open("if (atom_add(words, " + Accumulated(0) + ") == 0) {");
  block.Line("*added += 1;");
  write_rows();
  block.Close();
  for (size_t i = 1; i < layout_.accumulators.size(); i++) {
    if (!IsText(layout_.accumulators[i].fold))
      WriteCombine(block, layout_.accumulators[i], AtomicCombineCode);
  }
  block.Line("*raised |= fault;");
  block.Line("return words;");
  block.Close();
  return block.Text();
}

void GroupTableWriter::AddClearArguments(ArgumentList& arguments) const {
  arguments.Add({ArgumentKind::GroupTable}, "__global long* restrict");
  arguments.Add({ArgumentKind::GroupSlots});
  if (layout_.shared->is_hashed)
    arguments.Add({ArgumentKind::GroupCodes}, "__global ulong* restrict");
}

std::string GroupTableWriter::ClearKernel(const ArgumentList& arguments) const {
  CodeBlock block;
  block.Line(kWorkGroup);
  block.Open("__kernel void " + std::string(kClearGroupsKernel) + "(");
  block.List(arguments.Declarations());
  block.Close("{");
  CodeBlock body(1);
  OpenUnits(body);
  body.Line("const ulong end = min(slots, chunk + " + kUnit + ");");
  body.Open(
      "for (ulong word = chunk * WORDS + get_local_id(0); word < end * WORDS; word += LANES) {");
  std::string initial_word = "0L";
  VisitInitialWords([&](size_t word, const std::string& initial) {
    if (initial != "0L")
      initial_word = "word % WORDS == " + Number(word) + " ? " + initial + " : " + initial_word;
  });
  body.Line("group_table[word] = " + initial_word + ";");
  body.Close();
  if (layout_.shared->is_hashed) {
    body.Open(
        "for (ulong word = chunk * CODE_WORDS + get_local_id(0); word < end * CODE_WORDS; "
        "word += LANES) {");
    body.Line("group_codes[word] = 0;");
    body.Close();
  }
  body.Close();
  block.Append(body);
  block.Line("}");
  return block.Text();
}

std::vector<std::string> GroupTableWriter::IndexCode() const {
  if (!layout_.shared->is_hashed)
    return {"slot"};
  std::vector<std::string> words;
  for (size_t word = 0; word < IndexWords(); word++)
    words.push_back("(group_codes[slot * CODE_WORDS + " + Number(word) + "] - 1)");
  return words;
}

size_t GroupTableWriter::OpenGroups(CodeBlock& block, KernelContext& context) const {
  const std::string words = "__global const long* words = group_table + slot * WORDS;";
  const auto open_wanted = [&] {
    block.Line(words);
    // Without keys there is a group even if it has no rows.
    block.Open(layout_.keys.empty() ? "{" : "if (words[0] != 0) {");
    if (!sink_.packing->filter)
      return std::string("1");
    const DirectReader reader;
    ExpressionWriter writer(context, reader, block);
    return writer.IsTrue(writer.Write(*sink_.packing->filter));
  };
  if (shape_ == optimize::Shape::Lanes) {
    OpenSlots(block);
    const std::string is_wanted = open_wanted();
    block.Open("if (" + is_wanted + ") {");
    block.Line("const ulong position = atomic_inc(count);");
    block.Open("if (position < capacity) {");
    return 5;
  }
  // One work-item: the places of all groups of a unit are claimed at once, as others wait for that.
  block.Line("ushort chosen[" + Number(kSlotsPerUnit) + "];");
  OpenUnits(block);
  block.Line("uint found = 0;");
  OpenUnit(block);
  const std::string is_wanted = open_wanted();
  block.Line("chosen[found] = (ushort)(slot - chunk);");
  block.Line("found += " + is_wanted + ";");
  block.Close();
  block.Close();
  block.Line("const uint first = found == 0 ? 0 : atomic_add(count, found);");
  block.Open("for (uint number = 0; number < found; number++) {");
  block.Line("const ulong slot = chunk + chosen[number];");
  block.Line(words);
  block.Line("const ulong position = first + number;");
  block.Open("if (position < capacity) {");
  return 3;
}

void GroupTableWriter::AddPackingArguments(ArgumentList& arguments) const {
  const optimize::GroupPacking& packing = *sink_.packing;
  const KernelContext context(*packing.values, packing.numbers, packing.columns);
  for (ArgumentKind kind : {ArgumentKind::Parameters, ArgumentKind::Lookups})
    arguments.Add({kind});
  arguments.Add({ArgumentKind::GroupTable}, "__global const long* restrict");
  arguments.Add({ArgumentKind::GroupSlots});
  if (layout_.shared->is_hashed)
    arguments.Add({ArgumentKind::GroupCodes}, "__global const ulong* restrict");
  for (ArgumentKind kind :
       {ArgumentKind::GroupFaults, ArgumentKind::GroupCount, ArgumentKind::GroupCapacity})
    arguments.Add({kind});
  for (const InputColumn& column : packing.columns)
    AddGatherArguments(context.Local(column), arguments);
  for (size_t column : StringColumns(packing.values->graph))
    arguments.Add({ArgumentKind::Strings, context.Column(column).number});
  AddOutputArguments(packing.outputs, arguments);
  if (arguments.Size() > kMostArguments) {
    throw optimize::Unsupported("GROUP BY with more than " + std::to_string(kMostArguments) +
                                " columns and results");
  }
}

std::string GroupTableWriter::PackKernel(const ArgumentList& arguments,
                                         std::set<CalendarForm>& calendars) const {
  const optimize::GroupPacking& packing = *sink_.packing;
  KernelContext context(*packing.values, packing.numbers, packing.columns);
  context.group_words = "words";
  context.group_index = IndexCode();
  std::vector<InputColumn> columns;
  for (const InputColumn& column : packing.columns)
    columns.push_back(context.Local(column));

  CodeBlock body(1);
  body.Line("int fault = 0;");
  const size_t scopes = OpenGroups(body, context);
  for (const optimize::SharedGroups::Row& row : layout_.shared->rows) {
    body.Line("const int " + JoinedRow(context.Table(row.table)) + " = (int)words[" +
              Number(row.word) + "];");
  }
  const DirectReader reader;
  ExpressionWriter writer(context, reader, body);
  for (size_t i = 0; i < packing.outputs.size(); i++)
    WriteOutput(packing.outputs[i], i, columns, writer, body, "position");
  for (size_t i = 0; i < scopes; i++)
    body.Close();
  body.Line("if (fault) atomic_or(faults, 1);");
  calendars.insert(context.calendars.begin(), context.calendars.end());

  CodeBlock block;
  block.Line(kWorkGroup);
  block.Open("__kernel void " + std::string(kPackGroupsKernel) + "(");
  block.List(arguments.Declarations());
  block.Close("{");
  CodeBlock declarations(1);
  DeclareParameters(packing.values->parameters, declarations);
  block.Append(declarations);
  block.Append(body);
  block.Line("}");
  return block.Text();
}

}  // namespace margay::compile
