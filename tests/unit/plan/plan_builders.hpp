#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/expression.hpp"
#include "plan/node.hpp"

namespace margay::plan {

inline constexpr Type kBoolean = TypeKind::Boolean;
inline constexpr Type kInteger = TypeKind::Int32;
inline constexpr Type kBigint = TypeKind::Int64;
inline constexpr Type kHugeint = TypeKind::Int128;
inline constexpr Type kUhugeint = TypeKind::UInt128;
inline constexpr Type kDate = TypeKind::Date;
inline constexpr Type kTimestamp = TypeKind::Timestamp;
inline constexpr Type kFloat = TypeKind::Float32;
inline constexpr Type kDouble = TypeKind::Float64;
inline constexpr Type kVarchar = TypeKind::Varchar;
inline constexpr Type kMoney = Type::Decimal(15, 2);

inline ExpressionPointer Real(double value, Type type) {
  Constant constant;
  constant.real = value;
  return Expression::MakeConstant(constant, type);
}

inline ExpressionPointer Text(std::string value) {
  Constant constant;
  constant.text = std::move(value);
  return Expression::MakeConstant(constant, kVarchar);
}

inline ExpressionPointer Truth(bool value) {
  return Expression::Integer(value ? 1 : 0, kBoolean);
}

//! A column of type BIGINT.
inline ExpressionPointer Number(size_t column, std::string name = {}) {
  return Expression::Column(column, kBigint, std::move(name));
}

//! A scan of `table` with two such columns.
inline NodePointer TwoNumbers(const std::string& table) {
  return Node::Scan(table, {{0, table + "_a", kBigint}, {1, table + "_b", kBigint}});
}

//! A dictionary function that only has a name and a type.
class NamedFunction : public DictionaryFunction {
 public:
  NamedFunction(std::string name, Type type) : name_(std::move(name)), type_(type) {}

  Type ResultType() const override { return type_; }
  DictionaryResults Evaluate(std::span<const std::string_view> /*values*/) const override {
    return {};
  }
  std::string ToString(const std::string& argument) const override {
    return name_ + "(" + argument + ")";
  }
  bool Equals(const DictionaryFunction& other) const override {
    return ToString("") == other.ToString("");
  }
  size_t Hash() const override { return std::hash<std::string>()(ToString("")); }

 private:
  std::string name_;
  Type type_;
};

inline ExpressionPointer Named(std::string name, Type type, ExpressionPointer argument,
                               ExpressionPointer by_row = nullptr) {
  return Expression::Dictionary(std::make_shared<NamedFunction>(std::move(name), type),
                                std::move(argument), std::move(by_row));
}

}  // namespace margay::plan
