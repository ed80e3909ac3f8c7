#include "compile/group_table_writer.hpp"

#include <algorithm>
#include <set>

#include "compile/group_values.hpp"
#include "compile/refusal.hpp"
#include "compile/string_argument.hpp"
#include "compile/text_extreme.hpp"
#include "compile/text_writer.hpp"

namespace margay::compile {

namespace {

std::string Number(size_t number) {
  return std::to_string(number);
}

std::string Accumulated(size_t word) {
  return "a" + Number(word);
}

std::string GroupRow(size_t table) {
  return "group_row" + Number(table);
}

constexpr const char* kWorkGroup = "__attribute__((reqd_work_group_size(LANES, 1, 1)))";

const std::string kUnit = Number(GroupTableWriter::kSlotsPerUnit) + "UL";

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

//! Adds the columns of a result to the kernel `collect`.
class CollectOutputs {
 public:
  //! `kept` gets the columns of a result that stays on the device, else it is null. Writes into
  //! `block`, as `writer` does. All outlive the object.
  CollectOutputs(CollectKernel& collect, std::vector<KeptColumn>* kept, const KeptSize& groups,
                 ExpressionWriter& writer, CodeBlock& block)
      : collect_(collect), kept_(kept), groups_(groups), writer_(writer), block_(block) {}

  //! Of a string: its code.
  void AddValue(const plan::Type& type, const Value& value,
                const std::shared_ptr<const storage::Dictionary>& texts, size_t group_keys) {
    if (kept_ != nullptr) {
      Keep(KeepColumn(type, value, texts, groups_, group_keys), value);
      return;
    }
    RowOutput output;
    output.type = type;
    output.can_be_null = value.CanBeNull();
    output.texts = texts;
    collect_.outputs.push_back(output);
    WriteOutput(output, collect_.outputs.size() - 1, value, writer_, block_, kPosition);
  }

  //! The string in row `row` of the column that holds the bytes of `column`, or `function` of it.
  void AddText(const plan::Type& type, const InputColumn& column, Value row,
               const std::shared_ptr<const plan::DictionaryFunction>& function) {
    const std::string code = writer_.Convert(row, Machine::Int64);
    row.code = writer_.Declare(
        Machine::Int32,
        "(int)max(" + (row.CanBeNull() ? row.null + " ? 0L : " : "") + code + ", 0L)");
    row.machine = Machine::Int32;
    if (kept_ != nullptr) {
      if (function != nullptr)
        throw Unsupported("computing " + function->ToString(column.name) +
                          " of groups below another operator");
      Keep(KeepText(column, row.CanBeNull(), groups_), row);
      return;
    }
    RowOutput output;
    output.type = type;
    output.can_be_null = row.CanBeNull();
    output.text_column = static_cast<size_t>(
        std::find_if(collect_.columns.begin(), collect_.columns.end(),
                     [&](const InputColumn& read) { return read.number == column.number; }) -
        collect_.columns.begin());
    output.has_text_row = true;
    output.function = function;
    collect_.outputs.push_back(output);
    WriteTextOutput(output, collect_.outputs.size() - 1, row, column, row.code, writer_, block_,
                    kPosition);
  }

 private:
  static constexpr const char* kPosition = "position";

  void Keep(KeptColumn column, const Value& value) {
    collect_.outputs.push_back(OutputOf(column));
    kept_->push_back(std::move(column));
    WriteOutput(collect_.outputs.back(), collect_.outputs.size() - 1, value, writer_, block_,
                kPosition);
  }

  CollectKernel& collect_;
  std::vector<KeptColumn>* kept_;
  const KeptSize groups_;
  ExpressionWriter& writer_;
  CodeBlock& block_;
};

}  // namespace

GroupTableWriter::GroupTableWriter(const Pipeline& pipeline, const AggregateLayout& layout,
                                   KernelContext context)
    : pipeline_(pipeline), layout_(layout), context_(std::move(context)) {}

template <typename Visit>
void GroupTableWriter::VisitInitialWords(const Visit& visit) const {
  for (const Accumulator& accumulator : layout_.accumulators) {
    const std::vector<int64_t> words = InitialWords(accumulator.fold);
    for (size_t i = 0; i < words.size(); i++)
      visit(accumulator.word + i, IntegerLiteral(words[i], Machine::Int64));
  }
}

std::vector<std::string> GroupTableWriter::Arguments() const {
  std::vector<std::string> arguments{"volatile __global long* group_table", "const ulong slots"};
  if (layout_.shared->is_hashed)
    arguments.push_back("volatile __global ulong* group_codes");
  if (layout_.shared->has_two_passes)
    arguments.push_back("const int is_second");
  return arguments;
}

void GroupTableWriter::WriteDeclarations(CodeBlock& block) const {
  VisitInitialWords([&](size_t word, const std::string& initial) {
    block.Line("long " + Accumulated(word) + " = " + initial + ";");
  });
  for (const SharedGroups::Row& row : layout_.shared->rows)
    block.Line("int " + GroupRow(row.table) + " = 0;");
}

void GroupTableWriter::WriteReset(CodeBlock& block) const {
  VisitInitialWords([&](size_t word, const std::string& initial) {
    block.Line(Accumulated(word) + " = " + initial + ";");
  });
}

void GroupTableWriter::WriteRows(CodeBlock& block) const {
  for (const SharedGroups::Row& row : layout_.shared->rows) {
    block.Line(GroupRow(row.table) + " = " +
               (row.table == pipeline_.table ? "(int)(table_first + row)" : JoinedRow(row.table)) +
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

void GroupTableWriter::WriteFold(KernelContext& context, CodeBlock& block,
                                 const std::string& group) const {
  CodeBlock texts(block.Indentation() + 2);
  for (const Accumulator& accumulator : layout_.accumulators) {
    if (!IsText(accumulator.fold))
      continue;
    const InputColumn* text =
        StringArgument::FindText(layout_.arguments[accumulator.argument], context.columns);
    TextExtreme(*text, accumulator.fold)
        .WriteAtomicFold(context, texts, "words + " + Number(accumulator.word),
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
  for (const SharedGroups::Row& row : layout_.shared->rows)
    call += ", " + GroupRow(row.table);
  return call + ", &fault, &full, &added)";
}

void GroupTableWriter::OpenFunction(CodeBlock& block, const std::string& function) const {
  block.Open("inline volatile __global long* " + function + "(");
  std::vector<std::string> parameters = Arguments();
  for (size_t word = 0; word < IndexWords(); word++)
    parameters.push_back("const ulong " + IndexWord("group", word));
  VisitInitialWords([&](size_t word, const std::string&) {
    parameters.push_back("const long " + Accumulated(word));
  });
  for (const SharedGroups::Row& row : layout_.shared->rows)
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

std::string GroupTableWriter::FoldFunctions(Shape shape) const {
  CodeBlock block;
  const auto write_rows = [&] {
    for (const SharedGroups::Row& row : layout_.shared->rows)
      block.Line("words[" + Number(row.word) + "] = " + GroupRow(row.table) + ";");
  };
  if (shape == Shape::Loop && layout_.shared->is_clustered) {
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

std::string GroupTableWriter::PrepareSource() const {
  CodeBlock block;
  block.Line(kWorkGroup);
  std::vector<std::string> arguments{"__global long* restrict group_table", "const ulong slots"};
  if (layout_.shared->is_hashed)
    arguments.push_back("__global ulong* restrict group_codes");
  block.Open("__kernel void " + std::string(kPrepareKernel) + "(");
  block.List(arguments);
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

size_t GroupTableWriter::OpenGroups(CodeBlock& block, Shape shape, const GroupFilter& filter,
                                    KernelContext& context) const {
  const std::string words = "__global const long* words = group_table + slot * WORDS;";
  const auto open_wanted = [&] {
    block.Line(words);
    // Without keys there is a group even if it has no rows.
    block.Open(layout_.keys.empty() ? "{" : "if (words[0] != 0) {");
    if (!filter.Exists())
      return std::string("1");
    const DirectReader reader;
    ExpressionWriter writer(context, reader, block);
    GroupValues values(layout_, writer, context.parameters, IndexCode(), "words");
    return filter.Write(values, context, block);
  };
  if (shape == Shape::Lanes) {
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

std::string GroupTableWriter::CollectSource(Shape shape, CollectKernel& collect,
                                            KernelContext& beside, std::vector<KeptColumn>* kept,
                                            const plan::ExpressionPointer& wanted) const {
  KernelContext context{context_.columns, context_.dictionaries, SIZE_MAX, context_.missing_tables};
  std::set<size_t> read;
  for (size_t i = 0; i < layout_.keys.size(); i++) {
    if (layout_.keys[i].is_dependent)
      VisitColumns(*pipeline_.outputs[i], [&](size_t column) { read.insert(column); });
  }
  const auto text_of = [&](const plan::Aggregate& aggregate) {
    return aggregate.type.IsVarchar()
               ? StringArgument::FindText(aggregate.argument, context.columns)
               : nullptr;
  };
  if (kept == nullptr) {
    for (const InputColumn& text : layout_.InternedTexts())
      read.insert(text.number);
    for (const plan::Aggregate& aggregate : pipeline_.aggregates) {
      if (const InputColumn* text = text_of(aggregate))
        read.insert(text->number);
    }
  }
  for (size_t column : read)
    collect.columns.push_back(context.columns[column]);

  CodeBlock body(1);
  body.Line("int fault = 0;");
  const GroupFilter filter(wanted, pipeline_, layout_, context);
  collect.is_filter = filter.Exists();
  const size_t scopes = OpenGroups(body, shape, filter, context);
  for (const SharedGroups::Row& row : layout_.shared->rows)
    body.Line("const int " + JoinedRow(row.table) + " = (int)words[" + Number(row.word) + "];");
  const DirectReader reader;
  ExpressionWriter writer(context, reader, body);
  GroupValues values(layout_, writer, context.parameters, IndexCode(), "words");
  CollectOutputs outputs(collect, kept, {layout_.MostGroups(), layout_.expected_groups}, writer,
                         body);
  for (size_t i = 0; i < layout_.keys.size(); i++) {
    const GroupKey& key = layout_.keys[i];
    if (key.text) {
      outputs.AddText(key.type, *key.text, values.Key(key), key.function);
      continue;
    }
    if (!key.is_dependent) {
      outputs.AddValue(key.type, values.Key(key), key.texts, layout_.KeysBeside(i));
      continue;
    }
    const plan::ExpressionPointer& expression = pipeline_.outputs[i];
    const RowOutput output = RowOutput::Of(expression, collect.columns, context);
    if (!output.text_column) {
      outputs.AddValue(output.type, WriteOutputValue(expression, writer), output.texts, 0);
      continue;
    }
    const plan::ExpressionPointer& text = output.function ? expression->Operands()[0] : expression;
    const InputColumn column = Sliced(collect.columns[*output.text_column], *text);
    Value row = writer.Write(text);
    row.machine = Machine::Int32;
    row.code = TextWriter(writer).WriteRow(column);
    outputs.AddText(output.type, column, row, output.function);
  }
  for (size_t i = 0; i < pipeline_.aggregates.size(); i++) {
    const plan::Aggregate& aggregate = pipeline_.aggregates[i];
    const Value value = values.Aggregate(i, aggregate);
    if (const InputColumn* text = text_of(aggregate))
      outputs.AddText(aggregate.type, *text, value, nullptr);
    else
      outputs.AddValue(aggregate.type, value, layout_.sources[i].texts, 0);
  }
  for (size_t i = 0; i < scopes; i++)
    body.Close();
  body.Line("if (fault) atomic_or(faults, 1);");
  beside.calendars.insert(context.calendars.begin(), context.calendars.end());
  beside.sources.insert(context.sources.begin(), context.sources.end());

  std::vector<std::string> arguments{
      "__global const long* restrict parameters", "__global const uchar* restrict lookups",
      "__global const long* restrict group_table", "const ulong slots"};
  if (layout_.shared->is_hashed)
    arguments.push_back("__global const ulong* restrict group_codes");
  arguments.insert(arguments.end(), {"__global int* restrict faults",
                                     "volatile __global uint* count", "const uint capacity"});
  for (const InputColumn& column : collect.columns) {
    for (const std::string& argument : GatherArguments(column))
      arguments.push_back(argument);
  }
  collect.string_columns = context.string_columns;
  for (const InputColumn& column : collect.string_columns)
    arguments.push_back("__global const uchar* restrict " + StringsArgument(column));
  for (const std::string& argument : OutputArguments(collect.outputs))
    arguments.push_back(argument);

  if (arguments.size() > kMostArguments) {
    throw Unsupported("GROUP BY with more than " + std::to_string(kMostArguments) +
                      " columns and results");
  }
  CodeBlock block;
  block.Line(kWorkGroup);
  block.Open("__kernel void " + std::string(kCollectKernel) + "(");
  block.List(arguments);
  block.Close("{");
  CodeBlock declarations(1);
  context.parameters.Declare(declarations);
  block.Append(declarations);
  block.Append(body);
  block.Line("}");
  collect.parameters = std::move(context.parameters);
  return block.Text();
}

}  // namespace margay::compile
