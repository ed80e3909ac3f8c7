#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "duckdb/device_pools.hpp"
#include "execute/part.hpp"
#include "storage/table_image.hpp"

namespace margay::integration {

using PartOrRefusal = std::variant<std::shared_ptr<const execute::Part>, execute::Refusal>;

//! An image of a table on one device, with the parts that were generated for it, refusals included:
//! they hold as long as the data does. Thread-safe.
class TableCopy {
 public:
  TableCopy(std::shared_ptr<const OpenDevice> place, std::shared_ptr<storage::TableImage> image)
      : place_(std::move(place)), image_(std::move(image)) {}

  const std::shared_ptr<const OpenDevice>& Place() const { return place_; }
  const std::shared_ptr<storage::TableImage>& Image() const { return image_; }

  //! Whether all columns that `scan` reads are there. Forgets those whose memory was taken back,
  //! and adds their number to `lost`.
  bool HasColumns(const plan::Node& scan, uint64_t& lost);

  //! The part for `plan`, whose columns are there, made at the first call. `key` tells plans apart.
  PartOrRefusal PartFor(const std::string& key, const plan::NodePointer& plan,
                        compile::Shape shape);

 private:
  using Columns = std::vector<std::shared_ptr<const storage::ColumnImage>>;

  //! A part is good for the very columns it was made for: one may have been lost and encoded anew.
  struct MadePart {
    Columns columns;
    PartOrRefusal part;
  };

  //! Enough for the statements of an application. Parts are small: sources and parameters.
  static constexpr size_t kMostParts = 256;

  const std::shared_ptr<const OpenDevice> place_;
  const std::shared_ptr<storage::TableImage> image_;
  std::mutex mutex_;
  std::unordered_map<std::string, MadePart> parts_;
  //! Keys of parts_, the oldest first.
  std::deque<std::string> order_;
};

}  // namespace margay::integration
