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

//! The query itself, and behind it those that it names.
size_t CountQueries(const FuzzCase& fuzz_case) {
  return 1 + fuzz_case.query.named.size();
}

Query& QueryAt(FuzzCase& fuzz_case, size_t index) {
  return index == 0 ? fuzz_case.query : fuzz_case.query.named[index - 1].query;
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
  engine_.Create(candidate.tables);
  if (!checker_.Bind(candidate.query)) {
    return false;
  }
  engine_.Fill(candidate.tables, candidate.rows);
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
    smaller = DropJoins(fuzz_case);
    for (size_t table = 0; table < fuzz_case.tables.size(); table++) {
      smaller |= DropRows(fuzz_case, table);
    }
    for (size_t query = 0; query < CountQueries(fuzz_case); query++) {
      smaller |= DropItems(fuzz_case, query);
      smaller |= DropOrder(fuzz_case, query);
      smaller |= DropDistinct(fuzz_case, query);
      smaller |= DropConditions(fuzz_case, query);
    }
    smaller |= DropNamed(fuzz_case);
    smaller |= DropSets(fuzz_case);
    smaller |= SimplifyExpressions(fuzz_case);
    smaller |= DropTables(fuzz_case);
    for (size_t table = 0; table < fuzz_case.tables.size(); table++) {
      smaller |= DropColumns(fuzz_case, table);
      smaller |= SimplifyCells(fuzz_case, table);
    }
  }
  return fuzz_case;
}

bool Shrinker::DropJoins(FuzzCase& fuzz_case) {
  bool smaller = false;
  for (size_t i = fuzz_case.query.joins.size(); i-- > 0;) {
    FuzzCase candidate = fuzz_case;
    const auto place = static_cast<ptrdiff_t>(i);
    candidate.query.joins.erase(candidate.query.joins.begin() + place);
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  return smaller;
}

bool Shrinker::DropTables(FuzzCase& fuzz_case) {
  bool smaller = false;
  for (size_t i = fuzz_case.tables.size(); i-- > 1;) {
    FuzzCase candidate = fuzz_case;
    candidate.tables.erase(candidate.tables.begin() + static_cast<ptrdiff_t>(i));
    candidate.rows.erase(candidate.rows.begin() + static_cast<ptrdiff_t>(i));
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  return smaller;
}

bool Shrinker::DropNamed(FuzzCase& fuzz_case) {
  bool smaller = false;
  for (size_t i = fuzz_case.query.named.size(); i-- > 0;) {
    FuzzCase candidate = fuzz_case;
    candidate.query.named.erase(candidate.query.named.begin() + static_cast<ptrdiff_t>(i));
    if (Accept(fuzz_case, std::move(candidate))) {
      smaller = true;
      continue;
    }
    using Form = NamedQuery::Form;
    for (const Form form : {Form::InPlace, Form::Common}) {
      if (form < fuzz_case.query.named[i].form) {
        candidate = fuzz_case;
        candidate.query.named[i].form = form;
        smaller |= Accept(fuzz_case, std::move(candidate));
      }
    }
  }
  return smaller;
}

bool Shrinker::DropOrder(FuzzCase& fuzz_case, size_t query) {
  if (QueryAt(fuzz_case, query).order.empty()) {
    return false;
  }
  FuzzCase candidate = fuzz_case;
  QueryAt(candidate, query).order.clear();
  return Accept(fuzz_case, std::move(candidate));
}

bool Shrinker::DropDistinct(FuzzCase& fuzz_case, size_t query) {
  bool smaller = false;
  if (QueryAt(fuzz_case, query).is_distinct) {
    FuzzCase candidate = fuzz_case;
    QueryAt(candidate, query).is_distinct = false;
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  for (size_t i = 0; i < QueryAt(fuzz_case, query).items.size(); i++) {
    if (QueryAt(fuzz_case, query).items[i].is_distinct) {
      FuzzCase candidate = fuzz_case;
      QueryAt(candidate, query).items[i].is_distinct = false;
      smaller |= Accept(fuzz_case, std::move(candidate));
    }
  }
  return smaller;
}

bool Shrinker::DropSets(FuzzCase& fuzz_case) {
  bool smaller = false;
  if (!fuzz_case.query.set_operation.empty()) {
    FuzzCase candidate = fuzz_case;
    candidate.query.set_operation.clear();
    candidate.query.second_conjuncts.clear();
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  if (!fuzz_case.query.grouping.empty()) {
    FuzzCase candidate = fuzz_case;
    candidate.query.grouping.clear();
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  return smaller;
}

bool Shrinker::DropRows(FuzzCase& fuzz_case, size_t table) {
  bool smaller = false;
  for (size_t step = (fuzz_case.rows[table].count + 1) / 2; step > 0; step /= 2) {
    size_t first = 0;
    while (first < fuzz_case.rows[table].count) {
      FuzzCase candidate = fuzz_case;
      candidate.rows[table] =
          fuzz_case.rows[table].Without(first, std::min(first + step, fuzz_case.rows[table].count));
      if (Accept(fuzz_case, std::move(candidate))) {
        smaller = true;
      } else {
        first += step;
      }
    }
  }
  return smaller;
}

bool Shrinker::DropItems(FuzzCase& fuzz_case, size_t query) {
  bool smaller = false;
  for (size_t i = QueryAt(fuzz_case, query).items.size();
       i-- > 0 && QueryAt(fuzz_case, query).items.size() > 1;) {
    FuzzCase candidate = fuzz_case;
    std::vector<Item>& items = QueryAt(candidate, query).items;
    items.erase(items.begin() + static_cast<ptrdiff_t>(i));
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  return smaller;
}

bool Shrinker::DropConditions(FuzzCase& fuzz_case, size_t query) {
  bool smaller = false;
  // `list` gives one list of conditions of a query.
  const auto drop = [&](const auto& list, size_t fewest) {
    for (size_t i = list(QueryAt(fuzz_case, query)).size();
         i-- > 0 && list(QueryAt(fuzz_case, query)).size() > fewest;) {
      FuzzCase candidate = fuzz_case;
      auto& conditions = list(QueryAt(candidate, query));
      conditions.erase(conditions.begin() + static_cast<ptrdiff_t>(i));
      smaller |= Accept(fuzz_case, std::move(candidate));
    }
  };
  drop(
      [](Query & place) -> auto& { return place.conjuncts; }, 0);
  drop(
      [](Query & place) -> auto& { return place.having; }, 0);
  drop(
      [](Query & place) -> auto& { return place.outer; }, 0);
  for (size_t join = 0; join < QueryAt(fuzz_case, query).joins.size(); join++) {
    drop(
        [join](Query & place) -> auto& { return place.joins[join].residuals; }, 0);
    drop(
        [join](Query & place) -> auto& { return place.joins[join].filters; }, 0);
    drop(
        [join](Query & place) -> auto& { return place.joins[join].keys; }, 1);
  }
  return smaller;
}

bool Shrinker::DropOperands(FuzzCase& fuzz_case, size_t node) {
  bool smaller = false;
  for (size_t i = NodeAt(fuzz_case.query, node).children.size(); i-- > 0;) {
    // The text before it goes with it, or the one behind it, or a condition becomes true.
    const auto place = static_cast<ptrdiff_t>(i);
    for (ptrdiff_t piece = place; piece <= place + 1; piece++) {
      FuzzCase candidate = fuzz_case;
      SqlNode& parent = NodeAt(candidate.query, node);
      if (parent.children.size() > 1 && i < parent.children.size()) {
        parent.children.erase(parent.children.begin() + place);
        parent.pieces.erase(parent.pieces.begin() + piece);
        smaller |= Accept(fuzz_case, std::move(candidate));
      }
    }
    if (i < NodeAt(fuzz_case.query, node).children.size() &&
        !NodeAt(fuzz_case.query, node).children[i].children.empty()) {
      FuzzCase candidate = fuzz_case;
      NodeAt(candidate.query, node).children[i] = SqlNode::Make({"TRUE"}, {});
      smaller |= Accept(fuzz_case, std::move(candidate));
    }
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
    smaller |= DropOperands(fuzz_case, i);
  }
  return smaller;
}

bool Shrinker::DropColumns(FuzzCase& fuzz_case, size_t table) {
  bool smaller = false;
  for (size_t i = fuzz_case.tables[table].columns.size();
       i-- > 0 && fuzz_case.tables[table].columns.size() > 1;) {
    FuzzCase candidate = fuzz_case;
    std::vector<Column>& columns = candidate.tables[table].columns;
    std::vector<std::vector<Cell>>& cells = candidate.rows[table].columns;
    columns.erase(columns.begin() + static_cast<ptrdiff_t>(i));
    cells.erase(cells.begin() + static_cast<ptrdiff_t>(i));
    smaller |= Accept(fuzz_case, std::move(candidate));
  }
  return smaller;
}

bool Shrinker::SimplifyCells(FuzzCase& fuzz_case, size_t table) {
  const size_t columns = fuzz_case.tables[table].columns.size();
  const size_t rows = fuzz_case.rows[table].count;
  if (rows * columns > kMostSimplifiedCells) {
    return false;
  }
  bool smaller = false;
  for (size_t column = 0; column < columns; column++) {
    for (size_t row = 0; row < rows; row++) {
      if (fuzz_case.rows[table].columns[column][row].is_null ||
          fuzz_case.tables[table].columns[column].not_null) {
        continue;
      }
      FuzzCase candidate = fuzz_case;
      Cell null;
      null.is_null = true;
      candidate.rows[table].columns[column][row] = null;
      smaller |= Accept(fuzz_case, std::move(candidate));
    }
  }
  return smaller;
}

std::string Shrinker::Script(const FuzzCase& fuzz_case) {
  std::string text;
  for (size_t i = 0; i < fuzz_case.tables.size(); i++) {
    text += fuzz_case.tables[i].CreateStatement() + ";\n";
    if (fuzz_case.rows[i].count > 0) {
      text += fuzz_case.rows[i].InsertStatement(fuzz_case.tables[i]) + ";\n";
    }
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
