#include "analysis/gate/expectation_file.h"

#include "core/base/text.h"
#include "core/base/toml_table.h"

#include <algorithm>
#include <set>

namespace phasebit::gate {

namespace {

const std::vector<std::string> selecting = {"name",    "variants", "kernels",
                                            "targets", "family",   "ptxas"};
const std::vector<std::string> limits = {"max_registers",    "max_live_registers",
                                         "max_spill_bytes",  "max_issue_cycles",
                                         "max_instructions", "min_warps"};

// Whether an opcode may fit: operations are upper case, and the lower case of modifiers is that of
// shapes in tensor memory ("LDTM.16dp32bit_t0_t15.x2").
bool fits_an_opcode(std::string_view pattern) {
  static const std::set<std::string_view> known = {"x", "dp", "bit", "t"};
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  if (pattern.empty() || pattern.find_first_of(" \t\n\r") != std::string_view::npos) return false;
  if (pattern.substr(0, pattern.find_first_of(".*?[")).find_first_of(letters) !=
      std::string_view::npos)
    return false;
  for (std::size_t at = pattern.find_first_of(letters); at != std::string_view::npos;) {
    const std::size_t end = std::min(pattern.find_first_not_of(letters, at), pattern.size());
    if (!known.contains(pattern.substr(at, end - at))) return false;
    at = pattern.find_first_of(letters, end);
  }
  return true;
}

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Result<ExpectationFile> read(const toml::table& file) {
    ExpectationFile result;
    PHASEBIT_TRY(check_keys(file, {"spec", "sweep", "targets", "files", "rule", "same", "differ"}));
    result.spec = file["spec"].value_or("");
    result.sweep = file["sweep"].value_or("");
    PHASEBIT_TRY(words(file, "targets", result.targets));
    PHASEBIT_TRY(words(file, "files", result.files));
    for (const auto& [word, kind] :
         {std::pair("rule", ExpectationKind::rule), std::pair("same", ExpectationKind::same),
          std::pair("differ", ExpectationKind::differ)})
      PHASEBIT_TRY(read_all(file, word, kind, result.expectations));
    if (result.expectations.empty())
      return fail(Step::spec, "{}: no [[rule]], [[same]] or [[differ]]", name_);
    return result;
  }

 private:
  std::string place(const toml::node& node) const {
    return fmt::format("{}:{}", name_, node.source().begin.line);
  }

  Status check_keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, value] : table)
      if (std::find(known.begin(), known.end(), key.str()) == known.end())
        return with_hint(fail(Step::spec, "{}: no key '{}'", place(value), key.str()),
                         base::nearest_word_hint(key.str(), known));
    return {};
  }

  // A word or a list of them.
  Status words(const toml::table& table, const char* key, std::vector<std::string>& into) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    if (const auto one = node->value<std::string>()) return into.push_back(*one), Status{};
    const toml::array* list = node->as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const auto word = list->get(i)->value<std::string>();
      if (!word) return fail(Step::spec, "{}: {} is a list of words", place(*node), key);
      into.push_back(*word);
    }
    if (list == nullptr || list->empty())
      return fail(Step::spec, "{}: {} is a word or a list of words", place(*node), key);
    return {};
  }

  Status read_all(const toml::table& file, const char* word, ExpectationKind kind,
                  std::vector<Expectation>& into) const {
    const toml::node* node = file.get(word);
    if (node == nullptr) return {};
    const toml::array* list = node->as_array();
    if (list == nullptr) return fail(Step::spec, "{}: write [[{}]]", place(*node), word);
    for (const toml::node& one : *list) {
      const toml::table* table = one.as_table();
      if (table == nullptr) return fail(Step::spec, "{}: write [[{}]]", place(one), word);
      PHASEBIT_TRY_ASSIGN(expectation, read_one(*table, kind));
      into.push_back(std::move(expectation));
    }
    return {};
  }

  Result<Expectation> read_one(const toml::table& table, ExpectationKind kind) const {
    Expectation one;
    one.kind = kind;
    one.place = place(table);
    std::vector<std::string> known = selecting;
    if (kind == ExpectationKind::rule) {
      known.insert(known.end(), {"where", "where_present", "must", "must_not", "count",
                                 "exhaustive", "threads", "dynamic_shared_bytes"});
      known.insert(known.end(), limits.begin(), limits.end());
    }
    PHASEBIT_TRY(check_keys(table, known));
    one.name = table["name"].value_or("");
    if (one.name.empty())
      return fail(Step::spec, "{}: a name is missing: what is expected, in words", one.place);
    PHASEBIT_TRY(words(table, "variants", one.variants));
    PHASEBIT_TRY(words(table, "kernels", one.kernels));
    PHASEBIT_TRY(words(table, "targets", one.targets));
    PHASEBIT_TRY(words(table, "family", one.families));
    one.ptxas = table["ptxas"].value_or("");
    if (const auto range = isa::version_in_range(isa::Version{{1}}, one.ptxas); !range)
      return fail(Step::spec, "{}: ptxas: {}", one.place, range.error().message);
    PHASEBIT_TRY(read_where(table, one));
    PHASEBIT_TRY(read_opcodes(table, one));
    PHASEBIT_TRY_ASSIGN(exhaustive, truth(table, "exhaustive"));
    one.exhaustive = exhaustive;
    PHASEBIT_TRY(read_limits(table, one));
    PHASEBIT_TRY(read_launch(table, one));
    if (kind == ExpectationKind::rule && one.opcodes.empty() && one.limits.empty() &&
        !one.exhaustive)
      return fail(Step::spec, "{}: '{}' expects nothing", one.place, one.name);
    return one;
  }

  // One that fits no opcode would be found never, and hold always where it must not be there.
  Status check_pattern(const toml::node& node, const char* key, std::string_view pattern) const {
    if (fits_an_opcode(pattern)) return {};
    return with_hint(fail(Step::spec, "{}: {}: '{}' fits no opcode", place(node), key, pattern),
                     "opcodes are upper case and without blanks: \"BAR.SYNC*\"");
  }

  Status read_opcodes(const toml::table& table, Expectation& one) const {
    for (const auto& [key, range] : {std::pair("must", isa::CountRange{1, INT_MAX}),
                                     std::pair("must_not", isa::CountRange{0})}) {
      std::vector<std::string> patterns;
      PHASEBIT_TRY(words(table, key, patterns));
      for (const std::string& pattern : patterns) {
        PHASEBIT_TRY(check_pattern(*table.get(key), key, pattern));
        one.opcodes.push_back({pattern, range});
      }
    }
    const toml::node* node = table.get("count");
    if (node == nullptr) return {};
    const toml::table* counts = node->as_table();
    if (counts == nullptr)
      return fail(Step::spec, "{}: count is a table: {{ \"SYNCS.ARRIVE*\" = 1 }}", place(*node));
    for (const auto& [pattern, value] : *counts) {
      PHASEBIT_TRY(check_pattern(value, "count", pattern.str()));
      const auto range = value.is_integer() ? isa::parse_count(std::to_string(value.value_or(-1)))
                                            : isa::parse_count(value.value_or(std::string()));
      if (!range)
        return fail(Step::spec, "{}: the count of {} is a number, or \"1..2\", \"2..\"",
                    place(value), pattern.str());
      one.opcodes.push_back({std::string(pattern.str()), *range});
    }
    return {};
  }

  Result<bool> truth(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node != nullptr && !node->is_boolean())
      return fail(Step::spec, "{}: {} is true or false", place(*node), key);
    return node != nullptr && node->value_or(false);
  }

  // All of a kernel is always there.
  Status read_where(const toml::table& table, Expectation& one) const {
    PHASEBIT_TRY_ASSIGN(present, truth(table, "where_present"));
    one.where_present = present;
    const toml::node* node = table.get("where");
    if (present && (node == nullptr || node->value_or(std::string()) == "kernel"))
      return with_hint(fail(Step::spec, "{}: where_present without a `where` that may be missing",
                            place(*table.get("where_present"))),
                       "where = \"loop with HGMMA*\", a line, a role or a verb");
    if (node == nullptr) return {};
    const auto text = node->value<std::string>();
    if (!text) return fail(Step::spec, "{}: where is a word", place(*node));
    auto where = parse_where(*text);
    if (!where)
      return with_hint(fail(Step::spec, "{}: {}", place(*node), where.error().message),
                       where.error().hint);
    one.where = std::move(*where);
    return {};
  }

  // A number that is 0 or more.
  Result<int> number(const toml::node& node, std::string_view key) const {
    if (!node.is_integer() || node.value_or(-1) < 0)
      return fail(Step::spec, "{}: {} is a number", place(node), key);
    return node.value_or(0);
  }

  // A launch matters to the occupancy alone.
  Status read_launch(const toml::table& table, Expectation& one) const {
    for (const auto& [key, into] :
         {std::pair("threads", &one.launch.threads),
          std::pair("dynamic_shared_bytes", &one.launch.dynamic_shared_bytes)}) {
      const toml::node* node = table.get(key);
      if (node == nullptr) continue;
      if (one.limits.count("min_warps") == 0)
        return with_hint(fail(Step::spec, "{}: {} without min_warps", place(*node), key),
                         "it says how the kernel is launched, for its occupancy");
      PHASEBIT_TRY_ASSIGN(value, number(*node, key));
      *into = value;
    }
    return {};
  }

  Status read_limits(const toml::table& table, Expectation& one) const {
    for (const std::string& key : limits) {
      const toml::node* node = table.get(key);
      if (node == nullptr) continue;
      PHASEBIT_TRY_ASSIGN(value, number(*node, key));
      one.limits[key] = value;
    }
    return {};
  }

  const std::string& name_;
};

}  // namespace

Result<ExpectationFile> parse_expectations(std::string_view text, const std::string& name) {
  PHASEBIT_TRY_ASSIGN(file, base::parse_toml_table(text, name));
  return Reader(name).read(file);
}

}  // namespace phasebit::gate
