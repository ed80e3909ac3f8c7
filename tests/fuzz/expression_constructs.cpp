#include <utility>

#include "expression_generator.hpp"
#include "table_generator.hpp"

namespace margay::fuzz {

namespace {

using plan::Type;
using plan::TypeKind;

//! The column a literal beside `node` should look like.
std::optional<size_t> LikeColumn(SqlNode& node) {
  std::optional<size_t> column;
  node.ForEach([&](SqlNode& part) {
    if (!column) {
      column = part.column;
    }
  });
  return column;
}

//! A type to compare in: mostly that of a column.
Type DrawComparedType(ExpressionGenerator& generator) {
  Random& random = generator.GetRandom();
  return random.Percent(85) ? random.Pick(generator.GetTable().columns).type : DrawType(random);
}

//! The other side of a comparison with `node`: a literal like its column's values, or an
//! expression.
SqlNode DrawCounterpart(SqlNode& node, const Type& type, ExpressionGenerator& generator,
                        int depth) {
  if (type.IsVarchar() || generator.GetRandom().Percent(60)) {
    return generator.NewLiteral(type, LikeColumn(node));
  }
  return generator.OfType(type, depth);
}

//! + - * in one integer or float type, which is also the type of the result.
class Arithmetic : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& generator) const override {
    if (!IsInteger(type) && !type.IsFloat()) {
      return 0;
    }
    const bool wide = type.IsFloat() || type.kind == TypeKind::Int64 ||
                      type.kind == TypeKind::Int128 || type.kind == TypeKind::Int32;
    return wide ? 40 : generator.IsWild() ? 25 : 3;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    const bool negative_fails = IsUnsigned(type) && !generator.IsWild();
    const char* operation = generator.GetRandom().Pick({"+", negative_fails ? "+" : "-", "*"});
    const int below = operation[0] == '*' && !generator.IsWild() ? 0 : depth;
    SqlNode left = generator.OfType(type, below);
    return SqlNode::Binary(operation, std::move(left), generator.OfType(type, below));
  }
};

//! + - * of decimals of any width, brought to the wanted type.
class DecimalArithmetic : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.kind == TypeKind::Decimal ? 30 : 0;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    SqlNode left = generator.OfType(type, depth);
    const Type other = Type::Decimal(static_cast<uint8_t>(4 + random.Below(10)),
                                     static_cast<uint8_t>(random.Below(4)));
    SqlNode result = SqlNode::Binary(random.Pick({"+", "-", "*"}), std::move(left),
                                     generator.OfType(random.Percent(50) ? type : other, 0));
    return generator.CastTo(type, std::move(result));
  }
};

//! // and % of integers, / of floats; divisors of zero give NULL.
class Division : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return IsInteger(type) || type.kind == TypeKind::Float64 ? 3 : 0;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    const char* operation = type.IsFloat() ? "/" : generator.GetRandom().Pick({"//", "%"});
    SqlNode left = generator.OfType(type, depth);
    return SqlNode::Binary(operation, std::move(left), generator.OfType(type, 0));
  }
};

class Negation : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return IsNumber(type) && !IsUnsigned(type) ? 6 : 0;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    return SqlNode::Make({"(- ", ")"}, {generator.OfType(type, depth)});
  }
};

class DateArithmetic : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.kind == TypeKind::Date ? 20 : 0;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    SqlNode date = generator.OfType(type, depth);
    return SqlNode::Binary(generator.GetRandom().Pick({"+", "-"}), std::move(date),
                           generator.OfType(TypeKind::Int32, 0));
  }
};

class CaseWhen : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsVarchar() ? 4 : 14;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    SqlNode result;
    result.pieces.push_back("(CASE WHEN ");
    const size_t branches = 1 + random.Below(2);
    for (size_t i = 0; i < branches; i++) {
      result.children.push_back(generator.Predicate(depth));
      result.pieces.push_back(" THEN ");
      result.children.push_back(generator.OfType(type, depth));
      result.pieces.push_back(i + 1 < branches ? " WHEN " : " END)");
    }
    if (random.Percent(75)) {
      result.pieces.back() = " ELSE ";
      result.children.push_back(generator.OfType(type, depth));
      result.pieces.push_back(" END)");
    }
    return result;
  }
};

class Coalesce : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsVarchar() ? 3 : 10;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    SqlNode result = SqlNode::Make({"COALESCE(", ", "}, {generator.OfType(type, depth)});
    result.children.push_back(generator.OfType(type, depth));
    if (generator.GetRandom().Percent(30)) {
      result.pieces.push_back(", ");
      result.children.push_back(generator.OfType(type, depth));
    }
    result.pieces.push_back(")");
    return result;
  }
};

//! Casts among numbers and booleans, and among dates and timestamps.
class CastFromOther : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsVarchar() ? 0 : 15;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    Type from = type.kind == TypeKind::Date ? TypeKind::Timestamp : TypeKind::Date;
    if (!IsTemporal(type)) {
      do {
        from = DrawComparedType(generator);
        if (random.Percent(30)) {
          from = DrawType(random);
        }
      } while (IsTemporal(from) || from.IsVarchar());
    }
    return generator.CastTo(type, generator.OfType(from, depth));
  }
};

//! Casts from VARCHAR columns that hold such values, and TRY_CASTs from any.
class CastFromText : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& generator) const override {
    const std::vector<size_t> columns =
        generator.ColumnsWhere([](const Column& column) { return column.type.IsVarchar(); });
    return columns.empty() || type.IsVarchar() ? 0 : 8;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int /*depth*/) const override {
    Random& random = generator.GetRandom();
    const size_t column = random.Pick(
        generator.ColumnsWhere([](const Column& column) { return column.type.IsVarchar(); }));
    const Vocabulary vocabulary = generator.GetTable().columns[column].vocabulary;
    const bool fits = IsTemporal(type)   ? vocabulary == Vocabulary::Dates
                      : type.IsBoolean() ? vocabulary == Vocabulary::Booleans
                                         : vocabulary == Vocabulary::Numbers;
    const bool is_try = !fits ? !random.Percent(generator.IsWild() ? 20 : 2) : random.Percent(30);
    return SqlNode::Cast(generator.ColumnLeaf(column), type, is_try);
  }
};

class Comparison : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsBoolean() ? 40 : 0;
  }
  SqlNode Make(const Type& /*type*/, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    const char* operation =
        random.Pick({"=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"});
    if (random.Percent(20)) {
      SqlNode left = generator.Number(depth);
      return SqlNode::Binary(operation, std::move(left), generator.Number(0));
    }
    const Type type = DrawComparedType(generator);
    SqlNode left = generator.OfType(type, depth);
    SqlNode right = DrawCounterpart(left, type, generator, depth);
    return SqlNode::Binary(operation, std::move(left), std::move(right));
  }
};

class Between : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsBoolean() ? 14 : 0;
  }
  SqlNode Make(const Type& /*type*/, ExpressionGenerator& generator, int depth) const override {
    const Type type = DrawComparedType(generator);
    const char* word = generator.GetRandom().Percent(80) ? " BETWEEN " : " NOT BETWEEN ";
    SqlNode operand = generator.OfType(type, depth);
    SqlNode low = DrawCounterpart(operand, type, generator, 0);
    SqlNode high = DrawCounterpart(operand, type, generator, 0);
    return SqlNode::Make({"(", word, " AND ", ")"},
                         {std::move(operand), std::move(low), std::move(high)});
  }
};

class InList : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsBoolean() ? 14 : 0;
  }
  SqlNode Make(const Type& /*type*/, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    const Type type = DrawComparedType(generator);
    SqlNode operand = generator.OfType(type, depth);
    const std::optional<size_t> column = LikeColumn(operand);
    SqlNode result =
        SqlNode::Make({"(", random.Percent(80) ? " IN (" : " NOT IN ("}, {std::move(operand)});
    const size_t count = 1 + random.Below(random.Percent(85) ? 4 : random.Percent(80) ? 20 : 60);
    for (size_t i = 0; i < count; i++) {
      result.children.push_back(random.Percent(93) ? generator.NewLiteral(type, column)
                                                   : generator.Leaf(type));
      result.pieces.push_back(i + 1 < count ? ", " : "))");
    }
    return result;
  }
};

class NullTest : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsBoolean() ? 10 : 0;
  }
  SqlNode Make(const Type& /*type*/, ExpressionGenerator& generator, int depth) const override {
    const char* test = generator.GetRandom().Percent(50) ? " IS NULL)" : " IS NOT NULL)";
    return SqlNode::Make({"(", test}, {generator.OfType(DrawComparedType(generator), depth)});
  }
};

class Logic : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& /*generator*/) const override {
    return type.IsBoolean() ? 22 : 0;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int depth) const override {
    Random& random = generator.GetRandom();
    if (random.Percent(25)) {
      return SqlNode::Make({"(NOT ", ")"}, {generator.OfType(type, depth)});
    }
    const char* operation = random.Pick({" AND ", " OR "});
    SqlNode result = SqlNode::Make({"("}, {});
    const size_t count = 2 + random.Below(2);
    for (size_t i = 0; i < count; i++) {
      result.children.push_back(generator.OfType(type, depth));
      result.pieces.push_back(i + 1 < count ? operation : ")");
    }
    return result;
  }
};

//! LIKE, prefix and the like over a VARCHAR column.
class TextMatch : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& generator) const override {
    const std::vector<size_t> columns =
        generator.ColumnsWhere([](const Column& column) { return column.type.IsVarchar(); });
    return type.IsBoolean() && !columns.empty() ? 16 : 0;
  }
  SqlNode Make(const Type& /*type*/, ExpressionGenerator& generator, int /*depth*/) const override {
    Random& random = generator.GetRandom();
    const size_t column = random.Pick(
        generator.ColumnsWhere([](const Column& column) { return column.type.IsVarchar(); }));
    SqlNode text = generator.ColumnLeaf(column);
    if (random.Percent(60)) {
      const char* operation = random.Pick({"LIKE", "LIKE", "NOT LIKE", "ILIKE"});
      return SqlNode::Binary(operation, std::move(text),
                             generator.NewLiteral(TypeKind::Varchar, column, LiteralRole::Pattern));
    }
    const char* function = random.Pick({"prefix(", "suffix(", "contains("});
    return SqlNode::Make(
        {function, ", ", ")"},
        {std::move(text), generator.NewLiteral(TypeKind::Varchar, column, LiteralRole::Prefix)});
  }
};

//! Functions of one VARCHAR column that give a number or a text.
class TextFunction : public ExpressionConstruct {
  int Weight(const Type& type, const ExpressionGenerator& generator) const override {
    const std::vector<size_t> columns =
        generator.ColumnsWhere([](const Column& column) { return column.type.IsVarchar(); });
    return columns.empty() ? 0 : type.IsVarchar() ? 15 : type.kind == TypeKind::Int64 ? 8 : 0;
  }
  SqlNode Make(const Type& type, ExpressionGenerator& generator, int /*depth*/) const override {
    Random& random = generator.GetRandom();
    SqlNode text = generator.ColumnLeaf(random.Pick(
        generator.ColumnsWhere([](const Column& column) { return column.type.IsVarchar(); })));
    if (!type.IsVarchar()) {
      return SqlNode::Make({"length(", ")"}, {std::move(text)});
    }
    if (random.Percent(70)) {
      return SqlNode::Make(random.Pick(Slices()), {std::move(text)});
    }
    return SqlNode::Make({random.Percent(50) ? "upper(" : "lower(", ")"}, {std::move(text)});
  }

  //! What is around the column.
  static const std::vector<std::vector<std::string>>& Slices() {
    static const std::vector<std::vector<std::string>> slices{{"substring(", ", 1, 2)"},
                                                              {"substring(", ", 0, 3)"},
                                                              {"substring(", ", 2)"},
                                                              {"substring(", ", -2)"},
                                                              {"substring(", ", -3, 2)"},
                                                              {"substring(", ", 3, -2)"},
                                                              {"left(", ", 1)"},
                                                              {"left(", ", -2)"},
                                                              {"right(", ", 2)"},
                                                              {"right(", ", -1)"},
                                                              {"trim(", ")"},
                                                              {"ltrim(", ", 'a ')"},
                                                              {"rtrim(", ", 'b1')"},
                                                              {"right(trim(", "), 3)"}};
    return slices;
  }
};

}  // namespace

std::vector<std::unique_ptr<ExpressionConstruct>> MakeExpressionConstructs() {
  std::vector<std::unique_ptr<ExpressionConstruct>> constructs;
  constructs.push_back(std::make_unique<Arithmetic>());
  constructs.push_back(std::make_unique<DecimalArithmetic>());
  constructs.push_back(std::make_unique<Division>());
  constructs.push_back(std::make_unique<Negation>());
  constructs.push_back(std::make_unique<DateArithmetic>());
  constructs.push_back(std::make_unique<CaseWhen>());
  constructs.push_back(std::make_unique<Coalesce>());
  constructs.push_back(std::make_unique<CastFromOther>());
  constructs.push_back(std::make_unique<CastFromText>());
  constructs.push_back(std::make_unique<Comparison>());
  constructs.push_back(std::make_unique<Between>());
  constructs.push_back(std::make_unique<InList>());
  constructs.push_back(std::make_unique<NullTest>());
  constructs.push_back(std::make_unique<Logic>());
  constructs.push_back(std::make_unique<TextMatch>());
  constructs.push_back(std::make_unique<TextFunction>());
  AddFunctionConstructs(constructs);
  return constructs;
}

}  // namespace margay::fuzz
