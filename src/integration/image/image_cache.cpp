#include "integration/image/image_cache.hpp"

#include <algorithm>

#include "execute/part.hpp"

namespace margay::integration {
namespace {

using Clock = std::chrono::steady_clock;

//! Encoding the same table again and again, because it keeps being written to, may take at most
//! about a tenth of the time of one thread.
constexpr int kRestAfterBuild = 10;

//! How often one that waits for another's build looks for interrupts.
constexpr auto kWaitStep = std::chrono::milliseconds(10);

//! How an image of the table is cut into extents, by the device and the limit of its memory.
size_t WantedSegmentsPerExtent(const ImageRequest& request) {
  const auto& pool = *request.place->pool;
  return storage::SegmentsPerExtent(pool.Device()->Info().largest_buffer, pool.Limit(),
                                    request.source->TotalRows());
}

//! The copy was made when there was more memory: its extents are too large to be evicted one by
//! one.
bool IsCutTooLarge(const ImageRequest& request, const TableCopy& copy) {
  return copy.Image()->SegmentsPerExtent() > WantedSegmentsPerExtent(request);
}

std::unique_lock<std::timed_mutex> WaitFor(std::timed_mutex& mutex, const ReadControl& control) {
  std::unique_lock<std::timed_mutex> lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(kWaitStep)) {
    if (control.is_interrupted()) {
      throw execute::Interrupted();
    }
  }
  return lock;
}

}  // namespace

void ImageCache::Purge() {
  auto is_gone = [](const EntryPointer& entry) {
    return entry->source->IsGone() || entry->place->device->IsLost();
  };
  for (const auto& entry : entries_) {
    if (is_gone(entry)) {
      DropCopy(*entry);
    }
  }
  std::erase_if(entries_, is_gone);
}

void ImageCache::DropCopy(Entry& entry) {
  if (!entry.copy) {
    return;
  }
  auto dropped = std::move(entry.copy);
  entry.copy = nullptr;
  dropped->SetCached(false);
  for (const auto& other : entries_) {
    if (other->copy) {
      other->copy->Forget(*dropped->Image());
    }
  }
}

ImageCache::EntryPointer ImageCache::EntryFor(const ImageRequest& request) {
  std::lock_guard<std::mutex> guard(mutex_);
  Purge();
  auto found = std::find_if(entries_.begin(), entries_.end(), [&](const EntryPointer& entry) {
    return entry->place->device == request.place->device &&
           entry->source->IsSameTable(*request.source);
  });
  EntryPointer entry;
  if (found != entries_.end()) {
    entry = *found;
  } else {
    entry = std::make_shared<Entry>();
    entry->place = request.place;
    entries_.push_back(entry);
  }
  entry->source = request.source;
  for (const auto& column : request.scan.Columns()) {
    entry->column_names[column.id] = column.name;
  }
  return entry;
}

ImageFinding ImageCache::Find(const ImageRequest& request) {
  ImageFinding finding;
  const TableSource& source = *request.source;
  if (const std::optional<std::string> reason = source.RefuseCaching()) {
    finding.kind = ImageFinding::Kind::Refused;
    finding.reason = *reason;
    return finding;
  }
  auto entry = EntryFor(request);
  std::shared_ptr<TableCopy> copy;
  Moment built_at = 0;
  Moment refused_at = 0;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    copy = entry->copy;
    built_at = entry->built_at;
    refused_at = entry->refused_at;
    finding.can_build =
        Clock::now() >= entry->last_build_end + entry->last_build_time * kRestAfterBuild;
  }
  if (refused_at != 0 && source.Check(request.context, refused_at) == Validity::WrittenSince) {
    std::lock_guard<std::mutex> guard(mutex_);
    if (entry->refused_at == refused_at) {
      entry->refusals.clear();
      entry->refused_at = 0;
    }
  }
  {
    std::lock_guard<std::mutex> guard(mutex_);
    for (const auto& column : request.scan.Columns()) {
      auto refusal = entry->refusals.find(column.id);
      if (refusal != entry->refusals.end()) {
        finding.kind = ImageFinding::Kind::Refused;
        finding.reason = refusal->second;
        return finding;
      }
    }
  }
  auto snapshot = source.SnapshotFor(request.context);
  finding.validity = source.Check(request.context, copy ? built_at : snapshot);
  if (finding.validity != Validity::Valid) {
    finding.kind = ImageFinding::Kind::Invalid;
    finding.reason = ValidityReason(finding.validity);
    finding.can_build = finding.can_build && finding.validity == Validity::WrittenSince;
    return finding;
  }
  uint64_t lost = 0;
  if (copy && IsCutTooLarge(request, *copy)) {
    finding.kind = ImageFinding::Kind::Missing;
    finding.reason = "the columns were encoded when margay_device_memory was larger";
  } else if (copy && copy->MissingColumns(request.scan, request.can_restore, lost).empty()) {
    finding.kind = ImageFinding::Kind::Valid;
    finding.copy = std::move(copy);
  } else {
    finding.kind = ImageFinding::Kind::Missing;
    finding.reason =
        lost > 0
            ? "the memory of the encoded columns was needed (memory_limit, margay_device_memory)"
            : "the columns are not encoded yet";
    // Only a full rebuild has to wait; a first use of other columns has not.
    finding.can_build = finding.can_build || (copy && lost == 0);
  }
  counters_.columns_lost += lost;
  return finding;
}

std::shared_ptr<TableCopy> ImageCache::Acquire(const ImageRequest& request,
                                               const ReadControl& control) {
  const TableSource& source = *request.source;
  if (source.RefuseCaching()) {
    return BuildPrivate(request, control);
  }
  auto entry = EntryFor(request);
  auto snapshot = source.SnapshotFor(request.context);
  auto lock = WaitFor(entry->build_mutex, control);
  std::shared_ptr<TableCopy> copy;
  Moment built_at = 0;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    copy = entry->copy;
    built_at = entry->built_at;
  }
  if (copy && !IsCutTooLarge(request, *copy) &&
      source.Check(request.context, built_at) == Validity::Valid) {
    return Complete(request, *entry, copy, snapshot, control);
  }
  if (source.Check(request.context, snapshot) == Validity::Valid) {
    return Rebuild(request, *entry, snapshot, control);
  }
  lock.unlock();
  return BuildPrivate(request, control);
}

std::shared_ptr<TableCopy> ImageCache::Complete(const ImageRequest& request, Entry& entry,
                                                const std::shared_ptr<TableCopy>& copy,
                                                Moment snapshot, const ReadControl& control) {
  uint64_t lost = 0;
  const auto missing = copy->MissingColumns(request.scan, request.can_restore, lost);
  counters_.columns_lost += lost;
  if (missing.empty()) {
    return copy;
  }
  auto& image = *copy->Image();
  auto started = Clock::now();
  ReadColumns read;
  try {
    read = Read(request, missing, image.SegmentsPerExtent(), control);
  } catch (const ColumnRefusal& refusal) {
    RememberRefusal(entry, refusal, snapshot);
    throw;
  }
  std::lock_guard<std::mutex> guard(mutex_);
  if (read.rows != image.Rows()) {
    DropCopy(entry);
    throw std::logic_error("an image of " + entry.source->Name().table + " has " +
                           std::to_string(image.Rows()) + " rows, but the table " +
                           std::to_string(read.rows));
  }
  for (size_t i = 0; i < missing.size(); i++) {
    image.AddColumn(missing[i].id, read.columns[i]);
  }
  if (entry.copy == copy) {
    entry.built_at = std::min(entry.built_at, snapshot);
  }
  entry.last_build_end = Clock::now();
  entry.last_build_time = entry.last_build_end - started;
  return copy;
}

std::shared_ptr<TableCopy> ImageCache::Rebuild(const ImageRequest& request, Entry& entry,
                                               Moment snapshot, const ReadControl& control) {
  {
    // What is out of date only takes memory; queries that use it hold it themselves.
    std::lock_guard<std::mutex> guard(mutex_);
    DropCopy(entry);
  }
  auto started = Clock::now();
  ReadColumns read;
  try {
    read = Read(request, request.scan.Columns(), WantedSegmentsPerExtent(request), control);
  } catch (const ColumnRefusal& refusal) {
    RememberRefusal(entry, refusal, snapshot);
    throw;
  }
  auto copy = MakeCopy(request, read);
  counters_.images_built++;
  std::lock_guard<std::mutex> guard(mutex_);
  // The entry itself may have been dropped meanwhile.
  copy->SetCached(std::any_of(entries_.begin(), entries_.end(),
                              [&](const EntryPointer& kept) { return kept.get() == &entry; }));
  entry.copy = copy;
  entry.built_at = snapshot;
  entry.last_build_end = Clock::now();
  entry.last_build_time = entry.last_build_end - started;
  return copy;
}

void ImageCache::RememberRefusal(Entry& entry, const ColumnRefusal& refusal, Moment snapshot) {
  std::lock_guard<std::mutex> guard(mutex_);
  entry.refusals.insert_or_assign(refusal.Column(), refusal.what());
  entry.refused_at = snapshot;
}

std::shared_ptr<TableCopy> ImageCache::BuildPrivate(const ImageRequest& request,
                                                    const ReadControl& control) {
  auto read = Read(request, request.scan.Columns(), WantedSegmentsPerExtent(request), control);
  counters_.private_images_built++;
  return MakeCopy(request, read);
}

std::shared_ptr<TableCopy> ImageCache::MakeCopy(const ImageRequest& request,
                                                const ReadColumns& read) {
  return std::make_shared<TableCopy>(
      request.place, read.MakeImage(request.scan.Columns()),
      request.source->CanReadAgain(request.context) ? request.source : nullptr);
}

ReadColumns ImageCache::Read(const ImageRequest& request,
                             const std::vector<plan::ScanColumn>& columns,
                             size_t segments_per_extent, const ReadControl& control) {
  storage::BuildOptions options;
  options.segments_per_extent = segments_per_extent;
  options.small_dictionary = request.dictionary_strings;
  options.may_lose_extents = request.can_restore && request.source->CanReadAgain(request.context);
  auto read = request.source->Read(request.context, Specify(columns), *request.place->pool, options,
                                   control);
  counters_.columns_built += read.columns.size();
  for (const auto& column : read.columns) {
    counters_.bytes_built += column->Bytes();
  }
  return read;
}

void ImageCache::DropDevice(const device::Device& device) {
  std::lock_guard<std::mutex> guard(mutex_);
  auto is_there = [&](const EntryPointer& entry) { return entry->place->device.get() == &device; };
  for (const auto& entry : entries_) {
    if (is_there(entry)) {
      DropCopy(*entry);
    }
  }
  std::erase_if(entries_, is_there);
}

uint64_t ImageCache::Evict() {
  std::lock_guard<std::mutex> guard(mutex_);
  uint64_t bytes = 0;
  for (const auto& entry : entries_) {
    if (!entry->copy) {
      continue;
    }
    const auto& image = *entry->copy->Image();
    for (uint64_t id : image.ColumnIds()) {
      auto column = image.Find(id);
      bytes += column ? column->HeldBytes() : 0;
    }
    for (const auto& structure : image.Structures().List()) {
      bytes += structure->Bytes();
    }
    DropCopy(*entry);
    entry->refusals.clear();
    entry->refused_at = 0;
    entry->last_build_time = Clock::duration::zero();
  }
  Purge();
  return bytes;
}

std::vector<CachedColumn> ImageCache::List() {
  std::lock_guard<std::mutex> guard(mutex_);
  Purge();
  std::vector<CachedColumn> columns;
  for (const auto& entry : entries_) {
    if (!entry->copy) {
      continue;
    }
    const TableName& name = entry->source->Name();
    for (uint64_t id : entry->copy->Image()->ColumnIds()) {
      auto column = entry->copy->Image()->Find(id);
      if (column && !column->IsGone()) {
        columns.push_back({name.database, name.schema, name.table, entry->column_names[id],
                           entry->place->device->Info().name, std::move(column)});
      }
    }
  }
  return columns;
}

std::vector<CachedStructure> ImageCache::ListStructures() {
  std::lock_guard<std::mutex> guard(mutex_);
  Purge();
  std::vector<CachedStructure> structures;
  for (const auto& entry : entries_) {
    if (!entry->copy) {
      continue;
    }
    const TableName& name = entry->source->Name();
    for (auto& structure : entry->copy->Image()->Structures().List()) {
      structures.push_back({name.database, name.schema, name.table,
                            entry->place->device->Info().name, std::move(structure)});
    }
  }
  return structures;
}

}  // namespace margay::integration
