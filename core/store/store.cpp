#include "core/store/store.h"

#include "core/store/database.h"
#include "core/store/merge.h"
#include "core/store/rows.h"

namespace phasebit::store {

using record::DeviceRow;
using record::PointRow;
using record::Results;
using record::RunRow;
using record::VariantRow;

struct Store::Impl {
  StoreDatabase database;
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const fs::path& path, const StoreOptions& options) {
  PHASEBIT_TRY_ASSIGN(database, StoreDatabase::open(path, options));
  return Store(std::make_unique<Impl>(Impl{std::move(database)}));
}

Result<Store> Store::open_in_memory() {
  return open(":memory:");
}

Status Store::add_device(const DeviceRow& device) {
  return impl_->database.guarded([&]() -> Status {
    insert_device(impl_->database.sqlite(), device);
    return {};
  });
}

Status Store::add_run(const RunRow& run) {
  return impl_->database.guarded([&]() -> Status {
    insert_run(impl_->database.sqlite(), run);
    return {};
  });
}

Status Store::add_variant(const VariantRow& variant) {
  return impl_->database.guarded([&]() -> Status {
    SQLite::Database& sqlite = impl_->database.sqlite();
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    const Status inserted = insert_variant(sqlite, variant);
    if (!inserted) return impl_->database.complain(inserted.error().message);
    transaction.commit();
    return {};
  });
}

Status Store::add_catalogue(const image::CatalogueFacts& facts) {
  return impl_->database.guarded([&]() -> Status {
    SQLite::Database& sqlite = impl_->database.sqlite();
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    insert_catalogue(sqlite, facts);
    transaction.commit();
    return {};
  });
}

Status Store::add_point(const PointRow& point) {
  return impl_->database.guarded([&]() -> Status {
    SQLite::Database& sqlite = impl_->database.sqlite();
    SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    const Status inserted = insert_point(sqlite, point);
    if (!inserted) return impl_->database.complain(inserted.error().message);
    transaction.commit();
    return {};
  });
}

Result<record::MergeCounts> Store::merge(const Results& theirs) {
  StoreDatabase& database = impl_->database;
  return database.guarded([&]() -> Result<record::MergeCounts> {
    SQLite::Transaction transaction(database.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
    auto counts = merge_results(database.sqlite(), theirs);
    if (!counts) return database.complain(counts.error().message);
    transaction.commit();
    return counts;
  });
}

Result<std::vector<DeviceRow>> Store::devices() const {
  return impl_->database.guarded(
      [&]() -> Result<std::vector<DeviceRow>> { return select_devices(impl_->database.sqlite()); });
}

Result<std::vector<RunRow>> Store::runs() const {
  return impl_->database.guarded(
      [&]() -> Result<std::vector<RunRow>> { return select_runs(impl_->database.sqlite()); });
}

Result<std::vector<PointRow>> Store::points() const {
  return impl_->database.guarded([&]() -> Result<std::vector<PointRow>> {
    auto points = select_points(impl_->database.sqlite());
    if (!points) return impl_->database.complain(points.error().message);
    return points;
  });
}

Result<std::vector<VariantRow>> Store::variants() const {
  return impl_->database.guarded([&]() -> Result<std::vector<VariantRow>> {
    auto variants = select_variants(impl_->database.sqlite());
    if (!variants) return impl_->database.complain(variants.error().message);
    return variants;
  });
}

Result<Results> Store::results() const {
  PHASEBIT_TRY_ASSIGN(all_devices, devices());
  PHASEBIT_TRY_ASSIGN(all_runs, runs());
  PHASEBIT_TRY_ASSIGN(all_points, points());
  PHASEBIT_TRY_ASSIGN(all_variants, variants());
  PHASEBIT_TRY_ASSIGN(catalogue, impl_->database.guarded([&]() -> Result<image::CatalogueFacts> {
    return select_catalogue(impl_->database.sqlite());
  }));
  return Results{std::move(all_devices), std::move(all_runs), std::move(all_points),
                 std::move(all_variants), std::move(catalogue)};
}

}  // namespace phasebit::store
