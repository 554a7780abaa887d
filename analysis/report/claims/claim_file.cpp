#include "analysis/report/claims/claim.h"
#include "analysis/report/claims/sentence.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace phasebit::report::claims {

using base::TomlReader;
using base::TomlValue;

namespace {

constexpr std::array<std::pair<std::string_view, Relation>, 5> relations = {
    {{"less", Relation::less},
     {"at_most", Relation::at_most},
     {"within", Relation::within},
     {"at_least", Relation::at_least},
     {"greater", Relation::greater}}};

const std::vector<std::string> keys = {
    "name",    "says",           "kind",    "control",     "cause",     "limit",
    "lacks",   "unpaired",       "needs",   "figure",      "where",     "question",
    "against", "against_as",     "a",       "b",           "free",      "equal",
    "when",    "accepts",        "devices", "ptxas",       "relation",  "bound",
    "within",  "within_percent", "shows",   "least_share", "most_share"};

// The axes that say who made a kernel.
constexpr std::array<std::string_view, 3> origins = {"llvm", "nvcc", "library"};

// A number with or without a fraction: TOML's own fractions are written as texts.
std::optional<double> number(TomlReader& reader, const std::string& key) {
  const TomlValue* value = reader.find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == TomlValue::Kind::number) return static_cast<double>(value->number);
  const auto found = base::number_in(value->text);
  if (!found || !std::isfinite(*found))
    reader.refuse(key, "must be a number", "a fraction in quotes: \"0.5\"");
  return found;
}

Relation relation_of(TomlReader& reader) {
  const std::string word = reader.text("relation");
  std::vector<std::string> words;
  for (const auto& [name, relation] : relations) {
    if (name == word) return relation;
    words.emplace_back(name);
  }
  reader.refuse("relation", fmt::format("no relation '{}'", word),
                base::nearest_word_hint(word, words));
  return Relation::less;
}

ClaimKind kind_of(TomlReader& reader) {
  const std::string word = reader.text("kind");
  if (word == "cause") return ClaimKind::cause;
  if (word != "observation" && !word.empty())
    reader.refuse("kind", fmt::format("no kind '{}'", word),
                  base::nearest_word_hint(word, {"observation", "cause"}));
  return ClaimKind::observation;
}

// A cause needs the experiment that removes it.
void read_cause(TomlReader& reader, Claim& claim) {
  claim.kind = kind_of(reader);
  claim.control = reader.text_or("control", "");
  claim.cause = reader.text_or("cause", "");
  if (claim.kind == ClaimKind::observation && !claim.control.empty())
    reader.refuse("control", "an observation has no control", "kind = \"cause\"");
  if (claim.kind == ClaimKind::cause && claim.control.empty())
    reader.refuse({}, "lacks 'control'",
                  "a cause needs the claim whose two sides differ in it alone");
  if (!claim.control.empty() && claim.control == claim.name)
    reader.refuse("control", "a claim is not its own control");
}

// Words that bound a claim are in its sentence, or nobody reads them.
std::string words_in_sentence(TomlReader& reader, const Claim& claim, const std::string& key) {
  const std::string words = reader.text_or(key, "");
  if (!words.empty() && claim.says.find(words) == std::string::npos)
    reader.refuse(key, fmt::format("'{}' is not in the sentence", words),
                  "copy the words of 'says' that name it");
  return words;
}

// limit = "WORDS", or { AXIS = "WORDS" } for each of several.
std::vector<ClaimLimit> limits_of(TomlReader& reader, const Claim& claim) {
  const TomlValue* value = reader.find("limit");
  if (value == nullptr) return {};
  if (value->kind != TomlValue::Kind::table)
    return {{"", words_in_sentence(reader, claim, "limit")}};
  std::vector<std::string> known = {"when", "flags", "loop", "unroll"};
  for (const AxisTest& test : claim.where.tests()) known.push_back(test.axis.text());
  TomlReader table(reader.file(), *value, "limit", known, reader.status());
  std::vector<ClaimLimit> limits;
  for (const std::string& key : value->keys)
    limits.push_back({key, words_in_sentence(table, claim, key)});
  return limits;
}

bool compares_origins(const Claim& claim) {
  return claim.pairs && std::any_of(origins.begin(), origins.end(), [&](std::string_view axis) {
           const std::string name(axis);
           return claim.a.tests_of(name) != claim.b.tests_of(name);
         });
}

// Both sides have the same options, or the sentence says what one lacks.
void check_options(TomlReader& reader, const Claim& claim) {
  if (!compares_origins(claim) || !claim.lacks.empty()) return;
  std::vector<std::string> missing;
  for (const std::string& option : options_of_origins())
    if (!base::contains(claim.equal, option)) missing.push_back(option);
  if (missing.empty()) return;
  reader.refuse(
      {}, fmt::format("compares origins and does not hold equal: {}", fmt::join(missing, ", ")),
      "list them in 'equal', or name what a side lacks in the sentence and in 'lacks'");
}

// An axis that both sides name is free, so each of its values would be compared with all of them.
void check_lists(TomlReader& reader, const Claim& claim) {
  for (const AxisTest& test : claim.a.tests())
    if (test.any_of.size() > 1 && claim.b.tests_of(test.axis.text()) == test.any_of)
      reader.refuse("b",
                    fmt::format("names the values of {} that 'a' names: each is compared with all",
                                test.axis.text()),
                    "put them into 'where'");
}

AgainstAs against_of(TomlReader& reader) {
  const std::string word = reader.text_or("against_as", "percent");
  if (word != "percent" && word != "difference")
    reader.refuse("against_as", fmt::format("no '{}'", word),
                  base::nearest_word_hint(word, {"percent", "difference"}));
  return word == "difference" ? AgainstAs::difference : AgainstAs::percent;
}

Selection selection_of(TomlReader& reader, const std::string& key) {
  const TomlValue* table = reader.table(key);
  return table == nullptr ? Selection() : read_selection(*table, reader.file(), reader.status());
}

std::vector<ClaimShow> shows_of(TomlReader& reader) {
  std::vector<ClaimShow> shows;
  const TomlValue* table = reader.table("shows");
  if (table == nullptr) return shows;
  for (const std::string& name : table->keys) {
    TomlReader one(reader.file(), *table->find(name), name, {"of", "where"}, reader.status());
    shows.push_back({name, one.text("of"), selection_of(one, "where")});
  }
  return shows;
}

// Without a name it is one number for all rows.
void check_bound(TomlReader& reader, const Claim& claim) {
  if (!claim.bound.names().empty()) return;
  const auto bound = claim.bound.value([](const std::string&) { return std::optional<double>(); });
  if (!bound) return reader.refuse("bound", "must be a number");
  if (*bound < 0 && claim.figure == Claim().figure && claim.against.tests().empty())
    reader.refuse("bound", fmt::format("{} is below 0: every figure is above", *bound));
}

void read_bound(TomlReader& reader, Claim& claim) {
  const std::string text = reader.text_or("bound", claim.pairs ? "b" : "");
  if (text.empty()) {
    reader.refuse({}, "lacks 'bound'", "a claim without 'b' compares with a formula over axes");
    return;
  }
  auto formula = Formula::parse(text);
  if (!formula)
    reader.refuse("bound", formula.error());
  else if (!claim.pairs && base::contains(formula->names(), "b"))
    reader.refuse("bound", "there is no 'b' to compare with", "write b = { AXIS = VALUE }");
  else
    claim.bound = std::move(*formula);
  if (formula) check_bound(reader, claim);
}

void read_when(TomlReader& reader, Claim& claim) {
  if (!reader.has("when")) return;
  auto formula = Formula::parse(reader.text("when"));
  if (formula)
    claim.when = std::move(*formula);
  else
    reader.refuse("when", formula.error());
}

void check_allowed(TomlReader& reader, const std::string& key, double allowed) {
  if (allowed < 0) reader.refuse(key, "must be 0 or more");
}

// A share that every claim has claims nothing.
void check_shares(TomlReader& reader, const Claim& claim) {
  for (const auto& [key, share] :
       {std::pair("least_share", claim.least_share), std::pair("most_share", claim.most_share)})
    if (share && !(*share >= 0 && *share <= 1)) reader.refuse(key, "is a share of 1");
  if (claim.least_share == 0.0)
    reader.refuse("least_share", "every claim has a share of 0 or more");
  if (claim.most_share == 1.0) reader.refuse("most_share", "every claim has a share of 1 or less");
  if (claim.least_share && claim.most_share && *claim.least_share > *claim.most_share)
    reader.refuse("least_share", "is above most_share");
}

Claim read_claim(const TomlValue& table, const std::string& file, Status& status) {
  TomlReader reader(file, table, "claim", keys, status);
  Claim claim;
  claim.file = file;
  claim.line = table.line;
  claim.name = reader.text("name");
  claim.says = reader.text("says");
  claim.needs = reader.text_or("needs", "");
  claim.figure = reader.text_or("figure", claim.figure);
  claim.where = selection_of(reader, "where");
  claim.question = selection_of(reader, "question");
  claim.against = selection_of(reader, "against");
  claim.against_as = against_of(reader);
  claim.a = selection_of(reader, "a");
  claim.b = selection_of(reader, "b");
  claim.pairs = reader.has("b");
  claim.free = reader.words("free");
  claim.equal = reader.words("equal");
  claim.accepts = reader.words("accepts");
  claim.devices = reader.words("devices");
  claim.ptxas = reader.text_or("ptxas", "");
  claim.relation = relation_of(reader);
  read_when(reader, claim);
  read_bound(reader, claim);
  claim.within = number(reader, "within").value_or(0);
  claim.within_percent = number(reader, "within_percent").value_or(0);
  check_allowed(reader, "within", claim.within);
  check_allowed(reader, "within_percent", claim.within_percent);
  claim.least_share = number(reader, "least_share");
  claim.most_share = number(reader, "most_share");
  check_shares(reader, claim);
  claim.shows = shows_of(reader);
  read_cause(reader, claim);
  claim.limits = limits_of(reader, claim);
  claim.lacks = words_in_sentence(reader, claim, "lacks");
  claim.unpaired = reader.text_or("unpaired", "");
  check_options(reader, claim);
  check_lists(reader, claim);
  if (claim.where.tests().empty()) reader.refuse("where", "a claim speaks of some rows");
  if (claim.question.tests().empty())
    reader.refuse({}, "lacks 'question'",
                  "the wider selection that a reader takes the sentence to speak of");
  if (auto asked = check_placeholders(claim); !asked) reader.refuse("says", asked.error());
  return claim;
}

}  // namespace

std::string_view to_string(Relation relation) {
  for (const auto& [name, value] : relations)
    if (value == relation) return name;
  bug("no such Relation");
}

const std::vector<std::string>& options_of_origins() {
  static const std::vector<std::string> options = {"num_stages", "addressing", "ahead",
                                                   "uniform_role", "payload_bytes"};
  return options;
}

bool Claim::speaks_of(const std::string& device) const {
  return devices.empty() || std::any_of(devices.begin(), devices.end(), [&](const auto& part) {
           return device.find(part) != std::string::npos;
         });
}

Result<std::vector<Claim>> parse_claims(std::string_view text, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(whole, base::parse_toml(text, file));
  Status status;
  TomlReader reader(file, whole, "", {"claim"}, status);
  std::vector<Claim> claims;
  for (const TomlValue* table : reader.tables("claim"))
    claims.push_back(read_claim(*table, file, status));
  PHASEBIT_TRY(status);
  return claims;
}

namespace {

Status controls_are_there(const std::vector<Claim>& claims, const std::set<std::string>& names) {
  for (const Claim& claim : claims)
    if (!claim.control.empty() && names.count(claim.control) == 0)
      return with_hint(
          fail(Step::spec, "{}:{}: control: no claim '{}'", claim.file, claim.line, claim.control),
          base::nearest_word_hint(claim.control, {names.begin(), names.end()}));
  return {};
}

}  // namespace

Result<std::vector<Claim>> read_claims(const fs::path& path) {
  std::vector<fs::path> files = {path};
  std::error_code none;
  if (fs::is_directory(path, none)) {
    files.clear();
    for (const auto& entry : fs::directory_iterator(path, none))
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
  }
  std::vector<Claim> all;
  std::set<std::string> names;
  for (const fs::path& file : files) {
    PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
    PHASEBIT_TRY_ASSIGN(claims, parse_claims(text, file.filename().string()));
    for (Claim& claim : claims) {
      if (!names.insert(claim.name).second)
        return fail(Step::spec, "{}:{}: there is a claim '{}' already", claim.file, claim.line,
                    claim.name);
      all.push_back(std::move(claim));
    }
  }
  PHASEBIT_TRY(controls_are_there(all, names));
  return all;
}

}  // namespace phasebit::report::claims
