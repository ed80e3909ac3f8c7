#pragma once

#include <optional>
#include <vector>

#include "plan/node.hpp"

namespace margay::optimize {

// A correlated sub-query is planned as a join of the outer rows with the sub-query's result for
// each of their values: its domain, the different values of the columns that the sub-query refers
// to.

//! The domain of a sub-query that refers to `values`, expressions over the columns of `outer`: an
//! aggregate with these values as its columns. It may hold more of them than `outer` has, whose
//! results nobody asks for, where a part of `outer` that restricts its rows has them too.
plan::NodePointer DomainOf(const plan::NodePointer& outer,
                           const std::vector<plan::ExpressionPointer>& values);

//! `join`, a Semi or Anti join of the outer rows with the result of a sub-query over `domain`, made
//! of `values`: where that result is rows that are joined with the domain, a join of the outer rows
//! with these rows themselves. `join` as it is elsewhere.
plan::NodePointer WithoutDomain(const plan::NodePointer& join, const plan::Node& domain,
                                const std::vector<plan::ExpressionPointer>& values);

//! Whether `expression` over the columns of `node` is known to have a value in every row.
bool IsNeverNull(const plan::Expression& expression, const plan::Node& node);

}  // namespace margay::optimize
