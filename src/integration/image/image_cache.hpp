#pragma once

#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "integration/counters.hpp"
#include "integration/device_pools.hpp"
#include "integration/image/table_copy.hpp"
#include "integration/image/table_source.hpp"
#include "plan/node.hpp"

namespace margay::integration {

//! What is asked of the cache: the columns of `scan` at the snapshot of the active transaction of
//! `context`, on one device.
struct ImageRequest {
  duckdb::ClientContext& context;
  std::shared_ptr<const TableSource> source;
  const plan::Node& scan;
  std::shared_ptr<const OpenDevice> place;
  //! For columns that have to be encoded: see the setting margay_dictionary_strings.
  uint64_t dictionary_strings;
  //! The columns may lack content that can be read again while they are used.
  bool can_restore;
};

//! What the cache has.
struct ImageFinding {
  enum class Kind {
    Valid,    //!< `copy` may be used
    Missing,  //!< columns must be encoded first
    Invalid,  //!< what there is does not fit the reader's snapshot: `validity`
    Refused,  //!< a column can't be encoded
  };

  Kind kind = Kind::Missing;
  std::shared_ptr<TableCopy> copy;
  Validity validity = Validity::Valid;
  //! Unless Valid: a sentence for EXPLAIN.
  std::string reason;
  //! Missing or Invalid: encoding now would be useful and is not too soon after the last time.
  bool can_build = false;
};

//! One cached column, for margay_cache().
struct CachedColumn {
  std::string database;
  std::string schema;
  std::string table;
  std::string column;
  std::string device;
  std::shared_ptr<const storage::ColumnImage> image;
};

//! One cached structure, for margay_cache().
struct CachedStructure {
  std::string database;
  std::string schema;
  std::string table;
  std::string device;
  std::shared_ptr<const storage::TableStructure> structure;
};

//! The encoded columns of the tables of one database instance, with what was computed of them.
//!
//! One image per table and device. An image is used where its source finds it valid, columns are
//! added to it as they are needed, and it is replaced once the table was written to. Sources that
//! refuse it are never kept.
//!
//! Thread-safe. Readers never wait for builds; two builds for one table run one after the other, so
//! that the second one finds what the first one made.
class ImageCache {
 public:
  explicit ImageCache(Counters& counters) : counters_(counters) {}

  //! What there is, without encoding anything.
  ImageFinding Find(const ImageRequest& request);

  //! A copy with all columns, valid for the reader: what there is, completed or encoded anew. Where
  //! an image at the reader's snapshot can't be valid for others, it is encoded for this reader
  //! alone. Throws as TableSource::Read().
  std::shared_ptr<TableCopy> Acquire(const ImageRequest& request, const ReadControl& control);

  //! Drops all images of a device.
  void DropDevice(const device::Device& device);

  //! Drops everything. The bytes that were held; those of running queries are freed at their end.
  uint64_t Evict();

  std::vector<CachedColumn> List();
  std::vector<CachedStructure> ListStructures();

 private:
  //! A table on a device.
  struct Entry {
    std::shared_ptr<const OpenDevice> place;

    //! Held by the one that encodes columns of this entry.
    std::timed_mutex build_mutex;

    //! The rest is guarded by the cache's mutex.
    std::shared_ptr<const TableSource> source;  //!< as found last: a table may be renamed
    std::map<uint64_t, std::string> column_names;
    std::shared_ptr<TableCopy> copy;
    //! The oldest snapshot that a column of the copy was read at.
    Moment built_at = 0;
    //! Columns that storage refused, with the reason, and the snapshot of the last refusal.
    std::map<uint64_t, std::string> refusals;
    Moment refused_at = 0;
    std::chrono::steady_clock::time_point last_build_end;
    std::chrono::steady_clock::duration last_build_time{0};
  };
  using EntryPointer = std::shared_ptr<Entry>;

  EntryPointer EntryFor(const ImageRequest& request);
  std::shared_ptr<TableCopy> Complete(const ImageRequest& request, Entry& entry,
                                      const std::shared_ptr<TableCopy>& copy, Moment snapshot,
                                      const ReadControl& control);
  std::shared_ptr<TableCopy> Rebuild(const ImageRequest& request, Entry& entry, Moment snapshot,
                                     const ReadControl& control);
  std::shared_ptr<TableCopy> BuildPrivate(const ImageRequest& request, const ReadControl& control);
  void RememberRefusal(Entry& entry, const ColumnRefusal& refusal, Moment snapshot);
  ReadColumns Read(const ImageRequest& request, const std::vector<plan::ScanColumn>& columns,
                   size_t segments_per_extent, const ReadControl& control);
  //! Read columns as a copy.
  static std::shared_ptr<TableCopy> MakeCopy(const ImageRequest& request, const ReadColumns& read);
  //! Forgets entries whose table or device is gone. Needs the mutex.
  void Purge();
  //! Takes the copy out of an entry, and out of the parts that other copies keep. Needs the mutex.
  void DropCopy(Entry& entry);

  Counters& counters_;
  std::mutex mutex_;
  std::list<EntryPointer> entries_;
};

}  // namespace margay::integration
