#include "core/isa/opcodes.h"

#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/isa/targets.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include <fnmatch.h>

namespace phasebit::isa {

using base::TomlReader;
using base::TomlValue;

namespace {

constexpr std::string_view sass_toml =
#include "core/isa/sass_opcodes.toml.inc"
    ;
constexpr std::string_view ptx_toml =
#include "core/isa/ptx_opcodes.toml.inc"
    ;

// In the order of SassFact, of PtxFact and of SassResults.
const std::vector<std::string> sass_facts = {
    "arrives", "atomic", "branch",   "call",   "conditional", "constant",   "copy",   "diverged",
    "ends",    "fence",  "indirect", "joins",  "load",        "local",      "matrix", "meets",
    "memory",  "nop",    "paired",   "polled", "relative",    "scoreboard", "sized",  "sleep",
    "splits",  "store",  "tries",    "works",  "yield"};
const std::vector<std::string> ptx_facts = {"active",
                                            "aligned",
                                            "anywhere",
                                            "async",
                                            "atomic",
                                            "branch",
                                            "by_index",
                                            "call",
                                            "carries",
                                            "cluster_arrive",
                                            "cluster_wait",
                                            "compares",
                                            "effect",
                                            "exits",
                                            "init",
                                            "load",
                                            "loads",
                                            "local",
                                            "masks",
                                            "moves",
                                            "news",
                                            "no_result",
                                            "numbered_barrier",
                                            "parameter",
                                            "phase",
                                            "polled",
                                            "pure",
                                            "reduction",
                                            "registers",
                                            "returns",
                                            "shifts",
                                            "speaks",
                                            "state",
                                            "store",
                                            "takes",
                                            "tells",
                                            "traps",
                                            "unseen",
                                            "votes",
                                            "weak",
                                            "writes"};
const std::vector<std::string> result_words = {"first", "none", "compare", "sync", "carry", "vote"};

bool has_star(std::string_view name) {
  return name.find('*') != std::string_view::npos;
}

std::string_view first_word(std::string_view opcode) {
  return opcode.substr(0, opcode.find('.'));
}

bool fits_star(const std::string& name, const std::string& opcode) {
  if (!opcode.starts_with(std::string_view(name).substr(0, name.find('*')))) return false;
  if (name.find('.') == std::string::npos)
    return fnmatch(name.c_str(), std::string(first_word(opcode)).c_str(), 0) == 0;
  return fnmatch(name.c_str(), opcode.c_str(), 0) == 0 ||
         fnmatch((name + ".*").c_str(), opcode.c_str(), 0) == 0;
}

// Reads the rows of one file.
class TableReader {
 public:
  TableReader(const std::string& file, const TomlValue& toml, const std::vector<std::string>& facts)
      : facts_(facts),
        top_(file, toml, "the file", {"pipe", "synchronisation", "opcode"}, status_) {}

  Result<std::vector<OpcodeRow>> read_sass() {
    read_pipes();
    read_synchronisation();
    each_row(
        {"name", "names", "is", "pipe", "key", "does", "not", "results", "like", "varies", "sync"});
    return finished();
  }
  Result<std::vector<OpcodeRow>> read_ptx() {
    each_row({"name", "names", "does", "not"});
    for (const auto& [name, where] : seen_)
      if (!seen_.contains(first_word(name)))
        return fail(Step::spec, "{}: no row '{}' for '{}'", where, first_word(name), name);
    return finished();
  }

 private:
  Result<std::vector<OpcodeRow>> finished() {
    PHASEBIT_TRY(status_);
    return std::move(rows_);
  }

  TomlReader reader_of(const TomlValue* one, const char* name, std::vector<std::string> keys) {
    return {top_.file(), *one, name, std::move(keys), status_};
  }

  void read_pipes() {
    for (const TomlValue* one : top_.tables("pipe")) {
      TomlReader row = reader_of(one, "[[pipe]]", {"name", "sms"});
      OpcodeRow::Pipe pipe{row.text("name"), {}};
      for (const std::string& sm : row.words("sms")) pipe.sms.push_back(std::atoi(sm.c_str()));
      pipes_.push_back(std::move(pipe));
    }
  }

  void read_synchronisation() {
    const auto targets = TargetTable::load();
    const std::vector<std::string> known =
        targets ? targets->families() : std::vector<std::string>();
    for (const TomlValue* one : top_.tables("synchronisation")) {
      TomlReader row =
          reader_of(one, "[[synchronisation]]", {"name", "what", "families", "verbs", "per_block"});
      Synchronisation made{row.text("name"), row.text("what"), row.words("families"),
                           row.words("verbs"), static_cast<int>(row.number_or("per_block", 0))};
      for (const std::string& family : made.families)
        if (!base::contains(known, family))
          row.refuse("families", fmt::format("no SASS family '{}'", family),
                     base::nearest_word_hint(family, known));
      synchronisation_.push_back(std::move(made));
    }
  }

  void each_row(const std::vector<std::string>& keys) {
    for (const TomlValue* one : top_.tables("opcode")) {
      TomlReader row = reader_of(one, "[[opcode]]", keys);
      OpcodeRow made;
      made.names = row.has("names") ? row.words("names") : std::vector{row.text("name")};
      for (const std::string& name : made.names)
        if (!seen_.emplace(name, row.where()).second)
          row.refuse({}, fmt::format("'{}' has a row already", name));
      made.is = row.text_or("is", "");
      made.does = bits_of(row, "does"), made.does_not = bits_of(row, "not");
      if (base::contains(keys, "sync")) read_sass_columns(row, made);
      rows_.push_back(std::move(made));
    }
  }

  void read_sass_columns(TomlReader& row, OpcodeRow& made) {
    made.key = row.truth_or("key", false), made.varies = row.truth_or("varies", false);
    made.like = row.text_or("like", "");
    for (const std::string& name : some(row, "pipe")) take(row, "pipe", name, pipes_, made.pipes);
    for (const std::string& name : some(row, "sync"))
      take(row, "sync", name, synchronisation_, made.sync);
    if (!row.has("results")) return;
    const std::string word = row.text("results");
    const std::size_t number = number_of(row, "results", word, result_words);
    made.results = static_cast<SassResults>(number);
  }

  // A word or a list of them.
  static std::vector<std::string> some(TomlReader& row, const char* key) {
    const TomlValue* value = row.find(key);
    if (value != nullptr && value->kind == TomlValue::Kind::text) return {value->text};
    return row.words(key);
  }

  template <class Named>
  static void take(TomlReader& row, const char* key, const std::string& name,
                   const std::vector<Named>& from, std::vector<Named>& into) {
    std::vector<std::string> names;
    for (const Named& one : from) names.push_back(one.name);
    const std::size_t number = number_of(row, key, name, names);
    if (number < from.size()) into.push_back(from[number]);
  }

  static std::size_t number_of(TomlReader& row, const char* key, const std::string& word,
                               const std::vector<std::string>& words) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end())
      row.refuse(key, fmt::format("no '{}'", word), base::nearest_word_hint(word, words));
    return static_cast<std::size_t>(found - words.begin());
  }

  std::uint64_t bits_of(TomlReader& row, const char* key) {
    std::uint64_t bits = 0;
    for (const std::string& word : row.words(key))
      bits |= std::uint64_t{1} << (number_of(row, key, word, facts_) & 63U);
    return bits;
  }

  const std::vector<std::string>& facts_;
  Status status_;
  TomlReader top_;
  std::vector<OpcodeRow::Pipe> pipes_;
  std::vector<Synchronisation> synchronisation_;
  std::map<std::string, std::string, std::less<>> seen_;  // names, and where
  std::vector<OpcodeRow> rows_;
};

const OpcodeTable& checked(const Result<OpcodeTable>& table) {
  if (!table) bug(table.error().text());  // it is part of the program
  return *table;
}

bool fits(const std::vector<std::string>& words, const std::string& word) {
  return words.empty() || base::contains(words, word);
}

using Rows = std::vector<const OpcodeRow*>;

std::uint64_t bits_of(const Rows& rows) {
  std::uint64_t does = 0, does_not = 0;
  for (const OpcodeRow* row : rows) does |= row->does, does_not |= row->does_not;
  return does & ~does_not;
}

void fill(const Rows& rows, PtxOpcode& made) {
  made.facts = OpcodeFacts<PtxFact>(bits_of(rows));
  made.known = !rows.empty();
}

void fill(const Rows& rows, SassOpcode& made) {
  made.facts = OpcodeFacts<SassFact>(bits_of(rows));
  std::optional<SassResults> results;
  for (const OpcodeRow* row : rows) {
    if (made.is.empty()) made.is = row->is;
    if (made.like.empty()) made.like = row->like;
    if (made.pipes.empty()) made.pipes = row->pipes;
    if (!results) results = row->results;
    made.key = made.key || row->key, made.varies = made.varies || row->varies;
    made.sync.insert(made.sync.end(), row->sync.begin(), row->sync.end());
  }
  made.results = results.value_or(SassResults::first);
}

// What opcodes of the same rows share, made once a process and never moved.
template <class Opcode>
class Made {
 public:
  explicit Made(const OpcodeTable& table) : table_(table) {}
  const Opcode* of(std::string_view opcode) {
    Rows rows;
    for (const std::size_t row : table_.fitting(opcode)) rows.push_back(&table_.rows()[row]);
    const std::lock_guard lock(mutex_);
    const auto [found, fresh] = made_.try_emplace(rows);
    if (fresh) fill(rows, found->second);
    return &found->second;
  }

 private:
  const OpcodeTable& table_;
  std::mutex mutex_;
  std::map<Rows, Opcode> made_;
};

struct Hash : std::hash<std::string_view> {
  using is_transparent = void;
};
template <class Opcode>
using Remembered = std::unordered_map<std::string, const Opcode*, Hash, std::equal_to<>>;

template <class Opcode>
const Opcode& remembered(std::string_view opcode, Remembered<Opcode>& known, Made<Opcode>& made) {
  constexpr std::size_t most = 1U << 14;  // texts of others may have any number
  if (const auto found = known.find(opcode); found != known.end()) return *found->second;
  if (known.size() >= most) known.clear();
  return *known.emplace(opcode, made.of(opcode)).first->second;
}

}  // namespace

const std::string& SassOpcode::pipe(int sm) const {
  static const std::string other = "other";
  for (const OpcodeRow::Pipe& one : pipes)
    if (one.sms.empty() || std::find(one.sms.begin(), one.sms.end(), sm) != one.sms.end())
      return one.name;
  return other;
}

const Synchronisation* SassOpcode::synchronisation(const std::string& family,
                                                   const std::string& verb) const {
  const auto found = std::find_if(sync.begin(), sync.end(), [&](const Synchronisation& one) {
    return fits(one.families, family) && fits(one.verbs, verb);
  });
  return found == sync.end() ? nullptr : &*found;
}

OpcodeTable::OpcodeTable(std::vector<OpcodeRow> rows) : rows_(std::move(rows)) {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (const std::string& name : rows_[i].names)
      if (has_star(name))
        stars_.emplace_back(name, i);
      else
        by_name_.emplace(name, i);
  std::stable_sort(stars_.begin(), stars_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

Result<OpcodeTable> OpcodeTable::read_sass(std::string_view text, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(toml, base::parse_toml(text, file));
  PHASEBIT_TRY_ASSIGN(rows, TableReader(file, toml, sass_facts).read_sass());
  return OpcodeTable(std::move(rows));
}

Result<OpcodeTable> OpcodeTable::read_ptx(std::string_view text, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(toml, base::parse_toml(text, file));
  PHASEBIT_TRY_ASSIGN(rows, TableReader(file, toml, ptx_facts).read_ptx());
  return OpcodeTable(std::move(rows));
}

const OpcodeTable& OpcodeTable::sass() {
  static const auto table = read_sass(sass_toml, "core/isa/sass_opcodes.toml");
  return checked(table);
}

const OpcodeTable& OpcodeTable::ptx() {
  static const auto table = read_ptx(ptx_toml, "core/isa/ptx_opcodes.toml");
  return checked(table);
}

std::vector<std::size_t> OpcodeTable::fitting(std::string_view opcode) const {
  std::vector<std::size_t> rows;
  const auto add = [&](std::size_t row) {
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  };
  for (std::string_view name = opcode; !name.empty();) {
    if (const auto found = by_name_.find(name); found != by_name_.end()) add(found->second);
    const std::size_t end = name.find_last_of(".:");
    name = name.substr(0, end == std::string_view::npos ? 0 : end);
  }
  const std::string whole(opcode);
  for (const auto& [name, row] : stars_)
    if (fits_star(name, whole)) add(row);
  return rows;
}

const SassOpcode& sass_opcode(std::string_view opcode) {
  static Made<SassOpcode> made(OpcodeTable::sass());
  thread_local Remembered<SassOpcode> known;
  return remembered(opcode, known, made);
}

const PtxOpcode& ptx_opcode(std::string_view opcode) {
  static Made<PtxOpcode> made(OpcodeTable::ptx());
  thread_local Remembered<PtxOpcode> known;
  return remembered(opcode, known, made);
}

}  // namespace phasebit::isa
