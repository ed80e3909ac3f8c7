#include "optimize/physical/local_numbers.hpp"

#include <algorithm>
#include <stdexcept>

namespace margay::optimize {

namespace {

void Add(std::vector<size_t>& numbers, size_t number) {
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
    numbers.push_back(number);
}

size_t PlaceOf(const std::vector<size_t>& numbers, size_t number) {
  const auto found = std::find(numbers.begin(), numbers.end(), number);
  if (found == numbers.end())
    throw std::logic_error("LocalNumbers: the kernel does not know this column or table");
  return static_cast<size_t>(found - numbers.begin());
}

}  // namespace

void LocalNumbers::AddTable(size_t table) {
  Add(tables_, table);
}

void LocalNumbers::AddColumn(size_t column) {
  Add(columns_, column);
}

bool LocalNumbers::HasTable(size_t table) const {
  return std::find(tables_.begin(), tables_.end(), table) != tables_.end();
}

size_t LocalNumbers::TableOf(size_t table) const {
  return PlaceOf(tables_, table);
}

size_t LocalNumbers::ColumnOf(size_t column) const {
  return PlaceOf(columns_, column);
}

}  // namespace margay::optimize
