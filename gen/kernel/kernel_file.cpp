#include "gen/kernel/kernel_file.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/launch/external.h"
#include "core/ptx/file.h"
#include "core/ptx/head/check.h"
#include "core/ptx/head/head.h"
#include "gen/space/template_set.h"
#include "gen/space/variants.h"

#include <algorithm>

namespace phasebit::kernel {

using launch::SourceLine;
using ptx::PlacedStatement;
using ptx::plain_text;
using ptx::PtxFile;
using ptx::PtxFunction;
using ptxas::Kernel;

namespace {

std::string heading_of(const SourceLine& source, HeadingLines lines) {
  std::string words = source.role;
  if (!source.verb.empty()) words += (words.empty() ? "" : " ") + source.verb;
  std::string place = source.place();
  if (lines == HeadingLines::left_out) place.erase(place.rfind(':'));
  return fmt::format("// [{}] {}\n", words.empty() ? "-" : words, place);
}

bool same_heading(const SourceLine& a, const SourceLine& b) {
  return a.role == b.role && a.verb == b.verb && a.file == b.file;
}

bool is_verb(const std::string& word) {
  const auto& verbs = space::verb_names();
  return std::find(verbs.begin(), verbs.end(), word) != verbs.end();
}

// Where a file's statements belong: by heading, else by the functions they were inlined from.
class Attribution {
 public:
  explicit Attribution(const PtxFile& file) : file_(file) {
    if (file.headings.empty()) sources_ = ptx::sources_of(file);
  }

  SourceLine of(size_t at) const {
    const PlacedStatement& statement = file_.statements[at];
    SourceLine source;
    source.file = file_.name;
    source.line = statement.line;
    source.of_templates = false;
    if (statement.heading >= 0) {
      const ptx::PtxHeading& heading = file_.headings[static_cast<size_t>(statement.heading)];
      source.role = heading.role;
      source.verb = heading.verb;
    } else if (!sources_.empty() && sources_[at]) {
      attribute(sources_[at]->functions, source);
    }
    return source;
  }

 private:
  // What a function named as a role calls is a verb, whatever a library calls in it: its own
  // `wait` in an `acquire` is not a wait of the ring.
  static void attribute(const std::vector<std::string>& functions, SourceLine& source) {
    for (size_t n = functions.size(); n-- > 1;)
      if (base::value_of_word<launch::Role>(functions[n - 1])) {
        source.role = functions[n - 1];
        if (n > 1) source.verb = functions[n - 2];
        return;
      }
    source.verb = verb_of(functions);
  }

  // The last of them is the function that the statement is in.
  static std::string verb_of(const std::vector<std::string>& functions) {
    if (functions.size() < 2) return {};
    const auto known = std::find_if(functions.begin(), functions.end() - 1, is_verb);
    return known == functions.end() - 1 ? functions.front() : *known;
  }

  const PtxFile& file_;
  std::vector<std::optional<ptx::PtxSource>> sources_;
};

Status check_verbs(const PtxFile& file, const PtxFunction& entry) {
  for (size_t at = entry.signature; at <= entry.close; ++at) {
    const int index = file.statements[at].heading;
    if (index < 0) continue;
    const ptx::PtxHeading& heading = file.headings[static_cast<size_t>(index)];
    if (heading.verb.empty() || is_verb(heading.verb)) continue;
    return with_hint(
        fail(Step::render, "{}:{}: no verb '{}'", file.name, heading.at_line, heading.verb),
        base::nearest_word_hint(heading.verb, space::verb_names()));
  }
  return {};
}

// Nothing but what every module of ours begins with, and entries.
bool is_plain(const PtxFile& file) {
  for (const PtxFunction& function : file.functions)
    if (!function.entry || !function.has_body || function.head_lines.empty()) return false;
  return std::all_of(file.globals.begin(), file.globals.end(), [&](size_t at) {
    return plain_text(file.statements[at].text) == ptxas::module_shared_declaration;
  });
}

// As it was rendered: what begins on one line is one statement, but for the brace that opens the
// body, where no `.loc` may precede.
void add_statements(const PtxFile& file, const PtxFunction& entry, const Attribution& attribution,
                    Kernel& kernel) {
  int line = 0;
  for (size_t at = entry.signature; at <= entry.close; ++at) {
    const PlacedStatement& statement = file.statements[at];
    const std::string text = plain_text(statement.text);
    const bool opens = at == entry.open || at == entry.open + 1;
    if (statement.line == line && !opens) {
      kernel.statements.back() += " " + text;
      continue;
    }
    line = statement.line;
    kernel.statements.push_back(text);
    kernel.source.push_back(attribution.of(at));
  }
}

bool is_line_directive(const PlacedStatement& statement) {
  return statement.parsed.name == ".loc" || statement.parsed.name == ".file";
}

// The whole file, a line a statement.
void add_lines(std::string_view text, const PtxFile& file, const Attribution& attribution,
               Kernel& kernel) {
  kernel.as_is = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    kernel.statements.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const int line = static_cast<int>(kernel.statements.size());
    kernel.source.push_back({file.name, line, {}, {}, false});
  }
  kernel.line_kinds.resize(kernel.statements.size());
  std::vector<bool> taken(kernel.statements.size());
  const auto index_of = [&](size_t at) {
    return static_cast<size_t>(file.statements[at].line - 1);
  };
  for (size_t at = 0; at < file.statements.size(); ++at)
    if (is_line_directive(file.statements[at]))
      kernel.line_kinds[index_of(at)] = ptxas::LineKind::line_directive;
  for (const PtxFunction& function : file.functions) {
    if (!function.has_body) continue;
    for (size_t at = function.open + 1; at < function.close; ++at) {
      const size_t index = index_of(at);
      // No `.loc` may precede the end of a statement that began above.
      const std::string& above = file.statements[at - 1].text;
      const auto lines = static_cast<size_t>(std::count(above.begin(), above.end(), '\n'));
      if (lines > 0 && index_of(at - 1) + lines == index) taken[index] = true;
      if (taken[index] || file.statements[at].parsed.part != ptx::PtxStatement::Part::instruction)
        continue;
      taken[index] = true;
      kernel.source[index] = attribution.of(at);
      kernel.line_kinds[index] = ptxas::LineKind::executable;
    }
  }
}

std::string first_word(const std::string& text) {
  return text.substr(0, text.find_first_of(", \t"));
}

// Of statements alone: a changed comment changes no hash.
std::string hash_of_file(const PtxFile& file, const std::string& entry) {
  std::string all = entry + "\n";
  for (const PlacedStatement& statement : file.statements) all += plain_text(statement.text) + "\n";
  return base::content_hash(all);
}

// Of a kernel without a head: what is known of it is its name.
ptx::head::Head headless(const PtxFile& file, const std::string& entry) {
  ptx::head::Head head;
  const std::string stem = fs::path(file.name).stem().string();
  head.key.id = fmt::format("{}/{}/{}", launch::external_kind, stem, entry);
  head.key.hash = base::short_hash(head.key.id);
  head.key.axes = {{"probe", launch::external_kind}, {"file", stem}, {"entry", entry}};
  head.launch.unit = "ns per item";
  return head;
}

Result<Rendered> read_entry(std::string_view text, const PtxFile& file, const PtxFunction& entry,
                            const Attribution& attribution, bool plain) {
  Rendered out;
  if (entry.head_lines.empty()) {
    out.head = headless(file, entry.name);
  } else {
    PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(entry.head_lines, file.name));
    PHASEBIT_TRY(check_verbs(file, entry));
    PHASEBIT_TRY(ptx::head::check_head(head, file, entry));
    ptx::head::order_buffers(head, entry);
    out.head = std::move(head);
    out.has_head = true;
  }
  Kernel& kernel = out.kernel;
  kernel.build = out.head.build;
  kernel.entry = entry.name;
  kernel.ptx_version = file.version;
  kernel.ptx_target = first_word(file.target);
  if (plain)
    add_statements(file, entry, attribution, kernel);
  else
    add_lines(text, file, attribution, kernel);
  // What has no head has no verbs to lead back to.
  kernel.has_own_lines =
      !out.has_head && std::any_of(file.statements.begin(), file.statements.end(),
                                   [](const auto& one) { return one.parsed.name == ".loc"; });
  kernel.hash = plain ? kernel_hash(kernel) : hash_of_file(file, entry.name);
  return out;
}

}  // namespace

std::string kernel_file(const space::Catalogue& catalogue, const Rendered& rendered,
                        HeadingLines lines) {
  const Kernel& kernel = rendered.kernel;
  std::string out =
      fmt::format(".version {}\n.target {}\n.address_size 64\n{}\n\n", kernel.ptx_version,
                  kernel.ptx_target, ptxas::module_shared_declaration);
  for (const std::string& line : kernel.preamble) out += line + "\n";
  size_t depth = 0;
  const SourceLine* above = nullptr;
  for (const ListingLine& line : rendered.listing) {
    if (line.text.starts_with('}')) depth -= std::min<size_t>(depth, 1);
    const std::string indent(2 * depth, ' ');
    if (above == nullptr || !same_heading(*above, line.source))
      out += indent + heading_of(line.source, lines);
    above = &line.source;
    if (line.text.starts_with(".visible .entry "))
      out +=
          ptx::head::write_head(rendered.head, space::default_axes(catalogue, rendered.head.key));
    const bool label = line.text.ends_with(':');
    out += (label && depth > 0 ? indent.substr(1) : indent) + line.text + "\n";
    if (line.text == "{") ++depth;
  }
  return out;
}

Result<std::vector<Rendered>> read_kernels(std::string_view text, const std::string& name) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, name));
  std::vector<Rendered> kernels;
  const Attribution attribution(file);
  const bool plain = is_plain(file);
  for (const PtxFunction* entry : file.entries()) {
    if (!entry->has_body) continue;
    PHASEBIT_TRY_ASSIGN(one, read_entry(text, file, *entry, attribution, plain));
    kernels.push_back(std::move(one));
  }
  if (kernels.empty())
    return with_hint(fail(Step::render, "{}: no .entry with a body", name),
                     "a kernel begins with `.visible .entry NAME(...)`");
  if (file.version.empty())
    return with_hint(fail(Step::render, "{}: no .version", name), "write `.version 8.0`");
  if (file.target.empty())
    return with_hint(fail(Step::render, "{}: no .target", name), "write `.target sm_90`");
  return kernels;
}

Result<Rendered> read_kernel(std::string_view text, const std::string& name) {
  PHASEBIT_TRY_ASSIGN(kernels, read_kernels(text, name));
  if (kernels.size() != 1)
    return fail(Step::render, "{}: {} kernels in a file that holds one", name, kernels.size());
  if (kernels.front().has_head) return std::move(kernels.front());
  return with_hint(fail(Step::render, "{}: {} has no head", name, kernels.front().kernel.entry),
                   "lines `//@ ` above its .entry; `phasebit show VARIANT` writes one");
}

}  // namespace phasebit::kernel
