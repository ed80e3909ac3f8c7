#pragma once

#include <memory>
#include <vector>

#include "compile/accumulator.hpp"
#include "compile/dictionary_writer.hpp"
#include "compile/pipeline.hpp"

namespace margay::compile {

//! A group key whose domain is small: group index = sum over keys of (place of the value in its
//! domain) * stride. NULL, where it can occur, takes the place behind the last value.
struct GroupKey {
  plan::Type type;
  Int128 low = 0;       //!< the value at place 0; for identifiers and codes: 0 or the lowest code
  Int128 step = 1;      //!< between neighbouring values
  uint64_t values = 1;  //!< places for values
  bool has_null = false;
  uint64_t stride = 1;
  std::shared_ptr<const storage::Dictionary> texts;  //!< Varchar: value = code into this
  std::vector<Int128> integers;                      //!< dictionary function: value = its result

  uint64_t Places() const { return values + (has_null ? 1 : 0); }
};

//! How the aggregates of a pipeline are held while they are computed.
//!
//! A table of groups: one row of `words` 64-bit words per group, the accumulators one after the
//! other. Accumulator 0 always counts the group's rows: a group exists if that is not 0.
struct AggregateLayout {
  //! Where an aggregate's result comes from.
  struct Source {
    size_t value = 0;  //!< accumulator of its sum, minimum or maximum; unused for counts
    size_t count = 0;  //!< accumulator that counts its values: 0 where none can be NULL
  };

  std::vector<GroupKey> keys;
  uint64_t groups = 1;
  std::vector<plan::ExpressionPointer> arguments;  //!< the different ones
  std::vector<Machine> argument_machines;
  std::vector<Range> argument_ranges;
  std::vector<Accumulator> accumulators;
  std::vector<Source> sources;  //!< one per aggregate
  size_t words = 0;
  //! A table may take in at most this many rows: beyond, a Sum64 might wrap.
  uint64_t rows_per_table = UINT64_MAX;

  //! Lays out the aggregates of `pipeline` over `rows` rows, of which joins may make any number of
  //! rows if `multiplies_rows`. Throws Unsupported, also where the groups are too many for a direct
  //! index.
  static AggregateLayout Of(const Pipeline& pipeline, KernelContext scratch, uint64_t rows,
                            bool multiplies_rows);
};

//! Largest number of groups of a direct index: a work-group's table of five accumulators then takes
//! 2.5 MiB, about a CPU core's second-level cache.
inline constexpr uint64_t kLargestDirectIndex = 65536;

}  // namespace margay::compile
