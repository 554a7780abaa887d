#include "gen/forms/form.h"

#include "core/base/text.h"
#include "core/isa/targets.h"

#include <algorithm>
#include <cctype>

namespace phasebit::forms {

using base::contains;
using isa::Form;
using isa::Version;

namespace {

void keep(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& one : more)
    if (!contains(all, one)) all.push_back(one);
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A piece of a form's operands: a word with its '#', or what is between words.
struct Piece {
  std::string text;
  bool word = false;
};

std::vector<Piece> pieces_of(std::string_view operands) {
  std::vector<Piece> pieces;
  while (!operands.empty()) {
    size_t end = 0;
    const bool begins = operands[0] == '#' || operands[0] == '%' || in_word(operands[0]);
    if (begins) {
      end = 1;
      while (end < operands.size() && (in_word(operands[end]) || operands[end] == '.')) ++end;
    } else {
      while (end < operands.size() && operands[end] != '#' && operands[end] != '%' &&
             !in_word(operands[end]))
        ++end;
    }
    pieces.push_back({std::string(operands.substr(0, end)), begins});
    operands.remove_prefix(end);
  }
  return pieces;
}

// Special registers, the sink, numbers and literal numbers stay as they are.
bool stands_for_itself(const std::string& word) {
  const char first = word[word[0] == '#' && word.size() > 1 ? 1 : 0];
  return word == "_" || word[0] == '%' || std::isdigit(static_cast<unsigned char>(first)) != 0;
}

void take_operand(PlacedForm& placed, const Operand& operand) {
  placed.tx_bytes += operand.bytes;
  placed.crowds = placed.crowds || operand.crowds;
  if (placed.needs.empty()) placed.needs = operand.needs;
  if (placed.tie.empty()) placed.tie = operand.tie;
  keep(placed.setup, operand.setup);
  if (placed.result.empty() && !operand.result.empty()) {
    placed.result = operand.result;
    placed.result_name = operand.text;
    for (const std::string& declared : operand.registers)
      if (declared.ends_with(" " + operand.text)) placed.result_register = declared;
  }
  keep(placed.registers, operand.registers);
}

// A count of none forbids.
void add_counts(const FormSass::Counts& counts, int operations, isa::VerbRule& rule) {
  for (const auto& [pattern, count] : counts) {
    const bool open = count.high == INT_MAX;
    if (count.high == 0)
      isa::add_forbidden(rule, pattern);
    else
      isa::add_count(rule,
                     {pattern, {count.low * operations, open ? INT_MAX : count.high * operations}});
  }
}

}  // namespace

Result<PlacedForm> place_form(const OperandTable& operands, const Form& form) {
  PlacedForm placed;
  placed.form = &form;
  PHASEBIT_TRY_ASSIGN(family, operands.family(form));
  placed.family = family;
  const size_t space = std::min(form.text.find(' '), form.text.size());
  placed.statement = form.text.substr(0, space);
  for (const Piece& piece : pieces_of(std::string_view(form.text).substr(space))) {
    if (!piece.word) {
      placed.statement += piece.text;
    } else if (stands_for_itself(piece.text)) {
      placed.statement += piece.text[0] == '#' ? piece.text.substr(1) : piece.text;
    } else {
      PHASEBIT_TRY_ASSIGN(operand, operands.find(piece.text, form));
      take_operand(placed, *operand);
      placed.statement += operand->text;
    }
  }
  placed.tx_bytes += family->tx_bytes;
  if (family->pure && !placed.chains())
    placed.needs = "an operand that changes: ptxas makes equal operations without effect one";
  if (!family->assembled_only.empty()) placed.needs = family->assembled_only;
  return placed;
}

Result<std::unique_ptr<FormBook>> FormBook::make(isa::FormTable table, OperandTable operands) {
  auto book = std::make_unique<FormBook>();
  book->table_ = std::move(table);
  book->operands_ = std::move(operands);
  for (const Form& form : book->table_.forms()) {
    PHASEBIT_TRY_ASSIGN(placed, place_form(book->operands_, form));
    book->placed_.push_back(std::move(placed));
  }
  return book;
}

Result<const FormBook*> FormBook::get() {
  static const auto book = []() -> Result<std::unique_ptr<FormBook>> {
    PHASEBIT_TRY_ASSIGN(table, isa::FormTable::load());
    PHASEBIT_TRY_ASSIGN(operands, OperandTable::load());
    return make(std::move(table), std::move(operands));
  }();
  if (!book) return tl::unexpected<Error>(book.error());
  return book->get();
}

Result<const PlacedForm*> FormBook::placed(std::string_view id) const {
  PHASEBIT_TRY_ASSIGN(form, table_.get(id));
  return &placed_[static_cast<size_t>(form - table_.forms().data())];
}

Result<std::vector<std::string>> form_ids() {
  PHASEBIT_TRY_ASSIGN(book, FormBook::get());
  std::vector<std::string> ids;
  for (const Form& form : book->table().forms()) ids.push_back(form.id);
  return ids;
}

FormPoint form_point(const launch::VariantKey& key) {
  FormPoint point{key.value("form"),  key.value("path"), key.value("measure"),
                  key.value("lanes"), key.value("load"), 4};
  for (const int unroll : {8, 16})
    if (key.value("unroll") == std::to_string(unroll)) point.unroll = unroll;
  return point;
}

Result<std::string> why_no_form(const FormBook& book, const FormPoint& point) {
  if (book.table().find(point.form) == nullptr)
    return std::string("form: it names a row of core/isa/forms.csv");
  PHASEBIT_TRY_ASSIGN(placed, book.placed(point.form));
  if (placed->form->ptx_min.parts.empty()) return std::string("form: ptxas takes it for no target");
  if (!contains(placed->family->paths, point.path))
    return std::string("form: its family does not meet this path");
  if (!contains(placed->family->lanes, point.lanes))
    return std::string("form: its family does not run with these lanes");
  if (point.load == "busy" && placed->crowds)
    return std::string("form: it takes all barriers of its CTA, so no load fits next to it");
  if (point.measure == "latency" && !placed->chains())
    return std::string("form: no result that the next operation could take as an operand");
  if (point.measure == "throughput" && placed->family->pure && placed->chains())
    return std::string("form: ptxas makes equal operations without effect one");
  return std::string();
}

Result<std::vector<ptx::head::HeadRule>> form_rules(const FormBook& book, const FormPoint& point,
                                                    const std::string& sass_family) {
  PHASEBIT_TRY_ASSIGN(form, book.table().get(point.form));
  std::vector<ptx::head::HeadRule> rules;
  for (const FormSass* sass : book.operands().sass(*form, sass_family, point.path)) {
    isa::VerbRule rule{"form", "consumer", {}, {}}, other_half{"other_half", "consumer", {}, {}};
    add_counts(sass->opcodes, point.unroll, rule);
    add_counts(sass->once, 1, rule);
    add_counts(sass->other_half, point.unroll, other_half);
    rules.push_back({std::move(rule), {sass_family}, sass->ptxas});
    if (!other_half.require.empty())
      rules.push_back({std::move(other_half), {sass_family}, sass->ptxas});
  }
  if (!rules.empty())
    rules.push_back({{isa::any_verb, {}, {}, {"LDL*", "STL*"}}, {sass_family}, {}});
  return rules;
}

// The launch of a form's kernel and the names of its templates.

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

Result<launch::LaunchShape> form_launch(const FormBook& book, const FormPoint& point) {
  PHASEBIT_TRY_ASSIGN(found, book.placed(point.form));
  const PlacedForm& placed = *found;
  const FormFamily& family = *placed.family;
  launch::LaunchShape launch;
  launch.threads = 32;
  launch.guarded = false;
  launch.timed_role = launch::Role::consumer;
  launch.unit = fmt::format("cycles per {} operations", point.unroll);
  launch.load_ctas = point.load == "busy" ? load_ctas : 0;
  launch.dynamic_shared_bytes = shared_bytes;
  launch::RoleSlice slice;
  slice.role = launch::Role::consumer;
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

Result<FormNeeds> form_needs(const FormBook& book, const std::string& id) {
  PHASEBIT_TRY_ASSIGN(placed, book.placed(id));
  const isa::Form* form = placed->form;
  const std::string lowest = book.table().lowest_target(*form);
  PHASEBIT_TRY_ASSIGN(target, isa::parse_target(lowest));
  FormNeeds needs;
  needs.sm = target.sm;
  needs.suffix = target.suffix;
  const bool barrier = placed->family->barrier;
  needs.around_sm = barrier ? 80 : 0;
  const Version around = barrier ? Version{{7, 1}} : Version{{6, 3}};
  needs.ptx = std::max({form->ptx_min, around, isa::first_ptx_of_target(lowest)});
  if (!placed->family->ptx.empty()) {
    PHASEBIT_TRY_ASSIGN(version, isa::parse_version(placed->family->ptx));
    needs.ptx = std::max(needs.ptx, version);
  }
  needs.reason = fmt::format("{} '{}'", form->id, form->text);
  return needs;
}

}  // namespace phasebit::forms
