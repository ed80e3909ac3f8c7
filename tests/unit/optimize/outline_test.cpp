// Text of trees: what is written is read back, and what is wrong is told with its line.
#include "optimize/physical/outline.hpp"

#include <gtest/gtest.h>

namespace margay::optimize {
namespace {

TEST(Outline, PrintsALineForEachThing) {
  Outline outline{"program", {}, {}};
  outline.Add("shape", "loop");
  Outline& pipeline = outline.AddPart("pipeline");
  pipeline.Add("number", uint64_t{0});
  pipeline.AddPart("filter").Add("test", "(a < $0)");
  outline.AddPart("sink").AddFlag("result", true);
  EXPECT_EQ(outline.ToString(),
            "program shape=loop\n"
            "  pipeline number=0\n"
            "    filter test=\"(a < $0)\"\n"
            "  sink result=yes\n");
}

TEST(Outline, IsReadBackAsItWas) {
  Outline outline{"a", {}, {}};
  outline.Add("plain", "x_1.-+$:/()");
  outline.Add("quoted", "a \"b\" \\ c\nd = e");
  outline.Add("empty", "");
  outline.AddPart("b").AddPart("c").Add("d", "ü");
  outline.AddPart("b");
  EXPECT_EQ(Outline::Read(outline.ToString()), outline);
}

TEST(Outline, FindsAttributesAndPartsByName) {
  const Outline outline = Outline::Read("a x=1 y=2\n  b z=3\n  c\n  b z=4\n");
  EXPECT_EQ(*outline.Find("y"), "2");
  EXPECT_EQ(outline.Find("z"), nullptr);
  ASSERT_EQ(outline.PartsNamed("b").size(), 2u);
  EXPECT_EQ(*outline.PartsNamed("b")[1]->Find("z"), "4");
}

std::string ProblemOf(const std::string& text) {
  try {
    Outline::Read(text);
  } catch (const OutlineError& error) {
    return error.what();
  }
  return "none";
}

TEST(Outline, TellsWhatIsWrongWithAText) {
  EXPECT_EQ(ProblemOf(""), "line 0: expected a line");
  EXPECT_EQ(ProblemOf("a\n   b\n"), "line 2: expected 2 blanks at the begin");
  EXPECT_EQ(ProblemOf("a\n    b\n"), "line 2: expected 2 blanks at the begin");
  EXPECT_EQ(ProblemOf("a\n\nb\n"),
            "line 3: expected the end of the text, as there is one outermost line");
  EXPECT_EQ(ProblemOf("A"), "line 1: expected a name in lower-case letters");
  EXPECT_EQ(ProblemOf("a x"), "line 1: expected '=' behind the attribute x");
  EXPECT_EQ(ProblemOf("a x="), "line 1: expected a value");
  EXPECT_EQ(ProblemOf("a x=1y=2"), "line 1: expected a blank");
  EXPECT_EQ(ProblemOf("a x=\"1"), "line 1: expected '\"' at the end of the value");
  EXPECT_EQ(ProblemOf("a x=\"1\\"), "line 1: expected '\"' at the end of the value");
}

}  // namespace
}  // namespace margay::optimize
