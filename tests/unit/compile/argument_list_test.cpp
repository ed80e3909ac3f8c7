#include "compile/argument_list.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace margay::compile {
namespace {

TEST(ArgumentList, IsDeclaredInItsOrderAndFoundByName) {
  ArgumentList arguments;
  arguments.Add({ArgumentKind::Parameters});
  arguments.Add({ArgumentKind::Column, 3, 1}, "__global const uchar* restrict");
  arguments.Add({ArgumentKind::Links, 0, 0}, "__global const int* restrict");
  EXPECT_EQ(arguments.Declarations(),
            (std::vector<std::string>{"__global const long* restrict parameters",
                                      "__global const uchar* restrict column3_1",
                                      "__global const int* restrict links0_0"}));
  EXPECT_EQ(arguments.PlaceOf({ArgumentKind::Column, 3, 1}), 1U);
  EXPECT_TRUE(arguments.Has({ArgumentKind::Links}));
  EXPECT_FALSE(arguments.Has({ArgumentKind::Column, 3}));
}

TEST(ArgumentList, RefusesWhatWouldNotFit) {
  ArgumentList arguments;
  arguments.Add({ArgumentKind::Units});
  EXPECT_THROW(arguments.Add({ArgumentKind::Units}), std::logic_error);
  EXPECT_THROW(arguments.Add({ArgumentKind::Column, 1}), std::logic_error) << "it has no type";
  EXPECT_THROW(arguments.PlaceOf({ArgumentKind::Resume}), std::logic_error);
}

}  // namespace
}  // namespace margay::compile
