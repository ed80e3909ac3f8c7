#pragma once

#include <cstdint>
#include <functional>

#include "optimize/physical/lowered_pipeline.hpp"

namespace margay::compile {

//! What was decided about a pipeline, as 128 bits: encodings, widths, machine types, packed bits,
//! numbers of groups and of extents, methods, facts that are relied on. Pipelines with equal
//! digests have one kernel, whatever their constants, the bases and bounds of their columns, and
//! the sizes of their tables are.
struct KernelDigest {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const KernelDigest&) const = default;

  static KernelDigest Of(const optimize::LoweredPipeline& pipeline);
};

}  // namespace margay::compile

template <>
struct std::hash<margay::compile::KernelDigest> {
  size_t operator()(const margay::compile::KernelDigest& digest) const { return digest.low; }
};
