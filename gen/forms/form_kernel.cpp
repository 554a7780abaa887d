// The launch of a form's kernel and the names of its templates.
#include "gen/forms/form.h"

#include <algorithm>
#include <cctype>

namespace phasebit::forms {
namespace {

using nlohmann::json;

// What the count of pending arrivals and the transaction count of an mbarrier can hold (PTX ISA,
// "mbarrier: Contents").
constexpr int most_pending = (1 << 20) - 1;
constexpr int load_ctas = 8;
// Barrier, then room for what operations read and write; the operand table counts on it.
constexpr int shared_bytes = 4096;

int lanes_of(const FormPoint& point) {
  return point.lanes == "warp" ? 32 : 1;
}

// Arrivals of the barrier at its start.
int initial_count(const FormPoint& point) {
  if (point.path == "pending") return most_pending;
  if (point.path == "completing" || point.path == "ready") return lanes_of(point);
  if (point.path == "blocked") return lanes_of(point) + 1;
  return 1;
}

bool word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The text with every whole word `name` replaced.
std::string renamed(const std::string& text, const std::string& name, const std::string& other) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t found = name.empty() ? std::string::npos : text.find(name, at);
    if (found == std::string::npos) return out + text.substr(at);
    const size_t end = found + name.size();
    const bool whole = (found == 0 || !word_char(text[found - 1])) &&
                       (end == text.size() || !word_char(text[end]));
    out += text.substr(at, found - at) + (whole ? other : name);
    at = end;
  }
  return out;
}

json statements(const std::vector<std::string>& texts) {
  json list = json::array();
  for (const std::string& text : texts) list.push_back({{"statement", text}});
  return list;
}

std::vector<std::string> renamed(const std::vector<std::string>& texts, const std::string& name,
                                 const std::string& other) {
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(renamed(text, name, other));
  return out;
}

// Operation `index` has a result register of its own, so that none waits for the register of the
// one before it.
json operation(const PlacedForm& placed, const FormPoint& point, int index) {
  const std::string own = fmt::format("{}{}", placed.result_name, index);
  const bool ties = point.measure == "latency";
  std::string text = renamed(placed.statement, placed.result_name, own);
  if (placed.family->spread)
    for (const char* address : {"f_bar", "f_addr"})
      text = renamed(text, address, fmt::format("{}_{}", address, index));
  json one = {{"operation", text}};
  one["before"] = statements(placed.family->before);
  one["after"] = statements(placed.family->after);
  one["result"] = statements(renamed(placed.result, placed.result_name, own));
  one["tie"] = statements(ties ? placed.tie : std::vector<std::string>{});
  one["ties"] = ties;
  return one;
}

std::vector<std::string> registers_of(const PlacedForm& placed, int unroll) {
  std::vector<std::string> all;
  for (const std::string& declared : placed.registers)
    if (declared != placed.result_register) all.push_back(declared);
  const std::string type = placed.result_register.empty()
                               ? "b64"  // the state of an arrive: the table declares none
                               : placed.result_register.substr(0, placed.result_register.find(' '));
  for (int i = 0; !placed.result_name.empty() && i < unroll; ++i)
    all.push_back(fmt::format("{} {}{}", type, placed.result_name, i));
  return all;
}

// Equal addresses in registers that ptxas cannot know to be equal.
void spread_addresses(const PlacedForm& placed, int unroll, std::vector<std::string>& registers,
                      std::vector<std::string>& setup) {
  const bool generic = renamed(placed.statement, "f_addr", "") != placed.statement;
  for (int i = 0; i < unroll; ++i) {
    const std::string name = fmt::format("{}_{}", generic ? "f_addr" : "f_bar", i);
    registers.push_back(fmt::format("{} {}", generic ? "b64" : "b32", name));
    setup.push_back(generic ? fmt::format("mad.wide.u32 {}, zero, {}, f_addr;", name, 8 * i)
                            : fmt::format("mad.lo.u32 {}, zero, {}, f_bar;", name, 8 * i));
  }
}

}  // namespace

Result<image::LaunchShape> form_launch(const FormBook& book, const FormPoint& point) {
  PHASEBIT_TRY_ASSIGN(found, book.placed(point.form));
  const PlacedForm& placed = *found;
  const FormFamily& family = *placed.family;
  image::LaunchShape launch;
  launch.threads = 32;
  launch.guarded = false;
  launch.timed_role = image::Role::consumer;
  launch.unit = fmt::format("cycles per {} operations", point.unroll);
  launch.load_ctas = point.load == "busy" ? load_ctas : 0;
  launch.dynamic_shared_bytes = shared_bytes;
  image::RoleSlice slice;
  slice.role = image::Role::consumer;
  launch.slices.push_back(slice);
  const int an_item = point.unroll * lanes_of(point);
  int most = family.max_items == 0 ? most_pending : family.max_items;
  if (point.path == "pending" && family.arrivals > 0)
    most = std::min(most, (most_pending - 32) / (family.arrivals * an_item));
  if (placed.tx_bytes > 0) most = std::min(most, most_pending / (placed.tx_bytes * an_item));
  launch.max_items = most == most_pending ? 0 : most;
  return launch;
}

Status add_form_names(json& context, const FormBook& book, const FormPoint& point) {
  PHASEBIT_TRY_ASSIGN(found, book.placed(point.form));
  const PlacedForm& placed = *found;
  const FormFamily& family = *placed.family;
  json operations = json::array();
  for (int i = 0; i < point.unroll; ++i) operations.push_back(operation(placed, point, i));
  const bool gathers = !placed.result.empty();
  std::vector<std::string> registers = registers_of(placed, point.unroll), setup = placed.setup;
  if (family.spread) spread_addresses(placed, point.unroll, registers, setup);
  context["operations"] = operations;
  context["form_registers"] = statements(registers);
  context["form_setup"] = statements(setup);
  context["form_finish"] = statements(family.finish);
  context["has_barrier"] = family.barrier;
  context["has_state"] = point.path == "ready" || point.path == "blocked";
  context["gathers"] = gathers && point.measure == "throughput";
  context["link_into_checksum"] = gathers && point.measure == "latency";
  context["awaits_bytes"] = family.completes;
  context["lane_alone"] = point.lanes == "one";
  context["initial_count"] = std::to_string(initial_count(point));
  context["item_bytes"] = std::to_string(placed.tx_bytes * point.unroll * lanes_of(point));
  return {};
}

}  // namespace phasebit::forms
