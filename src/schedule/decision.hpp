#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/settings.hpp"

namespace margay::schedule {

//! What a part's plan and its tables tell before a device is looked at.
struct PartFacts {
  bool has_aggregate = false;
  bool is_top = false;  //!< gives the first rows of an order, few of many
  //! Why an operator above the part stays with DuckDB: a sentence. Empty where none does.
  std::string above;
  //! Rows of the stored tables, each of them once.
  std::vector<uint64_t> table_rows;
  //! Rows that DuckDB expects to hand over; none where it hands over nothing.
  std::optional<uint64_t> tapped_rows;
  //! How many rows joins without an equality look at for each row, at most.
  uint64_t nested_loop_rows = 0;
  //! Where the tables are not those that the query was planned for: a sentence. Else empty.
  std::string problem;
};

//! What there is of a table's columns on the device, for this reader.
struct ImageState {
  enum class Kind : uint8_t {
    Valid,    //!< all of them
    Missing,  //!< they must be encoded first, or encoded anew
    Refused,  //!< one can't be encoded
  };

  Kind kind = Kind::Missing;
  std::string table;   //!< for people
  std::string reason;  //!< unless Valid: a sentence
  //! Missing: encoding now would be useful, and is not too soon after the last time.
  bool can_build = false;
};

//! How far the part's program has come.
enum class ProgramState : uint8_t {
  Unknown,  //!< it depends on what is missing
  Refused,  //!< no device can run it
  Failed,   //!< an error came in the way of making it
  Made,     //!< kernels are missing
  Built,    //!< all kernels are in memory
};

//! What is at hand for a part on the device that the settings choose, as far as it was looked for:
//! whoever looks stops where something is missing.
struct AtHand {
  bool has_device = false;
  std::string device_problem;  //!< where there is none: why
  std::vector<ImageState> images;
  ProgramState program = ProgramState::Unknown;
  std::string program_problem;  //!< where it is refused or failed
  bool has_taps = false;        //!< whose rows the program depends on
  //! Why the work that is missing failed the last time, unless that is long ago; else empty.
  std::string last_failure;
};

//! What can be done for the next executions while DuckDB answers this one.
enum class Work : uint8_t {
  None,
  MakeReady,  //!< open the device, encode columns, compile kernels
  Compile,    //!< compile the kernels of the program that is there
};

//! Who answers a part in one execution, and why.
struct Decision {
  bool is_on_device = false;
  //! Where DuckDB answers: why. On a device in force mode: what has to be done first, if anything.
  std::string reason;
  //! In force mode the query can't run, for `reason`.
  bool is_error = false;
  Work work = Work::None;
};

//! What plan and settings alone decide; none where it depends on what is at hand.
std::optional<Decision> DecideByPlan(const PartFacts& part, const Settings& settings);

//! What is decided by what is at hand, where DecideByPlan() has nothing to say.
Decision DecideByState(const AtHand& at_hand, const Settings& settings);

}  // namespace margay::schedule
