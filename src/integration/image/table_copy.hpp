#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "execute/part.hpp"
#include "integration/counters.hpp"
#include "integration/device_pools.hpp"
#include "integration/image/table_source.hpp"
#include "storage/table_image.hpp"

namespace margay::integration {

using PartOrRefusal = std::variant<std::shared_ptr<const execute::Part>, plan::Refusal>;

class TableCopy;
//! One copy per scan of a plan, in the order of plan::Scans(), all on one device.
using TableCopies = std::vector<std::shared_ptr<TableCopy>>;

//! An image of a table on one device, with the parts that were generated for it, refusals included:
//! they hold as long as the data does. A part over several tables is kept by the copy of the first.
//! Thread-safe.
class TableCopy {
 public:
  //! The part for `plan`, whose columns are there, made at the first call.
  static PartOrRefusal PartFor(const plan::NodePointer& plan, const TableCopies& copies,
                               optimize::Shape shape, std::optional<optimize::JoinMethod> method,
                               Counters& counters);

  //! `source` is where rows of the image can be read again; null where they can't.
  TableCopy(std::shared_ptr<const OpenDevice> place, std::shared_ptr<storage::TableImage> image,
            std::shared_ptr<const TableSource> source = nullptr)
      : place_(std::move(place)), image_(std::move(image)), source_(std::move(source)) {}

  const std::shared_ptr<const OpenDevice>& Place() const { return place_; }
  const std::shared_ptr<storage::TableImage>& Image() const { return image_; }

  //! Whether rows of the image can be read again, from Source().
  bool CanReadAgain() const { return source_ && !source_->IsGone(); }
  const TableSource& Source() const { return *source_; }

  //! The columns that `scan` reads and that are not there, or not all of them. Adds to `lost` how
  //! many had their memory taken back; with `can_restore` those that can be read again count as
  //! there. Forgets those that can't.
  std::vector<plan::ScanColumn> MissingColumns(const plan::Node& scan, bool can_restore,
                                               uint64_t& lost);

  //! Whether the cache has this copy. Parts over others are not kept: they would hold on to data
  //! that nobody else uses.
  bool IsCached() const { return is_cached_; }
  void SetCached(bool is_cached) { is_cached_ = is_cached; }

  //! Forgets the parts that use `image`, of another table. After SetCached(false) on that image's
  //! copy no new ones are kept.
  void Forget(const storage::TableImage& image);

 private:
  //! A part is good for the very columns it was made for: one may have been lost and encoded anew.
  struct Inputs {
    std::vector<std::shared_ptr<storage::TableImage>> images;
    std::vector<std::shared_ptr<const storage::ColumnImage>> columns;

    bool operator==(const Inputs&) const = default;
  };
  //! What a part is found by.
  struct PartKey {
    optimize::Shape shape = optimize::Shape::Loop;
    std::optional<optimize::JoinMethod> method;
    plan::NodePointer plan;

    bool operator==(const PartKey& other) const;
  };
  struct PartKeyHash {
    size_t operator()(const PartKey& key) const { return plan::HashOf(*key.plan); }
  };
  struct CachedPart {
    Inputs inputs;
    PartOrRefusal part;
    std::list<PartKey>::iterator place;  //!< in order_
  };

  static Inputs InputsOf(const plan::Node& plan, const TableCopies& copies);

  //! The part of `key` over `inputs` that is kept; none where there is none.
  std::optional<PartOrRefusal> FindPart(const PartKey& key, const Inputs& inputs);
  void CachePart(const PartKey& key, Inputs inputs, const PartOrRefusal& part);

  //! Enough for the statements of an application. Parts are small: programs and parameters, some
  //! 100 KB. Only what they know of the strings of a dictionary can be large.
  static constexpr size_t kMostParts = 1024;
  static constexpr uint64_t kLargestCachedPart = uint64_t{1} << 20;

  const std::shared_ptr<const OpenDevice> place_;
  const std::shared_ptr<storage::TableImage> image_;
  const std::shared_ptr<const TableSource> source_;
  std::atomic<bool> is_cached_{false};
  std::mutex mutex_;
  std::unordered_map<PartKey, CachedPart, PartKeyHash> parts_;
  std::list<PartKey> order_;  //!< keys of parts_, the one that was used last comes first
};

//! One line per column that `plan` reads from `copies`: name, type, encoding; for EXPLAIN. With the
//! table's name where there are several.
std::vector<std::string> DescribeColumns(const plan::Node& plan, const TableCopies& copies);

}  // namespace margay::integration
