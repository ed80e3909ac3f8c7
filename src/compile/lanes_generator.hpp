#pragma once

#include <set>

#include "compile/kernel_generator.hpp"

namespace margay::compile {

//! Rows of a tile: enough to hide the start of a tile, small enough that a table of a few million
//! rows keeps a large GPU busy.
inline constexpr uint32_t kLanesTileRows = 8192;

//! The lanes shape: a work-group strides through a tile of a segment together, so that neighbouring
//! lanes read neighbouring rows. Made for the profile every device must offer: 48 KiB of local
//! memory, 1,024 bytes of arguments, 256 work-items. No work-item ever waits for another
//! work-group.
//!
//! Aggregates are held in one of five ways:
//!   LanesSingleResult   one group: each lane has its accumulators in registers; reduced at the end
//!   LanesLocalGroups    few groups: each lane has a table in local memory; reduced at the end
//!   LanesPartialGroups  many groups: all work-groups update a few tables in global memory
//!   LanesOwnedGroups    the same for what no atomic operation updates
//!   LanesGroupTable     any number of groups: one table for all launches
class LanesGenerator : public KernelGenerator {
 public:
  using KernelGenerator::KernelGenerator;

  //! Writes the walk over a tile in which each lane takes four neighbouring rows at once.
  void WriteQuads(CodeBlock& block);

 protected:
  std::unique_ptr<Sink> MakeSink() override;
  void WriteBody(CodeBlock& block) override;
  uint32_t MostSteps() const override;

 private:
  //! Loads four rows of the columns that are in `numbers` and not loaded yet.
  void WriteLoads(CodeBlock& block, const std::set<size_t>& numbers, std::set<size_t>& loaded);
};

}  // namespace margay::compile
