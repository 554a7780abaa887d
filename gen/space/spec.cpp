#include "gen/space/spec.h"

#include "core/base/text.h"
#include "core/base/toml.h"
#include "gen/llvm/worker.h"
#include "gen/ptxas/toolchain.h"

#include <algorithm>
#include <charconv>

namespace phasebit::space {

using base::Home;
using base::TomlReader;
using base::TomlValue;

namespace {

constexpr size_t max_values = 100000;  // of one axis: beyond, a range is a typo

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return {};
  return number;
}

// "lo:hi" or "lo:hi:step", both ends included; "4:16:5" is 4 9 14.
Result<std::vector<std::string>> expand_range(std::string_view axis, std::string_view text,
                                              std::int64_t step) {
  std::vector<std::int64_t> numbers;
  bool readable = true;
  for (const std::string_view part : base::split(text, ':')) {
    const auto number = whole_number(part);
    readable = readable && number.has_value();
    numbers.push_back(number.value_or(0));
  }
  if (numbers.size() == 2) numbers.push_back(step);
  if (!readable || numbers.size() != 3 || numbers[2] < 1 || numbers[0] > numbers[1])
    return with_hint(fail(Step::spec, "{}: '{}' is not a range", axis, text),
                     "lowest:highest or lowest:highest:step, as in 4:16:4");
  const auto span = static_cast<std::uint64_t>(numbers[1]) - static_cast<std::uint64_t>(numbers[0]);
  const std::uint64_t count = span / static_cast<std::uint64_t>(numbers[2]) + 1;
  if (count > max_values) return fail(Step::spec, "{}: '{}' has too many values", axis, text);
  std::vector<std::string> values;
  for (std::uint64_t i = 0; i < count; ++i)
    values.push_back(std::to_string(numbers[0] + static_cast<std::int64_t>(i) * numbers[2]));
  return values;
}

Result<std::vector<std::string>> all_values(const Catalogue& catalogue, std::string_view axis) {
  for (const Axis* one : catalogue.axes_named(axis))
    if (one->high - one->low >= static_cast<std::int64_t>(max_values))
      return fail(Step::spec, "{}: 'all' has too many values", axis);
  return catalogue.values_of(axis);
}

// The name of the axis of a key, or "" with the error kept in the reader.
std::string axis_of(TomlReader& reader, const Catalogue& catalogue, const std::string& key) {
  auto name = catalogue.resolve(key);
  if (name) return *name;
  reader.refuse(key, name.error());
  return {};
}

std::string scalar(const TomlValue& value) {
  return value.kind == TomlValue::Kind::number ? std::to_string(value.number) : value.text;
}

// As -a has them.
std::string list_text(TomlReader& reader, const std::string& key) {
  const TomlValue& value = *reader.find(key);
  if (value.kind != TomlValue::Kind::array) return scalar(value);
  return fmt::format("{}", fmt::join(reader.words(key), ","));
}

std::vector<std::string> read_values(TomlReader& reader, const Catalogue& catalogue,
                                     const std::string& axis, const std::string& key) {
  auto values = parse_values(catalogue, axis, list_text(reader, key));
  if (values) return *values;
  reader.refuse(key, values.error());
  return {};
}

std::vector<AxisValues> read_axis_values(TomlReader& block, std::string_view key,
                                         const Catalogue& catalogue) {
  std::vector<AxisValues> all;
  const TomlValue* table = block.table(key);
  if (table == nullptr) return all;
  TomlReader reader(block.file(), *table, std::string(key), table->keys, block.status());
  for (const std::string& name : table->keys) {
    const std::string axis = axis_of(reader, catalogue, name);
    if (axis.empty()) break;
    all.push_back({axis, read_values(reader, catalogue, axis, name)});
  }
  return all;
}

void read_baseline(TomlReader& block, const Catalogue& catalogue, SweepBlock& out) {
  const TomlValue* table = block.table("baseline");
  if (table == nullptr) return;
  TomlReader reader(block.file(), *table, "baseline", table->keys, block.status());
  for (const std::string& key : table->keys) {
    const std::string axis = axis_of(reader, catalogue, key);
    if (axis.empty()) return;
    const std::string value = scalar(*table->find(key));
    if (const Status known = catalogue.check_value(axis, value); !known)
      return reader.refuse(key, known.error());
    out.baseline.emplace_back(axis, value);
  }
}

// An axis has one meaning in a block: it is varied in one way only.
void check_varied_once(TomlReader& reader, const SweepBlock& block) {
  std::vector<std::string> seen;
  for (const auto* group : {&block.cross, &block.once_around, &block.pairs}) {
    for (const AxisValues& varied : *group) {
      if (std::find(seen.begin(), seen.end(), varied.axis) != seen.end())
        return reader.refuse({}, fmt::format("axis '{}' is varied twice", varied.axis));
      seen.push_back(varied.axis);
    }
  }
}

SweepBlock read_block(const std::string& file, const TomlValue& table, const Catalogue& catalogue,
                      Status& status) {
  TomlReader reader(file, table, "[[sweep.block]]",
                    {"doc", "baseline", "cross", "once_around", "pairs", "when", "reason"}, status);
  SweepBlock block;
  block.where = reader.where();
  block.doc = reader.text_or("doc", {});
  read_baseline(reader, catalogue, block);
  block.cross = read_axis_values(reader, "cross", catalogue);
  block.once_around = read_axis_values(reader, "once_around", catalogue);
  block.pairs = read_axis_values(reader, "pairs", catalogue);
  check_varied_once(reader, block);
  if (!reader.has("when")) return block;
  auto when = catalogue.compile(reader.text("when"), ValueKind::truth);
  if (!when) {
    reader.refuse("when", when.error());
    return block;
  }
  block.when = std::move(*when);
  block.reason =
      reader.text_or("reason", fmt::format("outside the block: not ({})", block.when->text()));
  return block;
}

void read_sweep_snippets(TomlReader& sweep, Sweep& out) {
  const TomlValue* table = sweep.table("snippets");
  if (table == nullptr) return;
  TomlReader reader(sweep.file(), *table, "[sweep.snippets]", table->keys, sweep.status());
  const fs::path folder = fs::path(sweep.file()).parent_path();
  for (const std::string& verb : table->keys)
    out.snippets.push_back({verb, folder / reader.text(verb), reader.where(verb)});
}

void read_assembler(const Home& home, TomlReader& sweep, const Catalogue& catalogue,
                    std::vector<AxisValues>& axes) {
  const TomlValue* table = sweep.table("assembler");
  if (table == nullptr) return;
  TomlReader reader(sweep.file(), *table, "[sweep.assembler]", table->keys, sweep.status());
  for (const std::string& axis : table->keys) {
    auto values = parse_compiler_values(home, catalogue, axis, list_text(reader, axis));
    if (!values) return reader.refuse(axis, values.error());
    axes.push_back(std::move(*values));
  }
}

Sweep read_sweep(const Home& home, const std::string& file, const TomlValue& table,
                 const Catalogue& catalogue, Status& status) {
  TomlReader reader(file, table, "[[sweep]]", {"name", "doc", "block", "snippets", "assembler"},
                    status);
  Sweep sweep;
  sweep.name = reader.text("name");
  sweep.doc = reader.text_or("doc", {});
  for (const TomlValue* block : reader.tables("block"))
    sweep.blocks.push_back(read_block(file, *block, catalogue, status));
  read_sweep_snippets(reader, sweep);
  read_assembler(home, reader, catalogue, sweep.assembler);
  if (sweep.blocks.empty())
    reader.refuse({}, fmt::format("sweep '{}' has no [[sweep.block]]", sweep.name));
  return sweep;
}

}  // namespace

Result<const Sweep*> Spec::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const Sweep& sweep : sweeps) {
    if (sweep.name == name) return &sweep;
    names.push_back(sweep.name);
  }
  return with_hint(fail(Step::usage, "{}: no sweep '{}'", file, name),
                   base::nearest_word_hint(name, names));
}

Result<Spec> load_spec(const Home& home, const fs::path& path, const Catalogue& catalogue) {
  PHASEBIT_TRY_ASSIGN(table, base::read_toml(path));
  return read_spec(home, table, path.string(), catalogue);
}

Result<Spec> read_spec(const Home& home, const TomlValue& table, const std::string& file,
                       const Catalogue& catalogue) {
  Spec spec;
  spec.file = file;
  Status status;
  TomlReader reader(spec.file, table, "the file", {"doc", "sweep"}, status);
  for (const TomlValue* sweep : reader.tables("sweep")) {
    spec.sweeps.push_back(read_sweep(home, spec.file, *sweep, catalogue, status));
    const auto twice = [&](const Sweep& other) { return other.name == spec.sweeps.back().name; };
    if (std::count_if(spec.sweeps.begin(), spec.sweeps.end(), twice) > 1)
      TomlReader(spec.file, *sweep, "[[sweep]]", sweep->keys, status)
          .refuse("name", fmt::format("sweep '{}' twice", spec.sweeps.back().name));
  }
  if (spec.sweeps.empty()) reader.refuse({}, "has no [[sweep]]");
  if (!status) return tl::unexpected<Error>(status.error());
  return spec;
}

Result<std::vector<std::string>> parse_values(const Catalogue& catalogue, std::string_view axis,
                                              std::string_view text) {
  const std::vector<const Axis*> axes = catalogue.axes_named(axis);
  const bool integer = !axes.empty() && axes.front()->integer;
  std::vector<std::string> values;
  for (const std::string_view part : base::split(text, ',')) {
    std::vector<std::string> some = {std::string(part)};
    if (part == "all") {
      PHASEBIT_TRY_ASSIGN(every, all_values(catalogue, axis));
      some = std::move(every);
    }
    if (integer && part.find(':') != std::string_view::npos) {
      PHASEBIT_TRY_ASSIGN(range, expand_range(axis, part, axes.front()->step));
      some = std::move(range);
    }
    for (std::string& value : some) {
      PHASEBIT_TRY(catalogue.check_value(axis, value));
      values.push_back(std::move(value));
    }
  }
  return values;
}

namespace {

// What the machine decides.
Result<std::vector<std::string>> values_here(const Home& home, const Axis& axis,
                                             const std::vector<std::string>& words) {
  std::vector<std::string> values;
  if (axis.others == toolchain_values) {
    PHASEBIT_TRY_ASSIGN(named, ptxas::installed_named(home, words));
    for (const ptxas::InstalledToolchain& one : named) values.push_back(one.version.text());
    return values;
  }
  for (const std::string& word : words) {
    values.push_back(word);
    if (axis.others != llvm_values || axis.has(word)) continue;
    PHASEBIT_TRY_ASSIGN(version, llvm::version_named(word));
    values.back() = std::move(version);
  }
  return values;
}

}  // namespace

Result<AxisValues> parse_compiler_values(const Home& home, const Catalogue& catalogue,
                                         std::string_view axis, std::string_view text) {
  const Axis* known = catalogue.compiler(axis);
  if (known == nullptr) {
    std::vector<std::string> names;
    for (const Axis& one : catalogue.compilers()) names.push_back(one.name);
    return with_hint(fail(Step::usage, "no axis '{}' of a compiler", axis),
                     base::nearest_word_hint(axis, names));
  }
  std::vector<std::string> words;
  for (const std::string_view word : base::split(text, ',')) words.emplace_back(word);
  auto values = known->others.empty() ? parse_values(catalogue, known->name, text)
                                      : values_here(home, *known, words);
  if (values) return AxisValues{known->name, std::move(*values)};
  Error error = values.error();
  if (error.step == Step::spec) error.step = Step::usage;
  return tl::unexpected<Error>(std::move(error));
}

Result<AxisValues> parse_override(const Catalogue& catalogue, std::string_view text) {
  const auto as_usage = [&](Error error) {
    error.step = Step::usage;
    error.message = fmt::format("-a {}: {}", text, error.message);
    return error;
  };
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return with_hint(fail(Step::usage, "-a {}: not axis=values", text),
                     "as in -a num_stages=1,2,4:16:4");
  auto axis = catalogue.resolve(text.substr(0, equals)).map_error(as_usage);
  if (!axis) return tl::unexpected<Error>(axis.error());
  auto values = parse_values(catalogue, *axis, text.substr(equals + 1)).map_error(as_usage);
  if (!values) return tl::unexpected<Error>(values.error());
  return AxisValues{*axis, *values};
}

}  // namespace phasebit::space
