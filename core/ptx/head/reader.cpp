#include "core/base/hash.h"
#include "core/base/nearest.h"
#include "core/base/toml.h"
#include "core/ptx/head/head.h"
#include "core/ptx/head/payload.h"
#include "core/ptx/head/rule_reader.h"
#include "core/ptx/head/tensor_maps.h"
#include "core/ptx/head/words.h"

#include <algorithm>
#include <limits>

namespace phasebit::ptx::head {
namespace {

// As TOML, each line where it stands in the file: so every message names the file's own line.
std::string toml_of(const std::vector<PtxHeadLine>& lines) {
  std::string text;
  int line = 1;
  for (const PtxHeadLine& one : lines) {
    for (; line < one.line; ++line) text += '\n';
    text += "    " + one.text + "\n", ++line;  // columns are those of the file, behind its mark
  }
  return text;
}

class HeadReader {
 public:
  HeadReader(const std::string& file, const base::TomlValue& table)
      : file_(file),
        top_(file, table, "the head",
             {"format", "id", "doc", "build", "key", "parent", "launch", "roles", "resources",
              "expects", "barriers", "registers", "rules", "origin"},
             status_) {}

  Result<Head> read() {
    head_.where[""] = top_.where();
    for (const char* key : {"roles", "resources", "rules", "expects", "barriers"})
      head_.where[key] = top_.where(key);
    const int format = number(top_, "format", 0);
    if (format != head_format)
      top_.refuse("format", format == 0 ? "missing" : fmt::format("no format {}", format),
                  fmt::format("write `//@ format = {}`", head_format));
    read_key();
    read_launch();
    read_roles();
    read_expects();
    for (const base::TomlValue* one : top_.tables("barriers")) read_barrier(*one);
    for (const base::TomlValue* one : top_.tables("registers")) read_registers(*one);
    if (const base::TomlValue* resources = top_.table("resources")) read_resources(*resources);
    if (const base::TomlValue* rules = top_.table("rules"))
      read_head_rules(*rules, file_, status_, head_);
    if (!status_) return tl::unexpected<Error>(status_.error());
    return std::move(head_);
  }

 private:
  base::TomlReader table(const base::TomlValue& value, const char* name,
                         std::vector<std::string> known) {
    return {file_, value, name, std::move(known), status_};
  }
  int number(base::TomlReader& reader, std::string_view key, std::int64_t fallback, int least = 0) {
    const std::int64_t value = reader.number_or(key, fallback);
    if (reader.has(key) && (value < least || value > std::numeric_limits<int>::max()))
      reader.refuse(key, fmt::format("{} is out of range", value),
                    fmt::format("{} or more", least));
    return static_cast<int>(value);
  }
  void must_have(base::TomlReader& reader, std::string_view key, std::string hint) {
    if (!reader.has(key)) reader.refuse({}, fmt::format("lacks '{}'", key), std::move(hint));
  }

  // One word of a table, or its first row's.
  template <typename Table>
  const auto& word(base::TomlReader& reader, std::string_view key, const std::string& text,
                   const Table& words, const char* what) {
    for (const auto& row : words)
      if (text == row.word) return row;
    reader.refuse(key, fmt::format("no {} '{}'", what, text),
                  base::nearest_word_hint(text, words_of(words)));
    return words[0];
  }
  image::Role role(base::TomlReader& reader, std::string_view key) {
    must_have(reader, key, fmt::format("write `{} = \"consumer\"`", key));
    return word(reader, key, reader.text_or(key, "consumer"), role_words, "role").role;
  }

  void read_key() {
    head_.key.id = top_.text_or("id", {});
    head_.key.hash = base::short_hash(head_.key.id);
    head_.where["id"] = top_.where("id");
    if (top_.has("origin"))
      head_.origin = word(top_, "origin", top_.text_or("origin", {}), origin_words, "origin").word;
    head_.where["origin"] = top_.where("origin");
    head_.doc = top_.text_or("doc", {});
    const std::string build = top_.text_or("build", "timed");
    if (build != "timed" && build != "guarded")
      top_.refuse("build", fmt::format("no build '{}'", build),
                  base::nearest_word_hint(build, {"timed", "guarded"}));
    head_.build = build == "guarded" ? image::Build::guarded : image::Build::timed;
    const base::TomlValue* axes = top_.table("key");
    if (axes == nullptr) return must_have(top_, "key", "write a table [key], an axis a line");
    base::TomlReader reader = table(*axes, "key", axes->keys);
    head_.where["key"] = top_.where("key");
    for (const std::string& axis : axes->keys) {
      head_.key.axes.emplace_back(axis, reader.text(axis));
      head_.where["key " + axis] = reader.where(axis);
    }
    if (const base::TomlValue* parent = top_.table("parent")) {
      base::TomlReader own = table(*parent, "parent", {"id", "text"});
      head_.parent = {own.text("id"), own.text("text")};
    }
  }

  void read_launch() {
    const base::TomlValue* value = top_.table("launch");
    if (value == nullptr)
      return must_have(top_, "launch", "write a table [launch] with `threads = 64`");
    std::vector<std::string> known = {
        "threads",        "ctas_per_sm", "sms",         "load_ctas",  "cluster_size",
        "shared_bytes",   "granule",     "min_items",   "max_items",  "producer_turns",
        "consumer_turns", "timed_role",  "guarded",     "unit",       "work_amount",
        "delay_cycles",   "first_rank",  "second_rank", "fixed_warps"};
    for (const BoundWord& bound : bound_words) known.emplace_back(bound.word);
    base::TomlReader reader = table(*value, "launch", std::move(known));
    image::LaunchShape& launch = head_.launch;
    head_.where["launch"] = top_.where("launch");
    for (const std::string& key : value->keys) head_.where[key] = reader.where(key);
    must_have(reader, "threads", "write `threads = 64`: the threads of a CTA");
    launch.threads = number(reader, "threads", 0, 1);
    launch.ctas_per_sm = number(reader, "ctas_per_sm", 1, 1);
    launch.sms = number(reader, "sms", 0);
    launch.load_ctas = number(reader, "load_ctas", 0);
    launch.cluster_size = number(reader, "cluster_size", 1, 1);
    launch.dynamic_shared_bytes = number(reader, "shared_bytes", 0);
    launch.item_granule = number(reader, "granule", 1, 1);
    launch.min_items = number(reader, "min_items", 1);
    launch.max_items = number(reader, "max_items", 0);
    launch.producer_turns = number(reader, "producer_turns", 1, 1);
    launch.consumer_turns = number(reader, "consumer_turns", 1, 1);
    launch.timed_role = role(reader, "timed_role");
    launch.guarded = reader.truth_or("guarded", true);
    launch.fixed_warps = reader.truth_or("fixed_warps", false);
    launch.unit = reader.text_or("unit", launch.unit);
    launch.work_amount = static_cast<std::uint32_t>(number(reader, "work_amount", 0));
    launch.delay_cycles = static_cast<std::uint32_t>(number(reader, "delay_cycles", 0));
    launch.first_rank = number(reader, "first_rank", 0);
    launch.second_rank = number(reader, "second_rank", 0);
    for (const BoundWord& bound : bound_words) read_bound(reader, bound);
  }

  void read_bound(base::TomlReader& reader, const BoundWord& bound) {
    if (!reader.has(bound.word)) return;
    std::vector<int>& numbers = head_.bounds[bound.word];
    for (const std::string& text : reader.words(bound.word))
      numbers.push_back(std::atoi(text.c_str()));
    if (numbers.size() > static_cast<size_t>(bound.numbers))
      reader.refuse(bound.word, fmt::format("takes {} numbers at most", bound.numbers));
  }

  void read_roles() {
    if (!top_.has("roles"))
      must_have(top_, "roles", "write `roles = [{ role = \"consumer\", warps = [0] }]`");
    for (const base::TomlValue* one : top_.tables("roles")) {
      const base::TomlValue* said = one->find("role");
      const bool idle = said != nullptr && said->text == no_role;
      std::vector<std::string> known = {"role", "warps", "lanes"};
      if (!idle) known.insert(known.end(), {"unit", "rank", "cta", "leaves_early", "clock"});
      base::TomlReader reader = table(*one, "roles", std::move(known));
      image::RoleSlice slice;
      if (!idle) slice.role = role(reader, "role");
      const char* name = idle ? no_role : word_of(slice.role);
      head_.where.emplace(fmt::format("role {}", name), reader.where());
      const LaneWord& lanes =
          word(reader, "lanes", reader.text_or("lanes", "all"), lane_words, "lanes");
      slice.first_lane = lanes.first_lane;
      slice.lane_stride = lanes.lane_stride;
      slice.unit = number(reader, "unit", 0);
      slice.rank = number(reader, "rank", 0);
      slice.rank_in_cluster = number(reader, "cta", -1);
      slice.leaves_early = reader.truth_or("leaves_early", false);
      must_have(reader, "warps", "write `warps = [0]`");
      for (const std::string& warp : reader.words("warps")) {
        slice.warp = std::atoi(warp.c_str());
        (idle ? head_.idle : head_.launch.slices).push_back(slice);
        slice.rank += slice.lanes();
      }
      if (idle || !reader.truth_or("clock", true)) continue;
      if (std::find(head_.clocks.begin(), head_.clocks.end(), slice.role) == head_.clocks.end())
        head_.clocks.push_back(slice.role);
    }
  }

  void read_expects() {
    const base::TomlValue* value = top_.table("expects");
    if (value == nullptr) return;
    base::TomlReader reader =
        table(*value, "expects", {"payload", "stored", "data", "phases", "readings"});
    head_.launch.phases_checked = number(reader, "phases", 0);
    head_.where["phases"] = reader.where("phases");
    head_.where["payload"] = reader.where("payload");
    if (const base::TomlValue* payload = reader.table("payload"))
      read_payload(*payload, file_, status_, head_);
    head_.where["stored"] = reader.where("stored");
    if (const base::TomlValue* stored = reader.table("stored"))
      read_stored(*stored, file_, status_, head_);
    head_.where["data"] = reader.where("data");
    if (const base::TomlValue* data = reader.table("data")) read_data(*data, file_, status_, head_);
    for (const base::TomlValue* one : reader.tables("readings")) {
      base::TomlReader own = table(*one, "readings", {"name", "unit", "role", "index"});
      head_.launch.readings.push_back(
          {own.text("name"), own.text("unit"), role(own, "role"), number(own, "index", 0)});
      head_.where["reading " + own.text("name")] = own.where();
    }
  }

  void read_barrier(const base::TomlValue& value) {
    base::TomlReader reader =
        table(value, "barriers", {"name", "kind", "base", "stride", "count", "arrivals"});
    HeadBarrier barrier;
    barrier.name = reader.text("name");
    barrier.kind = reader.text("kind");
    head_.where["barrier " + barrier.name] = reader.where();
    const auto& kinds = barrier_kinds();
    if (std::find(kinds.begin(), kinds.end(), barrier.kind) == kinds.end())
      reader.refuse("kind", fmt::format("no kind of barrier '{}'", barrier.kind),
                    base::nearest_word_hint(barrier.kind, kinds));
    barrier.base = number(reader, "base", 0);
    barrier.stride = number(reader, "stride", barrier_bytes(barrier.kind) > 0 ? 8 : 1);
    barrier.count = number(reader, "count", 1, 1);
    barrier.arrivals = number(reader, "arrivals", 0);
    head_.barriers.push_back(std::move(barrier));
  }

  void read_registers(const base::TomlValue& value) {
    base::TomlReader reader = table(value, "registers", {"role", "item", "slot", "cta"});
    head_.registers.push_back({role(reader, "role"), reader.text_or("item", {}),
                               reader.text_or("slot", {}), reader.text_or("cta", {})});
    head_.where[fmt::format("registers {}", word_of(head_.registers.back().role))] = reader.where();
  }

  void read_resources(const base::TomlValue& value) {
    base::TomlReader reader = table(value, "resources", {"buffers", "tensor_maps"});
    for (const base::TomlValue* one : reader.tables("tensor_maps"))
      read_tensor_map(*one, file_, status_, head_);
    for (const base::TomlValue* one : reader.tables("buffers")) {
      base::TomlReader own = table(*one, "buffers", {"name", "bytes", "fill", "parameter"});
      must_have(own, "bytes", "write `bytes = 4096`");
      const std::int64_t bytes = own.number_or("bytes", 0);
      if (bytes < 1) own.refuse("bytes", fmt::format("{} is out of range", bytes), "1 or more");
      const std::string name = own.text("name");
      if (name == payload_in_name) {
        check_payload_in(own, bytes);
        continue;
      }
      if (!head_.where.emplace("buffer " + name, own.where()).second)
        own.refuse("name", fmt::format("'{}' stands twice", name), "each buffer has its own name");
      if (own.has("parameter"))
        own.refuse(
            "parameter", fmt::format("'{}' has no place in the parameter block", name),
            fmt::format("leave it out: it is the parameter `.param .u64 {}` of the entry", name));
      const std::string fill = own.text_or("fill", "zero");
      const auto known = image::read_fill(fill);
      if (!known) own.refuse("fill", fmt::format("no fill '{}'", fill), image::fill_words);
      head_.launch.buffers.push_back(
          {name, static_cast<std::uint64_t>(bytes), known.value_or(image::BufferFill{})});
    }
  }

  // The payload's own: it stands in a head for people.
  void check_payload_in(base::TomlReader& own, std::int64_t bytes) {
    const int images = head_.launch.payload.images_bytes();
    if (images == 0)
      own.refuse("name", "nothing is copied: the payload has no `period`",
                 "a buffer of another name is a parameter of the entry");
    else if (bytes != images)
      own.refuse("bytes", fmt::format("{}, the images of the payload have {}", bytes, images),
                 fmt::format("write `bytes = {}`", images));
    else if (own.has("fill"))
      own.refuse("fill", "the kernel writes it itself", "leave `fill` out");
    else if (number(own, "parameter", 0) != payload_in_at)
      own.refuse("parameter", "payload_in has a fixed place in the parameter block",
                 fmt::format("write `parameter = {}`", payload_in_at));
  }

  const std::string& file_;
  Status status_;
  base::TomlReader top_;
  Head head_;
};

}  // namespace

Result<Head> read_head(const std::vector<PtxHeadLine>& lines, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(table, base::parse_toml(toml_of(lines), file));
  table.line = lines.empty() ? 1 : lines.front().line;
  return HeadReader(file, table).read();
}

}  // namespace phasebit::ptx::head
