#include "gen/space/reader.h"

#include "core/base/fields_toml.h"
#include "core/base/text.h"
#include "core/isa/targets.h"
#include "core/launch/stores/store.h"
#include "core/launch/tensor/map.h"
#include "gen/forms/form.h"
#include "gen/ptxas/toolchain.h"
#include "gen/space/fact_table.h"
#include "gen/space/template_set.h"

#include <algorithm>
#include <optional>

namespace phasebit::space {

using base::TomlReader;
using base::TomlValue;

namespace {

// A name that an expression and `name=value` in an id can hold.
bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

// A word that an id can hold.
bool is_word(std::string_view word) {
  return !word.empty() && word.find_first_of("/=,: \t\n'\"{}") == std::string_view::npos;
}

}  // namespace

Result<Catalogue> Catalogue::load(const fs::path& templates) {
  return CatalogueReader(templates).read();
}

Result<Catalogue> CatalogueReader::read() {
  PHASEBIT_TRY_ASSIGN(targets, isa::TargetTable::load());
  families_ = targets.families();
  alike_ = targets.alike();
  PHASEBIT_TRY(read_files());
  for (const Source& source : sources_) read_axes(source);
  name_derived(sources_.front());
  for (const Source& source : sources_) explain_names(source);
  for (const Source& source : sources_) read_uses(source);
  for (const Source& source : sources_)
    if (status_) check_uses(source);
  if (status_) read_capabilities(sources_.front());
  if (status_)
    for (const Source& source : sources_) read_expressions(source);
  inherit_all();
  for (const Source& source : sources_) {
    if (status_) check_verbs(source);
    if (status_) check_files(source);
    if (status_) check_slot(source);
  }
  if (!status_) return tl::unexpected<Error>(status_.error());
  return std::move(catalogue_);
}

Status CatalogueReader::read_files() {
  const fs::path axes = templates_ / "axes.toml";
  PHASEBIT_TRY_ASSIGN(table, base::read_toml(axes));
  sources_.push_back({axes.string(), std::move(table), ComponentKind::probe, 0, true});
  for (const ComponentKind kind : component_kinds)
    catalogue_.vocabulary_.add_name(to_string(kind), ValueKind::word);
  for (const ComponentKind kind : component_axis_order) PHASEBIT_TRY(read_components(kind));
  return {};
}

Status CatalogueReader::read_components(ComponentKind kind) {
  const fs::path folder = templates_ / folder_of(kind);
  std::vector<std::string> names;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  if (failed) return fail(Step::spec, "cannot read {}: {}", folder.string(), failed.message());
  if (names.empty()) return fail(Step::spec, "{}: no {}", folder.string(), to_string(kind));
  std::sort(names.begin(), names.end());
  std::vector<Component>& components = catalogue_.components_[static_cast<size_t>(kind)];
  for (const std::string& name : names) {
    const fs::path own = folder / name, file = own / fmt::format("{}.toml", to_string(kind));
    if (!is_word(name)) return fail(Step::spec, "{}: not a name", own.string());
    if (fs::is_empty(own, failed)) {
      const std::string what =
          fmt::format("{} is empty: it lacks {}", own.string(), file.filename().string());
      catalogue_.vocabulary_.explain(fmt::format("{}/{}", to_string(kind), name),
                                     {Step::spec, what, what});
      continue;
    }
    if (!fs::exists(file, failed))
      return with_hint(fail(Step::spec, "{}: lacks {}", own.string(), file.filename().string()),
                       fmt::format("write it, or take the folder out of {}", folder.string()));
    PHASEBIT_TRY_ASSIGN(table, base::read_toml(file));
    Component component;
    component.name = name;
    component.word = catalogue_.vocabulary_.add_word(static_cast<int>(kind), name);
    sources_.push_back({file.string(), std::move(table), kind, components.size(), false});
    components.push_back(std::move(component));
  }
  return {};
}

Component& CatalogueReader::component_of(const Source& source) {
  if (source.is_common) return catalogue_.common_;
  return catalogue_.components_[static_cast<size_t>(source.kind)][source.index];
}

TomlReader CatalogueReader::top(const Source& source) {
  std::vector<std::string> keys = {"doc",  "axis",  "rule",  "needs",
                                   "gate", "words", "flags", "numbers"};
  const auto add = [&](std::initializer_list<const char*> more) {
    keys.insert(keys.end(), more.begin(), more.end());
  };
  if (source.is_common)
    add({"derived", "choices", "capabilities"});
  else
    add({"covers", "covers_ptxas", "uses"});
  if (!source.is_common && source.kind != ComponentKind::probe) add({"verbs", "empty", "can"});
  if (!source.is_common && source.kind == ComponentKind::protocol)
    add({"slot", "arrivals", "verify", "try", "waits_on", "no_header"});
  if (!source.is_common && source.kind == ComponentKind::mover)
    add({"payload", "tensor_map", "stored"});
  if (!source.is_common && source.kind == ComponentKind::work) add({"works", "product"});
  if (!source.is_common && source.kind == ComponentKind::probe)
    add({"plan", "inputs", "maps", "output", "expects"});
  return TomlReader(source.file, source.table, "the file", std::move(keys), status_);
}

void CatalogueReader::read_axes(const Source& source) {
  TomlReader reader = top(source);
  Component& component = component_of(source);
  component.doc = reader.text_or("doc", {});
  for (const TomlValue* table : reader.tables("axis")) {
    TomlReader axis_reader(source.file, *table, "[[axis]]",
                           {"name", "alias", "label", "doc", "values", "values_of", "range", "step",
                            "default", "runtime", "when", "compiler", "flag"},
                           status_);
    Axis axis = read_axis(axis_reader, source);
    if (status_) name_axis(axis_reader, source, axis);
    const bool own = axis.read_by == ReadBy::templates;
    if (status_) (own ? component.axes : catalogue_.compilers_).push_back(std::move(axis));
  }
}

Axis CatalogueReader::read_axis(TomlReader reader, const Source& source) {
  Axis axis;
  axis.where = reader.where();
  axis.name = reader.text("name");
  axis.alias = reader.text_or("alias", {});
  axis.label = reader.text_or("label", {});
  axis.doc = reader.text_or("doc", {});
  axis.runtime = reader.truth_or("runtime", false);
  if (!is_name(axis.name)) reader.refuse("name", "must be lower-case letters, digits and _");
  read_compiler(reader, source, axis);
  axis.others = reader.text_or("values_of", {});
  // The version that is pinned is in pyproject.toml.
  if (axis.others == toolchain_values) {
    axis.values = {ptxas::pinned_toolchain};
    axis.default_value = ptxas::pinned_toolchain;
    if (reader.has("values") || reader.has("range") || reader.has("default"))
      reader.refuse("values_of", "has values and default of its own");
    return axis;
  }
  read_axis_values(reader, axis);
  read_values_of(reader, axis);
  read_default(reader, axis);
  if (!axis.flag.empty() && axis.flag.find("{}") == std::string::npos && axis.all().size() != 2)
    reader.refuse("flag", "needs {} where the value is to be, or an axis of two values");
  return axis;
}

// What no C++ reads would change ids and nothing else.
void CatalogueReader::read_compiler(TomlReader& reader, const Source& source, Axis& axis) {
  axis.flag = reader.text_or("flag", {});
  if (reader.has("compiler")) {
    const std::string word = reader.text("compiler");
    const std::vector<std::string> compilers = {"llvm", "ptxas", "image"};
    axis.read_by = base::value_of_word<ReadBy>(word).value_or(ReadBy::templates);
    if (axis.read_by == ReadBy::templates)
      return reader.refuse("compiler", fmt::format("no compiler '{}'", word),
                           base::nearest_word_hint(word, compilers));
    if (!source.is_common)
      return reader.refuse("compiler", "a component cannot have it",
                           "write the axis into axes.toml");
  }
  if (!axis.flag.empty()) {
    if (axis.read_by != ReadBy::ptxas)
      reader.refuse("flag", "is one of ptxas", "write compiler = \"ptxas\"");
    return;
  }
  static const std::vector<std::vector<std::string>> known = {
      {}, {"llvm", "llvm_opt", "short_ptr"}, {"ptxas"}, {"edit", "padding"}};
  const std::vector<std::string>& names = known[static_cast<size_t>(axis.read_by)];
  if (axis.read_by != ReadBy::templates && !base::contains(names, axis.name))
    reader.refuse("name", fmt::format("nothing reads an axis '{}'", axis.name),
                  axis.read_by == ReadBy::ptxas ? "write flag = \"-its-flag={}\", as ptxas takes it"
                                                : base::nearest_word_hint(axis.name, names));
}

void CatalogueReader::read_axis_values(TomlReader& reader, Axis& axis) {
  if (reader.has("values") == reader.has("range"))
    return reader.refuse({}, fmt::format("axis '{}' needs either 'values' or 'range'", axis.name));
  const std::string key = reader.has("values") ? "values" : "range";
  const std::vector<std::string> words = reader.words(key);
  if (words.empty()) return reader.refuse(key, "is empty");
  const std::vector<TomlValue>& items = reader.find(key)->items;
  axis.integer = items.front().kind == TomlValue::Kind::number;
  for (const TomlValue& item : items)
    if (item.kind != items.front().kind) return reader.refuse(key, "mixes words and numbers");
  if (key == "range") return read_range(reader, axis);
  for (const std::string& word : words) {
    if (!is_word(word)) return reader.refuse(key, fmt::format("'{}' cannot be in an id", word));
    if (std::find(axis.values.begin(), axis.values.end(), word) != axis.values.end())
      return reader.refuse(key, fmt::format("'{}' twice", word));
    axis.values.push_back(word);
  }
}

void CatalogueReader::read_range(TomlReader& reader, Axis& axis) {
  const std::vector<TomlValue>& items = reader.find("range")->items;
  if (!axis.integer || items.size() != 2 || items[0].number > items[1].number)
    return reader.refuse("range", "must be [lowest, highest]");
  // Beyond, a range is a typo, but for sizes that change no text.
  if (!axis.runtime &&
      static_cast<std::uint64_t>(items[1].number) - static_cast<std::uint64_t>(items[0].number) >=
          most_listed_values)
    return reader.refuse("range", fmt::format("has more than {} values", most_listed_values));
  axis.low = items[0].number;
  axis.high = items[1].number;
  if (!reader.has("step")) return;
  const std::int64_t step = reader.find("step")->number;
  if (step < 1) return reader.refuse("step", "must be a whole number, 1 or more");
  axis.step = step;
}

// Values that the program knows, after those of the file; those of a compiler when they are asked
// for.
void CatalogueReader::read_values_of(TomlReader& reader, Axis& axis) {
  if (axis.others.empty()) return;
  const bool own = axis.read_by == ReadBy::templates;
  const std::vector<std::string> tables =
      own ? std::vector<std::string>{"forms"}
          : std::vector<std::string>{toolchain_values, llvm_values, edit_values};
  if (!base::contains(tables, axis.others))
    return reader.refuse("values_of", fmt::format("no table '{}'", axis.others),
                         base::nearest_word_hint(axis.others, tables));
  if (axis.integer || axis.is_range())
    return reader.refuse("values_of", "needs 'values' that are words");
  if (!own) return;
  const auto ids = forms::form_ids();
  if (!ids) return reader.refuse("values_of", ids.error());
  axis.values.insert(axis.values.end(), ids->begin(), ids->end());
}

void CatalogueReader::read_default(TomlReader& reader, Axis& axis) {
  const TomlValue* value = reader.find("default");
  if (value == nullptr)
    return reader.refuse({}, fmt::format("axis '{}' lacks 'default'", axis.name));
  axis.default_number = value->number;
  axis.may_be_none = axis.read_by != ReadBy::templates && axis.is_range() && value->text == "none";
  axis.default_value =
      value->kind == TomlValue::Kind::number ? std::to_string(value->number) : value->text;
  const bool right_kind = axis.may_be_none || value->kind == (axis.integer ? TomlValue::Kind::number
                                                                           : TomlValue::Kind::text);
  if (!right_kind || !axis.has(axis.default_value))
    reader.refuse("default", fmt::format("not a value of axis '{}'", axis.name),
                  axis.is_range() ? fmt::format("a whole number in {}..{}", axis.low, axis.high)
                                  : base::nearest_word_hint(axis.default_value, axis.values));
}

// Components of one kind may share a name, since only one of them is chosen; then it is of one kind
// of value.
void CatalogueReader::name_axis(TomlReader& reader, const Source& source, Axis& axis) {
  const bool own = axis.read_by == ReadBy::templates;
  Vocabulary& vocabulary = own ? catalogue_.vocabulary_ : catalogue_.compiler_words_;
  const ValueKind kind = axis.integer ? ValueKind::number : ValueKind::word;
  for (const Source& other : sources_) {
    const Component& component = component_of(other);
    const bool may_share = !source.is_common && !other.is_common && source.kind == other.kind &&
                           source.index != other.index;
    for (const Axis& known : component.axes)
      if (known.name == axis.name && !(may_share && known.integer == axis.integer))
        return reader.refuse(
            "name", fmt::format("axis '{}' is already declared at {}", axis.name, known.where));
  }
  check_alias(reader, axis);
  const int leading = catalogue_.vocabulary_.slot(axis.name);
  if (leading >= 0 && leading < static_cast<int>(component_kinds.size()))
    return reader.refuse("name", fmt::format("'{}' is a leading axis", axis.name));
  axis.slot = vocabulary.slot(axis.name);
  if (axis.slot < 0) axis.slot = vocabulary.add_name(axis.name, kind);
  if (axis.integer) return;
  for (const std::string& word : axis.values) vocabulary.add_word(axis.slot, word);
  axis.default_number = vocabulary.word_id(axis.default_value);
}

// An alias is one axis's alone, and no axis's name.
void CatalogueReader::check_alias(TomlReader& reader, const Axis& axis) {
  for (const std::string& name : {axis.name, axis.alias})
    if (const Axis* known = name.empty() ? nullptr : catalogue_.compiler(name))
      return reader.refuse("name", fmt::format("'{}' already means axis '{}', declared at {}", name,
                                               known->name, known->where));
  for (const Source& other : sources_) {
    for (const Axis& known : component_of(other).axes) {
      const bool alias_taken = !axis.alias.empty() && known.name != axis.name &&
                               (known.name == axis.alias || known.alias == axis.alias);
      if (alias_taken || known.alias == axis.name)
        return reader.refuse(
            alias_taken ? "alias" : "name",
            fmt::format("'{}' already means axis '{}', declared at {}",
                        alias_taken ? axis.alias : axis.name, known.name, known.where));
    }
  }
}

void CatalogueReader::name_derived(const Source& source) {
  TomlReader reader = top(source);
  for (const std::string& name : reader.words("derived")) {
    if (!is_name(name) || catalogue_.vocabulary_.slot(name) >= 0)
      return reader.refuse("derived", fmt::format("'{}' is taken or no name", name));
    catalogue_.vocabulary_.add_name(name, ValueKind::number);
    catalogue_.derived_.push_back(name);
  }
  catalogue_.choices_ = reader.words("choices");
}

// What templates may say and expressions may not: a key of a table is not an axis.
void CatalogueReader::explain_names(const Source& source) {
  TomlReader reader = top(source);
  for (const char* table_name : {"flags", "numbers", "words"}) {
    const TomlValue* table = reader.table(table_name);
    if (table == nullptr) continue;
    TomlReader names(source.file, *table, fmt::format("[{}]", table_name), table->keys, status_);
    for (size_t i = 0; i < table->keys.size(); ++i) {
      const std::string& name = table->keys[i];
      const std::string what = fmt::format("'{}' is not an axis: it is a key of [{}], set at {}",
                                           name, table_name, names.where(name));
      const std::string& text = table->items[i].text;
      const bool computed = std::string_view(table_name) != "words" && !text.empty();
      catalogue_.vocabulary_.explain(
          name, {Step::spec, what, computed ? fmt::format("it follows from `{}`", text) : ""});
    }
  }
}

// The facts of a protocol, a mover and a work: typed, taken over from the component that it uses,
// and refused when one is missing.

namespace {

const std::vector<std::string> read_back_words = {"none", "phases", "count"};

ReadBack read_back(FactTable& table, std::string_view key) {
  const std::string word = table.word(key, read_back_words);
  if (word == "phases") return ReadBack::phases;
  return word == "count" ? ReadBack::count : ReadBack::none;
}

bool has_table(const std::vector<FactTable::File>& files, const char* name) {
  return std::any_of(files.begin(), files.end(), [&](const FactTable::File& file) {
    return file.table->find(name) != nullptr;
  });
}

}  // namespace

std::vector<FactTable::File> CatalogueReader::fact_files(const Source& source) {
  std::vector<FactTable::File> files = {{source.file, &source.table}};
  for (const Source* used : used_sources(source)) files.push_back({used->file, &used->table});
  return files;
}

void CatalogueReader::read_facts(const Source& source) {
  if (source.is_common || !status_) return;
  if (source.kind == ComponentKind::protocol) read_protocol_facts(source);
  if (source.kind == ComponentKind::mover) read_mover_facts(source);
  if (source.kind == ComponentKind::work) read_work_facts(source);
  if (source.kind == ComponentKind::probe) {
    read_plan(source);
    read_workload(source);
  }
}

std::optional<launch::Role> CatalogueReader::read_role(TomlReader& reader, std::string_view key) {
  if (!reader.has(key)) return {};
  const std::string word = reader.text(key);
  const auto role = base::value_of_word<launch::Role>(word);
  if (!role)
    reader.refuse(key, fmt::format("no role '{}'", word),
                  base::nearest_word_hint(word, words_of(launch::Role{})));
  return role;
}

// Key by key, as facts: those of the probe that it uses first.
void CatalogueReader::read_plan(const Source& source) {
  std::vector<const Source*> sources = used_sources(source);
  sources.insert(sources.begin(), &source);
  for (auto one = sources.rbegin(); one != sources.rend(); ++one)
    if (const TomlValue* table = top(**one).table("plan"); table != nullptr)
      read_plan_of(**one, *table, component_of(source).plan);
}

void CatalogueReader::read_plan_of(const Source& source, const TomlValue& table,
                                   ProbePlanFacts& plan) {
  TomlReader reader(source.file, table, "[plan]",
                    {"timed_role", "unit", "timed_verbs", "cluster_size", "work_amount",
                     "min_items", "max_items", "phases", "repeats", "guarded", "readings"},
                    status_);
  if (const auto role = read_role(reader, "timed_role")) plan.timed_role = role;
  plan.unit = reader.text_or("unit", plan.unit);
  if (reader.has("timed_verbs")) plan.timed_verbs = reader.words("timed_verbs");
  for (const std::string& verb : plan.timed_verbs)
    if (!base::contains(verb_names(), verb))
      reader.refuse("timed_verbs", fmt::format("no verb '{}'", verb),
                    base::nearest_word_hint(verb, verb_names()));
  plan.repeats = reader.truth_or("repeats", plan.repeats);
  plan.guarded = reader.truth_or("guarded", plan.guarded);
  if (reader.has("readings")) plan.readings.clear();
  for (const TomlValue* row : reader.tables("readings")) {
    TomlReader one(source.file, *row, "readings", {"name", "unit", "role"}, status_);
    launch::Reading reading;
    base::read_fields(one, reading);
    reading.index = static_cast<int>(plan.readings.size());
    plan.readings.push_back(std::move(reading));
  }
  if (plan.readings.size() > 2) reader.refuse("readings", "must be at most two");
  FactTable numbers(catalogue_, {{source.file, &source.table}}, "plan", table.keys, status_);
  const auto number = [&](std::string_view key, std::optional<Expression>& into) {
    if (reader.has(key)) into = numbers.expression_if(key, ValueKind::number);
  };
  number("cluster_size", plan.cluster_size);
  number("work_amount", plan.work_amount);
  number("min_items", plan.min_items);
  number("max_items", plan.max_items);
  number("phases", plan.phases);
}

void CatalogueReader::read_protocol_facts(const Source& source) {
  Component& component = component_of(source);
  ProtocolFacts& facts = component.protocol;
  const auto files = fact_files(source);
  for (auto [at, into] : {std::pair("waits_on", &facts.waits_on), {"no_header", &facts.no_header}})
    for (const FactTable::File& file : files)
      if (into->empty() && file.table->find(at) != nullptr) *into = file.table->find(at)->text;
  if (facts.waits_on.empty())
    top(source).refuse({}, "lacks 'waits_on'", "write waits_on = \"barrier\", as tables print it");
  FactTable slot(catalogue_, files, "slot", {"words", "extra_bytes", "address", "counts_laps"},
                 status_);
  facts.words =
      static_cast<int>(slot.number("words", "words = 2, or 0 without barriers in memory"));
  if (facts.words != 0 && facts.words != 2) slot.refuse("words", "must be 0 or 2");
  if (facts.words != 0) read_slot_facts(slot, files, facts);
  FactTable tries(catalogue_, files, "try", {"early", "ahead"}, status_);
  if (std::find(component.can.begin(), component.can.end(), "try") == component.can.end()) return;
  facts.early = tries.expression("early", ValueKind::truth, "early = \"CONDITION\"");
  facts.ahead = tries.expression("ahead", ValueKind::number, "ahead = 0, or an expression");
}

void CatalogueReader::read_slot_facts(FactTable& slot, const std::vector<FactTable::File>& files,
                                      ProtocolFacts& facts) {
  facts.extra_bytes = static_cast<int>(slot.number("extra_bytes", "extra_bytes = 0"));
  facts.keeps_address = slot.truth("address", "address = true or false");
  facts.counts_laps = slot.truth("counts_laps", "counts_laps = true or false");
  FactTable arrivals(catalogue_, files, "arrivals", {"full", "empty", "most", "by_wait"}, status_);
  facts.full_arrivals = arrivals.expression("full", ValueKind::number, "full = \"producer_warps\"");
  facts.empty_arrivals =
      arrivals.expression("empty", ValueKind::number, "empty = \"consumer_warps\"");
  facts.most_arrivals = arrivals.expression_if("most", ValueKind::number);
  facts.waits_arrive = arrivals.expression_if("by_wait", ValueKind::truth);
  FactTable verify(catalogue_, files, "verify", {"full", "empty", "empty_in_all"}, status_);
  facts.read_full = read_back(verify, "full");
  facts.read_empty = read_back(verify, "empty");
  facts.empty_in_all = verify.expression_if("empty_in_all", ValueKind::truth);
  if (facts.read_full == ReadBack::none && facts.read_empty == ReadBack::none)
    verify.refuse("full", "a protocol with words in its slots verifies nothing",
                  "write full = \"phases\" or \"count\"");
}

void CatalogueReader::read_mover_facts(const Source& source) {
  FactTable payload(catalogue_, fact_files(source), "payload",
                    {"bytes", "copy_bytes", "copiers", "read_bytes", "kept_bytes", "period"},
                    status_);
  MoverFacts& facts = component_of(source).mover;
  facts.bytes = payload.expression("bytes", ValueKind::number, "bytes = 0, or an expression");
  facts.copy_bytes = payload.expression_if("copy_bytes", ValueKind::number);
  facts.copiers = payload.expression_if("copiers", ValueKind::number);
  facts.read_bytes = payload.expression_if("read_bytes", ValueKind::number);
  facts.kept_bytes = payload.expression_if("kept_bytes", ValueKind::number);
  facts.period = payload.expression_if("period", ValueKind::number);
  read_tile_facts(source);
  read_store_facts(source);
}

void CatalogueReader::read_store_facts(const Source& source) {
  const auto files = fact_files(source);
  StoreFacts& facts = component_of(source).mover.stored;
  facts.stores = has_table(files, "stored");
  if (!facts.stores) return;
  FactTable stored(catalogue_, files, "stored", {"operation", "rewrite", "by_map"}, status_);
  facts.operation = stored.axis_word("operation", words_of(launch::stores::StoreOperation{}));
  facts.rewrite = stored.axis_word("rewrite", words_of(launch::stores::StoreRewrite{}));
  facts.by_map = stored.expression_if("by_map", ValueKind::truth);
}

void CatalogueReader::read_tile_facts(const Source& source) {
  namespace tensor = launch::tensor;
  const auto files = fact_files(source);
  TileFacts& facts = component_of(source).mover.tile;
  facts.is_tile = has_table(files, "tensor_map");
  if (!facts.is_tile) return;
  FactTable map(catalogue_, files, "tensor_map",
                {"rank", "box", "cut", "copies", "element", "swizzle", "promotion", "fill",
                 "im2col", "lower", "upper", "offsets"},
                status_);
  facts.element = map.axis_word("element", words_of(tensor::TensorElement{}));
  facts.swizzle = map.axis_word("swizzle", words_of(tensor::TensorSwizzle{}));
  facts.promotion = map.axis_word("promotion", words_of(tensor::TensorPromotion{}));
  facts.fill = map.axis_word("fill", words_of(tensor::TensorFill{}));
  facts.rank = map.expression("rank", ValueKind::number, "rank = 2, or an expression");
  facts.copies = map.expression_if("copies", ValueKind::number);
  facts.box = map.numbers_if("box");
  facts.cut = map.numbers_if("cut");
  facts.im2col = map.expression_if("im2col", ValueKind::truth);
  facts.lower = map.numbers_if("lower");
  facts.upper = map.numbers_if("upper");
  facts.offsets = map.numbers_if("offsets");
  if (facts.box.empty())
    map.refuse("box", "lacks 'box'", "write box = [\"128\", \"8\"]: bytes of a row, then elements");
}

void CatalogueReader::read_work_facts(const Source& source) {
  const auto files = fact_files(source);
  FactTable works(catalogue_, files, "works",
                  {"producer", "consumer", "amount", "behind", "fixed", "repeats"}, status_);
  WorkFacts& facts = component_of(source).work;
  facts.producer = works.expression("producer", ValueKind::truth, "producer = \"CONDITION\"");
  facts.consumer = works.expression("consumer", ValueKind::truth, "consumer = \"CONDITION\"");
  facts.amount = works.expression("amount", ValueKind::number, "amount = 0, or an expression");
  facts.behind = works.expression_if("behind", ValueKind::number);
  facts.fixed = works.expression_if("fixed", ValueKind::truth);
  facts.repeats = works.expression_if("repeats", ValueKind::number);
  facts.product.multiplies = has_table(files, "product");
  if (!facts.product.multiplies) return;
  FactTable product(catalogue_, files, "product", {"rows", "columns", "blocks", "depth"}, status_);
  facts.product.rows = product.expression("rows", ValueKind::number, "rows = 64, or an expression");
  facts.product.columns =
      product.expression("columns", ValueKind::number, "columns = 128, or an expression");
  facts.product.blocks = product.expression_if("blocks", ValueKind::number);
  facts.product.depth = product.expression_if("depth", ValueKind::number);
}

// Capabilities are declared in axes.toml, so that a typo is found; each is a name of expressions.
void CatalogueReader::read_capabilities(const Source& source) {
  base::TomlReader reader = top(source);
  const TomlValue* declared = reader.table("capabilities");
  if (declared == nullptr) return;
  for (const ComponentKind kind : component_kinds) {
    const TomlValue* list = declared->find(to_string(kind));
    if (list == nullptr || !status_) continue;
    for (const Source& one : sources_)
      if (!one.is_common && one.kind == kind) read_can(one, list->keys);
    for (const std::string& capability : list->keys) {
      Vocabulary::Set set{static_cast<int>(kind), {}};
      for (const Component& component : catalogue_.components(kind))
        if (std::find(component.can.begin(), component.can.end(), capability) !=
            component.can.end())
          set.words.push_back(component.word);
      catalogue_.vocabulary_.add_set(fmt::format("{}_can_{}", to_string(kind), capability),
                                     std::move(set));
    }
  }
}

void CatalogueReader::read_can(const Source& source, const std::vector<std::string>& valid) {
  base::TomlReader reader = top(source);
  std::vector<std::string>& can = component_of(source).can;
  const std::vector<FactTable::File> files = fact_files(source);
  const auto has_it = [](const FactTable::File& file) {
    return file.table->find("can") != nullptr;
  };
  const auto file = std::find_if(files.begin(), files.end(), has_it);
  if (file == files.end())
    return reader.refuse({}, "lacks 'can'", "write can = [], or what axes.toml declares");
  if (file == files.begin())
    can = reader.words("can");
  else
    for (const TomlValue& item : file->table->find("can")->items) can.push_back(item.text);
  for (const std::string& capability : can)
    if (std::find(valid.begin(), valid.end(), capability) == valid.end())
      reader.refuse("can", fmt::format("no capability '{}'", capability),
                    base::nearest_word_hint(capability, valid));
}

}  // namespace phasebit::space
