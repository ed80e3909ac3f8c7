#include "compile/generated_kernel.hpp"

#include "compile/join_order.hpp"
#include "compile/lanes_generator.hpp"
#include "compile/loop_generator.hpp"
#include "compile/nested_loops.hpp"
#include "compile/plain_build.hpp"
#include "compile/ranged_keys.hpp"
#include "compile/refusal.hpp"
#include "compile/text_resolution.hpp"

namespace margay::compile {

namespace {

template <typename... Sink>
GeneratedKernel GenerateKernel(const KernelGenerator::Input& input, const Sink&... sink) {
  return input.shape == Shape::Loop ? LoopGenerator(input, sink...).Generate()
                                    : LanesGenerator(input, sink...).Generate();
}

//! What the kernel fills, but for the columns it reads.
std::string StructureName(const GeneratedKernel& kernel) {
  std::string name = kernel.source + "slots " + std::to_string(kernel.build->slots);
  const auto append = [&](const auto& values) {
    if (!values.empty())
      name.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  };
  append(kernel.parameters.Words());
  append(kernel.parameters.LookupBytes());
  return name;
}

//! The kernel of a plain build side, which fills `table`.
GeneratedKernel GeneratePlain(Shape shape, const PlainBuild& plain, const JoinTable& table,
                              std::optional<JoinMethod> method) {
  DictionaryCache dictionaries(plain.columns);
  const std::vector<JoinTable> none;
  const KernelGenerator::Input input{shape,      plain.program, plain.columns,
                                     plain.rows, dictionaries,  none};
  const KernelContext context{plain.columns, dictionaries};
  GeneratedKernel kernel = GenerateKernel(
      input, JoinTable::Of(plain.program, 0, none, context, plain.rows, shape, method));
  kernel.structure_name = StructureName(kernel);
  for (const plan::ExpressionPointer& key : plain.program.builds[0].keys)
    kernel.structure_keys += (kernel.structure_keys.empty() ? "" : ", ") + key->ToString();
  kernel.table = table.table;
  kernel.build = table;
  return kernel;
}

}  // namespace

std::variant<GeneratedProgram, Refusal> GenerateProgram(
    const plan::Node& plan, const std::vector<InputColumn>& columns,
    const std::vector<uint64_t>& rows, Shape shape, ResultUse use,
    const plan::ExpressionPointer& wanted, std::optional<JoinMethod> method,
    const std::vector<KeptColumn>* kept, uint64_t memory) {
  try {
    DictionaryCache dictionaries(columns);
    Program cut = ResolveTexts(Program::From(plan), columns);
    if (method == JoinMethod::NestedLoop)
      cut = ForceNestedLoops(std::move(cut));
    Program program = OrderJoins(std::move(cut), columns, rows, dictionaries, shape, memory);
    ChooseRangedKeys(program, columns, rows, dictionaries);
    std::vector<JoinTable> tables;
    const KernelGenerator::Input input{shape,  program, columns, rows, dictionaries,
                                       tables, use,     wanted,  kept};
    GeneratedProgram generated;
    for (size_t i = 0; i < program.builds.size(); i++) {
      const Pipeline& pipeline = program.builds[i].pipeline;
      const KernelContext context{columns, dictionaries, pipeline.table,
                                  program.MissingTables(pipeline)};
      tables.push_back(JoinTable::Of(program, i, tables, context, rows, shape, method));
      const auto plain = PlainBuild::Of(program.builds[i], columns, rows);
      generated.builds.push_back(plain ? GeneratePlain(shape, *plain, tables.back(), method)
                                       : GenerateKernel(input, tables.back()));
    }
    generated.result = GenerateKernel(input);
    generated.spared_rows = program.spared_rows;
    return generated;
  } catch (const TooManyArguments& wide) {
    return Refusal{wide.what(), true};
  } catch (const Unsupported& unsupported) {
    return Refusal{unsupported.what(), false};
  }
}

}  // namespace margay::compile
