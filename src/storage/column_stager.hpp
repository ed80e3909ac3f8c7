#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memory/host_allocator.hpp"
#include "storage/build_options.hpp"
#include "storage/column_chunk.hpp"
#include "storage/column_specification.hpp"
#include "storage/staged_piece.hpp"
#include "storage/staging_arena.hpp"
#include "storage/string_interner.hpp"

namespace margay::storage {

//! Takes the rows of one column, batch after batch, and narrows them into pieces. Chunks that are
//! large, flat and without NULLs are narrowed where they lie; others are collected in a buffer
//! first. Strings become codes of the stager's own StringInterner, which are staged like integers,
//! until text_choice.hpp finds that the column is stored as text.
//!
//! Not thread-safe. The pieces live as long as the stager.
class ColumnStager {
 public:
  //! `number` tells the stagers of a column apart; `staged_bytes` counts the memory; `is_text`, of
  //! all stagers of the column, becomes true once one of them has found that the column is stored
  //! as text. Both outlive the stager.
  ColumnStager(const ColumnSpecification& specification,
               const std::shared_ptr<memory::HostAllocator>& allocator, const BuildOptions& options,
               std::atomic<size_t>& staged_bytes, std::atomic<bool>& is_text, uint32_t number);
  ColumnStager(const ColumnStager&) = delete;
  ColumnStager& operator=(const ColumnStager&) = delete;

  //! Throws RefusedColumn, memory::OutOfMemory; then only TakeBatch() may follow, and what it
  //! returns is worthless.
  void Append(const ColumnChunk& chunk);

  //! Rows since the last TakeBatch().
  uint64_t Rows() const { return rows_; }

  //! All rows since the last call, as the batch `index`. Throws memory::OutOfMemory.
  StagedBatch TakeBatch(uint64_t index);

  //! Forgets all rows since the last TakeBatch().
  void Discard();

  uint32_t Number() const { return number_; }

  //! The strings that the codes stand for; nullptr unless the column is Varchar.
  const StringInterner* Strings() const { return strings_.get(); }

 private:
  //! Rows that wait for a full piece.
  struct Pending {
    alignas(64) std::array<std::byte, kPieceRows * 16> values;
    std::array<uint64_t, kPieceRows / 64> validity{};
    size_t rows = 0;
    size_t nulls = 0;

    template <typename T>
    T* Values() {
      return reinterpret_cast<T*>(values.data());
    }
    void Clear();
  };

  template <typename T>
  void AppendFixed(const ColumnChunk& chunk);
  void AppendStrings(const ColumnChunk& chunk);
  template <typename T>
  void Collect(const ColumnChunk& chunk, size_t first, size_t count);
  void CollectStrings(const ColumnChunk& chunk, size_t first, size_t count);
  void FindWhetherText();
  //! Stages rows of a chunk, at most kPieceRows, as text.
  void StageTexts(const ColumnChunk& chunk, size_t first, size_t count);
  const uint64_t* CopyValidity(const uint64_t* validity, size_t rows);
  uint32_t CodeOf(const ColumnChunk& chunk, size_t index);
  //! The same for a chunk with a dictionary, whose strings are remembered.
  uint32_t KnownCodeOf(const ColumnChunk& chunk, size_t index);
  template <typename T>
  void FlushPending();
  template <typename T>
  void Stage(const T* values, size_t rows, const uint64_t* validity, size_t nulls);
  template <typename T>
  void StageIntegers(const T* values, StagedPiece& piece);
  template <typename T>
  void StageReals(const T* values, StagedPiece& piece);

  const std::string name_;
  const plan::Type type_;
  const BuildOptions options_;
  const uint32_t number_;
  std::atomic<bool>& is_text_;
  StagingArena arena_;
  std::unique_ptr<StringInterner> strings_;
  std::unique_ptr<Pending> pending_;
  std::vector<StagedPiece> pieces_;
  uint64_t rows_ = 0;
  //! Rows of all batches whose strings were interned.
  uint64_t interned_rows_ = 0;

  //! By position in the chunk dictionary `dictionary_id_`.
  std::vector<uint32_t> dictionary_codes_;
  uint64_t dictionary_id_ = 0;
};

}  // namespace margay::storage
