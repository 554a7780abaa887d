#include "join/lower/history.h"

#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "join/lower/lower_file.h"
#include "join/lower/verb_table.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

namespace phasebit::join::lower {
namespace {

constexpr const char* spellings_text =
#include "join/lower/spellings.toml.inc"
    ;
constexpr const char* spellings_file = "join/lower/spellings.toml";

struct Llc {
  int version = 0;
  bool short_pointers = false;  // as phasebit asks it to
  std::string called() const {
    return std::to_string(version) + (short_pointers ? " --nvptx-short-ptr" : "");
  }
};

// That Debian has.
constexpr Llc llcs[] = {{13}, {14}, {15}, {16}, {19}, {22}, {22, true}};

struct Spelling {
  int from = 0;  // the first LLVM that it is given
  std::string words, cpu, ptx, ir;
};

struct Verb {
  std::string name;
  std::vector<std::string> arguments;  // of a snippet; none where it stands for no verb
  std::string heading;                 // its first lines
  std::vector<Spelling> spellings;
};

Result<std::vector<Verb>> read_verbs() {
  PHASEBIT_TRY_ASSIGN(root, base::parse_toml(spellings_text, spellings_file));
  Status status;
  std::vector<Verb> verbs;
  base::TomlReader file(spellings_file, root, "", {"verb"}, status);
  for (const base::TomlValue* one : file.tables("verb")) {
    base::TomlReader verb(spellings_file, *one, "verb",
                          {"name", "arguments", "heading", "spelling"}, status);
    verbs.push_back({verb.text("name"), {}, verb.text_or("heading", {}), {}});
    if (verb.has("arguments")) verbs.back().arguments = verb.words("arguments");
    for (const base::TomlValue* row : verb.tables("spelling")) {
      base::TomlReader spelling(spellings_file, *row, "spelling",
                                {"from", "words", "cpu", "ptx", "ir"}, status);
      verbs.back().spellings.push_back({static_cast<int>(spelling.number_or("from", 0)),
                                        spelling.text("words"), spelling.text("cpu"),
                                        spelling.text("ptx"), spelling.text("ir")});
    }
  }
  if (!status) return tl::unexpected<Error>(status.error());
  return verbs;
}

// The newest that this LLVM is given.
const Spelling* spelling_for(const Verb& verb, int version) {
  const Spelling* newest = nullptr;
  for (const Spelling& one : verb.spellings)
    if (one.from <= version && (newest == nullptr || one.from > newest->from)) newest = &one;
  return newest;
}

// "LLVM ERROR: Cannot select: 0x55d0: ch = AtomicFence 0x55e0, ..." without addresses.
std::string without_addresses(const std::string& said) {
  const size_t is = said.find(" = ");
  if (said.find("Cannot select: 0x") == std::string::npos || is == std::string::npos) return said;
  return "Cannot select: " + said.substr(is + 3, said.find(" 0x", is) - is - 3);
}

std::string first_error(const base::ProcessOutput& said, const std::string& file) {
  constexpr std::string_view fatal = "LLVM ERROR: ", mark = "error: ";
  std::istringstream lines(said.err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(fatal)) return without_addresses(line.substr(fatal.size()));
    const size_t error = line.rfind(mark), place = line.find(file);
    if (error == std::string::npos) continue;
    const bool has_place = place != std::string::npos && place < error;
    const size_t behind = place + file.size();
    return (has_place ? "line" + line.substr(behind, error - behind) : std::string()) +
           line.substr(error + mark.size());
  }
  return said.how_it_ended();
}

// An intrinsic that it does not have is a function like any other, which does not exist.
bool calls_nobody(const std::string& ptx) {
  return ptx.find(".extern .func") != std::string::npos;
}

struct Outcome {
  std::string ptx;   // "" where there is none
  std::string said;  // then why
};

Outcome outcome(const Llc& llc, const Spelling& spelling, const fs::path& folder) {
  const std::string file = (folder / "verb.ll").string();
  if (!base::write_file(file, spelling.ir)) return {{}, "cannot write " + file};
  std::vector<std::string> words = {"llc-" + std::to_string(llc.version),
                                    "-O3",
                                    "-march=nvptx64",
                                    "-mcpu=" + spelling.cpu,
                                    "-mattr=+" + spelling.ptx,
                                    "-o",
                                    "-",
                                    file};
  if (llc.short_pointers) words.emplace_back("--nvptx-short-ptr");
  const auto said = base::run_process(words);
  if (!said) return {{}, "not installed (llvm-" + std::to_string(llc.version) + ")"};
  if (!said->ok()) return {{}, "rejected: " + first_error(*said, file)};
  if (calls_nobody(said->out))
    return {{}, "it has no intrinsic: a call of a function that does not exist"};
  return {said->out, {}};
}

class History {
 public:
  History(const LlvmHistoryRequest& request, std::optional<MachineCode> machine, fs::path folder)
      : request_(request), machine_(std::move(machine)), folder_(std::move(folder)) {
    made_.columns = {{"verb"}, {"LLVM", true}, {"spelling"}, {"target"}, {"PTX"}};
    if (machine_)
      made_.columns.push_back(
          {fmt::format("SASS ({}, ptxas {})", request.sass_target, machine_->version().text())});
  }

  Status add(const Verb& verb) {
    std::set<std::string> known;
    for (const Llc& llc : llcs) {
      std::vector<base::Cell> row = {verb.name, llc.called()};
      const Spelling* spelling = spelling_for(verb, llc.version);
      Outcome out{{}, "it has no intrinsic"};
      if (spelling != nullptr) out = outcome(llc, *spelling, folder_);
      const std::string text = out.ptx.empty() ? out.said : instructions_of(out.ptx);
      row.emplace_back(spelling == nullptr ? "-" : spelling->words);
      row.emplace_back(spelling == nullptr ? "-" : spelling->cpu + " " + spelling->ptx);
      row.emplace_back(text);
      if (machine_) row.push_back(sass_of(out.ptx));
      made_.rows.push_back(std::move(row));
      if (!out.ptx.empty() && known.insert(text).second)
        PHASEBIT_TRY(write_snippet(verb, llc, out.ptx));
    }
    return {};
  }

  base::Table take() { return std::move(made_); }

 private:
  base::Cell sass_of(const std::string& ptx) const {
    if (ptx.empty()) return "-";
    const auto opcodes =
        machine_->opcodes_of(as_kernel(ptx, request_.sass_target), request_.sass_target);
    return opcodes ? *opcodes : opcodes.error().message;
  }

  Status write_snippet(const Verb& verb, const Llc& llc, const std::string& ptx) const {
    if (request_.snippets.empty() || verb.arguments.empty()) return {};
    std::string name = verb.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return base::write_file(
        fs::path(request_.snippets) /
            fmt::format("{}.llvm{}{}.ptx", name, llc.version, llc.short_pointers ? "_short" : ""),
        as_snippet(ptx, verb.arguments, verb.heading));
  }

  const LlvmHistoryRequest& request_;
  std::optional<MachineCode> machine_;
  fs::path folder_;
  base::Table made_;
};

}  // namespace

Result<base::Table> llvm_history(const LlvmHistoryRequest& request) {
  PHASEBIT_TRY_ASSIGN(verbs, read_verbs());
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  std::optional<MachineCode> machine;
  if (!request.sass_target.empty()) {
    PHASEBIT_TRY_ASSIGN(opened, MachineCode::open(request.home));
    machine.emplace(std::move(opened));
  }
  History history(request, std::move(machine), folder.path());
  std::vector<std::string> names;
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
    if (request.verb.empty() || request.verb == verb.name) PHASEBIT_TRY(history.add(verb));
  }
  base::Table made = history.take();
  if (made.rows.empty())
    return with_hint(fail(Step::usage, "no spellings of a verb '{}'", request.verb),
                     base::nearest_word_hint(request.verb, names));
  return made;
}

}  // namespace phasebit::join::lower
