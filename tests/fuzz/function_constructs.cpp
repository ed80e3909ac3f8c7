#include <string>
#include <utility>

#include "expression_generator.hpp"

namespace margay::fuzz {

namespace {

using plan::Type;
using plan::TypeKind;

//! A function of one argument.
SqlNode Call(const std::string& name, SqlNode argument) {
  return SqlNode::Make({name + "(", ")"}, {std::move(argument)});
}

//! year, month, ... of a date or a timestamp.
class PartOfDate : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.kind == TypeKind::Int64 ? 12 : 0;
  }
  SqlNode Make(const Type& /*type*/, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    if (random.Percent(30)) {
      const char* name = random.Pick({"hour", "minute", "second", "millisecond", "microsecond"});
      return Call(name, generator.OfType(TypeKind::Timestamp, depth));
    }
    const char* name = random.Pick(
        {"year", "quarter", "month", "week", "day", "dayofweek", "isodow", "dayofyear", "isoyear"});
    const TypeKind operand = random.Percent(70) ? TypeKind::Date : TypeKind::Timestamp;
    return Call(name, generator.OfType(operand, depth));
  }
};

//! date_trunc, and dates and timestamps plus or minus an interval.
class MovedTimestamp : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.kind == TypeKind::Timestamp ? 20 : 0;
  }
  SqlNode Make(const Type& /*type*/, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    const TypeKind operand = random.Percent(50) ? TypeKind::Date : TypeKind::Timestamp;
    if (random.Percent(50)) {
      const char* part = random.Pick(
          {"year", "quarter", "month", "week", "day", "hour", "minute", "second", "isoyear"});
      return Call(std::string("date_trunc('") + part + "', ", generator.OfType(operand, depth));
    }
    const char* unit = random.Pick({"MONTH", "DAY", "HOUR", "YEAR", "MICROSECOND"});
    const std::string interval = "INTERVAL " + std::to_string(random.Below(100)) + " " + unit + ")";
    return SqlNode::Make({"(", (random.Percent(50) ? " + " : " - ") + interval},
                         {generator.OfType(operand, depth)});
  }
};

//! abs, and floor, ceil, trunc and round brought to the wanted type.
class Rounding : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return IsNumber(type) ? 8 : 0;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    SqlNode operand = generator.OfType(type, depth);
    if (IsInteger(type) || random.Percent(30)) {
      return Call("abs", std::move(operand));
    }
    const std::string digits = random.Percent(40) ? ", " + std::to_string(random.Below(4)) : "";
    const char* function = digits.empty() ? random.Pick({"floor", "ceil", "trunc", "round"})
                                          : random.Pick({"trunc", "round"});
    SqlNode rounded =
        SqlNode::Make({std::string(function) + "(", digits + ")"}, {std::move(operand)});
    return type.IsFloat() ? rounded : generator.CastTo(type, std::move(rounded));
  }
};

class SignOfNumber : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.kind == TypeKind::Int8 ? 15 : 0;
  }
  SqlNode Make(const Type& /*type*/, ExpressionGenerator& generator, int depth) const override {
    return Call("sign", generator.Number(depth));
  }
};

class GreatestOrLeast : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsVarchar() ? 0 : 6;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    SqlNode result = SqlNode::Make({random.Percent(50) ? "greatest(" : "least("},
                                   {generator.OfType(type, depth)});
    for (size_t more = 1 + random.Below(2); more > 0; more--) {
      result.pieces.push_back(", ");
      result.children.push_back(generator.OfType(type, 0));
    }
    result.pieces.push_back(")");
    return result;
  }
};

class NullIf : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsVarchar() ? 2 : 5;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    SqlNode operand = generator.OfType(type, depth);
    return SqlNode::Make({"nullif(", ", ", ")"}, {std::move(operand), generator.Leaf(type)});
  }
};

}  // namespace

void AddFunctionConstructs(std::vector<std::unique_ptr<ExpressionConstruct>>& constructs) {
  constructs.push_back(std::make_unique<PartOfDate>());
  constructs.push_back(std::make_unique<MovedTimestamp>());
  constructs.push_back(std::make_unique<Rounding>());
  constructs.push_back(std::make_unique<SignOfNumber>());
  constructs.push_back(std::make_unique<GreatestOrLeast>());
  constructs.push_back(std::make_unique<NullIf>());
}

}  // namespace margay::fuzz
