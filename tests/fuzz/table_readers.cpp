// Results, and what is asked of them.
#include "analysis/gate/expectation_file.h"
#include "analysis/report/claims/claim.h"
#include "analysis/report/sql/table_file.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/results/flat.h"
#include "core/results/store.h"
#include "tests/fuzz/reader.h"
#include "tests/results/rows.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace phasebit::test {
namespace {

std::string small_store(const fs::path& path) {
  const auto check = [](const Status& done) {
    if (!done) bug(done.error().text());
  };
  {
    auto store = results::Store::open(path);
    if (!store) bug(store.error().text());
    check(store->add_device(some_device()));
    check(store->add_run(some_run()));
    check(store->add_variant(some_variant()));
    check(store->add_point(some_reading_point(some_variant().id)));
    check(store->add_point(failed_point("ring/b", Step::verify, "wrong")));
    results::PointRow bent = some_point("ring/c");
    bent.quality.bends = {{"", {12, 13}}};
    check(store->add_point(bent));
  }
  return base::read_file(path).value();
}

// What SQLite refuses changes nothing.
void change_store(const fs::path& path, std::string_view lines) {
  SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE);
  sqlite.exec("PRAGMA synchronous = off; PRAGMA ignore_check_constraints = on");
  for (const std::string_view line : base::split(lines, '\n')) {
    const std::size_t dot = line.find('.'), equals = line.find('=');
    if (dot == line.npos || equals == line.npos || dot > equals) continue;
    const auto quoted = [](std::string_view name) {
      return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == name.npos;
    };
    const std::string_view table = line.substr(0, dot);
    const std::string_view column = line.substr(dot + 1, equals - dot - 1);
    if (!quoted(table) || !quoted(column)) continue;
    try {
      SQLite::Statement update(sqlite, fmt::format("UPDATE \"{}\" SET \"{}\" = ?", table, column));
      update.bind(1, std::string(line.substr(equals + 1)));
      update.exec();
    } catch (const SQLite::Exception&) {
      continue;
    }
  }
}

}  // namespace

// claims/*.toml
void read_fuzzed_claims(std::string_view text) {
  const auto claims = report::claims::parse_claims(text, "mine.toml");
  if (!claims) return check_refusal(claims.error(), {Step::spec});
  const auto named = [](const std::string& name) {
    return std::optional<double>(static_cast<double>(name.size()));
  };
  for (const report::claims::Claim& claim : *claims) {
    (void)claim.bound.value(named);
    (void)claim.when.value(named);
  }
}

// The file of `phasebit sass gate`.
void read_fuzzed_gate_rules(std::string_view text) {
  const auto rules = gate::parse_expectations(text, "mine.toml");
  if (!rules) check_refusal(rules.error(), {Step::spec, Step::usage});
}

// CSV: what is read is written, and written again as the same text.
void read_fuzzed_results(std::string_view bytes) {
  const auto results = results::read_flat("a.csv", bytes, results::no_samples);
  if (!results) {
    check_refusal(results.error(), {Step::store, Step::io});
    if (!results.error().message.starts_with("a.csv")) bug("an error without the file's name");
    return;
  }
  const std::string text = results::to_csv(*results);
  const auto again = results::read_flat("a.csv", text, results::no_samples);
  if (!again) bug(again.error().text());
  if (again->points.size() != results->points.size()) bug("rows are lost");
  if (results::to_csv(*again) != text) bug("written again it is another text");
}

// An SQLite file; or lines "TABLE.COLUMN=VALUE", each of which changes a store of three points.
void read_fuzzed_store(std::string_view bytes) {
  static const base::TempDir folder = std::move(base::TempDir::create().value());
  static const std::string small = small_store(folder.path() / "small.db");
  const fs::path path = folder.path() / "a.db";
  const bool is_file = bytes.starts_with("SQLite");
  if (const Status done = base::write_file(path, is_file ? bytes : small); !done)
    bug(done.error().text());
  if (!is_file) change_store(path, bytes);
  const auto opened = results::Store::open(path);
  if (!opened) return check_refusal(opened.error(), {Step::store, Step::io});
  const auto results = opened->results();
  if (!results) return check_refusal(results.error(), {Step::store, Step::io});
  (void)results::to_csv(*results);
}

// A query of the reports with its head.
void read_fuzzed_table(std::string_view text) {
  const auto table = report::sql::parse_table(text, "mine.sql");
  if (!table) return check_refusal(table.error(), {Step::spec});
  (void)table->argument_words();
}

void read_fuzzed_toml(std::string_view text) {
  const auto toml = base::parse_toml(text, "mine.toml");
  if (!toml) {
    check_refusal(toml.error(), {Step::spec});
    if (!toml.error().message.starts_with("mine.toml:")) bug("an error without its place");
    return;
  }
  (void)base::to_json(*toml).dump();
}

}  // namespace phasebit::test
