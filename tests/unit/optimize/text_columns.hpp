// Pieces of plans over a text column and one with a dictionary.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "optimize/physical/input_column.hpp"
#include "plan/dictionary_function.hpp"
#include "plan/expression.hpp"

namespace margay::optimize {

//! A dictionary function that is never evaluated.
class UnevaluatedFunction : public plan::DictionaryFunction {
 public:
  explicit UnevaluatedFunction(plan::Type type, bool is_increasing = false)
      : type_(type), is_increasing_(is_increasing) {}
  plan::Type ResultType() const override { return type_; }
  bool IsIncreasing() const override { return is_increasing_; }
  plan::DictionaryResults Evaluate(std::span<const std::string_view>) const override { return {}; }
  std::string ToString(const std::string& argument) const override { return "f(" + argument + ")"; }

 private:
  plan::Type type_;
  bool is_increasing_;
};

//! Columns without rows: t is text, d has a dictionary.
inline std::vector<InputColumn> Columns() {
  storage::ColumnImage::Parts text, dictionary;
  text.type = dictionary.type = plan::TypeKind::Varchar;
  text.encoding = storage::Encoding::Text;
  text.width = 4;
  dictionary.encoding = storage::Encoding::Dictionary;
  dictionary.dictionary =
      std::make_shared<storage::Dictionary>(std::vector<std::string_view>{"a", "b"});
  return {{0, 0, "t", std::make_shared<storage::ColumnImage>(text)},
          {1, 0, "d", std::make_shared<storage::ColumnImage>(dictionary)}};
}

inline plan::ExpressionPointer T() {
  return plan::Expression::Column(0, plan::TypeKind::Varchar, "t");
}
inline plan::ExpressionPointer D() {
  return plan::Expression::Column(1, plan::TypeKind::Varchar, "d");
}

inline plan::ExpressionPointer Text(const std::string& text) {
  plan::Constant constant;
  constant.text = text;
  return plan::Expression::MakeConstant(constant, plan::TypeKind::Varchar);
}

inline plan::ExpressionPointer Like(const plan::ExpressionPointer& column,
                                    const std::string& pattern) {
  return plan::Expression::Make(plan::Operation::Like, plan::TypeKind::Boolean,
                                {column, Text(pattern)});
}

inline plan::ExpressionPointer Length() {
  return plan::Expression::Make(plan::Operation::Length, plan::TypeKind::Int64, {T()});
}

}  // namespace margay::optimize
