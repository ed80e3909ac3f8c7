#include "integration/version/vectors.hpp"

#include <utility>

#include "duckdb/common/types/vector_buffer.hpp"

namespace margay::integration {
namespace {

class Owner : public duckdb::VectorBuffer {
 public:
  explicit Owner(std::shared_ptr<const void> owned)
      : VectorBuffer(duckdb::VectorBufferType::OPAQUE_BUFFER), owned_(std::move(owned)) {}

 private:
  const std::shared_ptr<const void> owned_;
};

}  // namespace

duckdb::string_t AddString(duckdb::Vector& vector, std::string_view text) {
  return duckdb::StringVector::AddStringOrBlob(vector, text.data(), text.size());
}

void KeepAlive(duckdb::Vector& vector, std::shared_ptr<const void> owner) {
  duckdb::StringVector::AddBuffer(vector, duckdb::make_buffer<Owner>(std::move(owner)));
}

std::optional<DictionaryView> DictionaryOf(const duckdb::Vector& vector) {
  if (vector.GetVectorType() != duckdb::VectorType::DICTIONARY_VECTOR ||
      !duckdb::DictionaryVector::DictionarySize(vector).IsValid() ||
      duckdb::DictionaryVector::DictionaryId(vector).empty()) {
    return std::nullopt;
  }
  const duckdb::Vector& strings = duckdb::DictionaryVector::Child(vector);
  if (strings.GetVectorType() != duckdb::VectorType::FLAT_VECTOR) {
    return std::nullopt;
  }
  return DictionaryView{duckdb::DictionaryVector::DictionaryId(vector), strings,
                        duckdb::DictionaryVector::DictionarySize(vector).GetIndex()};
}

SharedDictionary::SharedDictionary(size_t size)
    : buffer_(
          duckdb::DictionaryVector::CreateReusableDictionary(duckdb::LogicalType::VARCHAR, size)) {}

duckdb::Vector& SharedDictionary::Strings() const {
  return buffer_->data;
}

void SharedDictionary::Select(const duckdb::SelectionVector& selection,
                              duckdb::Vector& vector) const {
  vector.Dictionary(buffer_, selection);
}

}  // namespace margay::integration
