#include "core/base/fields_toml.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/isa/read_rule.h"
#include "core/launch/abi.h"
#include "core/ptx/head/check.h"
#include "core/ptx/head/complaint.h"
#include "core/ptx/head/head.h"

#include <algorithm>

namespace phasebit::ptx::head {

using base::must_have;
using base::toml_number;
using base::TomlReader;
using base::TomlValue;
using launch::Buffer;
using launch::tensor::TensorMap;

namespace {

constexpr const char* range_hint = "such as \">=12.4 <13.0\"";

// As TOML, each line at its place in the file: so every message names the file's own line.
std::string text_of(const std::vector<PtxHeadLine>& lines) {
  std::string text;
  int line = 1;
  for (const PtxHeadLine& one : lines) {
    for (; line < one.line; ++line) text += '\n';
    text += "    " + one.text + "\n", ++line;  // columns are those of the file, after its mark
  }
  return text;
}

std::vector<std::string> joined(std::vector<std::string> keys,
                                const std::vector<std::string>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

class HeadReader {
 public:
  HeadReader(const std::string& file, const TomlValue& table)
      : file_(file),
        top_(file, table, "the head",
             joined({"format", "id", "origin", "key", "parent", "launch", "expects", "resources",
                     "rules"},
                    base::toml_keys<Head>()),
             status_) {}

  Result<Head> read() {
    head_.where[""] = top_.where();
    for (const char* key : {"roles", "resources", "rules", "expects", "barriers"})
      head_.where[key] = top_.where(key);
    const int format = toml_number(top_, "format", 0);
    if (format != head_format)
      top_.refuse("format", format == 0 ? "missing" : fmt::format("no format {}", format),
                  fmt::format("write `//@ format = {}`", head_format));
    read_table(top_, head_);
    read_key();
    read_launch();
    read_roles();
    if (const TomlValue* expects = top_.table("expects")) read_expects(*expects);
    if (const TomlValue* resources = top_.table("resources")) read_resources(*resources);
    if (const TomlValue* rules = top_.table("rules")) read_rules(*rules);
    if (!status_) return tl::unexpected<Error>(status_.error());
    return std::move(head_);
  }

 private:
  TomlReader table(const TomlValue& value, const char* name, std::vector<std::string> known) {
    return {file_, value, name, std::move(known), status_};
  }
  template <typename T>
  void read_table(TomlReader& reader, T& into, const char* table = "") {
    base::read_fields(reader, into, table,
                      [this](TomlReader& own, const auto& value) { check(own, value); });
  }

  // One word of a table, or its first row's.
  template <typename Table>
  const auto& word(TomlReader& reader, std::string_view key, const Table& words) {
    const std::string text = reader.text_or(key, words[0].word);
    for (const auto& row : words)
      if (text == row.word) return row;
    reader.refuse(key, fmt::format("no {} '{}'", key, text),
                  base::nearest_word_hint(text, words_of(words)));
    return words[0];
  }

  void read_key() {
    head_.key.id = top_.text_or("id", {});
    head_.key.hash = base::short_hash(head_.key.id);
    head_.where["id"] = top_.where("id");
    if (top_.has("origin")) head_.origin = word(top_, "origin", origin_words).word;
    head_.where["origin"] = top_.where("origin");
    const TomlValue* axes = top_.table("key");
    if (axes == nullptr) return must_have(top_, "key", "write a table [key], an axis a line");
    TomlReader reader = table(*axes, "key", axes->keys);
    head_.where["key"] = top_.where("key");
    for (const std::string& axis : axes->keys) {
      head_.key.axes.emplace_back(axis, reader.text(axis));
      head_.where["key " + axis] = reader.where(axis);
    }
    if (const TomlValue* parent = top_.table("parent")) {
      TomlReader own = table(*parent, "parent", base::toml_keys<HeadParent>());
      read_table(own, head_.parent);
    }
  }

  void read_launch() {
    const TomlValue* value = top_.table("launch");
    if (value == nullptr)
      return must_have(top_, "launch", "write a table [launch] with `threads = 64`");
    TomlReader reader =
        table(*value, "launch",
              joined(base::toml_keys<launch::LaunchShape>("launch"), words_of(bound_words)));
    head_.where["launch"] = top_.where("launch");
    for (const std::string& key : value->keys) head_.where[key] = reader.where(key);
    read_table(reader, head_.launch, "launch");
    for (const BoundWord& bound : bound_words) read_bound(reader, bound);
  }

  void read_bound(TomlReader& reader, const BoundWord& bound) {
    if (!reader.has(bound.word)) return;
    std::vector<int>& numbers = head_.bounds[bound.word];
    for (const std::string& text : reader.words(bound.word))
      numbers.push_back(std::atoi(text.c_str()));
    if (numbers.size() > static_cast<size_t>(bound.numbers))
      reader.refuse(bound.word, fmt::format("takes {} numbers at most", bound.numbers));
  }

  void read_roles() {
    must_have(top_, "roles", "write `roles = [{ role = \"consumer\", warps = [0] }]`");
    for (const TomlValue* one : top_.tables("roles")) read_role(*one);
  }

  void read_role(const TomlValue& value) {
    const TomlValue* said = value.find("role");
    const bool idle = said != nullptr && said->text == no_role;
    std::vector<std::string> known = {"role", "warps", "lanes"};
    if (!idle)
      known = joined({"role", "warps", "lanes", "clock"}, base::toml_keys<launch::RoleSlice>());
    TomlReader reader = table(value, "roles", std::move(known));
    launch::RoleSlice slice;
    if (!idle) {
      slice.role = launch::Role::consumer;
      must_have(reader, "role", "write `role = \"consumer\"`");
      if (said != nullptr) base::read_toml_text(reader, "role", slice.role);
      read_table(reader, slice);
    }
    head_.where.emplace(fmt::format("role {}", idle ? no_role : word_of(slice.role)),
                        reader.where());
    const LaneWord& lanes = word(reader, "lanes", lane_words);
    slice.first_lane = lanes.first_lane;
    slice.lane_stride = lanes.lane_stride;
    must_have(reader, "warps", "write `warps = [0]`");
    for (const std::string& warp : reader.words("warps")) {
      slice.warp = std::atoi(warp.c_str());
      (idle ? head_.idle : head_.launch.slices).push_back(slice);
      slice.rank += slice.lanes();
    }
    if (idle || !reader.truth_or("clock", true)) return;
    if (std::find(head_.clocks.begin(), head_.clocks.end(), slice.role) == head_.clocks.end())
      head_.clocks.push_back(slice.role);
  }

  void read_expects(const TomlValue& value) {
    const std::vector<std::string> keys = base::toml_keys<launch::LaunchShape>("expects");
    TomlReader reader = table(value, "expects", keys);
    for (const std::string& key : keys) head_.where[key] = reader.where(key);
    read_table(reader, head_.launch, "expects");
    const TomlValue* found = reader.table("data");
    if (found == nullptr) return;
    TomlReader own = table(*found, "data", base::toml_keys<HeadData>());
    HeadData data;
    read_table(own, data);
    if (data.bytes <= 0 || data.tile_bytes == 0 || data.bytes % data.tile_bytes != 0)
      own.refuse("bytes", fmt::format("{} bytes are not tiles of {}", data.bytes, data.tile_bytes),
                 "write a multiple of `tile`");
    head_.launch.data = data;
    if (own.has("product")) head_.launch.payload.product = data.product;
    if (own.has("tensor")) head_.launch.payload.tile = data.tensor;
  }

  // What no single field of a table shows, and where messages find the table.
  template <typename T>
  void check(TomlReader& /*own*/, const T& /*value*/) {}
  void check(TomlReader& own, const launch::PayloadShape& payload) {
    if (payload.words_per_slot > 0 && payload.consumer_threads == 0)
      own.refuse({}, "lacks 'threads'", "how many threads read a slot");
  }
  void check(TomlReader& own, const launch::Reading& reading) {
    head_.where["reading " + reading.name] = own.where();
  }
  void check(TomlReader& own, const launch::tensor::TensorMap& map) {
    if (!head_.where.emplace("tensor map " + map.name, own.where()).second)
      own.refuse("name", fmt::format("'{}' is there twice", map.name), "each map has its own name");
  }
  void check(TomlReader& own, const HeadBarrier& barrier) {
    head_.where["barrier " + barrier.name] = own.where();
    if (!base::contains(barrier_kinds(), barrier.kind))
      own.refuse("kind", fmt::format("no kind of barrier '{}'", barrier.kind),
                 base::nearest_word_hint(barrier.kind, barrier_kinds()));
  }
  void check(TomlReader& own, const HeadRegisters& registers) {
    head_.where[fmt::format("registers {}", word_of(registers.role))] = own.where();
  }

  void read_resources(const TomlValue& value) {
    TomlReader reader =
        table(value, "resources", base::toml_keys<launch::LaunchShape>("resources"));
    read_table(reader, head_.launch, "resources");
    for (const TomlValue* one : reader.tables("buffers")) {
      TomlReader own =
          table(*one, "buffers", joined(base::toml_keys<launch::Buffer>(), {"parameter"}));
      launch::Buffer buffer;
      read_table(own, buffer);
      if (buffer.name == payload_in_name) {
        check_payload_in(own, static_cast<std::int64_t>(buffer.bytes));
        continue;
      }
      if (!head_.where.emplace("buffer " + buffer.name, own.where()).second)
        own.refuse("name", fmt::format("'{}' is there twice", buffer.name),
                   "each buffer has its own name");
      if (own.has("parameter"))
        own.refuse("parameter",
                   fmt::format("'{}' has no place in the parameter block", buffer.name),
                   fmt::format("leave it out: it is the parameter `.param .u64 {}` of the entry",
                               buffer.name));
      if (buffer.bytes == 0) own.refuse("bytes", "0 is out of range", "1 or more");
      head_.launch.buffers.push_back(std::move(buffer));
    }
  }

  // The payload's own: it is in a head for people.
  void check_payload_in(TomlReader& own, std::int64_t bytes) {
    const std::int64_t images = head_.launch.payload.images_bytes();
    if (images == 0)
      own.refuse("name", "nothing is copied: the payload has no `period`",
                 "a buffer of another name is a parameter of the entry");
    else if (bytes != images)
      own.refuse("bytes", fmt::format("{}, the images of the payload have {}", bytes, images),
                 fmt::format("write `bytes = {}`", images));
    else if (own.has("fill"))
      own.refuse("fill", "the kernel writes it itself", "leave `fill` out");
    else if (toml_number(own, "parameter", 0) != payload_in_at)
      own.refuse("parameter", "payload_in has a fixed place in the parameter block",
                 fmt::format("write `parameter = {}`", payload_in_at));
  }

  void read_rules(const TomlValue& value) {
    TomlReader reader = table(
        value, "rules", {"covers", "exhaustive", "items_per_iteration", "items_beside", "verbs"});
    for (const TomlValue* one : reader.tables("covers")) {
      TomlReader own = table(*one, "covers", base::toml_keys<HeadCover>());
      read_table(own, head_.covers.emplace_back());
      check_range(own, head_.covers.back().ptxas);
      if (const auto wrong = isa::unknown_family(head_.covers.back().families))
        own.refuse(wrong->key, wrong->message, wrong->hint);
    }
    read_items(reader, "items_per_iteration", head_.items_per_iteration);
    read_items(reader, "items_beside", head_.items_beside);
    head_.exhaustive = reader.truth_or("exhaustive", true);
    for (const TomlValue* one : reader.tables("verbs")) read_rule(*one);
  }

  void read_items(TomlReader& reader, const char* name, std::map<std::string, int>& by_role) {
    const TomlValue* items = reader.table(name);
    if (items == nullptr) return;
    std::vector<std::string> roles;
    for (const launch::Role role : launch::all_roles) roles.push_back(word_of(role));
    TomlReader own = table(*items, name, std::move(roles));
    for (const std::string& role : items->keys) by_role[role] = toml_number(own, role, 1, 1);
  }

  // An error here, not when an image is gated.
  static void check_range(TomlReader& reader, const std::string& range) {
    const auto known = isa::version_in_range(isa::Version{{1, 0}}, range);
    if (!known) reader.refuse("ptxas", known.error().message, range_hint);
  }

  void read_rule(const TomlValue& value) {
    TomlReader reader = table(value, "verbs", isa::rule_keys());
    const auto text = isa::read_rule(base::to_json(value));
    if (!text)
      return reader.refuse(text.error().key, text.error().message,
                           text.error().key == "ptxas" ? range_hint : text.error().hint);
    if (const auto wrong = isa::unknown_family(text->families))
      return reader.refuse(wrong->key, wrong->message, wrong->hint);
    HeadRule rule{
        {{}, text->role, {}, text->forbid, text->passes, text->ptx}, text->families, text->ptxas};
    for (const isa::RuleText::Count& count : text->counts) {
      const auto range = isa::parse_count(count.count);
      if (!range)
        return reader.refuse(isa::to_string(count.path),
                             fmt::format("'{}': '{}' is not a count", count.pattern, count.count),
                             "a number, or \"1..2\", \"2..\"");
      rule.rule.require.push_back({count.pattern, *range, count.path});
    }
    for (const std::string& verb : text->verbs) {
      rule.rule.verb = verb;
      if (verb == isa::any_verb && !rule.rule.forbid.empty() &&
          !(rule.rule.require.empty() && rule.rule.role.empty()))
        reader.refuse("verb", "'*' with 'forbid' is of the whole window, without role and counts",
                      "write the counts as a rule of their own");
      head_.rules.push_back(rule);
    }
  }

  const std::string& file_;
  Status status_;
  TomlReader top_;
  Head head_;
};

}  // namespace

Result<Head> read_head(const std::vector<PtxHeadLine>& lines, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(table, base::parse_toml(text_of(lines), file));
  table.line = lines.empty() ? 1 : lines.front().line;
  return HeadReader(file, table).read();
}

// The parameters of the entry: the block, an address for each buffer, and the tensor maps.

namespace {

constexpr int tensor_map_bytes = 128;  // PTX ISA, Tensor-map

// Bytes of ".param .align 8 .b8 pb[96]"; 0 of what is not an array of bytes.
int bytes_of(const std::string& parameter) {
  const size_t open = parameter.find('[');
  if (open == std::string::npos || parameter.find(".b8 ") == std::string::npos) return 0;
  return std::atoi(parameter.c_str() + open + 1);
}

bool is_tensor_map(const PtxParameter& parameter) {
  return bytes_of(parameter.text) == tensor_map_bytes &&
         (parameter.text.find(".align 64 ") != std::string::npos ||
          parameter.text.find(".align 128 ") != std::string::npos);
}

bool is_address(const PtxParameter& parameter) {
  for (const char* type : {".u64 ", ".b64 ", ".s64 "})
    if (parameter.text.find(type) != std::string::npos) return true;
  return false;
}

template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(one.name);
  return names;
}

}  // namespace

Status check_head_parameters(const CheckedHead& checked) {
  const PtxFunction& entry = checked.entry;
  const int wanted = sizeof(launch::KernelParams);
  const std::string block = fmt::format("{}(.param .align 8 .b8 pb[{}]", entry.name, wanted);
  if (entry.parameters.empty() || bytes_of(entry.parameters.front().text) != wanted)
    return checked.complain("launch", fmt::format("write `{})`", block),
                            "'{}' does not take the parameter block of {} bytes", entry.name,
                            wanted);
  const std::vector<PtxParameter> more(entry.parameters.begin() + 1, entry.parameters.end());
  const std::vector<Buffer>& buffers = checked.head.launch.buffers;
  const std::vector<TensorMap>& maps = checked.head.launch.tensor_maps;
  bool behind_maps = false;
  for (const PtxParameter& one : more) {
    if (base::contains(names_of(maps), one.name)) {
      behind_maps = true;
      if (is_tensor_map(one)) continue;
      return checked.complain(
          "tensor map " + one.name,
          fmt::format("write `.param .align 64 .b8 {}[{}]`", one.name, tensor_map_bytes),
          "the text has `{}`, which holds no tensor map", one.text);
    }
    if (behind_maps)
      return checked.complain("buffer " + one.name, "write it before them",
                              "parameter '{}' of '{}' comes after tensor maps", one.name,
                              entry.name);
    if (!base::contains(names_of(buffers), one.name))
      return checked.complain(
          "resources",
          fmt::format("write `buffers = [{{ name = \"{}\", bytes = 4096 }}]` in [resources]",
                      one.name),
          "parameter '{}' of '{}' is not described", one.name, entry.name);
    if (!is_address(one))
      return checked.complain("buffer " + one.name, fmt::format("write `.param .u64 {}`", one.name),
                              "the text has `{}`, which holds no address", one.text);
  }
  for (const Buffer& buffer : buffers)
    if (!base::contains(names_of(more), buffer.name))
      return checked.complain("buffer " + buffer.name,
                              more.empty()
                                  ? fmt::format("write `{}, .param .u64 {})`", block, buffer.name)
                                  : base::nearest_word_hint(buffer.name, names_of(more)),
                              "'{}' has no parameter of that name", entry.name);
  for (const TensorMap& map : maps)
    if (!base::contains(names_of(more), map.name))
      return checked.complain("tensor map " + map.name,
                              fmt::format("write `.param .align 64 .b8 {}[{}]` after the others",
                                          map.name, tensor_map_bytes),
                              "'{}' has no parameter of that name", entry.name);
  return {};
}

void order_buffers(Head& head, const PtxFunction& entry) {
  const std::vector<std::string> names = names_of(entry.parameters);
  const auto before = [&](const auto& a, const auto& b) {
    return std::find(names.begin(), names.end(), a.name) <
           std::find(names.begin(), names.end(), b.name);
  };
  std::sort(head.launch.buffers.begin(), head.launch.buffers.end(), before);
  std::sort(head.launch.tensor_maps.begin(), head.launch.tensor_maps.end(), before);
}

}  // namespace phasebit::ptx::head
