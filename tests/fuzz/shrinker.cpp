#include "shrinker.hpp"

#include <algorithm>
#include <utility>

namespace margay::fuzz {

namespace {

//! Each attempt may compile a kernel, for a fifth of a second.
constexpr size_t kMostAttempts = 1'500;
//! Cells are tried one by one only where that is quick.
constexpr size_t kMostSimplifiedCells = 60;
constexpr size_t kShownRows = 20;

size_t CountNodes(Query& query) {
  size_t count = 0;
  query.ForEachNode([&](SqlNode& /*node*/) { count++; });
  return count;
}

//! Node number `index` in the order of ForEachNode, which must exist.
SqlNode& NodeAt(Query& query, size_t index) {
  SqlNode* found = nullptr;
  query.ForEachNode([&](SqlNode& node) {
    if (index-- == 0) {
      found = &node;
    }
  });
  return *found;
}

std::string AnswerComment(const Answer& answer) {
  if (answer.error) {
    return "--   " + answer.error->substr(0, answer.error->find('\n')) + "\n";
  }
  std::string text;
  for (size_t row = 0; row < std::min(answer.rows.size(), kShownRows); row++) {
    text += "--   " + answer.RowText(row) + "\n";
  }
  if (answer.rows.size() > kShownRows) {
    text += "--   ... " + std::to_string(answer.rows.size()) + " rows\n";
  }
  return answer.rows.empty() ? "--   no rows\n" : text;
}

}  // namespace

bool Shrinker::Accept(FuzzCase& fuzz_case, FuzzCase candidate) {
  if (++attempts_ > kMostAttempts) {
    return false;
  }
  engine_.Create(candidate.table);
  if (!checker_.Bind(candidate.query)) {
    return false;
  }
  engine_.Fill(candidate.table, candidate.rows);
  const Answer reference = checker_.Reference(candidate.query);
  if (checker_.Check(candidate, reference, configuration_).kind != wanted_) {
    return false;
  }
  fuzz_case = std::move(candidate);
  return true;
}

std::optional<FuzzCase> Shrinker::Shrink(FuzzCase fuzz_case) {
  if (FuzzCase same = fuzz_case; !Accept(fuzz_case, std::move(same))) {
    return std::nullopt;
  }
  bool smaller = true;
  while (smaller && attempts_ < kMostAttempts) {
    smaller = DropRows(fuzz_case);
    smaller |= DropItems(fuzz_case);
    smaller |= DropConjuncts(fuzz_case);
    smaller |= SimplifyExpressions(fuzz_case);
    smaller |= DropColumns(fuzz_case);
    smaller |= SimplifyCells(fuzz_case);
  }
  return fuzz_case;
}

bool Shrinker::DropRows(FuzzCase& fuzz_case) {
  bool smaller = false;
  for (size_t step = (fuzz_case.rows.count + 1) / 2; step > 0; step /= 2) {
    size_t first = 0;
    while (first < fuzz_case.rows.count) {
      FuzzCase candidate = fuzz_case;
      candidate.rows = fuzz_case.rows.Without(first, std::min(first + step, fuzz_case.rows.count));
      if (Accept(fuzz_case, std::move(candidate))) {
        smaller = true;
      } else {
        first += step;
      }
    }
  }
  return smaller;
}

bool Shrinker::DropItems(FuzzCase& fuzz_case) {
  bool smaller = false;
  for (size_t i = fuzz_case.query.items.size(); i-- > 0 && fuzz_case.query.items.size() > 1;) {
    FuzzCase candidate = fuzz_case;
    candidate.query.items.erase(candidate.query.items.begin() + static_cast<ptrdiff_t>(i));
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  return smaller;
}

bool Shrinker::DropConjuncts(FuzzCase& fuzz_case) {
  bool smaller = false;
  for (size_t i = fuzz_case.query.conjuncts.size(); i-- > 0;) {
    FuzzCase candidate = fuzz_case;
    candidate.query.conjuncts.erase(candidate.query.conjuncts.begin() + static_cast<ptrdiff_t>(i));
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  return smaller;
}

bool Shrinker::SimplifyExpressions(FuzzCase& fuzz_case) {
  bool smaller = false;
  for (size_t i = 0; i < CountNodes(fuzz_case.query); i++) {
    bool replaced = true;
    while (replaced) {
      replaced = false;
      const size_t children = NodeAt(fuzz_case.query, i).children.size();
      for (size_t child = 0; child < children && !replaced; child++) {
        FuzzCase candidate = fuzz_case;
        SqlNode& node = NodeAt(candidate.query, i);
        node = SqlNode(node.children[child]);
        replaced = Accept(fuzz_case, std::move(candidate));
      }
      smaller |= replaced;
    }
  }
  return smaller;
}

bool Shrinker::DropColumns(FuzzCase& fuzz_case) {
  bool smaller = false;
  for (size_t i = fuzz_case.table.columns.size(); i-- > 0 && fuzz_case.table.columns.size() > 1;) {
    FuzzCase candidate = fuzz_case;
    const auto place = static_cast<ptrdiff_t>(i);
    candidate.table.columns.erase(candidate.table.columns.begin() + place);
    candidate.rows.columns.erase(candidate.rows.columns.begin() + place);
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  return smaller;
}

bool Shrinker::SimplifyCells(FuzzCase& fuzz_case) {
  if (fuzz_case.rows.count * fuzz_case.table.columns.size() > kMostSimplifiedCells) {
    return false;
  }
  bool smaller = false;
  for (size_t column = 0; column < fuzz_case.table.columns.size(); column++) {
    for (size_t row = 0; row < fuzz_case.rows.count; row++) {
      if (fuzz_case.rows.columns[column][row].is_null || fuzz_case.table.columns[column].not_null) {
        continue;
      }
      FuzzCase candidate = fuzz_case;
      candidate.rows.columns[column][row] = Cell{};
      candidate.rows.columns[column][row].is_null = true;
      smaller |= Accept(fuzz_case, std::move(candidate));
    }
  }
  return smaller;
}

std::string Shrinker::Script(const FuzzCase& fuzz_case) {
  std::string text = fuzz_case.table.CreateStatement() + ";\n";
  if (fuzz_case.rows.count > 0) {
    text += fuzz_case.rows.InsertStatement(fuzz_case.table) + ";\n";
  }
  for (const Configuration& configuration : {Engine::Reference(), configuration_}) {
    engine_.Use(configuration);
    for (const std::string& setting : configuration.settings) {
      text += setting + ";\n";
    }
    text += fuzz_case.query.Text() + ";\n" + AnswerComment(engine_.Run(fuzz_case.query.Text()));
  }
  return text;
}

}  // namespace margay::fuzz
