#pragma once

#include <string>
#include <vector>

#include "random.hpp"
#include "sql_node.hpp"
#include "table.hpp"

namespace margay::fuzz {

//! Fills a table and the literals of a query with values.
//!
//! Each column has a profile: range, share of NULLs and of extreme values, order, words. Profiles
//! stay for several data sets, so that a compiled kernel serves more than one of them.
class DataGenerator {
 public:
  explicit DataGenerator(const Table& table) : table_(table) {}

  //! `extreme`: full ranges, limits, NaN and infinities; else values that seldom overflow.
  void DrawProfiles(Random& random, bool extreme);
  //! Empty, one row, some, around the vector size, and now and then around a segment's size.
  static size_t DrawRowCount(Random& random);
  Rows DrawRows(Random& random, size_t count) const;
  //! A new value for a literal; NULL stays NULL, so that the shape of the query's text stays.
  void DrawLiteral(Random& random, LiteralSlot& slot) const;

 private:
  struct Profile {
    Int128 lowest = 0;
    Int128 highest = 0;
    int null_percent = 0;
    int extreme_percent = 0;
    bool ascending = false;
    bool few_reals = false;  //!< multiples of a quarter
    std::vector<std::string> words;
  };

  Profile DrawProfile(Random& random, const Column& column, bool extreme) const;
  static Cell DrawValue(Random& random, const plan::Type& type, const Profile& profile);

  const Table& table_;
  std::vector<Profile> profiles_;
  bool extreme_ = false;
};

}  // namespace margay::fuzz
