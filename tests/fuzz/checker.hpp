#pragma once

#include <string>
#include <vector>

#include "engine.hpp"
#include "query.hpp"

namespace margay::fuzz {

//! Tables with their content, and a query over them.
struct FuzzCase {
  std::vector<Table> tables;
  std::vector<Rows> rows;
  Query query;
};

struct Verdict {
  enum class Kind : uint8_t {
    Same,
    SameError,
    Refused,       //!< Margay says why it doesn't run the query
    NoDevice,      //!< the same, and DuckDB could answer without reading the table
    Fallback,      //!< the same, but DuckDB answered after a device had begun
    FewerErrors,   //!< no error where DuckDB has one: a join without the row that DuckDB fails at
    AnotherError,  //!< an error, and DuckDB has another: several parts of the query fail
    OtherRows,     //!< a difference
    OtherError,    //!< a difference: an error, or its text
    IdleDevice,    //!< the same, but no device was used where one was asked for
  };

  Kind kind = Kind::Same;
  std::string text;                            //!< the difference, or the reason
  bool is_on_device = false;                   //!< all of the answer came from a device
  std::vector<std::string> device_joins = {};  //!< the kinds of the joins that were run there

  bool IsDifference() const {
    return kind == Kind::OtherRows || kind == Kind::OtherError || kind == Kind::IdleDevice;
  }
};

//! Compares what configurations make of a query with what DuckDB makes of it. The tables are
//! filled.
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
  bool BindItem(Item& item, const Query& query);
  //! Whether DuckDB raises `error` for one of the items alone: where several fail, the first chunk
  //! of rows decides which, and operators below cut rows into other chunks.
  bool IsErrorOfOneItem(const Query& query, const std::string& error);
  //! Takes out the conditions that DuckDB can't bind over `source`, which follows FROM in `query`.
  void KeepConditions(std::vector<SqlNode>& conditions, const std::string& source,
                      const Query& query);

  Engine& engine_;
};

}  // namespace margay::fuzz
