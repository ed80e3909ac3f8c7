#pragma once

#include <map>
#include <string>
#include <vector>

#include "random.hpp"
#include "sql_node.hpp"
#include "table.hpp"

namespace margay::fuzz {

//! Fills the tables and the literals of a query with values.
//!
//! Each column has a profile: range, share of NULLs and of extreme values, order, words. Profiles
//! stay for several data sets, so that a compiled kernel serves more than one of them. Columns that
//! are joined by share range and words, so that there are matches.
class DataGenerator {
 public:
  explicit DataGenerator(const std::vector<Table>& tables) : tables_(tables) {}

  //! `extreme`: full ranges, limits, NaN and infinities; else values that seldom overflow.
  void DrawProfiles(Random& random, bool extreme);
  //! The content of each table, of at least `fewest` rows if those of a join and `most` allow it:
  //! empty, one row, some, around the vector size, and now and then around a segment's size. With
  //! `whole_range`, the first rows hold the ends of each column's range, its words and a NULL if
  //! the profile has NULLs: all such contents of one profile are encoded alike, so that one kernel
  //! serves them.
  std::vector<Rows> DrawRows(Random& random, size_t fewest, size_t most, bool whole_range) const;
  //! A new value for a literal; NULL stays NULL, so that the shape of the query's text stays.
  void DrawLiteral(Random& random, LiteralSlot& slot) const;

 private:
  struct Profile {
    plan::Type type;
    Int128 lowest = 0;
    Int128 highest = 0;
    Int128 stride = 1;  //!< between neighbouring values
    int null_percent = 0;
    int extreme_percent = 0;
    bool ascending = false;
    bool few_reals = false;  //!< multiples of a quarter
    bool is_skewed = false;  //!< most values are the same one
    std::vector<std::string> words;
  };

  Profile DrawProfile(Random& random, const Column& column, bool extreme) const;
  //! Draws the range and the words.
  static void DrawDomain(Random& random, const Column& column, bool extreme, Profile& profile);
  static size_t DrawRowCount(Random& random);
  static Cell DrawValue(Random& random, const Profile& profile);
  static std::vector<Cell> DrawCells(Random& random, const Profile& profile, size_t count,
                                     bool whole_range);
  //! What decides about the encoding of a column of this profile.
  static std::vector<Cell> DecidingCells(const Profile& profile);
  Rows DrawTableRows(Random& random, const Table& table, size_t count, bool whole_range) const;

  const std::vector<Table>& tables_;
  std::map<std::string, Profile> profiles_;  //!< by the column's name
  bool extreme_ = false;
};

}  // namespace margay::fuzz
