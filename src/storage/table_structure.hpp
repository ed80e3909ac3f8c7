#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "memory/extent.hpp"
#include "storage/column_image.hpp"

namespace margay::storage {

//! Arrays that kernels computed from columns of a table image, such as a join table. Immutable, but
//! like a column it may lose its content.
struct TableStructure {
  std::vector<std::shared_ptr<const ColumnImage>> columns;  //!< that it was computed from
  std::vector<std::shared_ptr<memory::Extent>> extents;
  std::string keys;  //!< what it finds rows by
  std::string form;  //!< how
  uint64_t rows = 0;
  double build_milliseconds = 0;

  size_t Bytes() const;
  bool IsLost() const;
  //! All extents in order; none where one is lost.
  std::optional<std::vector<memory::ExtentPin>> TryPin() const;
};

//! The structures of one table image, by names that say all about what they hold but the columns.
//! Thread-safe. Two who miss the same structure may both make it; the later one stays.
class TableStructures {
 public:
  //! Null unless there is one of these very columns.
  std::shared_ptr<const TableStructure> Find(
      const std::string& name,
      const std::vector<std::shared_ptr<const ColumnImage>>& columns) const;
  void Add(const std::string& name, std::shared_ptr<const TableStructure> structure);
  //! Those that are not lost.
  std::vector<std::shared_ptr<const TableStructure>> List() const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<const TableStructure>> structures_;
};

}  // namespace margay::storage
