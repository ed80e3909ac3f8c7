#include "optimize/physical/group_packing.hpp"

#include <algorithm>
#include <set>

#include "optimize/physical/group_filter.hpp"
#include "optimize/physical/group_values.hpp"
#include "optimize/physical/string_argument.hpp"
#include "optimize/unsupported.hpp"

namespace margay::optimize {

namespace {

//! Adds the columns of a result to a packing.
class PackedOutputs {
 public:
  //! `materialised` gets the columns of a result that stays on the device, else it is null. All
  //! outlive the object.
  PackedOutputs(GroupPacking& packing, std::vector<MaterialisedColumn>* materialised,
                const MaterialisedSize& groups)
      : packing_(packing),
        materialised_(materialised),
        groups_(groups),
        builder_(packing.values->builder) {}

  //! Of a string: its code.
  void AddValue(const plan::Type& type, const Value& value,
                const std::shared_ptr<const storage::Dictionary>& texts, size_t group_keys) {
    if (materialised_ != nullptr) {
      Keep(MaterialiseColumn(type, value.range, value.CanBeNull(), texts, groups_, group_keys),
           value);
      return;
    }
    RowOutput output;
    output.type = type;
    output.can_be_null = value.CanBeNull();
    output.texts = texts;
    output.value = value;
    packing_.outputs.push_back(std::move(output));
  }

  //! The string in row `row` of the column that holds the bytes of `column`, or `function` of it.
  void AddText(const plan::Type& type, const InputColumn& column, Value row,
               const std::shared_ptr<const plan::DictionaryFunction>& function) {
    row.node = StoredRow(row);
    if (materialised_ != nullptr) {
      if (function != nullptr)
        throw Unsupported("computing " + function->ToString(column.name) +
                          " of groups below another operator");
      Keep(MaterialiseText(column, row.CanBeNull(), groups_), row);
      return;
    }
    RowOutput output;
    output.type = type;
    output.can_be_null = row.CanBeNull();
    output.text_column = static_cast<size_t>(
        std::find_if(packing_.columns.begin(), packing_.columns.end(),
                     [&](const InputColumn& read) { return read.number == column.number; }) -
        packing_.columns.begin());
    output.has_text_row = true;
    output.function = function;
    output.value = row;
    output.string = builder_.TextOf(column);
    output.is_at_row = true;
    packing_.outputs.push_back(std::move(output));
  }

 private:
  void Keep(MaterialisedColumn column, const Value& value) {
    packing_.outputs.push_back(OutputOf(column));
    packing_.outputs.back().value = value;
    materialised_->push_back(std::move(column));
  }

  //! A row that is stored, of any string where there is none.
  const Node* StoredRow(const Value& row) {
    NodeGraph& graph = builder_.Graph();
    const Node* zero = graph.Literal(0, Machine::Int64);
    const Node* number = builder_.Convert(row, Machine::Int64);
    if (row.CanBeNull())
      number = graph.Select(row.null, zero, number);
    return graph.Convert(graph.Call(Machine::Int64, "max", {number, zero}), Machine::Int32);
  }

  GroupPacking& packing_;
  std::vector<MaterialisedColumn>* materialised_;
  const MaterialisedSize groups_;
  ValueBuilder& builder_;
};

//! The text column whose minimum or maximum `aggregate` is; null if it is none.
const InputColumn* TextOf(const plan::Aggregate& aggregate,
                          const std::vector<InputColumn>& columns) {
  return aggregate.type.IsVarchar() ? StringArgument::FindText(aggregate.argument, columns)
                                    : nullptr;
}

//! The columns that the kernel reads, which groups don't hold themselves.
std::vector<InputColumn> ColumnsOf(const Pipeline& pipeline, const AggregateLayout& layout,
                                   const std::vector<InputColumn>& columns, bool gives_texts) {
  std::set<size_t> read;
  for (size_t i = 0; i < layout.keys.size(); i++) {
    if (layout.keys[i].is_dependent)
      VisitColumns(*pipeline.outputs[i], [&](size_t column) { read.insert(column); });
  }
  if (gives_texts) {
    for (const InputColumn& text : layout.InternedTexts())
      read.insert(text.number);
    for (const plan::Aggregate& aggregate : pipeline.aggregates) {
      if (const InputColumn* text = TextOf(aggregate, columns))
        read.insert(text->number);
    }
  }
  std::vector<InputColumn> result;
  result.reserve(read.size());
  for (size_t column : read)
    result.push_back(columns[column]);
  return result;
}

//! Adds a key that follows from others, computed from the rows that a group has of some tables.
void AddDependentKey(const plan::ExpressionPointer& key, GroupPacking& packing,
                     PackedOutputs& outputs) {
  ValueBuilder& builder = packing.values->builder;
  RowOutput output = RowOutput::Of(key, packing.columns, builder);
  if (!output.text_column) {
    outputs.AddValue(output.type, output.value, output.texts, 0);
    return;
  }
  const plan::ExpressionPointer& text = output.function ? key->Operands()[0] : key;
  const InputColumn column = Sliced(packing.columns[*output.text_column], *text);
  output.value.node = builder.Graph().TextRow(column.number);
  outputs.AddText(output.type, column, output.value, output.function);
}

}  // namespace

GroupPacking GroupPacking::Of(const Pipeline& pipeline, const AggregateLayout& layout,
                              const ValueContext& context, const plan::ExpressionPointer& wanted,
                              std::vector<MaterialisedColumn>* materialised) {
  GroupPacking packing;
  // No table is scanned: rows of all are found by their numbers.
  packing.values = std::make_shared<KernelValues>(
      ValueContext{context.columns, context.dictionaries, SIZE_MAX, context.missing_tables});
  ValueBuilder& builder = packing.values->builder;
  packing.columns = ColumnsOf(pipeline, layout, context.columns, materialised == nullptr);
  for (const SharedGroups::Row& row : layout.shared->rows)
    packing.numbers.AddTable(row.table);
  for (const InputColumn& column : packing.columns) {
    packing.numbers.AddTable(column.table);
    packing.numbers.AddColumn(column.number);
    packing.values->gathered.Add(column, true);
  }
  const GroupFilter filter(wanted, pipeline, layout, packing.values->context);
  if (filter.Exists())
    packing.filter = filter.Build(builder);
  GroupValues values(layout, builder);
  PackedOutputs outputs(packing, materialised, {layout.MostGroups(), layout.expected_groups});
  for (size_t i = 0; i < layout.keys.size(); i++) {
    const GroupKey& key = layout.keys[i];
    if (key.is_dependent)
      AddDependentKey(pipeline.outputs[i], packing, outputs);
    else if (key.text)
      outputs.AddText(key.type, *key.text, values.Key(key), key.function);
    else
      outputs.AddValue(key.type, values.Key(key), key.texts, layout.KeysBeside(i));
  }
  for (size_t i = 0; i < pipeline.aggregates.size(); i++) {
    const plan::Aggregate& aggregate = pipeline.aggregates[i];
    const Value value = values.Aggregate(i, aggregate);
    if (const InputColumn* text = TextOf(aggregate, context.columns))
      outputs.AddText(aggregate.type, *text, value, nullptr);
    else
      outputs.AddValue(aggregate.type, value, layout.sources[i].texts, 0);
  }
  return packing;
}

}  // namespace margay::optimize
