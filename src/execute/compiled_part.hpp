#pragma once

#include <atomic>

#include "compile/generated_kernel.hpp"
#include "execute/constant_buffers.hpp"
#include "execute/part.hpp"

namespace margay::execute {

class KernelRun;
struct InnerPart;

//! A part with its generated kernels, and the parts whose results they scan. See Part.
class CompiledPart : public Part, public std::enable_shared_from_this<CompiledPart> {
 public:
  //! What a scan of the plan reads: a table's image, or a table that other parts make.
  struct Input {
    std::shared_ptr<storage::TableImage> image;
    std::shared_ptr<const InnerPart> inner;
  };

  //! `inputs` are those of the scans of `plan`.
  CompiledPart(compile::GeneratedProgram program, plan::NodePointer plan, std::vector<Input> inputs,
               std::shared_ptr<device::Device> device, std::shared_ptr<memory::ExtentPool> pool);

  bool IsBuilt() const override;
  void Build() const override;
  const std::string& Source() const override { return source_; }
  std::vector<std::string> DescribeJoins() const override;
  //! What one of its kernels does, for people: "lineitem into groups".
  std::string NameOf(const compile::GeneratedKernel& kernel) const;
  bool GuessedWrong() const override;
  bool EvaluatesFunctions() const override;
  uint64_t HostBytes() const override;
  std::unique_ptr<Run> Start(RunOptions options) const override;
  std::unique_ptr<KernelRun> StartKernelRun(const RunOptions& options) const;

  const compile::GeneratedProgram& Program() const { return program_; }
  //! By table.
  const std::vector<Input>& Inputs() const { return inputs_; }
  //! The image of the table that `kernel` scans; null if that is the result of another part.
  storage::TableImage* ImageOf(const compile::GeneratedKernel& kernel) const {
    return inputs_[kernel.table].image.get();
  }
  device::Device& GetDevice() const { return *device_; }
  memory::ExtentPool& Pool() const { return *pool_; }
  ConstantBuffers& Constants() const { return constants_; }

  //! The size with which a run starts a table that can grow: the entries of a build side's join
  //! table, by its number, then the slots of the result's groups. What earlier runs found right; 0
  //! for entries that none has counted.
  uint64_t LearnedSize(size_t table) const {
    return learned_sizes_[table].load(std::memory_order_relaxed);
  }
  void LearnSize(size_t table, uint64_t size) const {
    learned_sizes_[table].store(size, std::memory_order_relaxed);
  }
  //! What a run took that scanned `rows` rows, in nanoseconds of its own kernels, but for tables
  //! that others find kept, times the compute units it had.
  void LearnTime(double nanoseconds, uint64_t rows) const;

 private:
  //! The parts that make the tables of the inputs.
  std::vector<std::shared_ptr<const CompiledPart>> Inners() const;
  //! The kernels in the order in which they run.
  std::vector<const compile::GeneratedKernel*> Kernels() const;

  const compile::GeneratedProgram program_;
  const std::string source_;  //!< of all kernels
  const plan::NodePointer plan_;
  const std::vector<Input> inputs_;
  const std::shared_ptr<device::Device> device_;
  const std::shared_ptr<memory::ExtentPool> pool_;
  mutable ConstantBuffers constants_;
  mutable std::vector<std::atomic<uint64_t>> learned_sizes_;
  mutable std::atomic<uint32_t> slow_runs_{0};  //!< in a row
};

}  // namespace margay::execute
