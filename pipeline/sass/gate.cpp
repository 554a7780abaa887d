#include "pipeline/sass/gate.h"

#include "analysis/disassembly/live.h"
#include "analysis/flow/flow.h"
#include "analysis/foreign/module.h"
#include "analysis/gate/expectation_file.h"
#include "analysis/gate/expectations.h"
#include "analysis/reading/loops.h"
#include "analysis/reading/spills.h"
#include "pipeline/images/gate_images.h"
#include "pipeline/sass/files.h"
#include "pipeline/select/open_space.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <glob.h>

namespace phasebit::pipeline::sass {

using cubin::Instruction;
using cubin::LiveCounts;
using cubin::SassKernel;
using cubin::source::SourceTable;
using cubin::source::SourceView;
using disassembly::Disassembler;
using foreign::CodeImage;
using foreign::CodeKernel;
using foreign::ReadKernel;
using foreign::ReadProgram;
using gate::Expectation;
using gate::ExpectationFile;
using gate::GateSubject;
using images::Tools;
using select::SpaceRequest;

namespace {

// Variants of the sweep in each column.
Status add_variants(images::Tools& tools, const disassembly::Disassembler& disassembler,
                    const SpaceRequest& request, const std::vector<images::CodeColumn>& columns,
                    unsigned jobs, const std::vector<Expectation>& rules,
                    std::vector<gate::GateSubject>& subjects) {
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request, select::Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, jobs));
  PHASEBIT_TRY_ASSIGN(found, images::subjects_of(tools, disassembler, prepared, columns, rules));
  subjects.insert(subjects.end(), found.begin(), found.end());
  return {};
}

SpaceRequest request_of(const GateRequest& options, const ExpectationFile& file) {
  SpaceRequest request = options.space;
  if (!request.ids.empty() || !request.variants.empty() || !request.spec.empty()) return request;
  if (!file.spec.empty())
    request.spec = (fs::path(options.file).parent_path() / file.spec).string();
  if (request.sweep.empty()) request.sweep = file.sweep;
  return request;
}

// Code files are there already: nothing of them is chosen or assembled.
Status check_files(const GateRequest& options) {
  PHASEBIT_TRY(refuse_variant_options(options.space, options.tools));
  if (options.toolchains.empty()) return {};
  return fail(Step::usage, "--toolchain is for variants, not for code files");
}

bool any_says(const std::vector<Expectation>& rules,
              std::vector<std::string> Expectation::* patterns) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Expectation& rule) { return !(rule.*patterns).empty(); });
}

// Rules that name kernels speak of none of the variants.
Status check_rules(const GateRequest& options, const ExpectationFile& file) {
  for (const Expectation& rule : file.expectations)
    if (!rule.kernels.empty() && rule.variants.empty())
      return with_hint(fail(Step::usage, "{}: '{}' names kernels, and there are no files of any",
                            rule.place, rule.name),
                       fmt::format("phasebit sass gate {} FILE..., or files = [\"build/*.so\"] in "
                                   "the rules; variants are named by `variants`",
                                   options.file));
  return {};
}

// What the command line says, else the rules.
Result<std::vector<std::string>> files_of(const GateRequest& options, const ExpectationFile& file) {
  if (!options.files.empty()) return expand_files(options.files, "");
  return expand_files(file.files, fs::path(options.file).parent_path().string());
}

}  // namespace

Result<gate::GateReport> sass_gate(const GateRequest& options) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(options.file));
  PHASEBIT_TRY_ASSIGN(file, gate::parse_expectations(text, options.file));
  PHASEBIT_TRY_ASSIGN(files, files_of(options, file));
  SpaceRequest request = request_of(options, file), of_files = options.space;
  PHASEBIT_TRY_ASSIGN(ptx, takes_ptx(of_files, files, {}));
  const bool code = !ptx && !files.empty();
  const bool variants = !code || !file.spec.empty() || !file.sweep.empty() ||
                        any_says(file.expectations, &Expectation::variants);
  if (code && !variants) PHASEBIT_TRY(check_files(options));
  if (files.empty()) PHASEBIT_TRY(check_rules(options, file));
  if (!code && !options.source.empty())
    return fail(Step::usage, "--source is for code files, and there are none");
  if (!code && options.full_names)
    return fail(Step::usage, "--full-names is for code files, and there are none");
  if (ptx) request = of_files;
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  const std::vector<std::string>& named = options.targets.empty() ? file.targets : options.targets;
  std::vector<gate::GateSubject> subjects;
  if (code) {
    PHASEBIT_TRY_ASSIGN(
        found, subjects_of_files(tools, disassembler, files, named, file.expectations,
                                 cubin::source::source_view(options.source), options.full_names));
    subjects = std::move(found);
  }
  if (variants) {
    PHASEBIT_TRY_ASSIGN(targets, images::chosen_targets(tools.toolchain, named));
    PHASEBIT_TRY_ASSIGN(columns, images::columns_of(tools, targets, options.toolchains));
    PHASEBIT_TRY(add_variants(tools, disassembler, request, columns, options.tools.jobs,
                              file.expectations, subjects));
  }
  return gate::check_expectations(file.expectations, subjects);
}

namespace {

// ptxas marks the instructions that spill from this release on.
const isa::Version first_that_marks{{13, 0}};

bool is_wanted(const Expectation& rule, const GateSubject& subject, const char* limit) {
  return gate::concerns(rule, subject) && (*limit == '\0' || rule.limits.count(limit) > 0);
}

bool any_wants(const std::vector<Expectation>& rules, const GateSubject& subject,
               const char* limit = "") {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Expectation& rule) { return is_wanted(rule, subject, limit); });
}

// An instruction of some code, and what is known of it.
struct Placed {
  const Instruction& one;
  std::string place;
  std::string open_call;  // of what is not in the file; else ""
  const LiveCounts* live = nullptr;
};

void add(gate::GatePart& part, const Placed& placed) {
  const auto& [one, place, open_call, live] = placed;
  flow::add(part.counts, one);
  if (!open_call.empty()) ++part.counts.open_calls[open_call];
  part.places.try_emplace(one.opcode, place);
  if (live != nullptr) part.live = cubin::peak(part.live.value_or(LiveCounts{}), *live);
}

using LineParts = std::map<std::pair<std::string, int>, gate::GatePart>;  // by file and line

// An instruction belongs to its line, and to every line that this was inlined into.
void add_to_lines(LineParts& lines, const Placed& placed, const std::vector<int>& chain,
                  const SourceTable& table) {
  std::set<std::pair<std::string, int>> seen;  // a line may stand twice in a chain
  for (const int frame : chain) {
    const int line = table.frames[static_cast<std::size_t>(frame)].line;
    if (const auto here = std::pair(table.file_of(frame), line); seen.insert(here).second)
      add(lines[here], placed);
  }
}

// "inc.h:2 from k.cu:5, 0x00a0 of f": the line itself, the line that the author wrote, the address.
std::string place_of(const ReadKernel& read, const SourceTable& table, std::size_t i,
                     const std::string& in) {
  const Instruction& one = read.kernel.instructions[i];
  std::string text;
  if (const image::SourceLine* line = flow::source_line(read.source, one); line != nullptr)
    text = line->verb;
  if (const std::vector<int> chain = table.chain(read.frame_of(i)); chain.size() > 1)
    text += fmt::format(" from {}:{}", fs::path(table.file_of(chain.back())).filename().string(),
                        table.frames[static_cast<std::size_t>(chain.back())].line);
  return fmt::format("{}{}{:#06x}{}", text, text.empty() ? "" : ", ", one.address, in);
}

// Adds what some code has to the parts of the kernel that runs it.
void add_code(GateSubject& subject, const ReadKernel& read, const SourceTable& table,
              const std::string& function, const std::map<std::string, int>& open_calls) {
  const SassKernel& kernel = read.kernel;
  const std::string in = function.empty() ? "" : " of " + function;
  std::vector<Placed> placed;
  LineParts lines;
  for (gate::GateLine& line : subject.lines) lines[{line.file, line.line}] = std::move(line.part);
  const std::size_t used = flow::used_instructions(kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const Instruction& one = kernel.instructions[i];
    const std::string call =
        flow::calls_function(one) ? fmt::format("{} {}", one.opcode, flow::callee_of(one)) : "";
    placed.push_back({one, place_of(read, table, i, in), open_calls.contains(call) ? call : "",
                      kernel.live.empty() ? nullptr : &kernel.live[i]});
    add(subject.kernel, placed.back());
    add_to_lines(lines, placed.back(), table.chain(read.frame_of(i)), table);
  }
  subject.lines.clear();
  for (auto& [place, part] : lines)
    subject.lines.push_back({place.first, place.second, std::move(part)});
  for (const reading::CodeLoop& loop : read.loops.loops) {
    gate::GateLoop found{
        fmt::format("{:#x}-{:#x}{}{}", loop.begin, loop.end - cubin::instruction_bytes, in,
                    loop.lines.empty() ? "" : ", " + reading::first_lines(loop.lines)),
        {}};
    for (const std::uint32_t address : loop.own_addresses)
      if (const std::size_t i = address / cubin::instruction_bytes; i < used)
        add(found.own, placed[i]);
    subject.loops.push_back(std::move(found));
  }
  if (!read.loops.problem.empty()) subject.loops_problem = read.loops.problem;
}

// Threads of "maxntid" or "reqntid", three words in hexadecimal; 0 where the code has neither.
int threads_of(const cubin::CodeClass& code, const std::string& attribute) {
  for (const cubin::CodeFact& fact : code.facts) {
    if (fact.name != attribute) continue;
    int threads = 1;
    const char* at = fact.value.data();
    const char* const end = at + fact.value.size();
    while (end - at > 2) {
      int words = 0;
      at = std::from_chars(at + 2, end, words, 16).ptr + 1;  // behind "0x"; a blank follows
      threads *= std::max(words, 1);
    }
    return threads;
  }
  return 0;
}

void add_launch(GateSubject& subject, const SassKernel& kernel, const isa::Target& target) {
  for (const char* attribute : {"maxntid", "reqntid"})
    if (const int threads = threads_of(kernel.code, attribute); threads > 0) {
      subject.needs.threads = threads;
      subject.threads_from = attribute;
    }
  subject.sm = target;
  subject.needs = flow::needs_of(kernel, target, {subject.needs.threads, 0});
}

using Marks = std::map<std::string, std::set<std::uint32_t>>;

// Of all the code that the kernel runs.
gate::GateSpills spills_of(const ReadProgram& program, const foreign::CalledKernel& called,
                           const Marks& marks) {
  const cubin::Cubin& cubin = program.of[called.code.front()].image->cubin;
  const auto made = isa::parse_version(cubin.tool_version);
  const bool marked =
      !marks.empty() || (cubin.tool == "ptxas" && made && *made >= first_that_marks);
  gate::GateSpills spills{{}, "spill bytes"};
  if (!marked)
    spills.what = fmt::format("bytes of local memory accesses, as {} {} marks no spills",
                              cubin.tool.empty() ? "CUDA" : cubin.tool, cubin.tool_version);
  for (const std::size_t place : called.code) {
    const SassKernel& kernel = program.code[place].kernel;
    const auto found = marks.find(kernel.entry);
    if (marked && found == marks.end()) continue;
    const flow::SpillBytes bytes =
        marked ? reading::spilled_bytes(kernel, found->second) : reading::local_bytes(kernel);
    spills.bytes.stores += bytes.stores;
    spills.bytes.loads += bytes.loads;
  }
  return spills;
}

void fill(GateSubject& subject, const ReadProgram& program, const foreign::CalledKernel& called,
          const isa::Target& target, const Marks& marks) {
  const SassKernel& kernel = program.code[called.code.front()].kernel;
  for (std::size_t i = 0; i < called.code.size(); ++i) {
    const ReadKernel& read = program.code[called.code[i]];
    add_code(subject, read, program.of[called.code[i]].image->cubin.source,
             i == 0 ? "" : foreign::short_kernel_name(read.kernel.entry), called.open_calls);
  }
  subject.code_class = kernel.code.hash;
  subject.features = flow::take_features(kernel, {}, {});
  subject.features.kernel = subject.kernel.counts;
  subject.spills = spills_of(program, called, marks);
  add_launch(subject, kernel, target);
}

// The kernels of one image that some rule speaks of.
struct ImageKernels {
  std::vector<CodeKernel> kernels;
  std::vector<std::size_t> subjects;  // theirs
};

class Subjects {
 public:
  Subjects(const Tools& tools, const Disassembler& disassembler,
           const std::vector<Expectation>& rules, const SourceView& view, bool full_names)
      : tools_(tools),
        disassembler_(disassembler),
        rules_(rules),
        view_(view),
        name_of_(full_names ? foreign::full_kernel_name : foreign::short_kernel_name) {}

  Status add_file(const foreign::CodeFile& file, const std::vector<CodeKernel>& kernels) {
    std::map<const CodeImage*, ImageKernels> images;
    for (const CodeKernel& one : kernels) {
      PHASEBIT_TRY_ASSIGN(target, tools_.targets.find(one.image->cubin.target));
      GateSubject subject{one.kernel->entry, target.name, target.family, {}, "", {}, {}};
      subject.names = foreign::kernel_names(subject.name);
      subject.shown = name_of_(subject.name);
      subject.file = file.path;
      if (any_wants(rules_, subject)) {
        ImageKernels& image = images[one.image];
        image.kernels.push_back(one);
        image.subjects.push_back(subjects_.size());
      }
      subjects_.push_back(std::move(subject));
    }
    for (const auto& [image, those] : images) PHASEBIT_TRY(read_image(*image, those));
    return {};
  }
  std::vector<GateSubject> take() { return std::move(subjects_); }

 private:
  Status read_image(const CodeImage& image, const ImageKernels& those) {
    const SourceView view =
        cubin::source::pick_frames(image.cubin.source, view_) ? view_ : SourceView::none();
    PHASEBIT_TRY_ASSIGN(program, foreign::read_with_callees(disassembler_, those.kernels, view));
    PHASEBIT_TRY(add_live(image, those, program));
    PHASEBIT_TRY_ASSIGN(target, tools_.targets.find(image.cubin.target));
    const Marks marks = reading::read_spill_marks(image.bytes);
    for (std::size_t i = 0; i < those.subjects.size(); ++i)
      fill(subjects_[those.subjects[i]], program, program.kernels[i], target, marks);
    return {};
  }

  // One run of nvdisasm for those whose live registers a rule asks for.
  Status add_live(const CodeImage& image, const ImageKernels& those, ReadProgram& program) const {
    std::vector<std::size_t> symbols, places;
    for (std::size_t i = 0; i < those.subjects.size(); ++i)
      if (any_wants(rules_, subjects_[those.subjects[i]], "max_live_registers")) {
        symbols.push_back(those.kernels[i].kernel->symbol);
        places.push_back(i);
      }
    if (symbols.empty()) return {};
    PHASEBIT_TRY_ASSIGN(table, disassembly::live_registers(disassembler_, image.bytes, symbols));
    for (const std::size_t place : places)
      PHASEBIT_TRY(disassembly::add_live_registers(program.code[place].kernel, table));
    return {};
  }

  const Tools& tools_;
  const Disassembler& disassembler_;
  const std::vector<Expectation>& rules_;
  const SourceView& view_;
  std::string (*name_of_)(const std::string& symbol);
  std::vector<GateSubject> subjects_;
};

}  // namespace

Result<std::vector<std::string>> expand_files(const std::vector<std::string>& patterns,
                                              const std::string& folder) {
  std::vector<std::string> files;
  for (const std::string& pattern : patterns) {
    const std::string path = (fs::path(folder) / pattern).string();
    glob_t found{};
    const int status = ::glob(path.c_str(), 0, nullptr, &found);
    for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i)
      if (const std::string file = found.gl_pathv[i];
          std::find(files.begin(), files.end(), file) == files.end())
        files.push_back(file);
    ::globfree(&found);
    if (status != 0) return fail(Step::usage, "{}: no such file", path);
  }
  return files;
}

Result<std::vector<GateSubject>> subjects_of_files(const Tools& tools,
                                                   const Disassembler& disassembler,
                                                   const std::vector<std::string>& paths,
                                                   const std::vector<std::string>& targets,
                                                   const std::vector<Expectation>& rules,
                                                   const SourceView& view, bool full_names) {
  Subjects subjects(tools, disassembler, rules, view, full_names);
  std::set<std::string> missing(targets.begin(), targets.end());
  for (const std::string& path : paths) {
    PHASEBIT_TRY_ASSIGN(file, open_code_file(tools, path, targets));
    std::vector<CodeKernel> kernels;
    for (const std::string& target : targets.empty() ? std::vector<std::string>{""} : targets) {
      const auto found = foreign::find_kernels(file, {"", target});
      if (!found && targets.empty()) return tl::unexpected<Error>(found.error());
      if (!found) continue;
      missing.erase(target);
      kernels.insert(kernels.end(), found->begin(), found->end());
    }
    PHASEBIT_TRY(subjects.add_file(file, kernels));
  }
  if (!missing.empty())
    return fail(Step::usage, "{}: no code for {}", fmt::join(paths, ", "),
                fmt::join(missing, ", "));
  return subjects.take();
}

}  // namespace phasebit::pipeline::sass
