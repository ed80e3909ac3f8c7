#pragma once

#include <cstdint>
#include <string>

#include "compile/argument_list.hpp"
#include "device/program_source.hpp"
#include "optimize/physical/lowered_pipeline.hpp"

namespace margay::compile {

//! The source of a pipeline's kernels, and what launching them needs. Depends on what was decided
//! about the pipeline alone: neither on constants nor on the data.
struct KernelSource {
  device::ProgramSource program;
  ArgumentList arguments;          //!< of the kernel kPipelineKernel
  ArgumentList clear_arguments;    //!< of kClearGroupsKernel, which makes a shared table empty
  ArgumentList packing_arguments;  //!< of kPackGroupsKernel: see optimize::GroupPacking

  uint32_t work_group = 1;  //!< work-items of a work-group
  uint32_t unit_rows = 0;   //!< rows of a unit of work
  uint32_t units_per_segment = 1;
  uint32_t units_per_work_group = UINT32_MAX;  //!< more would overflow a work-group's accumulators
  bool is_resumable = false;                   //!< may stop before its work is done
  uint32_t resume_words = 1;                   //!< of `resume`, per unit and work-item
  //! The work-groups of a launch share some partial tables, which the host makes ready.
  bool shares_tables = false;
};

inline constexpr const char* kPipelineKernel = "run_pipeline";
inline constexpr const char* kClearGroupsKernel = "clear_groups";
inline constexpr const char* kPackGroupsKernel = "pack_groups";
inline constexpr size_t kSegmentHeaderWords = 3;
inline constexpr int kFaultBit = 1;
inline constexpr int kFullBit = 2;
inline constexpr int kUnfinishedBit = 4;

//! Slots of a shared table of groups that a work-group of its kernels takes at a time.
inline constexpr uint64_t kSlotsPerUnit = 4096;

//! The number of the join table that a pipeline fills, behind those that it reads.
size_t FilledTable(const optimize::LoweredPipeline& pipeline);

//! Makes sure that there is a kernel for `pipeline`. Writes none. Throws Unsupported, and
//! TooManyArguments where half of its outputs would do.
void CheckKernel(const optimize::LoweredPipeline& pipeline);

//! Writes the source for `pipeline`, which CheckKernel did not refuse.
KernelSource WriteKernel(const optimize::LoweredPipeline& pipeline);

}  // namespace margay::compile
