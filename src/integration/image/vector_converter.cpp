#include "integration/image/vector_converter.hpp"

namespace margay::integration {
namespace {

std::string_view View(const duckdb::string_t& text) {
  return {text.GetData(), text.GetSize()};
}

}  // namespace

storage::ColumnChunk VectorConverter::Convert(duckdb::Vector& vector, size_t count) {
  // Asked first: to bring a vector into another form may change it.
  const auto dictionary = is_varchar_ ? DictionaryOf(vector) : std::nullopt;
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
  if (dictionary) {
    ConvertDictionary(*dictionary);
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

void VectorConverter::ConvertDictionary(const DictionaryView& dictionary) {
  if (dictionary.id == dictionary_id_) {
    return;
  }
  dictionary_id_ = dictionary.id;
  dictionary_number_++;
  const auto& validity = FlatValidity(dictionary.strings);
  const auto* values = FlatValues<duckdb::string_t>(dictionary.strings);
  dictionary_.resize(dictionary.size);
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
