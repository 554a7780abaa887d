#include "gen/readable.h"

#include "core/base/nearest.h"
#include "gen/template_set.h"

#include <algorithm>
#include <optional>

namespace phasebit {
namespace {

std::string heading_of(const SourceLine& source) {
  std::string words = source.role;
  if (!source.verb.empty()) words += (words.empty() ? "" : " ") + source.verb;
  return fmt::format("// [{}] {}", words.empty() ? "-" : words, source.file);
}

bool same_heading(const SourceLine& a, const SourceLine& b) {
  return a.role == b.role && a.verb == b.verb && a.file == b.file;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_verb(std::string_view word) {
  const auto& verbs = verb_names();
  return std::find(verbs.begin(), verbs.end(), word) != verbs.end();
}

// Reads one text, line by line.
class ReadableReader {
 public:
  ReadableReader(std::string file, Build build) : file_(std::move(file)) {
    out_.kernel.build = build;
  }

  Status take(std::string_view raw) {
    ++at_.line;
    const std::string_view line = trimmed(raw);
    PHASEBIT_TRY_ASSIGN(heading, take_heading(line));
    if (heading || line.empty()) return {};
    if (line.find("/*") != std::string_view::npos)
      return complain("a block comment; comments begin with //");
    const std::string statement = without_comment(std::string(line));
    if (statement.empty()) {
      if (headed_) out_.listing.push_back({std::string(line), at_});
      return {};
    }
    if (out_.kernel.entry.empty()) return take_header(line, statement);
    if (closed_) return complain("a statement behind the end of the kernel");
    add(line, statement);
    count_braces(statement);
    return {};
  }

  Result<Rendered> finish() {
    Kernel& kernel = out_.kernel;
    if (kernel.entry.empty()) return fail(Step::render, "{}: no .visible .entry", file_);
    if (!closed_) return fail(Step::render, "{}: the kernel's last brace is missing", file_);
    if (kernel.ptx_version.empty()) return fail(Step::render, "{}: no .version", file_);
    if (kernel.ptx_target.empty()) return fail(Step::render, "{}: no .target", file_);
    kernel.hash = kernel_hash(kernel);
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> complain(std::string_view what) const {
    return fail(Step::render, "{}:{}: {}", file_, at_.line, what);
  }

  // "// [words] file.ptx"
  Result<bool> take_heading(std::string_view line) {
    const size_t close = line.find("] ");
    if (!line.starts_with("// [") || close == std::string_view::npos) return false;
    const std::string_view words = line.substr(4, close - 4), file = line.substr(close + 2);
    if (!file.ends_with(".ptx") || file.find(' ') != std::string_view::npos) return false;
    headed_ = true;
    at_.file = file;
    at_.role.clear();
    at_.verb.clear();
    const size_t blank = words.find(' ');
    const std::string_view last = blank == std::string_view::npos ? words : words.substr(blank + 1);
    if (blank != std::string_view::npos) at_.role = words.substr(0, blank);
    if (is_verb(last))
      at_.verb = last;
    else if (blank == std::string_view::npos && last != "-")
      at_.role = last;
    else if (last != "-")
      return with_hint(complain(fmt::format("no verb '{}'", last)),
                       nearest_word_hint(std::string(last), verb_names()));
    return true;
  }

  // Before the kernel: version, target, and what readable_module writes for every kernel.
  Status take_header(std::string_view line, const std::string& statement) {
    constexpr std::string_view version = ".version ", target = ".target ",
                               entry = ".visible .entry ";
    if (statement.starts_with(version)) {
      out_.kernel.ptx_version = trimmed(statement.substr(version.size()));
    } else if (statement.starts_with(target)) {
      out_.kernel.ptx_target = trimmed(statement.substr(target.size()));
    } else if (statement.starts_with(entry)) {
      out_.kernel.entry =
          trimmed(statement.substr(entry.size(), statement.find('(') - entry.size()));
      add(line, statement);
    } else if (statement != module_shared_declaration && statement != ".address_size 64") {
      return complain(fmt::format("'{}' before the kernel", statement));
    }
    return {};
  }

  void add(std::string_view line, const std::string& statement) {
    out_.listing.push_back({std::string(line), at_});
    out_.kernel.statements.push_back(statement);
    out_.kernel.source.push_back(at_);
  }

  void count_braces(const std::string& statement) {
    depth_ += std::count(statement.begin(), statement.end(), '{') -
              std::count(statement.begin(), statement.end(), '}');
    closed_ = depth_ <= 0 && statement.find('}') != std::string::npos;
  }

  std::string file_;
  SourceLine at_;
  bool headed_ = false, closed_ = false;
  std::ptrdiff_t depth_ = 0;
  Rendered out_;
};

}  // namespace

std::string readable_module(const VariantKey& variant, const Rendered& rendered) {
  const Kernel& kernel = rendered.kernel;
  std::string out = fmt::format("// {}\n// {} build, generated by phasebit from templates/\n//\n",
                                variant.id, to_string(kernel.build));
  for (const auto& [axis, value] : variant.axes) out += fmt::format("//   {} = {}\n", axis, value);
  out += fmt::format("\n.version {}\n.target {}\n.address_size 64\n{}\n\n", kernel.ptx_version,
                     kernel.ptx_target, module_shared_declaration);
  for (const std::string& line : kernel.preamble) out += line + "\n";
  size_t depth = 0;
  const SourceLine* above = nullptr;
  for (const ListingLine& line : rendered.listing) {
    if (line.text.starts_with('}')) depth -= std::min<size_t>(depth, 1);
    const std::string indent(2 * depth, ' ');
    if (above == nullptr || !same_heading(*above, line.source))
      out += indent + heading_of(line.source) + "\n";
    above = &line.source;
    const bool label = line.text.ends_with(':');
    out += (label && depth > 0 ? indent.substr(1) : indent) + line.text + "\n";
    if (line.text == "{") ++depth;
  }
  return out;
}

Result<Rendered> read_readable(std::string_view text, const std::string& file, Build build) {
  ReadableReader reader(file, build);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    PHASEBIT_TRY(reader.take(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace phasebit
