#include "storage/column_builder.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "storage/column_assembler.hpp"
#include "storage/column_stager.hpp"
#include "storage/dictionary_merge.hpp"
#include "storage/extent_source.hpp"
#include "storage/refused_column.hpp"
#include "storage/staged_piece.hpp"
#include "storage/text_choice.hpp"

namespace margay::storage {

namespace {

//! Strings are interned or not as they were the first time, whatever their number.
BuildOptions OptionsFor(const ColumnImage& restored) {
  BuildOptions options;
  options.segments_per_extent = restored.SegmentsPerExtent();
  options.small_dictionary = std::numeric_limits<size_t>::max();
  options.largest_dictionary = std::numeric_limits<size_t>::max();
  options.largest_dictionary_bytes = std::numeric_limits<size_t>::max();
  return options;
}

//! By interner and its code: the code in `dictionary`. Throws RowsDiffer.
std::vector<std::vector<uint32_t>> FindCodes(const std::vector<const StringInterner*>& interners,
                                             const Dictionary& dictionary) {
  std::vector<std::vector<uint32_t>> codes;
  for (const StringInterner* interner : interners) {
    auto& of_interner = codes.emplace_back();
    for (uint32_t code = 0; code < interner->Size(); code++) {
      const std::optional<uint32_t> found = dictionary.Find(interner->Value(code));
      if (!found) {
        throw RowsDiffer();
      }
      of_interner.push_back(*found);
    }
  }
  return codes;
}

}  // namespace

ColumnBuilder::ColumnBuilder(ColumnSpecification specification,
                             std::shared_ptr<memory::HostAllocator> allocator, BuildOptions options)
    : specification_(std::move(specification)),
      allocator_(std::move(allocator)),
      options_(options) {
  if (specification_.type.kind == plan::TypeKind::UInt128) {
    throw RefusedColumn("column " + specification_.name + " has the type " +
                        specification_.type.ToString() + ", which has no encoding");
  }
}

ColumnBuilder::ColumnBuilder(ColumnSpecification specification,
                             std::shared_ptr<const ColumnImage> restored,
                             std::shared_ptr<memory::HostAllocator> allocator)
    : specification_(std::move(specification)),
      allocator_(std::move(allocator)),
      options_(OptionsFor(*restored)),
      restored_(std::move(restored)),
      is_text_(restored_->GetEncoding() == Encoding::Text) {}

ColumnBuilder::~ColumnBuilder() = default;

std::unique_ptr<ColumnStager> ColumnBuilder::Lease() {
  uint32_t number;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<ColumnStager> stager = std::move(idle_.back());
      idle_.pop_back();
      return stager;
    }
    number = stager_count_++;
  }
  return std::make_unique<ColumnStager>(specification_, allocator_, options_, staged_bytes_,
                                        is_text_, number);
}

void ColumnBuilder::Return(std::unique_ptr<ColumnStager> stager, uint64_t batch_index,
                           bool discard) {
  StagedBatch batch;
  if (discard) {
    stager->Discard();
  } else {
    batch = stager->TakeBatch(batch_index);
  }
  std::lock_guard lock(mutex_);
  if (!discard) {
    batches_.push_back(std::move(batch));
  }
  idle_.push_back(std::move(stager));
}

void ColumnBuilder::Refuse(const std::string& reason) {
  std::lock_guard lock(mutex_);
  if (!is_refused_) {
    refusal_ = reason;
    is_refused_ = true;
  }
}

void ColumnBuilder::ThrowIfRefused() const {
  if (is_refused_) {
    std::lock_guard lock(mutex_);
    throw RefusedColumn(refusal_);
  }
}

uint64_t ColumnBuilder::Rows() const {
  std::lock_guard lock(mutex_);
  uint64_t rows = 0;
  for (const StagedBatch& batch : batches_) {
    rows += batch.rows;
  }
  return rows;
}

void ColumnBuilder::Order() {
  ThrowIfRefused();
  if (idle_.size() != stager_count_) {
    throw std::logic_error("ColumnBuilder::Finish: a batch is still open");
  }
  std::sort(batches_.begin(), batches_.end(),
            [](const StagedBatch& a, const StagedBatch& b) { return a.index < b.index; });
  const auto same = std::adjacent_find(
      batches_.begin(), batches_.end(),
      [](const StagedBatch& a, const StagedBatch& b) { return a.index == b.index; });
  if (same != batches_.end()) {
    throw std::logic_error("ColumnBuilder::Finish: two batches with the index " +
                           std::to_string(same->index));
  }
}

void ColumnBuilder::Clear() {
  batches_.clear();
  idle_.clear();
  stager_count_ = 0;
}

std::shared_ptr<const ColumnImage> ColumnBuilder::Finish(memory::ExtentPool& pool,
                                                         const ParallelFor& parallel_for) {
  Order();
  ColumnAssembler::Input input;
  input.type = specification_.type;
  input.segments_per_extent = options_.segments_per_extent != 0
                                  ? options_.segments_per_extent
                                  : SegmentsPerExtent(pool.Device()->Info().largest_buffer);
  input.batches = &batches_;
  input.name = specification_.name;
  input.largest_buffer = pool.Device()->Info().largest_buffer;
  input.largest_text_extent = options_.largest_text_extent;
  input.may_lose_extents = options_.may_lose_extents;
  MergedStrings strings;
  if (specification_.type.IsVarchar()) {
    const std::vector<const StringInterner*> interners = Interners();
    if (!is_text_) {
      strings = MergeStrings(interners, parallel_for);
      is_text_ = IsText({strings.values.size(), strings.bytes, Rows()}, options_);
    }
    if (is_text_) {
      input.texts.emplace(interners);
    } else {
      input.dictionary = std::make_shared<Dictionary>(strings.values);
      input.codes = &strings.codes;
    }
  }
  std::shared_ptr<const ColumnImage> image =
      ColumnAssembler(std::move(input), pool, parallel_for).Assemble();
  Clear();
  return image;
}

PinnedExtents ColumnBuilder::Restore(size_t extent, memory::ExtentPool& pool,
                                     const ParallelFor& parallel_for) {
  Order();
  ColumnAssembler::Input input;
  input.type = specification_.type;
  input.segments_per_extent = options_.segments_per_extent;
  input.batches = &batches_;
  input.name = specification_.name;
  input.largest_buffer = pool.Device()->Info().largest_buffer;
  input.largest_text_extent = options_.largest_text_extent;
  std::vector<std::vector<uint32_t>> codes;
  if (is_text_) {
    input.texts.emplace(Interners());
  } else if (specification_.type.IsVarchar()) {
    codes = FindCodes(Interners(), *restored_->GetDictionary());
    input.dictionary = restored_->GetDictionary();
    input.codes = &codes;
  }
  PinnedExtents pins =
      ColumnAssembler(std::move(input), pool, parallel_for).Restore(*restored_, extent);
  Clear();
  return pins;
}

std::vector<const StringInterner*> ColumnBuilder::Interners() const {
  std::vector<const StringInterner*> interners(stager_count_);
  for (const std::unique_ptr<ColumnStager>& stager : idle_) {
    interners[stager->Number()] = stager->Strings();
  }
  return interners;
}

}  // namespace margay::storage
