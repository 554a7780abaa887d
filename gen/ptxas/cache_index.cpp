#include "gen/ptxas/cache_index.h"

#include <unordered_map>

#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace phasebit::ptxas {

using image::Resources;

namespace {

constexpr int patience_ms = 20000;  // for another process that writes

constexpr const char* schema = R"(
CREATE TABLE configuration(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE module(hash TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE outcome(
  configuration INTEGER NOT NULL, kernel TEXT NOT NULL, refused INTEGER NOT NULL,
  module TEXT NOT NULL, entry TEXT NOT NULL, text_hash TEXT NOT NULL, registers INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL, stack_bytes INTEGER NOT NULL,
  spill_store_bytes INTEGER NOT NULL, spill_load_bytes INTEGER NOT NULL,
  barriers INTEGER NOT NULL, messages TEXT NOT NULL,
  PRIMARY KEY(configuration, kernel)) WITHOUT ROWID;
)";

std::string messages_to_text(const std::vector<StatementMessage>& messages) {
  if (messages.empty()) return {};
  nlohmann::json list = nlohmann::json::array();
  for (const StatementMessage& message : messages)
    list.push_back(nlohmann::json::array({message.statement, message.text}));
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<StatementMessage> messages_from_text(const std::string& text) {
  std::vector<StatementMessage> messages;
  if (text.empty()) return messages;
  for (const auto& pair : nlohmann::json::parse(text))
    messages.push_back({pair.at(0).get<int>(), pair.at(1).get<std::string>()});
  return messages;
}

// Column order of the outcome's figures, in the table and in queries.
constexpr int Resources::* figures[] = {
    &Resources::registers,         &Resources::static_shared_bytes, &Resources::stack_bytes,
    &Resources::spill_store_bytes, &Resources::spill_load_bytes,    &Resources::barriers};

Outcome outcome_of(const SQLite::Statement& row) {
  Outcome outcome;
  outcome.refused = row.getColumn(0).getInt() != 0;
  outcome.module = row.getColumn(1).getString();
  outcome.entry = row.getColumn(2).getString();
  outcome.text_hash = row.getColumn(3).getString();
  int column = 4;
  for (const auto figure : figures) outcome.resources.*figure = row.getColumn(column++).getInt();
  outcome.messages = messages_from_text(row.getColumn(column).getString());
  return outcome;
}

}  // namespace

// A rollback journal, not a write-ahead log, because home folders of clusters are network file
// systems.
CacheIndex::CacheIndex(const fs::path& file)
    : database_(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, patience_ms) {
  database_.exec("PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL;");
  SQLite::Transaction once(database_, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = database_.execAndGet("PRAGMA user_version").getInt();
  const int tables = database_.execAndGet("SELECT count(*) FROM sqlite_master").getInt();
  if (version == 0 && tables == 0) {
    database_.exec(schema);
    database_.exec(fmt::format("PRAGMA user_version={}", cache_schema_version));
  } else if (version != cache_schema_version) {
    throw SQLite::Exception(fmt::format("its schema is {}, not {}", version, cache_schema_version),
                            SQLITE_NOTADB);
  } else if (const std::string check = database_.execAndGet("PRAGMA quick_check(1)").getString();
             check != "ok") {
    throw SQLite::Exception(check, SQLITE_CORRUPT);
  }
  once.commit();
}

int CacheIndex::configuration_id(const std::string& name) {
  SQLite::Statement query(database_, "SELECT id FROM configuration WHERE name=?");
  query.bind(1, name);
  return query.executeStep() ? query.getColumn(0).getInt() : -1;
}

std::vector<std::optional<Outcome>> CacheIndex::find(const std::string& configuration,
                                                     const std::vector<std::string>& kernel_hashes,
                                                     const ModuleCheck& module_ok) {
  std::vector<std::optional<Outcome>> found(kernel_hashes.size());
  const SQLite::Transaction one_view(database_);
  const int id = configuration_id(configuration);
  if (id < 0) return found;
  std::unordered_map<std::string, bool> modules;
  SQLite::Statement module(database_, "SELECT bytes FROM module WHERE hash=?");
  const auto usable = [&](const std::string& hash) {
    const auto [entry, is_new] = modules.emplace(hash, false);
    if (!is_new) return entry->second;
    module.reset();
    module.bind(1, hash);
    return entry->second = module.executeStep() && module_ok(hash, module.getColumn(0).getInt64());
  };
  SQLite::Statement query(database_,
                          "SELECT refused,module,entry,text_hash,registers,static_shared_bytes,"
                          "stack_bytes,spill_store_bytes,spill_load_bytes,barriers,messages "
                          "FROM outcome WHERE configuration=? AND kernel=?");
  for (size_t n = 0; n < kernel_hashes.size(); ++n) {
    query.reset();
    query.bind(1, id);
    query.bindNoCopy(2, kernel_hashes[n]);
    if (!query.executeStep()) continue;
    Outcome outcome = outcome_of(query);
    if (outcome.refused || usable(outcome.module)) found[n] = std::move(outcome);
  }
  return found;
}

void CacheIndex::add(const std::string& configuration,
                     const std::vector<std::pair<std::string, Outcome>>& outcomes,
                     const std::map<std::string, std::string>& modules) {
  SQLite::Transaction all(database_, SQLite::TransactionBehavior::IMMEDIATE);
  SQLite::Statement name(database_, "INSERT OR IGNORE INTO configuration(name) VALUES(?)");
  name.bind(1, configuration);
  name.exec();
  const int id = configuration_id(configuration);
  SQLite::Statement module(database_, "INSERT OR REPLACE INTO module VALUES(?,?)");
  for (const auto& [hash, code] : modules) {
    module.reset();
    module.bind(1, hash);
    module.bind(2, static_cast<std::int64_t>(code.size()));
    module.exec();
  }
  SQLite::Statement row(database_,
                        "INSERT OR REPLACE INTO outcome VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const auto& [kernel, outcome] : outcomes) {
    row.reset();
    row.bind(1, id);
    row.bind(2, kernel);
    row.bind(3, outcome.refused ? 1 : 0);
    row.bind(4, outcome.module);
    row.bind(5, outcome.entry);
    row.bind(6, outcome.text_hash);
    int column = 7;
    for (const auto figure : figures) row.bind(column++, outcome.resources.*figure);
    row.bind(column, messages_to_text(outcome.messages));
    row.exec();
  }
  all.commit();
}

}  // namespace phasebit::ptxas
