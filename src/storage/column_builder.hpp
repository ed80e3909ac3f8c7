#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memory/extent_pool.hpp"
#include "memory/host_allocator.hpp"
#include "storage/build_options.hpp"
#include "storage/column_image.hpp"
#include "storage/column_specification.hpp"
#include "storage/parallel_for.hpp"

namespace margay::storage {

class ColumnStager;
class StringInterner;
struct StagedBatch;

//! Builds one column image from batches of rows that arrive in any order, from several threads.
//! Rows are staged in narrowed pieces (staged_piece.hpp), in pinned blocks of the HostAllocator,
//! until Finish() cuts them into segments.
//!
//! Lease(), Return() and StagedBytes() are thread-safe; Finish() is called once, when no stager is
//! out.
class ColumnBuilder {
 public:
  //! Throws RefusedColumn where the type has no encoding.
  ColumnBuilder(ColumnSpecification specification, std::shared_ptr<memory::HostAllocator> allocator,
                BuildOptions options);
  //! For rows of one extent of `restored`, which Restore() brings back.
  ColumnBuilder(ColumnSpecification specification, std::shared_ptr<const ColumnImage> restored,
                std::shared_ptr<memory::HostAllocator> allocator);
  ~ColumnBuilder();
  ColumnBuilder(const ColumnBuilder&) = delete;
  ColumnBuilder& operator=(const ColumnBuilder&) = delete;

  const ColumnSpecification& Specification() const { return specification_; }

  //! A stager for one batch, for the calling thread alone; it comes back through Return(). Stagers
  //! are reused, so that there are as many as batches at one time.
  std::unique_ptr<ColumnStager> Lease();

  //! Takes back a stager. `batch_index` orders what was staged since Lease(); with `discard` it is
  //! dropped instead.
  void Return(std::unique_ptr<ColumnStager> stager, uint64_t batch_index, bool discard);

  //! Remembers that the column was refused; Finish() will throw it.
  void Refuse(const std::string& reason);
  bool IsRefused() const { return is_refused_; }
  //! Throws the RefusedColumn where there is one.
  void ThrowIfRefused() const;

  //! Rows of the batches that came back.
  uint64_t Rows() const;

  //! Host memory held for staging.
  size_t StagedBytes() const { return staged_bytes_; }

  //! The image of all batches, in the order of their indexes, and the end of staging memory. Throws
  //! RefusedColumn, memory::OutOfMemory, device::DeviceError, and std::logic_error where two
  //! batches have the same index.
  std::shared_ptr<const ColumnImage> Finish(memory::ExtentPool& pool,
                                            const ParallelFor& parallel_for = SequentialFor);

  //! In place of Finish(): the batches as the data extent `extent` of the column that is restored,
  //! with what belongs to it. Throws RowsDiffer, memory::OutOfMemory, device::DeviceError.
  PinnedExtents Restore(size_t extent, memory::ExtentPool& pool,
                        const ParallelFor& parallel_for = SequentialFor);

 private:
  //! Puts the batches into their order.
  void Order();
  void Clear();
  //! By number of the stager.
  std::vector<const StringInterner*> Interners() const;

  const ColumnSpecification specification_;
  const std::shared_ptr<memory::HostAllocator> allocator_;
  const BuildOptions options_;
  const std::shared_ptr<const ColumnImage> restored_;
  std::atomic<size_t> staged_bytes_{0};
  std::atomic<bool> is_refused_{false};
  std::atomic<bool> is_text_{false};

  mutable std::mutex mutex_;
  std::string refusal_;
  std::vector<std::unique_ptr<ColumnStager>> idle_;
  std::vector<StagedBatch> batches_;
  uint32_t stager_count_ = 0;
};

}  // namespace margay::storage
