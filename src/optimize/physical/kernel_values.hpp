#pragma once

#include <utility>

#include "optimize/physical/gathered_columns.hpp"
#include "optimize/value/value_builder.hpp"

namespace margay::optimize {

//! What the values of a kernel are built with, and what is bound to it. Values refer to its graph.
struct KernelValues {
  explicit KernelValues(ValueContext over)
      : context(std::move(over)), builder(context, graph, parameters), gathered(parameters) {}
  KernelValues(const KernelValues&) = delete;
  KernelValues& operator=(const KernelValues&) = delete;

  const ValueContext context;
  NodeGraph graph;
  Parameters parameters;
  ValueBuilder builder;
  GatheredColumns gathered;
};

}  // namespace margay::optimize
