// Functions of strings: evaluated once per distinct string, and, where a column has no dictionary,
// by row.
#include "capture_fixture.hpp"

namespace margay::integration {
namespace {

using State = plan::DictionaryResults::State;

//! Evaluates the dictionary function that is the first output of a query.
class DictionaryTest : public CaptureTest {
 protected:
  plan::DictionaryResults Evaluate(const std::string& sql,
                                   const std::vector<std::string_view>& values) {
    const CaptureFindings& findings = Capture("EXPLAIN " + sql);
    const plan::NodePointer plan = findings.parts.at(0).part.plan;
    const plan::Expression& expression = *plan->Expressions().at(0);
    EXPECT_EQ(expression.GetOperation(), plan::Operation::Dictionary) << plan->ToString();
    return expression.Function().Evaluate(values);
  }
};

TEST_F(DictionaryTest, BooleansAndNull) {
  const auto results = Evaluate("SELECT s LIKE 'a%' FROM t", {"apple", "bread"});
  EXPECT_EQ(results.states, std::vector<State>({State::Valid, State::Valid, State::Null}));
  ASSERT_EQ(results.integers.size(), 3);
  EXPECT_EQ(results.integers[0], 1);
  EXPECT_EQ(results.integers[1], 0);
}

TEST_F(DictionaryTest, NullMayGiveAValue) {
  const auto results = Evaluate("SELECT COALESCE(s, 'none') || '!' FROM t", {"a", "b"});
  EXPECT_EQ(results.states, std::vector<State>(3, State::Valid));
  EXPECT_EQ(results.texts, std::vector<std::string>({"a!", "b!", "none!"}));
}

TEST_F(DictionaryTest, OnlyValuesAtFaultAreErrors) {
  const auto results = Evaluate(
      "SELECT x FROM (SELECT TRY_CAST(s AS INTEGER) + length(s)::INTEGER AS x FROM t)", {"12"});
  EXPECT_EQ(results.states, std::vector<State>({State::Valid, State::Null}));
  EXPECT_EQ(results.integers[0], 14);

  const auto casts = Evaluate("SELECT s::INTEGER FROM t", {"1", "two", "3"});
  EXPECT_EQ(casts.states,
            std::vector<State>({State::Valid, State::Error, State::Valid, State::Null}));
  EXPECT_EQ(casts.integers[2], 3);
}

TEST_F(DictionaryTest, ManyVectorsOfEveryKind) {
  std::vector<std::string> texts;
  for (int i = 10'000; i < 20'000; i++) {
    texts.push_back("a text that is not short " + std::to_string(i));
  }
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  const auto reals = Evaluate("SELECT right(s, 5)::DOUBLE / 2 FROM t", values);
  const auto decimals = Evaluate("SELECT right(s, 5)::DECIMAL(30,2) FROM t", values);
  const auto copies = Evaluate("SELECT upper(s) FROM t", values);
  for (int i = 0; i < 10'000; i++) {
    ASSERT_EQ(reals.reals[i], (10'000 + i) / 2.0);
    ASSERT_EQ(decimals.integers[i], Int128{10'000 + i} * 100);
    ASSERT_EQ(copies.texts[i], "A TEXT THAT IS NOT SHORT " + std::to_string(10'000 + i));
  }
  EXPECT_EQ(reals.states.back(), State::Null);
  EXPECT_EQ(copies.states.size(), values.size() + 1);
}

//! How the first output of a query is computed for a column without a dictionary.
class ByRowTest : public CaptureTest {
 protected:
  std::string ByRow(const std::string& expression) {
    const CaptureFindings& findings = Capture("EXPLAIN SELECT " + expression + " FROM t");
    const plan::NodePointer plan = findings.parts.at(0).part.plan;
    const plan::Expression& output = *plan->Expressions().at(0);
    EXPECT_EQ(output.GetOperation(), plan::Operation::Dictionary) << plan->ToString();
    return output.Operands().size() == 2 ? output.Operand(1).ToString() : "none";
  }
};

TEST_F(ByRowTest, Predicates) {
  EXPECT_EQ(ByRow("s LIKE 'a%b_'"), "(s LIKE 'a%b_')");
  EXPECT_EQ(ByRow("s NOT LIKE '%a%b%'"), "(NOT (s LIKE '%a%b%'))");
  EXPECT_EQ(ByRow("s LIKE 'a%'"), "PREFIX(s, 'a')");
  EXPECT_EQ(ByRow("s LIKE '%a'"), "SUFFIX(s, 'a')");
  EXPECT_EQ(ByRow("s LIKE '%a%'"), "CONTAINS(s, 'a')");
  EXPECT_EQ(ByRow("starts_with(s, 'a')"), "PREFIX(s, 'a')");
  EXPECT_EQ(ByRow("s = 'a'"), "(s = 'a')");
  EXPECT_EQ(ByRow("s >= 'a' AND s < 'b'"), "((s >= 'a') AND (s < 'b'))");
  EXPECT_EQ(ByRow("s IN ('a', 'b', 'c')"), "((s = 'a') OR (s = 'b') OR (s = 'c'))");
  EXPECT_EQ(ByRow("s IS DISTINCT FROM 'a'"), "(s IS DISTINCT FROM 'a')");
}

TEST_F(ByRowTest, Lengths) {
  EXPECT_EQ(ByRow("length(s) + 1"), "(LENGTH(s) + 1)");
  EXPECT_EQ(ByRow("strlen(s)"), "STRLEN(s)");
  EXPECT_EQ(ByRow("CASE WHEN s LIKE '%a%' THEN strlen(s) ELSE 0 END"),
            "CASE WHEN CONTAINS(s, 'a') THEN STRLEN(s) ELSE 0 END");
}

TEST_F(ByRowTest, WhatThePlanHasNoOperationsFor) {
  for (const char* expression :
       {"upper(s)", "s ILIKE 'a%'", "s LIKE 'a!%' ESCAPE '!'", "s || 'x' = 'ax'", "s::INTEGER",
        "contains(upper(s), 'A')", "COALESCE(s, 'none')", "s ~ 'a.*'"}) {
    EXPECT_EQ(ByRow(expression), "none") << expression;
  }
}

TEST_F(ByRowTest, ThroughProjections) {
  const CaptureFindings& findings =
      Capture("EXPLAIN SELECT x LIKE '%a%b%' FROM (SELECT b, s AS x FROM t WHERE a > 5)");
  const plan::Expression& output = *findings.parts.at(0).part.plan->Expressions().at(0);
  ASSERT_EQ(output.Operands().size(), 2U);
  EXPECT_EQ(output.Operand(1).ToString(), "(s LIKE '%a%b%')");
}

}  // namespace
}  // namespace margay::integration
