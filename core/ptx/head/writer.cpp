#include "core/ptx/head/head.h"
#include "core/ptx/head/inline_table.h"
#include "core/ptx/head/payload.h"
#include "core/ptx/head/tensor_maps.h"
#include "core/ptx/head/words.h"

#include <algorithm>

namespace phasebit::ptx::head {
namespace {

std::string key_of(const std::string& name) {
  constexpr const char* bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool plain = !name.empty() && name.find_first_not_of(bare) == std::string::npos;
  return plain ? name : in_quotes(name);
}

class HeadWriter {
 public:
  explicit HeadWriter(const Head& head) : head_(head) {}

  std::string write() {
    line("format = {}", head_format);
    if (!head_.key.id.empty()) line("id = {}", in_quotes(head_.key.id));
    if (head_.own_components()) line("origin = {}", in_quotes(head_.origin));
    if (!head_.doc.empty()) line("doc = {}", in_quotes(head_.doc));
    line("build = {}", in_quotes(image::to_string(head_.build)));
    write_arrays();
    begin("key");
    for (const auto& [axis, value] : head_.key.axes)
      line("{} = {}", key_of(axis), in_quotes(value));
    if (!head_.parent.text.empty()) {
      begin("parent");
      line("id = {}", in_quotes(head_.parent.id));
      line("text = {}", in_quotes(head_.parent.text));
    }
    write_launch();
    write_expects();
    write_resources();
    write_rules();
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += "//@ " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void begin(const char* table) { out_ += fmt::format("//@\n//@ [{}]\n", table); }
  void array(const char* key, const std::vector<std::string>& tables) {
    if (tables.empty()) return;
    line("{} = [", key);
    for (const std::string& one : tables) line("  {},", one);
    line("]");
  }
  void number_if(const char* key, std::int64_t value, std::int64_t fallback) {
    if (value != fallback) line("{} = {}", key, value);
  }

  // Warps of one role, lanes and unit in a row whose ranks go on from one to the next are one.
  std::vector<std::string> roles() const {
    std::vector<std::string> all;
    add_roles(head_.launch.slices, all);
    add_roles(head_.idle, all);
    return all;
  }
  void add_roles(const std::vector<image::RoleSlice>& slices, std::vector<std::string>& all) const {
    for (size_t first = 0; first < slices.size();) {
      const image::RoleSlice& slice = slices[first];
      std::vector<int> warps;
      size_t next = first;
      for (; next < slices.size(); ++next) {
        const image::RoleSlice& one = slices[next];
        const int rank = slice.rank + static_cast<int>(next - first) * slice.lanes();
        if (one.role != slice.role || one.first_lane != slice.first_lane ||
            one.lane_stride != slice.lane_stride || one.unit != slice.unit || one.rank != rank ||
            one.rank_in_cluster != slice.rank_in_cluster || one.leaves_early != slice.leaves_early)
          break;
        warps.push_back(one.warp);
      }
      all.push_back(role_line(slice, warps));
      first = next;
    }
  }
  std::string role_line(const image::RoleSlice& slice, const std::vector<int>& warps) const {
    Inline one;
    one.text("role", slice.role == image::Role::none ? no_role : word_of(slice.role));
    one.add("warps", list(warps));
    for (const LaneWord& lanes : lane_words)
      if (lanes.lane_stride == slice.lane_stride && lanes.first_lane == slice.first_lane &&
          slice.lane_stride != 1)
        one.text("lanes", lanes.word);
    if (slice.role == image::Role::none) return one.take();
    one.number_if("unit", slice.unit, 0);
    one.number_if("rank", slice.rank, 0);
    one.number_if("cta", slice.rank_in_cluster, -1);
    if (slice.leaves_early) one.add("leaves_early", "true");
    const bool clock =
        std::find(head_.clocks.begin(), head_.clocks.end(), slice.role) != head_.clocks.end();
    if (!clock) one.add("clock", "false");
    return one.take();
  }

  void write_arrays() {
    array("roles", roles());
    std::vector<std::string> barriers, registers;
    for (const HeadBarrier& barrier : head_.barriers) {
      Inline one;
      one.text("name", barrier.name);
      one.text("kind", barrier.kind);
      one.number_if("base", barrier.base, -1);
      one.number_if("stride", barrier.stride, barrier_bytes(barrier.kind) > 0 ? 8 : 1);
      one.number_if("count", barrier.count, 1);
      one.number_if("arrivals", barrier.arrivals, 0);
      barriers.push_back(one.take());
    }
    for (const HeadRegisters& own : head_.registers) {
      Inline one;
      one.text("role", word_of(own.role));
      one.text_if("item", own.item);
      one.text_if("slot", own.slot);
      one.text_if("cta", own.cta);
      registers.push_back(one.take());
    }
    array("barriers", barriers);
    array("registers", registers);
  }

  void write_launch() {
    const image::LaunchShape& launch = head_.launch;
    const image::LaunchShape usual;
    begin("launch");
    line("threads = {}", launch.threads);
    number_if("ctas_per_sm", launch.ctas_per_sm, usual.ctas_per_sm);
    number_if("sms", launch.sms, usual.sms);
    number_if("load_ctas", launch.load_ctas, usual.load_ctas);
    number_if("cluster_size", launch.cluster_size, usual.cluster_size);
    line("shared_bytes = {}", launch.dynamic_shared_bytes);
    number_if("granule", launch.item_granule, usual.item_granule);
    number_if("min_items", launch.min_items, usual.min_items);
    number_if("max_items", launch.max_items, usual.max_items);
    number_if("producer_turns", launch.producer_turns, usual.producer_turns);
    number_if("consumer_turns", launch.consumer_turns, usual.consumer_turns);
    line("timed_role = {}", in_quotes(word_of(launch.timed_role)));
    if (!launch.guarded) line("guarded = false");
    if (launch.fixed_warps) line("fixed_warps = true");
    line("unit = {}", in_quotes(launch.unit));
    number_if("work_amount", launch.work_amount, 0);
    number_if("delay_cycles", launch.delay_cycles, 0);
    number_if("first_rank", launch.first_rank, 0);
    number_if("second_rank", launch.second_rank, 0);
    for (const auto& [name, numbers] : head_.bounds) line("{} = {}", name, list(numbers));
  }

  void write_expects() {
    const image::LaunchShape& launch = head_.launch;
    const image::PayloadShape& payload = launch.payload;
    if (head_.launch.phases_checked == 0 && payload.words_per_slot == 0 &&
        launch.readings.empty() && launch.data.bytes == 0)
      return;
    begin("expects");
    number_if("phases", head_.launch.phases_checked, 0);
    if (payload.words_per_slot > 0) line("payload = {}", payload_text(payload));
    if (!launch.stored.buffer.empty()) line("stored = {}", stored_text(launch.stored));
    if (launch.data.bytes > 0) line("data = {}", data_text(launch.data, launch.payload));
    std::vector<std::string> readings;
    for (const image::Reading& reading : launch.readings) {
      Inline one;
      one.text("name", reading.name);
      one.text("unit", reading.unit);
      one.text("role", word_of(reading.role));
      one.number_if("index", reading.index, 0);
      readings.push_back(one.take());
    }
    array("readings", readings);
  }

  void write_resources() {
    std::vector<std::string> buffers;
    if (const int bytes = head_.launch.payload.images_bytes(); bytes > 0) {
      Inline one;
      one.text("name", payload_in_name);
      one.add("bytes", std::to_string(bytes));
      one.add("parameter", std::to_string(payload_in_at));
      buffers.push_back(one.take());
    }
    for (const image::Buffer& buffer : head_.launch.buffers) {
      Inline one;
      one.text("name", buffer.name);
      one.add("bytes", std::to_string(buffer.bytes));
      if (buffer.fill != image::BufferFill{}) one.text("fill", image::to_string(buffer.fill));
      buffers.push_back(one.take());
    }
    std::vector<std::string> maps;
    for (const auto& map : head_.launch.tensor_maps) maps.push_back(tensor_map_text(map));
    if (buffers.empty() && maps.empty()) return;
    begin("resources");
    array("buffers", buffers);
    array("tensor_maps", maps);
  }

  static std::string counts(const std::map<std::string, int>& by_role) {
    Inline items;
    for (const auto& [role, count] : by_role) items.add(role, std::to_string(count));
    return items.take();
  }

  void write_rules() {
    if (head_.rules.empty() && head_.covers.empty() && head_.items_per_iteration.empty()) return;
    begin("rules");
    if (!head_.exhaustive) line("exhaustive = false");
    if (!head_.items_per_iteration.empty())
      line("items_per_iteration = {}", counts(head_.items_per_iteration));
    if (!head_.items_beside.empty()) line("items_beside = {}", counts(head_.items_beside));
    std::vector<std::string> covers, verbs;
    for (const HeadCover& cover : head_.covers) {
      Inline one;
      one.text("part", cover.part);
      if (!cover.families.empty()) one.add("families", list(cover.families));
      one.text_if("ptxas", cover.ptxas);
      covers.push_back(one.take());
    }
    for (const HeadRule& rule : head_.rules) verbs.push_back(rule_line(rule));
    array("covers", covers);
    array("verbs", verbs);
  }
  static std::string count_of(const rule::CountRange& count) {
    if (count.low == count.high) return std::to_string(count.low);
    if (count.high == INT_MAX) return fmt::format("\"{}..\"", count.low);
    return fmt::format("\"{}..{}\"", count.low, count.high);
  }
  static std::string rule_line(const HeadRule& rule) {
    Inline one;
    one.text("verb", rule.rule.verb);
    one.text_if("role", rule.rule.role);
    if (!rule.families.empty()) one.add("families", list(rule.families));
    one.text_if("ptxas", rule.ptxas);
    if (rule.rule.passes != rule::Passes::loop)
      one.text("passes", rule.rule.passes == rule::Passes::both ? "both" : "beside");
    for (const rule::Path path : rule::all_paths) {
      Inline counts;
      for (const rule::OpcodeRule& opcode : rule.rule.require)
        if (opcode.path == path) counts.add(in_quotes(opcode.pattern), count_of(opcode.count));
      if (!counts.empty()) one.add(std::string(rule::to_string(path)), counts.take());
    }
    if (!rule.rule.forbid.empty()) one.add("forbid", list(rule.rule.forbid));
    return one.take();
  }

  const Head& head_;
  std::string out_;
};

}  // namespace

std::string write_head(const Head& head) {
  return HeadWriter(head).write();
}

}  // namespace phasebit::ptx::head
