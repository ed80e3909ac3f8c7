#pragma once

#include "plan/node.hpp"

namespace margay::plan {

//! Throws std::logic_error with a sentence if `expression` is not well typed over an input of
//! `input_types`: a bug of whoever made it, never an error of the user.
void Verify(const Expression& expression, const std::vector<Type>& input_types);

//! The same for an aggregate: its argument and the type of its result.
void Verify(const Aggregate& aggregate, const std::vector<Type>& input_types);

//! The same for a type: a Decimal has 1 to 38 digits, others have none.
void VerifyType(const Type& type);

}  // namespace margay::plan
