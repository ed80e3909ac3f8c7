#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace margay::tool {

//! What the statements of the benchmark "turns" may ask of a table of TurnsData.
struct TurnsTable {
  //! A value to group by, and how many different ones there are at most.
  struct Key {
    std::string value;
    int64_t different;
  };

  //! A condition; each "#" stands for the same number from `lowest` to `highest`.
  struct Filter {
    std::string condition;
    int64_t lowest;
    int64_t highest;
  };

  std::string name;
  //! The column of the facts that leads to a row, and the one it finds; none of the facts
  //! themselves.
  std::string fact_column;
  std::string key_column;
  std::vector<Key> keys;
  //! To add up, and so on; all are exact.
  std::vector<std::string> numbers;
  std::vector<Filter> filters;
};

//! The table of facts.
const TurnsTable& TurnsFacts();

//! The other tables.
const std::vector<TurnsTable>& TurnsDimensions();

}  // namespace margay::tool
