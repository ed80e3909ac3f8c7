#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "duckdb/common/types/selection_vector.hpp"
#include "duckdb/common/types/vector.hpp"

namespace margay::integration {

//! The values of a flat vector.
template <typename Value>
Value* FlatValues(duckdb::Vector& vector) {
  return duckdb::FlatVector::GetData<Value>(vector);
}
template <typename Value>
const Value* FlatValues(const duckdb::Vector& vector) {
  return duckdb::FlatVector::GetData<Value>(vector);
}

//! The same as bytes, whatever their type.
inline duckdb::data_ptr_t FlatBytes(duckdb::Vector& vector) {
  return duckdb::FlatVector::GetData(vector);
}

//! Which rows of a flat vector are not NULL.
inline duckdb::ValidityMask& FlatValidity(duckdb::Vector& vector) {
  return duckdb::FlatVector::Validity(vector);
}
inline const duckdb::ValidityMask& FlatValidity(const duckdb::Vector& vector) {
  return duckdb::FlatVector::Validity(vector);
}

//! Copies a string into memory of the vector.
duckdb::string_t AddString(duckdb::Vector& vector, std::string_view text);

//! Keeps `owner` alive as long as the strings of the vector may be read.
void KeepAlive(duckdb::Vector& vector, std::shared_ptr<const void> owner);

//! A dictionary that the strings of a vector are numbers in.
struct DictionaryView {
  std::string id;                 //!< the same for all vectors of the dictionary
  const duckdb::Vector& strings;  //!< flat
  size_t size;
};

//! The dictionary of a VARCHAR vector; none where it has none that can be told from others. The
//! view is good as long as the vector is not changed.
std::optional<DictionaryView> DictionaryOf(const duckdb::Vector& vector);

//! Strings that several vectors share, and that DuckDB hashes once.
class SharedDictionary {
 public:
  explicit SharedDictionary(size_t size);

  //! Where the strings are; flat.
  duckdb::Vector& Strings() const;

  //! Makes the rows of `vector` the strings whose numbers are in `selection`.
  void Select(const duckdb::SelectionVector& selection, duckdb::Vector& vector) const;

 private:
  duckdb::buffer_ptr<duckdb::VectorChildBuffer> buffer_;
};

}  // namespace margay::integration
