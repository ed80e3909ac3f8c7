#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compile/kernel_source.hpp"
#include "execute/constant_buffers.hpp"
#include "execute/learned_facts.hpp"
#include "execute/part.hpp"
#include "optimize/physical/program.hpp"

namespace margay::execute {

//! A program with the kernels of its pipelines, over images. See Part.
class ProgramPart : public Part, public std::enable_shared_from_this<ProgramPart> {
 public:
  using Images = std::vector<std::shared_ptr<storage::TableImage>>;

  using Kernels = std::vector<std::shared_ptr<const compile::KernelSource>>;

  //! `images` are those of the plan's scans.
  ProgramPart(std::shared_ptr<const optimize::Program> program, Images images, Place place);

  bool IsBuilt() const override;
  BuildCounts Build(uint32_t threads) const override;
  std::string Source() const override;
  std::string ProgramText() const override;
  std::vector<std::string> DescribeJoins() const override;
  bool EstimatedWrong() const override { return learned_->History().EstimatedWrong(); }
  bool EvaluatesFunctions() const override;
  uint64_t HostBytes() const override;
  std::unique_ptr<Run> Start(RunOptions options) const override;

  const optimize::Program& Program() const { return *program_; }
  //! The kernels of the pipelines; writes those that are not there yet.
  Kernels GetKernels() const;
  //! What a pipeline's kernel is known by.
  const compile::KernelDigest& DigestOf(size_t pipeline) const { return digests_[pipeline]; }
  //! What a pipeline's kernel does, for people: "lineitem into groups".
  std::string NameOf(size_t pipeline) const;
  //! The image of a table; null where it is the result of other pipelines.
  storage::TableImage* ImageOf(size_t table) const;
  device::Device& GetDevice() const { return *place_.device; }
  memory::ExtentPool& Pool() const { return *place_.pool; }
  ConstantBuffers& Constants() const { return *constants_; }
  LearnedFacts& Learned() const { return *learned_; }

 private:
  const std::shared_ptr<const optimize::Program> program_;
  const std::vector<compile::KernelDigest> digests_;  //!< by pipeline
  const Images images_;
  const Place place_;
  const std::unique_ptr<ConstantBuffers> constants_;
  const std::unique_ptr<LearnedFacts> learned_;
};

}  // namespace margay::execute
