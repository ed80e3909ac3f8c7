#include "optimize/value/parameters.hpp"

#include <bit>
#include <stdexcept>
#include <utility>

namespace margay::optimize {

namespace {

constexpr size_t kTableAlignment = 16;

}  // namespace

size_t Parameters::AddInteger(Int128 value, Machine machine) {
  if (machine != Machine::Int32 && machine != Machine::Int64 && machine != Machine::Wide)
    throw std::logic_error("Parameters::AddInteger: not an integer machine type");
  slots_.push_back({machine, words_.size()});
  words_.push_back(static_cast<int64_t>(value));
  if (machine == Machine::Wide)
    words_.push_back(static_cast<int64_t>(value >> 64));
  return slots_.size() - 1;
}

size_t Parameters::AddReal(double value, Machine machine) {
  slots_.push_back({machine, words_.size()});
  if (machine == Machine::Float64)
    words_.push_back(std::bit_cast<int64_t>(value));
  else if (machine == Machine::Float32)
    words_.push_back(std::bit_cast<uint32_t>(static_cast<float>(value)));
  else
    throw std::logic_error("Parameters::AddReal: not a floating-point machine type");
  return slots_.size() - 1;
}

size_t Parameters::AddTable(size_t bytes, std::function<void(uint8_t*)> write) {
  const size_t begin = (table_bytes_ + kTableAlignment - 1) / kTableAlignment * kTableAlignment;
  tables_.push_back({begin, std::move(write)});
  table_bytes_ = begin + bytes;
  return AddInteger(static_cast<Int128>(begin), Machine::Int64);
}

std::vector<uint8_t> Parameters::Tables() const {
  std::vector<uint8_t> bytes(table_bytes_);
  for (const Table& table : tables_)
    table.write(bytes.data() + table.begin);
  return bytes;
}

}  // namespace margay::optimize
