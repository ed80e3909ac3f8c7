#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "optimize/physical/accumulator.hpp"
#include "optimize/physical/group_index.hpp"
#include "optimize/physical/join_table.hpp"
#include "optimize/physical/shape.hpp"
#include "optimize/physical/stage.hpp"
#include "optimize/value/dictionary_builder.hpp"

namespace margay::optimize {

//! A group key: the digits of the place of its value in its domain are part of the group's index.
struct GroupKey {
  plan::Type type;
  Value value;      //!< of the row at hand, unless the key is dependent
  Int128 low = 0;   //!< the value at place 0; for identifiers and codes: 0 or the lowest code
  Int128 high = 0;  //!< the value at the last place
  Int128 step = 1;  //!< between neighbouring values; 1 where there are several digits
  std::vector<GroupDigit> digits;
  std::shared_ptr<const storage::Dictionary> texts;  //!< Varchar: value = code into this
  std::vector<Int128> integers;                      //!< dictionary function: value = its result
  //! Text: value = row of the string in the column that holds its bytes (see
  //! compile::InternedText). The key itself is `function` of the string, if there is one, which the
  //! host computes.
  std::optional<InputColumn> text;
  const Node* string = nullptr;  //!< of that text
  std::shared_ptr<const plan::DictionaryFunction> function;
  //! Follows from the other keys (see GroupDependence): has no part in the index.
  bool is_dependent = false;

  bool HasNull() const { return digits.back().has_null; }
  //! Sets `high` and the digits for values from `low` to `last`, and NULL.
  void SetPlaces(Int128 last, bool has_null);
};

//! One table of groups for all work-groups of all launches, in global memory: for more groups than
//! a table per work-group could hold, for keys that are known by others only, and for what the host
//! could not merge.
struct SharedGroups {
  //! The row of `table` that all rows of a group have; the group's word `word` holds it.
  struct Row {
    size_t table = 0;
    size_t word = 0;

    bool operator==(const Row&) const = default;
  };

  //! A group's slot is found by hashing its index; else the index, of one word, is the slot.
  bool is_hashed = false;
  uint64_t slots = 1;         //!< to begin with; a power of two if hashed
  bool is_clustered = false;  //!< the rows of a group follow each other in the scanned table
  std::vector<Row> rows;      //!< of the tables that dependent keys read
  //! The rows are folded twice: see NeedsTwoPasses.
  bool has_two_passes = false;

  bool operator==(const SharedGroups&) const = default;
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
    std::shared_ptr<const storage::Dictionary> texts;  //!< of a string, but text: value = its code
  };

  std::vector<GroupKey> keys;
  std::vector<uint64_t> index_places;  //!< per word of a group's index: how many values it can have
  uint64_t groups = 1;                 //!< possible ones; kMostIndexes where there may be more
  std::optional<SharedGroups> shared;
  //! What aggregates are computed of, each different one once.
  struct Argument {
    plan::ExpressionPointer expression;
    //! Of a string whose minimum or maximum is asked for: see StringArgument.
    Value value;
    std::optional<InputColumn> text = {};  //!< its column, if it is such a string and text
    const Node* string = nullptr;          //!< of that text
  };

  //! The words of a group's index: one of 32 bits, or of a shared table some of 64.
  std::vector<Value> index;
  //! The index is certain to be in its domain: no key is computed, which may raise a fault and then
  //! lie outside.
  bool is_index_certain = true;
  std::vector<Argument> arguments;
  std::vector<Accumulator> accumulators;
  std::vector<Source> sources;  //!< one per aggregate
  size_t words = 0;
  //! A table may take in at most this many rows: beyond, a Sum64 might wrap.
  uint64_t rows_per_table = UINT64_MAX;
  //! A group has at most this many rows.
  uint64_t most_rows = 0;
  //! An estimate of how many groups have rows.
  uint64_t expected_groups = 1;

  //! At most this many groups have rows; at least 1.
  uint64_t MostGroups() const { return std::min(groups, std::max<uint64_t>(most_rows, 1)); }
  //! The text columns that are keys, each once.
  std::vector<InputColumn> InternedTexts() const;
  //! The numbers of text columns whose strings are compared with those of any other row: keys,
  //! minima and maxima.
  std::set<size_t> ComparedTexts() const;
  //! How many keys tell groups apart, if `key` is one of them; else 0.
  size_t KeysBeside(size_t key) const;
  //! Whether both hold the same groups in the same words, so that pipelines can fold their rows
  //! into one table.
  bool IsLike(const AggregateLayout& other) const;

  //! Lays out the aggregates of the result of `stage`, for a kernel of `shape` whose values
  //! `builder` builds. `rows` are those of all tables. Throws Unsupported.
  static AggregateLayout Of(const Stage& stage, const std::vector<JoinTable>& join_tables,
                            ValueBuilder& builder, const std::vector<uint64_t>& rows, Shape shape);
};

//! Most possible groups of a table per work-group: one of five accumulators then takes 2.5 MiB,
//! about a CPU core's second-level cache.
inline constexpr uint64_t kMostOwnGroups = 65536;

}  // namespace margay::optimize
