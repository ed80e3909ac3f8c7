#pragma once

#include <string>

namespace margay::integration {

//! Whether a copy of table data may stand for the table, and if not why.
enum class Validity {
  Valid,
  OwnChanges,    //!< the reader's transaction has changed the database itself
  BusyWriter,    //!< another transaction may be committing changes at this moment
  WrittenSince,  //!< changes were committed after the copy's or the reader's snapshot
};

//! The reason as EXPLAIN says it; empty for Valid.
std::string ValidityReason(Validity validity);

}  // namespace margay::integration
