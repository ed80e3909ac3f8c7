#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "compile/kernel_library.hpp"
#include "device/device.hpp"
#include "execute/result_batch.hpp"
#include "memory/extent_pool.hpp"
#include "optimize/physical/join_method.hpp"
#include "optimize/physical/shape.hpp"
#include "plan/node.hpp"
#include "plan/refusal.hpp"
#include "storage/extent_source.hpp"
#include "storage/table_image.hpp"

namespace margay::execute {

//! A value left its type's range (or a dictionary function failed on a value in use): the part must
//! be run again by DuckDB, which raises the right error, or finds that there was none.
class ArithmeticFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

//! The caller's `interrupted` said stop.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

//! A column of the image was dropped for lack of memory before the part could hold it.
class ImageLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

//! What one kernel did in a run, all its launches together.
struct KernelStatistics {
  std::string name;  //!< for people: "lineitem into groups"
  uint64_t launches = 0;
  double milliseconds = 0;
};

//! Where the time of the host goes in one run, in milliseconds; together they are all of it, but
//! for compiling.
struct HostTimes {
  double bind = 0;     //!< pinning columns, choosing segments, setting arguments: all the rest
  double enqueue = 0;  //!< handing commands to the device
  double wait = 0;     //!< for the device
  double fetch = 0;    //!< bringing the result to the host

  void Add(const HostTimes& other) {
    bind += other.bind;
    enqueue += other.enqueue;
    wait += other.wait;
    fetch += other.fetch;
  }
};

//! What one run of a part did.
struct RunStatistics {
  uint64_t rows_in = 0;  //!< rows of the segments that were read
  uint64_t rows_out = 0;
  uint64_t segments = 0;  //!< of the table
  uint64_t segments_skipped = 0;
  uint64_t launches = 0;
  uint64_t synchronisations = 0;   //!< times that the host waited for the device
  uint64_t bytes_touched = 0;      //!< encoded bytes of the columns read, in the segments read
  uint64_t structures_built = 0;   //!< join tables that were made for this run and later ones
  uint64_t structures_reused = 0;  //!< join tables that an earlier run made
  uint64_t extents_restored = 0;   //!< of columns, that were encoded again
  double compile_milliseconds = 0;
  std::string kernel_origin;  //!< compiled, disk, memory
  double kernel_milliseconds = 0;
  double structure_milliseconds = 0;  //!< of these, for join tables that later runs find
  double transfer_milliseconds = 0;   //!< results and parameters, between host and device
  HostTimes host;
  std::vector<KernelStatistics> kernels;  //!< in the order of their first launches

  //! Takes back rows that were counted since it was `before`: they are read once more.
  void ResetRows(const RunStatistics& before) {
    rows_in = before.rows_in;
    segments = before.segments;
    segments_skipped = before.segments_skipped;
  }

  //! Adds the work of another kernel, not its rows.
  void AddWork(const RunStatistics& other) {
    launches += other.launches;
    synchronisations += other.synchronisations;
    bytes_touched += other.bytes_touched;
    structures_built += other.structures_built;
    structures_reused += other.structures_reused;
    extents_restored += other.extents_restored;
    compile_milliseconds += other.compile_milliseconds;
    kernel_milliseconds += other.kernel_milliseconds;
    structure_milliseconds += other.structure_milliseconds;
    transfer_milliseconds += other.transfer_milliseconds;
    host.Add(other.host);
    kernels.insert(kernels.end(), other.kernels.begin(), other.kernels.end());
  }
};

struct RunOptions {
  uint32_t threads = 1;  //!< of DuckDB; a CPU device gets no more work-groups than this
  std::function<bool()> interrupted = [] { return false; };
  //! Brings back what is lost of columns that it has, so that only those parts of them are pinned
  //! that are just needed. Others are pinned by the start of a run. May be null.
  std::shared_ptr<storage::ExtentSource> source = nullptr;
};

//! What was missing when the kernels of a part were built.
struct BuildCounts {
  uint64_t written = 0;  //!< kernels of which there was no source
  uint64_t built = 0;    //!< kernels that were not in memory: compiled, or loaded from the disk

  void Add(const BuildCounts& other) {
    written += other.written;
    built += other.built;
  }
};

class Run;

//! A device, with the memory and the kernels that parts use on it.
struct Place {
  std::shared_ptr<device::Device> device;
  std::shared_ptr<memory::ExtentPool> pool;
  std::shared_ptr<compile::KernelLibrary> kernels;
};

//! A plan lowered for images, a device and a shape. Immutable, but for what its runs learn, and
//! shared by threads.
class Part {
 public:
  //! Lowers `plan` over `images`, one per scan in the order of plan::Scans(). Writes no kernel.
  //! `method` is that of all joins that it can serve; without one each has what suits it. With
  //! `uses_estimates`, few rows may be looked up in tables that would else be scanned, by estimates
  //! of how many there are. Throws ImageLost where an image lacks a column of its scan.
  static std::variant<std::shared_ptr<const Part>, plan::Refusal> Make(
      const plan::NodePointer& plan,
      const std::vector<std::shared_ptr<storage::TableImage>>& images, const Place& place,
      optimize::Shape shape, std::optional<optimize::JoinMethod> method = {},
      bool uses_estimates = true);
  virtual ~Part() = default;

  //! All kernels are written, and their programs in memory: a run will not wait for a compiler.
  virtual bool IsBuilt() const = 0;
  //! Writes the kernels and builds their programs (tens to hundreds of milliseconds each), unless
  //! that is done; up to `threads` programs at a time. Says how many that were.
  virtual BuildCounts Build(uint32_t threads = 1) const = 0;
  //! The source of all kernels; writes those that are not there yet.
  virtual std::string Source() const = 0;
  //! The physical program as text (see optimize::OutlineOf); of a part that is split, two of them.
  virtual std::string ProgramText() const = 0;
  //! Of each join, in the order in which their tables are filled: the table of its build side, and
  //! the method. For people.
  virtual std::vector<std::string> DescribeJoins() const = 0;
  //! Whether a run took longer than it would without such estimates: the part had better be made
  //! without them.
  virtual bool EstimatedWrong() const = 0;
  //! Whether its runs evaluate dictionary functions.
  virtual bool EvaluatesFunctions() const = 0;
  //! Memory of the host that grows with the dictionaries it depends on.
  virtual uint64_t HostBytes() const = 0;
  //! Starts a run: pins the image's columns, but for those that can be brought back (ImageLost if
  //! one is gone).
  virtual std::unique_ptr<Run> Start(RunOptions options) const = 0;
};

//! One execution of a part; used by one thread at a time.
//!
//! Any call may throw device::DeviceError, memory::OutOfMemory, ArithmeticFault or Interrupted; the
//! run is over then, and no batch that it gave before may have reached the user unless the part's
//! result is known to be free of faults: see Next.
class Run {
 public:
  virtual ~Run() = default;
  //! The next rows of the result, or none at the end. The first call runs all kernels to the end
  //! and checks for faults, so that batches given to the user are never taken back.
  virtual std::optional<ResultBatch> Next() = 0;
  virtual const RunStatistics& Statistics() const = 0;
  //! Share of the work done, 0 to 1; may be called from any thread.
  virtual double Progress() const = 0;
};

}  // namespace margay::execute
