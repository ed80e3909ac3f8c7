#include "integration/image/validity.hpp"

namespace margay::integration {

std::string ValidityReason(Validity validity) {
  switch (validity) {
    case Validity::Valid:
      return {};
    case Validity::OwnChanges:
      return "the transaction has changes of its own";
    case Validity::BusyWriter:
      return "another transaction is writing to the database";
    case Validity::WrittenSince:
      return "the database was written to since the columns were encoded";
  }
  return {};
}

}  // namespace margay::integration
