#include "join/emit/verb_text.h"

#include "core/base/fields.h"
#include "core/base/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>

namespace phasebit::join::emit {

using Part = ptx::PtxStatement::Part;

Result<VerbText> VerbText::read(std::string_view text, const std::string& name) {
  VerbText made;
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, name));
  made.file_ = std::move(file);
  const auto entries = made.file_.entries();
  if (entries.size() != 1)
    return fail(Step::render, "{}: {} kernels, not one", name, entries.size());
  made.entry_ = entries.front();
  made.scopes_ = ptx::scopes_of(made.file_, *made.entry_);
  return made;
}

const ptx::PtxHeading* VerbText::heading(std::size_t at) const {
  const int index = file_.statements[at].heading;
  return index < 0 ? nullptr : &file_.headings[static_cast<std::size_t>(index)];
}

std::vector<Piece> VerbText::places(launch::Role role, std::string_view verb) const {
  const std::string& word = base::word_of(role);
  std::vector<Piece> found;
  std::size_t last = 0;
  for (std::size_t at = entry_->open + 1; at < entry_->close; ++at) {
    const ptx::PtxHeading* of = heading(at);
    if (of == nullptr || of->verb != verb || (verb != "init" && of->role != word)) continue;
    if (found.empty() || (last + 1 != at && verb != "tail")) found.emplace_back();
    found.back().push_back(at);
    last = at;
  }
  return found;
}

Piece VerbText::outside(launch::Role role, bool before_clocks) const {
  Piece piece;
  bool before = true;
  for (std::size_t at = entry_->open + 1; at < entry_->close; ++at) {
    const ptx::PtxHeading* of = heading(at);
    if (of == nullptr) continue;
    before = before && of->verb != "clock_start";
    if (before == before_clocks && of->role == base::word_of(role) && of->verb.empty())
      piece.push_back(at);
  }
  return piece;
}

bool VerbText::is_outer(std::size_t at, std::string_view name) const {
  return scopes_.declaring(scopes_.of(at), name) == 0;
}

Names VerbText::outer(std::size_t at, const std::vector<std::string>& names) const {
  Names found;
  for (const std::string& name : names)
    if (is_outer(at, name)) found.insert(name);
  return found;
}

Piece VerbText::slice(const Piece& piece, const Names& wanted, bool effects) const {
  using Local = std::pair<int, std::string>;
  std::set<Local> needed;
  for (const std::string& name : wanted) needed.emplace(0, name);
  const auto local = [&](std::size_t at, const std::string& name) {
    return Local(scopes_.declaring(scopes_.of(at), name), name);
  };
  Piece kept;
  for (auto it = piece.rbegin(); it != piece.rend(); ++it) {
    const ptx::PtxStatement& statement = parsed(*it);
    if (statement.part == Part::brace) kept.push_back(*it);
    if (statement.part == Part::directive) {
      const auto& names = statement.operands;
      if (std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return needed.count(local(*it, name.substr(0, name.find('<')))) > 0;
          }))
        kept.push_back(*it);
    }
    if (statement.part != Part::instruction) continue;
    const auto written = ptx::written_names(statement);
    const bool has_use = std::any_of(written.begin(), written.end(), [&](const std::string& name) {
      return needed.count(local(*it, name)) > 0;
    });
    if (!has_use && !(effects && written.empty())) continue;
    kept.push_back(*it);
    if (statement.guard.empty())
      for (const std::string& name : written)
        if (scopes_.declaring(scopes_.of(*it), name) == 0) needed.erase(local(*it, name));
    for (const std::string& name : ptx::read_names(statement)) needed.insert(local(*it, name));
  }
  std::reverse(kept.begin(), kept.end());
  // Blocks that nothing is left in, and those that begin or end outside of the piece.
  Piece out;
  for (const std::size_t at : kept) {
    const bool closes = parsed(at).part == Part::brace && parsed(at).name == "}";
    if (closes && !out.empty() && parsed(out.back()).part == Part::brace &&
        parsed(out.back()).name == "{")
      out.pop_back();
    else
      out.push_back(at);
  }
  return out;
}

Names VerbText::reads(const Piece& piece) const {
  Names written, found;
  for (const std::size_t at : piece) {
    const ptx::PtxStatement& statement = parsed(at);
    for (const std::string& name : outer(at, ptx::read_names(statement)))
      if (written.count(name) == 0) found.insert(name);
    for (const std::string& name : outer(at, ptx::written_names(statement)))
      if (statement.guard.empty())
        written.insert(name);
      else if (written.count(name) == 0)
        found.insert(name);
  }
  return found;
}

Names VerbText::writes(const Piece& piece) const {
  Names found;
  for (const std::size_t at : piece) found.merge(outer(at, ptx::written_names(parsed(at))));
  return found;
}

// Indented; the registers of the kernel itself are declared by what asks.
std::vector<std::string> VerbText::lines(const Piece& piece) const {
  std::vector<std::string> out;
  std::size_t depth = 1;
  for (const std::size_t at : piece) {
    const ptx::PtxStatement& statement = parsed(at);
    if (statement.part == Part::directive && scopes_.of(at) == 0) continue;
    const bool brace = statement.part == Part::brace;
    if (brace && statement.name == "}" && depth > 0) --depth;
    out.push_back(std::string(2 * depth, ' ') + ptx::plain_text(file_.statements[at].text));
    if (brace && statement.name == "{") ++depth;
  }
  return out;
}

namespace {

// What holds a register among asm's operands. A predicate is 0 or 1 there.
char constraint_of(const std::string& type) {
  return type.ends_with("64") ? 'l' : 'r';
}

struct Operand {
  std::string name, type;
  bool in = false, out = false;
  bool is_predicate() const { return type == ".pred"; }
};

// A number of a line, or what is between numbers.
struct Token {
  std::string text;
  bool number = false;
};

std::vector<Token> tokens_of(const std::string& line) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    const bool word = ptx::in_name(line[at]);
    while (end < line.size() && ptx::in_name(line[end]) == word) ++end;
    std::string text = line.substr(at, end - at);
    const bool number =
        word && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    tokens.push_back({std::move(text), number});
    at = end;
  }
  return tokens;
}

// The line of every slot as one: numbers that grow by the slot are operands, from `number` on.
// Nothing where the lines differ in another way.
std::optional<std::string> joined_line(const std::vector<std::string>& lines, std::size_t number,
                                       std::vector<std::string>& immediates) {
  std::vector<std::vector<Token>> all;
  for (const std::string& line : lines) all.push_back(tokens_of(line));
  std::string out;
  for (std::size_t at = 0; at < all.front().size(); ++at) {
    std::vector<long> values;
    bool same = true;
    for (const auto& tokens : all) {
      if (tokens.size() != all.front().size()) return std::nullopt;
      same = same && tokens[at].text == all.front()[at].text;
      if (tokens[at].number) values.push_back(std::stol(tokens[at].text));
    }
    if (same) {
      out += all.front()[at].text;
      continue;
    }
    if (values.size() != all.size()) return std::nullopt;
    const long step = values[1] - values[0];
    for (std::size_t slot = 0; slot < values.size(); ++slot)
      if (values[slot] != values[0] + step * static_cast<long>(slot)) return std::nullopt;
    std::string wanted = fmt::format("{} + {} * Slot", values[0], step);
    auto known = std::find(immediates.begin(), immediates.end(), wanted);
    out += fmt::format("%{}", number + static_cast<std::size_t>(known - immediates.begin()));
    if (known == immediates.end()) immediates.push_back(std::move(wanted));
  }
  return out;
}

// "[p_barrier]" as "[p_barrier+0]", which the next slot has another number in.
std::string with_offset(const std::string& line) {
  static const std::regex plain(R"(\[([\w%]+)\])");
  return std::regex_replace(line, plain, "[$1+0]");
}

// The text of every slot as one.
Result<std::vector<std::string>> joined_lines(const std::vector<std::vector<std::string>>& texts,
                                              std::size_t number,
                                              std::vector<std::string>& immediates) {
  std::vector<std::string> out;
  for (std::size_t n = 0; n < texts.front().size(); ++n) {
    const std::string& line = texts.front()[n];
    std::vector<std::string> of_slots;
    for (const auto& text : texts)
      if (text.size() == texts.front().size()) of_slots.push_back(with_offset(text[n]));
    const bool same = std::all_of(texts.begin(), texts.end(), [&](const auto& text) {
      return text.size() == texts.front().size() && text[n] == line;
    });
    std::optional<std::string> joined = line;
    if (!same)
      joined = of_slots.size() == texts.size() ? joined_line(of_slots, number, immediates)
                                               : std::nullopt;
    if (!joined)
      return fail(Step::render, "`{}` differs from slot to slot in more than a number",
                  base::trimmed(line, " "));
    out.push_back(std::move(*joined));
  }
  return out;
}

std::string quoted(const std::string& line) {
  std::string out = "      \"";
  for (const char c : line) out += c == '"' ? std::string("\\\"") : std::string(1, c);
  return out + "\\n\"\n";
}

std::string operand_list(const std::vector<Operand>& operands, bool outputs,
                         const std::function<std::string(const std::string&)>& bind,
                         const std::vector<std::string>& immediates) {
  std::vector<std::string> words;
  for (const Operand& one : operands)
    if (one.out == outputs)
      words.push_back(fmt::format("\"{}{}\"({})",
                                  !one.out ? ""
                                  : one.in ? "+"
                                           : "=",
                                  constraint_of(one.type), bind(one.name)));
  if (!outputs)
    for (const std::string& one : immediates) words.push_back(fmt::format("\"n\"({})", one));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

Result<std::string> VerbText::asm_statement(const Request& request) const {
  const Piece& first = request.places.front();
  const Names read = reads(first), written = writes(first);
  std::vector<Operand> operands;
  std::vector<std::string> before, after;
  Names all = read;
  all.insert(written.begin(), written.end());
  for (const bool out : {true, false})
    for (const std::string& name : all) {
      const bool is_out = written.count(name) > 0 && request.wanted.count(name) > 0;
      if (read.count(name) == 0 && !is_out) {
        if (out) before.push_back(fmt::format("  .reg {} {};", type_of(name), name));
        continue;
      }
      if (is_out == out) operands.push_back({name, type_of(name), read.count(name) > 0, is_out});
    }
  std::map<std::string, std::string> places;
  for (std::size_t n = 0; n < operands.size(); ++n) {
    const Operand& one = operands[n];
    places[one.name] = one.is_predicate() ? one.name : fmt::format("%{}", n);
    if (!one.is_predicate()) continue;
    before.push_back(fmt::format("  .reg .pred {};", one.name));
    if (one.in) before.push_back(fmt::format("  setp.ne.u32 {}, %{}, 0;", one.name, n));
    if (one.out) after.push_back(fmt::format("  selp.u32 %{}, 1, 0, {};", n, one.name));
  }
  const auto renamed = [&](const std::string& line) {
    return ptx::replace_names(line, [&](std::string_view name) {
      const auto found = places.find(std::string(name));
      if (name.starts_with('%')) return "%" + std::string(name);
      return found == places.end() ? std::string(name) : found->second;
    });
  };
  std::vector<std::vector<std::string>> texts;
  for (const Piece& piece : request.places) {
    texts.push_back(lines(piece));
    for (std::string& line : texts.back()) line = renamed(line);
  }
  std::vector<std::string> immediates;
  PHASEBIT_TRY_ASSIGN(joined, joined_lines(texts, operands.size(), immediates));
  std::string body = quoted("{");
  for (const auto* part : {&before, &joined, &after})
    for (const std::string& line : *part) body += quoted(line);
  body += "      \"}\"";
  return fmt::format("  asm{}({}\n      : {}\n      : {}{});\n",
                     request.is_volatile ? " volatile" : "", body.substr(6),
                     operand_list(operands, true, request.bind, {}),
                     operand_list(operands, false, request.bind, immediates),
                     request.is_volatile ? "\n      : \"memory\"" : "");
}

}  // namespace phasebit::join::emit
