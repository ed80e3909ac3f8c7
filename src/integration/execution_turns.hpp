#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace margay::integration {

//! Who may run on a device whose memory is limited: any number of executions together, or one that
//! found no room beside the others, alone. Nobody waits for a turn while it has one, so that turns
//! end. Thread-safe; outlives its turns.
class ExecutionTurns {
 public:
  enum class Kind { Together, Alone };

  //! One execution's turn, as long as it lives.
  class Turn {
   public:
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    friend class ExecutionTurns;
    Turn(ExecutionTurns& turns, Kind kind) : turns_(turns), kind_(kind) {}

    ExecutionTurns& turns_;
    const Kind kind_;
  };

  //! Waits for a turn. Throws execute::Interrupted once `is_interrupted` says so.
  std::unique_ptr<Turn> Take(Kind kind, const std::function<bool()>& is_interrupted);
  //! A turn together with others; null where one has to be alone now, or waits for that.
  std::unique_ptr<Turn> TryTogether();

 private:
  //! With the mutex held.
  bool CanHave(Kind kind) const;
  std::unique_ptr<Turn> Give(Kind kind);
  void Wait(std::unique_lock<std::mutex>& lock, Kind kind,
            const std::function<bool()>& is_interrupted);

  std::mutex mutex_;
  std::condition_variable changed_;
  //! Guarded by the mutex.
  size_t together_ = 0;
  bool is_alone_ = false;
  size_t waiting_alone_ = 0;  //!< before whom nobody else gets a turn
};

}  // namespace margay::integration
