#include "gen/forms/form.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace phasebit::forms {

using base::contains;
using isa::Form;

namespace {

void keep(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& one : more)
    if (!contains(all, one)) all.push_back(one);
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A piece of a form's operands: a word with its '#', or what stands between words.
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

// Special registers, the sink, numbers and literal numbers stand as they are.
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
void add_counts(const FormSass::Counts& counts, int operations, rule::VerbRule& rule) {
  for (const auto& [pattern, count] : counts) {
    const bool open = count.high == INT_MAX;
    if (count.high == 0)
      rule::add_forbidden(rule, pattern);
    else
      rule::add_count(
          rule, {pattern, {count.low * operations, open ? INT_MAX : count.high * operations}});
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

FormPoint form_point(const image::VariantKey& key) {
  FormPoint point{key.value("form"),  key.value("path"), key.value("measure"),
                  key.value("lanes"), key.value("load"), 4};
  if (key.value("unroll") == "8") point.unroll = 8;
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
    return std::string("form: it takes all barriers of its CTA, so no load fits beside it");
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
    rule::VerbRule rule{"form", "consumer", {}, {}}, other_half{"other_half", "consumer", {}, {}};
    add_counts(sass->opcodes, point.unroll, rule);
    add_counts(sass->once, 1, rule);
    add_counts(sass->other_half, point.unroll, other_half);
    rules.push_back({std::move(rule), {sass_family}, sass->ptxas});
    if (!other_half.require.empty())
      rules.push_back({std::move(other_half), {sass_family}, sass->ptxas});
  }
  if (!rules.empty())
    rules.push_back({{rule::any_verb, {}, {}, {"LDL*", "STL*"}}, {sass_family}, {}});
  return rules;
}

}  // namespace phasebit::forms
