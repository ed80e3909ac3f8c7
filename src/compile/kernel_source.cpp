#include "compile/kernel_source.hpp"

#include "compile/lanes_generator.hpp"
#include "compile/loop_generator.hpp"

namespace margay::compile {

size_t FilledTable(const optimize::LoweredPipeline& pipeline) {
  return pipeline.joins.size();
}

namespace {

std::unique_ptr<KernelGenerator> MakeGenerator(const optimize::LoweredPipeline& pipeline) {
  if (pipeline.shape == optimize::Shape::Loop)
    return std::make_unique<LoopGenerator>(pipeline);
  return std::make_unique<LanesGenerator>(pipeline);
}

}  // namespace

void CheckKernel(const optimize::LoweredPipeline& pipeline) {
  MakeGenerator(pipeline)->Check();
}

KernelSource WriteKernel(const optimize::LoweredPipeline& pipeline) {
  return MakeGenerator(pipeline)->Generate();
}

}  // namespace margay::compile
