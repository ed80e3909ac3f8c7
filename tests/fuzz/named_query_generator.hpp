#pragma once

#include <vector>

#include "query.hpp"
#include "random.hpp"

namespace margay::fuzz {

//! Draws named queries (CTEs, and sub-queries in FROM) and what a query reads of them.
class NamedQueryGenerator {
 public:
  //! `read`: the tables of the query and of its joins, in their order; those of joins that are
  //! added come behind them.
  NamedQueryGenerator(Query& query, std::vector<Table>& read, Random& random)
      : query_(query), read_(read), stored_(read), random_(random) {}

  //! Adds one over a stored table or one drawn before. Its rows are those of the table, and then
  //! the query may read it in the table's place, or other ones, and then the query may join them.
  void Add();

  //! Those that were drawn, as sub-queries can read them.
  const std::vector<Table>& Drawn() const { return drawn_; }

 private:
  //! All columns of `source`, and some of its rows.
  void DrawRows(NamedQuery& definition, const Table& source, Table& result);
  //! Some columns of `source`, each combination of values once, perhaps with aggregates; without
  //! columns one row of aggregates. All values are exact ones.
  void DrawGroups(NamedQuery& definition, const Table& source, size_t keys, bool aggregates,
                  Table& result);
  static void AddColumn(NamedQuery& definition, Item item, const plan::Type& type,
                        std::optional<std::string> like, Table& result);
  void AddAggregate(NamedQuery& definition, const Table& source, Table& result);
  //! Lets the query join the first `keys` columns of a named query with others of theirs.
  void AddJoin(const Table& result, size_t keys);

  Query& query_;
  std::vector<Table>& read_;
  const std::vector<Table> stored_;
  Random& random_;
  std::vector<Table> drawn_;
  size_t joins_ = 0;
};

}  // namespace margay::fuzz
