#pragma once

#include "compile/generated_kernel.hpp"
#include "execute/part.hpp"

namespace margay::execute {

//! A part with its generated kernel. See Part.
class CompiledPart : public Part, public std::enable_shared_from_this<CompiledPart> {
 public:
  CompiledPart(compile::GeneratedKernel kernel, plan::NodePointer plan,
               std::shared_ptr<storage::TableImage> image, std::shared_ptr<device::Device> device,
               std::shared_ptr<memory::ExtentPool> pool);

  bool IsBuilt() const override;
  void Build() const override;
  const std::string& Source() const override { return kernel_.source; }
  std::vector<std::string> ColumnDescriptions() const override;
  std::unique_ptr<Run> Start(RunOptions options) const override;

  const compile::GeneratedKernel& Kernel() const { return kernel_; }
  const storage::TableImage& Image() const { return *image_; }
  device::Device& GetDevice() const { return *device_; }
  memory::ExtentPool& Pool() const { return *pool_; }

 private:
  const compile::GeneratedKernel kernel_;
  const plan::NodePointer plan_;
  const std::shared_ptr<storage::TableImage> image_;
  const std::shared_ptr<device::Device> device_;
  const std::shared_ptr<memory::ExtentPool> pool_;
};

}  // namespace margay::execute
