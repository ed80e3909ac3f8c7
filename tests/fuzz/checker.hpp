#pragma once

#include <string>

#include "engine.hpp"
#include "query.hpp"

namespace margay::fuzz {

//! A table with its content, and a query over it.
struct FuzzCase {
  Table table;
  Rows rows;
  Query query;
};

struct Verdict {
  enum class Kind : uint8_t {
    Same,
    SameError,
    Refused,     //!< Margay says why it doesn't run the query
    NoDevice,    //!< the same, and DuckDB could answer without reading the table
    Fallback,    //!< the same, but DuckDB answered after a device had begun
    OtherRows,   //!< a difference
    OtherError,  //!< a difference: an error, or its text
    IdleDevice,  //!< the same, but no device was used where one was asked for
  };

  Kind kind = Kind::Same;
  std::string text;  //!< the difference, or the reason

  bool IsDifference() const {
    return kind == Kind::OtherRows || kind == Kind::OtherError || kind == Kind::IdleDevice;
  }
};

//! Compares what configurations make of a query with what DuckDB makes of it. The table is filled.
class Checker {
 public:
  explicit Checker(Engine& engine) : engine_(engine) {}

  //! Notes the types of the query's expressions; false if DuckDB can't bind all of it.
  bool Bind(Query& query);
  //! Takes out what DuckDB can't bind, and notes the types of the rest.
  void KeepWhatBinds(Query& query);

  //! DuckDB's answer, with the scales for tolerant comparisons unless it is an error.
  Answer Reference(const Query& query);
  Verdict Check(const FuzzCase& fuzz_case, const Answer& reference,
                const Configuration& configuration);

 private:
  bool BindItem(Item& item, const std::string& source);
  bool BindsAsCondition(const SqlNode& conjunct, const std::string& source);

  Engine& engine_;
};

}  // namespace margay::fuzz
