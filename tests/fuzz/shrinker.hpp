#pragma once

#include <optional>
#include <string>

#include "checker.hpp"

namespace margay::fuzz {

//! Makes a case with a difference smaller, as long as the same kind of difference stays.
class Shrinker {
 public:
  Shrinker(Engine& engine, const Configuration& configuration, Verdict::Kind wanted)
      : engine_(engine), checker_(engine), configuration_(configuration), wanted_(wanted) {}

  //! None if the case shows no such difference in new tables: it depends on what was there before.
  std::optional<FuzzCase> Shrink(FuzzCase fuzz_case);

  //! SQL that shows the difference by itself, with both answers as comments.
  std::string Script(const FuzzCase& fuzz_case);

 private:
  //! Whether a case still shows the difference; then it is taken over into `fuzz_case`.
  bool Accept(FuzzCase& fuzz_case, FuzzCase candidate);
  bool DropJoins(FuzzCase& fuzz_case);
  //! Takes out tables that nothing reads.
  bool DropTables(FuzzCase& fuzz_case);
  //! Takes out named queries that nothing reads, and writes others in the simplest form.
  bool DropNamed(FuzzCase& fuzz_case);
  // `query`: the query itself is 0, and behind it come those that it names.
  bool DropOrder(FuzzCase& fuzz_case, size_t query);
  bool DropDistinct(FuzzCase& fuzz_case, size_t query);
  bool DropSets(FuzzCase& fuzz_case);
  bool DropRows(FuzzCase& fuzz_case, size_t table);
  bool DropItems(FuzzCase& fuzz_case, size_t query);
  bool DropConditions(FuzzCase& fuzz_case, size_t query);
  //! Takes out parts of one node: of a conjunction, of a list, conditions of a sub-query.
  bool DropOperands(FuzzCase& fuzz_case, size_t node);
  bool SimplifyExpressions(FuzzCase& fuzz_case);
  bool DropColumns(FuzzCase& fuzz_case, size_t table);
  bool SimplifyCells(FuzzCase& fuzz_case, size_t table);

  Engine& engine_;
  Checker checker_;
  Configuration configuration_;
  Verdict::Kind wanted_;
  size_t attempts_ = 0;
};

}  // namespace margay::fuzz
