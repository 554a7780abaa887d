#include "pipeline/select/whole_facts.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <sstream>

namespace phasebit::pipeline::select {

using image::WholeLaunch;
using ptx::PtxFile;
using ptx::PtxFunction;

namespace {

using Kind = image::WholeParameter::Kind;

// Bytes and alignment of ".param .align 8 .b8 s[24]" or ".param .u64 .ptr .global x".
struct Layout {
  int bytes = 0, alignment = 0;
  bool is_float = false;
};

Layout layout_of(const std::string& parameter) {
  Layout layout;
  std::istringstream words(parameter);
  for (std::string word; words >> word;) {
    if (word == ".align" && layout.bytes == 0) {
      words >> layout.alignment;
      continue;
    }
    const size_t digits = word.find_first_of("0123456789");
    if (layout.bytes != 0 || digits != 2 || word[0] != '.') continue;
    layout.bytes = std::atoi(word.c_str() + digits) / 8;
    layout.is_float = word[1] == 'f';
  }
  if (layout.alignment == 0) layout.alignment = std::max(layout.bytes, 1);
  if (const size_t open = parameter.find('['); open != std::string::npos)
    layout.bytes *= std::max(1, std::atoi(parameter.c_str() + open + 1));
  return layout;
}

template <typename Number>
bool read_whole(std::string_view text, Number& into) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into, base);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

// The bits of a number as a parameter of this type holds it.
bool read_bits(const std::string& text, const Layout& layout, std::uint64_t& bits) {
  if (layout.is_float) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != 0) return false;
    bits = layout.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(number))
                             : std::bit_cast<std::uint64_t>(number);
    return layout.bytes == 4 || layout.bytes == 8;
  }
  std::int64_t number = 0;
  if (text.starts_with('-') && read_whole(text, number)) {
    bits = static_cast<std::uint64_t>(number);
    return layout.bytes <= 8;
  }
  return layout.bytes <= 8 && read_whole(text, bits);
}

class FactReader {
 public:
  FactReader(const PtxFile& file, const PtxFunction& entry, const WholeFacts& facts)
      : file_(file), entry_(entry), facts_(facts) {}

  Result<WholeLaunch> read() {
    PHASEBIT_TRY(read_assignments());
    for (size_t n = 0; n < entry_.parameters.size(); ++n) PHASEBIT_TRY(add_parameter(n));
    if (std::none_of(whole_.parameters.begin(), whole_.parameters.end(),
                     [](const auto& one) { return one.kind == Kind::items; }))
      return missing("no parameter is the number of items, and its figure is a slope over them",
                     "--param NAME=items");
    PHASEBIT_TRY(read_size("grid", facts_.grid, whole_.grid));
    PHASEBIT_TRY(read_size("block", facts_.block, whole_.block));
    whole_.shared_bytes = facts_.shared_bytes;
    whole_.cluster = facts_.cluster;
    if (whole_.grid[0] % whole_.cluster != 0)
      return missing(
          fmt::format("a grid of {} is not made of clusters of {}", whole_.grid[0], whole_.cluster),
          "--grid: a multiple of --cluster");
    return std::move(whole_);
  }

 private:
  tl::unexpected<Error> missing(const std::string& what, std::string hint) const {
    const ptx::PlacedStatement& at = file_.statements[entry_.signature];
    return with_hint(fail(Step::usage, "{}:{}: {}: {}", file_.name, at.line, entry_.name, what),
                     std::move(hint));
  }

  Status read_assignments() {
    std::vector<std::string> names;
    for (const ptx::PtxParameter& one : entry_.parameters) names.push_back(one.name);
    for (const std::string& text : facts_.parameters) {
      const size_t equals = text.find('=');
      std::string name = text.substr(0, equals);
      if (equals == std::string::npos || equals + 1 == text.size())
        return missing(fmt::format("--param {} is no assignment", text),
                       "NAME=VALUE, NAME=buffer:BYTES[:fill] or NAME=items");
      size_t place = 0;
      if (read_whole(name, place) && place < names.size()) name = names[place];
      if (std::find(names.begin(), names.end(), name) == names.end())
        return missing(fmt::format("no parameter '{}'", name),
                       base::nearest_word_hint(name, names));
      values_[name] = text.substr(equals + 1);
    }
    return {};
  }

  Status add_parameter(size_t n) {
    const ptx::PtxParameter& parameter = entry_.parameters[n];
    const auto given = values_.find(parameter.name);
    if (given == values_.end())
      return missing(fmt::format("parameter {} ({}) has no value", n, parameter.text),
                     fmt::format("--param {0}=VALUE, {0}=buffer:BYTES[:fill] or {0}=items", n));
    const Layout layout = layout_of(parameter.text);
    image::WholeParameter made;
    made.name = parameter.name;
    made.bytes = std::min(layout.bytes, 8);
    const int alignment = std::max(layout.alignment, 1);
    made.offset = (whole_.parameter_bytes + alignment - 1) / alignment * alignment;
    whole_.parameter_bytes = made.offset + layout.bytes;
    const auto wrong = [&](const char* what) {
      return missing(
          fmt::format("parameter {} ({}): '{}' is {}", n, parameter.text, given->second, what),
          "a whole number, 0x..., or a decimal number for .f32 and .f64");
    };
    if (given->second == "items") {
      made.kind = Kind::items;
      if (layout.is_float || layout.bytes < 4) return wrong("for a whole number of 4 or 8 bytes");
    } else if (given->second.starts_with("buffer:")) {
      made.kind = Kind::buffer;
      if (layout.bytes != 8) return wrong("an address, and those are 8 bytes");
      std::istringstream rest(given->second.substr(given->second.find(':') + 1));
      std::string bytes, fill;
      std::getline(rest, bytes, ':');
      const bool filled = static_cast<bool>(std::getline(rest, fill));  // "random:7" whole
      const auto known = image::BufferFill::of_text(filled ? fill : "zero");
      made.buffer.name = parameter.name;
      if (!read_whole(bytes, made.buffer.bytes) || made.buffer.bytes == 0 || !known)
        return missing(fmt::format("parameter {} ({}): '{}' is not buffer:BYTES[:fill]", n,
                                   parameter.text, given->second),
                       fmt::format("the fill is {}", image::BufferFill::forms));
      made.buffer.fill = *known;
    } else if (!read_bits(given->second, layout, made.value)) {
      return wrong("no number of its type");
    }
    whole_.parameters.push_back(std::move(made));
    return {};
  }

  Status read_size(const char* name, const std::string& text, std::array<int, 3>& into) const {
    if (text.empty())
      return missing(fmt::format("nobody says its {}", name), fmt::format("--{} X[,Y[,Z]]", name));
    std::istringstream words(text);
    std::string word;
    for (int& one : into) {
      if (!std::getline(words, word, ',')) break;
      if (!read_whole(word, one) || one < 1)
        return missing(fmt::format("--{} {} is no size", name, text), "X[,Y[,Z]], each 1 or more");
    }
    return {};
  }

  const PtxFile& file_;
  const PtxFunction& entry_;
  const WholeFacts& facts_;
  std::map<std::string, std::string> values_;
  WholeLaunch whole_;
};

}  // namespace

Result<WholeLaunch> whole_launch(const PtxFile& file, const PtxFunction& entry,
                                 const WholeFacts& facts) {
  return FactReader(file, entry, facts).read();
}

}  // namespace phasebit::pipeline::select
