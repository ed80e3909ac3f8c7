// Forms of columns that nobody has encoded yet.
#include "optimize/estimate/provisional_form.hpp"

#include <gtest/gtest.h>

#include "optimize/estimate/uniqueness.hpp"
#include "storage/constants.hpp"

namespace margay::optimize {
namespace {

constexpr uint64_t kRows = storage::kSegmentRows + 10;

TEST(ProvisionalForm, IsAsWideAsTheBoundsAre) {
  const auto form = ProvisionalForm(plan::TypeKind::Int64, kRows,
                                    {ColumnBounds::Interval{1000, 1200}, false, 150});
  EXPECT_EQ(form->GetEncoding(), storage::Encoding::Narrow);
  EXPECT_EQ(form->Width(), 1u);
  EXPECT_FALSE(form->HasValidity());
  EXPECT_EQ(form->Statistics().distinct_count, 150u);
  ASSERT_EQ(form->Segments().size(), 2u);
  EXPECT_EQ(form->Segments()[1].rows, 10u);
  EXPECT_FALSE(HasUniqueValues(form->Statistics()));
}

TEST(ProvisionalForm, IsThatOfTheTypeWhereNothingIsKnown) {
  EXPECT_EQ(ProvisionalForm(plan::TypeKind::Int16, kRows, {})->Width(), 2u);
  EXPECT_EQ(ProvisionalForm(plan::TypeKind::Int64, kRows, {})->Width(), 8u);
  EXPECT_EQ(ProvisionalForm(plan::TypeKind::Int128, kRows, {})->GetEncoding(),
            storage::Encoding::Wide);
  EXPECT_EQ(ProvisionalForm(plan::TypeKind::Float32, kRows, {})->GetEncoding(),
            storage::Encoding::Float32);
  EXPECT_TRUE(ProvisionalForm(plan::TypeKind::Int16, kRows, {})->HasValidity());
  EXPECT_TRUE(ProvisionalForm(plan::TypeKind::Int16, 0, {})->Segments().empty());
}

TEST(ProvisionalForm, TakesNearlyAsManyValuesAsRowsForUnique) {
  const auto form = [](uint64_t values) {
    return ProvisionalForm(plan::TypeKind::Int64, kRows,
                           {ColumnBounds::Interval{0, 1'000'000}, false, values});
  };
  EXPECT_TRUE(HasUniqueValues(form(kRows - 1000)->Statistics()));
  EXPECT_TRUE(HasUniqueValues(form(kRows + 1000)->Statistics()));
  EXPECT_FALSE(HasUniqueValues(form(kRows / 2)->Statistics()));
}

TEST(ProvisionalForm, OfStringsHasADictionary) {
  const auto form = ProvisionalForm(plan::TypeKind::Varchar, kRows, {{}, true, 300});
  EXPECT_EQ(form->GetEncoding(), storage::Encoding::Dictionary);
  EXPECT_EQ(form->Width(), 2u);
  EXPECT_EQ(form->Statistics().max, 299);
  EXPECT_NE(form->GetDictionary(), nullptr);
}

}  // namespace
}  // namespace margay::optimize
