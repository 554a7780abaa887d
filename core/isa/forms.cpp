#include "core/isa/forms.h"

#include "core/base/text.h"
#include "core/isa/targets.h"

#include <algorithm>

namespace phasebit::isa {
namespace {

constexpr char forms_csv[] =
#include "core/isa/forms.csv.inc"
    ;

struct CsvRow {
  std::vector<std::string> cells;
  bool closed = true;  // no quote was left open
};

// One line of RFC 4180; a form holds commas, never a line break.
CsvRow split_row(std::string_view line) {
  CsvRow row;
  std::string cell;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cell += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      row.cells.push_back(std::exchange(cell, {}));
    else
      cell += c;
  }
  row.cells.push_back(cell);
  row.closed = !quoted;
  return row;
}

struct Columns {
  size_t id = 0, family = 0, form = 0, ptx_min = 0, note = 0;
  std::vector<size_t> targets;
};

class Reader {
 public:
  Reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  bool next() {
    if (text_.empty()) return false;
    const size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view line = text_.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    row_ = split_row(line);
    ++line_;
    return true;
  }
  template <typename... Args>
  tl::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) const {
    return fail(Step::spec, "{}:{}: {}", file_, line_,
                fmt::format(format, std::forward<Args>(args)...));
  }
  Result<size_t> column(const std::string& name) const {
    const auto found = std::find(row_.cells.begin(), row_.cells.end(), name);
    if (found == row_.cells.end())
      return with_hint(refuse("no column '{}'", name), base::nearest_word_hint(name, row_.cells));
    return static_cast<size_t>(found - row_.cells.begin());
  }
  const CsvRow& row() const { return row_; }

 private:
  std::string_view text_;
  std::string file_;
  int line_ = 0;
  CsvRow row_;
};

Result<Columns> read_header(const Reader& reader, std::vector<std::string>& targets) {
  Columns columns;
  PHASEBIT_TRY_ASSIGN(id, reader.column("id"));
  PHASEBIT_TRY_ASSIGN(family, reader.column("family"));
  PHASEBIT_TRY_ASSIGN(form, reader.column("form"));
  PHASEBIT_TRY_ASSIGN(ptx_min, reader.column("ptx_min"));
  PHASEBIT_TRY_ASSIGN(note, reader.column("note"));
  columns = {id, family, form, ptx_min, note, {}};
  for (size_t i = 0; i < reader.row().cells.size(); ++i) {
    const std::string& name = reader.row().cells[i];
    if (!name.starts_with("sm_")) continue;
    if (!parse_target(name)) return reader.refuse("'{}' is not an architecture", name);
    columns.targets.push_back(i);
    targets.push_back(name);
  }
  if (targets.empty()) return reader.refuse("no column of an architecture (sm_...)");
  return columns;
}

Result<Form> read_form(const Reader& reader, const Columns& columns) {
  const std::vector<std::string>& cells = reader.row().cells;
  Form form;
  form.id = cells[columns.id];
  form.family = cells[columns.family];
  form.text = cells[columns.form];
  form.note = cells[columns.note];
  if (form.id.rfind(form.family + "#", 0) != 0 || form.family.empty())
    return reader.refuse("id: '{}' is not '{}#' and a number", form.id, form.family);
  if (!form.text.ends_with(';')) return reader.refuse("form: '{}' is not a statement", form.text);
  if (const std::string& version = cells[columns.ptx_min]; !version.empty()) {
    const auto parsed = parse_version(version);
    if (!parsed) return reader.refuse("ptx_min: '{}' is not a version", version);
    form.ptx_min = *parsed;
  }
  for (const size_t i : columns.targets) {
    if (cells[i] != "ok" && cells[i] != "err")
      return reader.refuse("'{}' is neither ok nor err", cells[i]);
    form.accepted.push_back(cells[i] == "ok");
  }
  return form;
}

}  // namespace

Result<FormTable> FormTable::load() {
  return read({forms_csv, sizeof(forms_csv) - 1}, "core/isa/forms.csv");
}

Result<FormTable> FormTable::read(std::string_view text, const std::string& file) {
  FormTable table;
  Reader reader(text, file);
  if (!reader.next()) return fail(Step::spec, "{}: is empty", file);
  PHASEBIT_TRY_ASSIGN(columns, read_header(reader, table.targets_));
  const size_t width = reader.row().cells.size();
  while (reader.next()) {
    const CsvRow& row = reader.row();
    if (!row.closed) return reader.refuse("a quote is not closed");
    if (row.cells.size() != width)
      return reader.refuse("{} cells, the header has {}", row.cells.size(), width);
    PHASEBIT_TRY_ASSIGN(form, read_form(reader, columns));
    if (!table.by_id_.emplace(form.id, table.forms_.size()).second)
      return reader.refuse("id: '{}' twice", form.id);
    table.forms_.push_back(std::move(form));
  }
  return table;
}

const Form* FormTable::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &forms_[found->second];
}

Result<const Form*> FormTable::get(std::string_view id) const {
  if (const Form* form = find(id)) return form;
  std::vector<std::string> ids;
  for (const Form& form : forms_) ids.push_back(form.id);
  return with_hint(fail(Step::usage, "no form '{}'", id), base::nearest_word_hint(id, ids));
}

bool FormTable::accepts(const Form& form, std::string_view target) const {
  for (size_t i = 0; i < targets_.size(); ++i)
    if (targets_[i] == target) return form.accepted[i];
  return false;
}

std::string FormTable::lowest_target(const Form& form) const {
  std::string lowest;
  for (size_t i = 0; i < targets_.size(); ++i) {
    if (!form.accepted[i]) continue;
    if (parse_target(targets_[i])->suffix.empty()) return targets_[i];
    if (lowest.empty()) lowest = targets_[i];
  }
  return lowest;
}

Version first_ptx_of_target(std::string_view target) {
  struct First {
    std::string_view target;
    Version ptx;
  };
  static const First table[] = {
      {"sm_75", {{6, 3}}},  {"sm_80", {{7, 0}}},   {"sm_86", {{7, 1}}},  {"sm_87", {{7, 4}}},
      {"sm_88", {{9, 0}}},  {"sm_89", {{7, 8}}},   {"sm_90", {{7, 8}}},  {"sm_90a", {{8, 0}}},
      {"sm_100", {{8, 6}}}, {"sm_100a", {{8, 6}}}, {"sm_103", {{8, 8}}}, {"sm_103a", {{8, 8}}},
      {"sm_107", {{9, 4}}}, {"sm_107a", {{9, 4}}}, {"sm_110", {{9, 0}}}, {"sm_110a", {{9, 0}}},
      {"sm_120", {{8, 7}}}, {"sm_120a", {{8, 7}}}, {"sm_121", {{8, 8}}}, {"sm_121a", {{8, 8}}},
  };
  for (const First& row : table)
    if (row.target == target) return row.ptx;
  return {{6, 3}};
}

}  // namespace phasebit::isa
