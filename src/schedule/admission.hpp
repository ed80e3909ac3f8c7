#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace margay::schedule {

//! Who may run on a device whose memory is limited: any number of executions together, or one that
//! found no room beside the others, alone. Nobody waits to be admitted while it is, so that waits
//! end. Thread-safe; outlives its tickets.
class Admission {
 public:
  enum class Kind : uint8_t { Together, Alone };

  //! One execution is admitted as long as this lives.
  class Ticket {
   public:
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    friend class Admission;
    Ticket(Admission& admission, Kind kind) : admission_(admission), kind_(kind) {}

    Admission& admission_;
    const Kind kind_;
  };

  //! Waits to be admitted; null once `is_interrupted` says so.
  std::unique_ptr<Ticket> Enter(Kind kind, const std::function<bool()>& is_interrupted);
  //! Together with others; null where one has to be alone now, or waits for that.
  std::unique_ptr<Ticket> TryEnterTogether();

 private:
  //! With the mutex held.
  bool CanEnter(Kind kind) const;
  std::unique_ptr<Ticket> Admit(Kind kind);
  //! Whether that came true before an interrupt.
  bool WaitFor(std::unique_lock<std::mutex>& lock, Kind kind,
               const std::function<bool()>& is_interrupted);

  std::mutex mutex_;
  std::condition_variable changed_;
  //! Guarded by the mutex.
  size_t together_ = 0;
  bool is_alone_ = false;
  size_t waiting_alone_ = 0;  //!< before whom nobody else is admitted
};

}  // namespace margay::schedule
