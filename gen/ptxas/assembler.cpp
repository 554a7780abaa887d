#include "gen/ptxas/assembler.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/image/placement/code_moves.h"
#include "gen/llvm/worker.h"
#include "gen/ptxas/toolchain.h"

#include <algorithm>
#include <charconv>

namespace phasebit::ptxas {

using base::Home;
using image::KeyAxes;
using image::VariantKey;

namespace {

constexpr const char* ptxas_axis = "ptxas";
constexpr const char* opt_level_axis = "opt_level";
constexpr const char* maxrregcount_axis = "maxrregcount";
constexpr const char* edit_axis = "edit";
constexpr const char* padding_axis = "padding";
constexpr int default_opt_level = 3;
constexpr int most_registers = 255;

Result<int> integer_in(std::string_view axis, std::string_view word, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < low || value > high)
    return fail(Step::usage, "{}={}: not a number from {} to {}", axis, word, low, high);
  return value;
}

template <class T>
void add_once(std::vector<T>& values, T value) {
  if (std::find(values.begin(), values.end(), value) == values.end())
    values.push_back(std::move(value));
}

Status add_ptxas(const Home& home, AssemblerAxes& axes, const std::string& word) {
  if (word == "all") {
    for (const InstalledToolchain& one : installed_toolchains(home))
      add_once(axes.ptxas, one.axis_value());
    if (axes.ptxas.empty())
      return with_hint(fail(Step::toolchain, "no toolchain is installed"), "run tools/toolchain");
    return {};
  }
  PHASEBIT_TRY_ASSIGN(found, find_installed(home, word));
  add_once(axes.ptxas, found.axis_value());
  return {};
}

// "208", or "first:last:step" with both ends.
Status add_paddings(std::vector<int>& values, const std::string& word) {
  const size_t colon = word.find(':');
  const size_t second = colon == std::string::npos ? colon : word.find(':', colon + 1);
  const auto number = [&](size_t from, size_t to) {
    return integer_in(padding_axis, word.substr(from, to - from), 0,
                      image::placement::largest_padding_bytes);
  };
  PHASEBIT_TRY_ASSIGN(first, number(0, std::min(colon, word.size())));
  int last = first, step = image::placement::padding_step_bytes;
  if (colon != std::string::npos) {
    PHASEBIT_TRY_ASSIGN(end, number(colon + 1, std::min(second, word.size())));
    last = end;
  }
  if (second != std::string::npos) {
    PHASEBIT_TRY_ASSIGN(between, number(second + 1, word.size()));
    step = between;
  }
  if (step == 0 || last < first)
    return with_hint(fail(Step::usage, "{}={}: not a range", padding_axis, word),
                     "first:last:step, such as 0:1024:16");
  for (int value = first; value <= last; value += step) {
    PHASEBIT_TRY(image::placement::check_padding(value));
    add_once(values, value);
  }
  return {};
}

Status add_level(std::vector<int>& levels, std::string_view axis, const std::string& word) {
  if (word == "all") return levels = {0, 1, 2, 3}, Status();
  PHASEBIT_TRY_ASSIGN(level, integer_in(axis, word, 0, 3));
  add_once(levels, level);
  return {};
}

std::vector<std::string> axis_names() {
  std::vector<std::string> names;
  for (const AssemblerAxis& axis : assembler_axis_facts()) names.emplace_back(axis.name);
  return names;
}

Status add_value(const Home& home, AssemblerAxes& axes, std::string_view axis,
                 const std::string& word) {
  if (axis == ptxas_axis) return add_ptxas(home, axes, word);
  if (axis == opt_level_axis) return add_level(axes.opt_level, axis, word);
  if (axis == llvm_axis) {
    PHASEBIT_TRY_ASSIGN(version, llvm_value(word));
    return add_once(axes.llvm, std::move(version)), Status();
  }
  if (axis == llvm_opt_axis) return add_level(axes.llvm_opt, axis, word);
  if (axis == short_ptr_axis) {
    PHASEBIT_TRY_ASSIGN(on, short_ptr_value(word));
    return add_once(axes.short_ptr, on), Status();
  }
  if (axis == maxrregcount_axis) {
    if (word == "none") return add_once(axes.maxrregcount, 0), Status();
    PHASEBIT_TRY_ASSIGN(count, integer_in(axis, word, 1, most_registers));
    add_once(axes.maxrregcount, count);
    return {};
  }
  if (axis == edit_axis)
    return add_once(axes.edit, word == "none" ? std::string() : word), Status();
  if (axis == padding_axis) return add_paddings(axes.padding, word);
  return with_hint(fail(Step::usage, "no axis '{}' of ptxas", axis),
                   base::nearest_word_hint(std::string(axis), axis_names()));
}

void append(VariantKey& key, const std::string& axis, const std::string& value) {
  key.id += fmt::format("/{}={}", axis, value);
  key.axes.emplace_back(axis, value);
}

}  // namespace

std::span<const AssemblerAxis> assembler_axis_facts() {
  static constexpr AssemblerAxis facts[] = {
      {llvm_axis, "none", "none, the version of phasebit-llvm",
       "the LLVM that makes the PTX, of IR templates (docs/llvm.md)"},
      {llvm_opt_axis, "2", "0..3 all", "its -O"},
      {short_ptr_axis, "on", "on off", "its addresses in shared memory have 32 bits"},
      {ptxas_axis, pinned_toolchain, "an installed version, all",
       "the version of ptxas (`phasebit list toolchains`)"},
      {opt_level_axis, "3", "0..3 all", "ptxas -O"},
      {maxrregcount_axis, "none", "none 1..255", "ptxas -maxrregcount, registers a thread"},
      {edit_axis, "none", "none ADDRESS.NOP ADDRESS.YIELD",
       "an experiment: instructions replaced in what ptxas made"},
      {padding_axis, "0", "0..1024 in steps of 16", "bytes of NOPs before the kernel's code"}};
  return facts;
}

bool is_assembler_axis(std::string_view axis) {
  const auto axes = assembler_axis_facts();
  return std::any_of(axes.begin(), axes.end(),
                     [&](const AssemblerAxis& one) { return axis == one.name; });
}

std::vector<std::string> flags_of(const AssemblerChoice& choice) {
  std::vector<std::string> flags;
  if (choice.opt_level != default_opt_level) flags.push_back(fmt::format("-O{}", choice.opt_level));
  if (choice.maxrregcount != 0)
    flags.push_back(fmt::format("-maxrregcount={}", choice.maxrregcount));
  return flags;
}

std::string describe(const AssemblerChoice& choice) {
  std::vector<std::string> words = flags_of(choice);
  if (!choice.ptxas.empty()) words.insert(words.begin(), "ptxas " + choice.ptxas);
  return fmt::format("{}", fmt::join(words, " "));
}

AssemblerChoice assembler_of(const VariantKey& key) {
  AssemblerChoice choice;
  choice.ptxas = key.value(ptxas_axis);
  if (const std::string level = key.value(opt_level_axis); !level.empty())
    choice.opt_level = std::stoi(level);
  if (const std::string count = key.value(maxrregcount_axis); !count.empty())
    choice.maxrregcount = std::stoi(count);
  choice.edit = key.value(edit_axis);
  if (const std::string bytes = key.value(padding_axis); !bytes.empty())
    choice.padding = std::stoi(bytes);
  choice.llvm = llvm_of(key);
  return choice;
}

VariantKey text_key(const VariantKey& key) {
  if (key.text_id.empty()) return key;
  VariantKey text{key.text_id, base::short_hash(key.text_id), key.axes};
  std::erase_if(text.axes, [](const auto& axis) {
    return is_assembler_axis(axis.first) && !is_llvm_axis(axis.first);
  });
  return text;
}

VariantKey with_assembler(const VariantKey& key, const AssemblerChoice& choice) {
  VariantKey made = text_key(key);
  if (!choice.llvm.version.empty()) made = with_llvm(made, choice.llvm);
  AssemblerChoice plain = choice;
  plain.llvm = {};
  if (plain == AssemblerChoice()) return made;
  made.text_id = made.id;
  if (!choice.ptxas.empty()) append(made, ptxas_axis, choice.ptxas);
  if (choice.opt_level != default_opt_level)
    append(made, opt_level_axis, std::to_string(choice.opt_level));
  if (choice.maxrregcount != 0)
    append(made, maxrregcount_axis, std::to_string(choice.maxrregcount));
  if (!choice.edit.empty()) append(made, edit_axis, choice.edit);
  if (choice.padding != 0) append(made, padding_axis, std::to_string(choice.padding));
  made.hash = base::short_hash(made.id);
  return made;
}

Status set_assembler_axis(const Home& home, AssemblerAxes& axes, std::string_view axis,
                          const std::vector<std::string>& values) {
  if (axis == ptxas_axis) axes.ptxas.clear();
  if (axis == opt_level_axis) axes.opt_level.clear();
  if (axis == maxrregcount_axis) axes.maxrregcount.clear();
  if (axis == edit_axis) axes.edit.clear();
  if (axis == padding_axis) axes.padding.clear();
  if (axis == llvm_axis) axes.llvm.clear();
  if (axis == llvm_opt_axis) axes.llvm_opt.clear();
  if (axis == short_ptr_axis) axes.short_ptr.clear();
  for (const std::string& value : values) PHASEBIT_TRY(add_value(home, axes, axis, value));
  return {};
}

namespace {

template <class T>
std::vector<T> or_default(std::vector<T> values, T value) {
  if (values.empty()) values.push_back(std::move(value));
  return values;
}

// The templates' own PTX once, whatever LLVM is asked.
std::vector<LlvmChoice> llvm_choices(const AssemblerAxes& axes) {
  const LlvmChoice usual;
  std::vector<LlvmChoice> all;
  for (const std::string& version : or_default(axes.llvm, std::string()))
    for (const int level : or_default(axes.llvm_opt, usual.opt_level))
      for (const bool short_ptr : or_default(axes.short_ptr, true))
        add_once(all, version.empty() ? usual : LlvmChoice{version, level, short_ptr});
  return all;
}

}  // namespace

std::vector<AssemblerChoice> combinations(const AssemblerAxes& axes) {
  std::vector<AssemblerChoice> all;
  for (const LlvmChoice& llvm : llvm_choices(axes))
    for (const std::string& ptxas : or_default(axes.ptxas, std::string()))
      for (const int level : or_default(axes.opt_level, default_opt_level))
        for (const int count : or_default(axes.maxrregcount, 0))
          for (const std::string& edit : or_default(axes.edit, std::string()))
            for (const int padding : or_default(axes.padding, 0))
              all.push_back({ptxas, level, count, edit, padding, llvm});
  return all;
}

namespace {

// Those that an id names, in its order.
KeyAxes axes_of(const LlvmChoice& choice) {
  const LlvmChoice usual;
  KeyAxes axes;
  if (choice.version.empty()) return axes;
  axes.emplace_back(llvm_axis, choice.version);
  if (choice.opt_level != usual.opt_level)
    axes.emplace_back(llvm_opt_axis, std::to_string(choice.opt_level));
  if (!choice.short_pointers) axes.emplace_back(short_ptr_axis, "off");
  return axes;
}

std::string id_part(const KeyAxes& axes) {
  std::string part;
  for (const auto& [axis, value] : axes) part += fmt::format("/{}={}", axis, value);
  return part;
}

}  // namespace

bool is_llvm_axis(std::string_view axis) {
  return axis == llvm_axis || axis == llvm_opt_axis || axis == short_ptr_axis;
}

LlvmChoice llvm_of(const VariantKey& key) {
  LlvmChoice choice;
  choice.version = key.value(llvm_axis);
  if (const std::string level = key.value(llvm_opt_axis); !level.empty())
    choice.opt_level = std::stoi(level);
  choice.short_pointers = key.value(short_ptr_axis) != "off";
  return choice;
}

VariantKey with_llvm(const VariantKey& text_key, const LlvmChoice& choice) {
  VariantKey made = text_key;
  if (const std::string part = id_part(axes_of(llvm_of(text_key))); !part.empty())
    made.id.erase(made.id.find(part), part.size());
  std::erase_if(made.axes, [](const auto& axis) { return is_llvm_axis(axis.first); });
  const KeyAxes axes = axes_of(choice);
  made.id += id_part(axes);
  made.axes.insert(made.axes.end(), axes.begin(), axes.end());
  made.hash = base::short_hash(made.id);
  return made;
}

std::string describe(const LlvmChoice& choice) {
  if (choice.version.empty()) return {};
  return fmt::format("LLVM {} -O{}{}", choice.version, choice.opt_level,
                     choice.short_pointers ? "" : ", long pointers");
}

Result<std::string> llvm_value(const std::string& word) {
  if (word == "none") return std::string();
  if (const auto program = llvm::find_program(); !program)
    return tl::unexpected<Error>(program.error());
  std::string built(llvm::built_version());
  if (built == word || built.starts_with(word + ".")) return built;
  return fail(Step::usage, "{}={}: this phasebit has LLVM {}", llvm_axis, word, built);
}

Result<bool> short_ptr_value(const std::string& word) {
  if (word == "on" || word == "off") return word == "on";
  return with_hint(fail(Step::usage, "{}={}: neither on nor off", short_ptr_axis, word),
                   base::nearest_word_hint(word, {"on", "off"}));
}

}  // namespace phasebit::ptxas
