#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "optimize/value/value_builder.hpp"
#include "plan/node.hpp"

namespace margay::optimize {

//! How the keys of an order become unsigned 64-bit words: the words of two rows compare, the first
//! ones first, as the rows do.
//!
//! The bits of all keys follow each other, the most significant first. Of a key: one bit for NULL,
//! if there can be any; then the distance of the value from that end of its range that comes first,
//! in as many bits as the range needs, 64 for a float; 0 for NULL. Of text: all bytes that there
//! can be, the first one highest, 0 behind the end, then how many there are. Of text that can be
//! long only the first bytes, and the next key begins with a word: see LongText. At least one bit
//! behind the last key is 0, so that all words of kNoBound are above those of any row.
class OrderWords {
 public:
  static constexpr uint64_t kNoBound = std::numeric_limits<uint64_t>::max();

  //! A text of which the words have the first bytes only. Rows with the same first `words` words
  //! are in the order of the text, and where that is the same in the order of the words that
  //! follow.
  struct LongText {
    size_t words = 0;
    plan::ExpressionPointer text;
    bool is_descending = false;
  };

  //! Some bits of the words: those of an unsigned number of 64 bits.
  struct Field {
    unsigned bits = 0;
    Value value;
  };

  //! `builder` builds the values of the kernel whose rows are ordered. Throws Unsupported.
  OrderWords(const std::vector<plan::OrderKey>& keys, ValueBuilder& builder);

  size_t Count() const { return count_; }
  const std::vector<LongText>& LongTexts() const { return long_texts_; }
  //! One behind the other, from the highest bit of the first word on.
  const std::vector<Field>& Fields() const { return fields_; }
  //! Whether computing the words may raise an error.
  bool CanFault() const;

  //! A first word that no row of this segment of the scanned table is below.
  uint64_t LowestFirstWord(size_t segment) const;

 private:
  struct Key {
    plan::OrderKey key;
    bool can_be_null = false;
    bool is_float = false;
    bool is_long = false;  //!< a LongText
    Range range;           //!< of integers; of the bytes of text
    unsigned bits = 0;
    //! Of a key that is a column of the scanned table; else null.
    std::shared_ptr<const storage::ColumnForm> form;
  };

  //! What is known of a key with `value`.
  static Key KeyOf(const plan::OrderKey& order_key, const Value& value, ValueBuilder& builder);
  void AddFields(const Key& key, const Value& value, ValueBuilder& builder);
  //! Adds `bits` bits of `number`, which are 0 where a key is NULL.
  void AddField(unsigned bits, const Node* number, const Node* null, NodeGraph& graph);
  //! Adds the fields of text that is not NULL to those of a key; the others are 0.
  void AddTextFields(const Key& key, const InputColumn& column, const Value& value,
                     ValueBuilder& builder);
  //! The lowest distance of a value of the segment, which has one.
  static uint64_t LowestDistance(const Key& key, const storage::SegmentStatistics& statistics);

  std::vector<Key> keys_;
  std::vector<Field> fields_;
  std::vector<LongText> long_texts_;
  size_t count_ = 0;
};

}  // namespace margay::optimize
