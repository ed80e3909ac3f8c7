#include "duckdb/vector_converter.hpp"

namespace margay::integration {
namespace {

std::string_view View(const duckdb::string_t& text) {
  return {text.GetData(), text.GetSize()};
}

}  // namespace

storage::ColumnChunk VectorConverter::Convert(duckdb::Vector& vector, size_t count) {
  std::string dictionary_id = DictionaryId(vector);
  duckdb::UnifiedVectorFormat format;
  vector.ToUnifiedFormat(count, format);
  storage::ColumnChunk chunk;
  chunk.count = count;
  if (!is_varchar_) {
    format_ = std::move(format);
    chunk.values = format_.data;
    chunk.selection = format_.sel->data();
    chunk.validity = format_.validity.GetData();
    return chunk;
  }
  if (!dictionary_id.empty()) {
    ConvertDictionary(vector, dictionary_id);
    format_ = std::move(format);
    chunk.values = dictionary_.data();
    chunk.selection = format_.sel->data();
    chunk.validity = format_.validity.GetData();
    chunk.dictionary_id = dictionary_number_;
    chunk.dictionary_size = dictionary_.size();
    return chunk;
  }
  ConvertStrings(format, count);
  chunk.values = views_.data();
  chunk.validity = has_nulls_ ? validity_.data() : nullptr;
  return chunk;
}

std::string VectorConverter::DictionaryId(const duckdb::Vector& vector) const {
  if (!is_varchar_ || vector.GetVectorType() != duckdb::VectorType::DICTIONARY_VECTOR ||
      !duckdb::DictionaryVector::DictionarySize(vector).IsValid() ||
      duckdb::DictionaryVector::Child(vector).GetVectorType() != duckdb::VectorType::FLAT_VECTOR) {
    return {};
  }
  return duckdb::DictionaryVector::DictionaryId(vector);
}

void VectorConverter::ConvertDictionary(const duckdb::Vector& vector, const std::string& id) {
  if (id == dictionary_id_) {
    return;
  }
  dictionary_id_ = id;
  dictionary_number_++;
  const auto& strings = duckdb::DictionaryVector::Child(vector);
  const auto& validity = duckdb::FlatVector::Validity(strings);
  const auto* values = duckdb::FlatVector::GetData<duckdb::string_t>(strings);
  dictionary_.resize(duckdb::DictionaryVector::DictionarySize(vector).GetIndex());
  for (size_t i = 0; i < dictionary_.size(); i++) {
    dictionary_[i] = validity.RowIsValid(i) ? View(values[i]) : std::string_view();
  }
}

void VectorConverter::ConvertStrings(const duckdb::UnifiedVectorFormat& format, size_t count) {
  const auto* values = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
  views_.resize(count);
  has_nulls_ = !format.validity.AllValid();
  if (has_nulls_) {
    validity_.fill(~uint64_t{0});
  }
  for (size_t i = 0; i < count; i++) {
    auto index = format.sel->get_index(i);
    if (has_nulls_ && !format.validity.RowIsValid(index)) {
      validity_[i / 64] &= ~(uint64_t{1} << (i % 64));
      views_[i] = {};
    } else {
      views_[i] = View(values[index]);
    }
  }
}

}  // namespace margay::integration
