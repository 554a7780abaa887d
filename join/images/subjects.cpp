#include "join/images/subjects.h"

#include "analysis/disassembly/live.h"
#include "analysis/flow/census.h"
#include "analysis/reading/spills.h"
#include "core/base/parallel.h"
#include "core/launch/external.h"
#include "core/launch/manifest.h"
#include "gen/space/hand_made.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

namespace phasebit::join::images {

using disassembly::Disassembler;
using foreign::CodeImage;
using foreign::CodeKernel;
using foreign::ReadProgram;
using gate::Expectation;
using gate::GateSubject;
using launch::Image;
using reading::CodeSubject;

namespace {

// Lines that were given to a file without `.loc` are numbers of its statements: the table of the
// module then says which lines of which file they are.
void name_lines(cubin::Cubin& cubin, const ptxas::Kernel& kernel) {
  if (kernel.has_own_lines || kernel.source.empty()) return;
  for (std::string& file : cubin.source.files) file = kernel.source.front().file;
  for (cubin::source::SourceFrame& frame : cubin.source.frames)
    if (const auto n = static_cast<std::size_t>(frame.line); n > 0 && n <= kernel.source.size())
      frame.line = kernel.source[n - 1].line;
}

bool has_lines(const Prepared& prepared) {
  return launch::is_external(prepared.key);
}

class Opener {
 public:
  Opener(Tools& tools, const std::vector<Prepared>& prepared,
         const std::vector<CodeColumn>& columns, bool keep_bytes)
      : tools_(tools), prepared_(prepared), columns_(columns), keep_bytes_(keep_bytes) {}

  VariantPlaces open() {
    sets_ = make_images(tools_, prepared_, columns_);
    for (std::size_t column = 0; column < columns_.size(); ++column)
      for (std::size_t i = 0; i < prepared_.size(); ++i) plan(column, i);
    base::parallel_for(modules_.size(), tools_.options.threads,
                       [&](std::size_t i) { read(modules_[i]); });
    for (const Module& module : modules_)
      for (const std::size_t place : module.places) find(module, opened_.places[place]);
    return std::move(opened_);
  }

 private:
  struct Module {
    std::size_t column = 0;
    std::string hash;
    CodeImage* image = nullptr;
    std::vector<std::size_t> places;
    Status read = {};
  };

  // What was refused is passed on at once.
  void plan(std::size_t column, std::size_t variant) {
    const Result<Image>& image = sets_[column].images[variant];
    SubjectPlace& place = opened_.places.emplace_back();
    place.row = variant, place.column = column;
    place.variant = &prepared_[variant], place.in = columns_[column];
    if (!image) {
      place.code = tl::unexpected<Error>(image.error());
      return;
    }
    place.resources = image->resources;
    const auto [found, fresh] =
        known_.try_emplace({column, image->module, has_lines(prepared_[variant])}, modules_.size());
    if (fresh) modules_.push_back({column, image->module, &opened_.modules.emplace_back(), {}, {}});
    modules_[found->second].places.push_back(opened_.places.size() - 1);
  }

  void read(Module& module) const {
    const auto code =
        ptxas::module_code(*sets_[module.column].assembly, tools_.cache_or_null(), module.hash);
    if (!code) return void(module.read = tl::unexpected<Error>(code.error()));
    auto cubin = cubin::read_cubin(*code, "module " + module.hash);
    if (!cubin) return void(module.read = tl::unexpected<Error>(cubin.error()));
    CodeImage& image = *module.image;
    const Prepared& first = *opened_.places[module.places.front()].variant;
    image.cubin = std::move(*cubin);
    image.cubin.target = columns_[module.column].target;
    image.name = first.key.id;
    if (has_lines(first)) name_lines(image.cubin, first.kernel);
    if (!keep_bytes_) return;
    const auto kept = std::make_shared<const std::string>(*code);
    image.bytes = *kept;
    image.holds = kept;
  }

  void find(const Module& module, SubjectPlace& place) const {
    if (!module.read) return void(place.code = tl::unexpected<Error>(module.read.error()));
    const std::string& entry = sets_[place.column].images[place.row]->entry;
    const cubin::CubinKernel* kernel = module.image->cubin.find(entry);
    if (kernel == nullptr)
      place.code = fail(Step::disassemble, "{} for {}: the module has no kernel {}",
                        place.variant->key.id, place.in.name(), entry);
    else
      place.code = CodeKernel{module.image, kernel,
                              has_lines(*place.variant) ? nullptr : &place.variant->kernel.source};
  }

  Tools& tools_;
  const std::vector<Prepared>& prepared_;
  const std::vector<CodeColumn>& columns_;
  bool keep_bytes_;
  std::vector<ImageSet> sets_;
  std::map<std::tuple<std::size_t, std::string, bool>, std::size_t> known_;
  std::vector<Module> modules_;
  VariantPlaces opened_;
};

}  // namespace

Status complete(Tools& tools, const SubjectPlace& place, CodeSubject& subject) {
  if (place.variant == nullptr) return {};
  const Prepared& variant = *place.variant;
  subject.name = variant.key.id;
  if (subject.has_lines) return {};
  const launch::LaunchShape& launch = variant.head.launch;
  subject.sass_class = launch::sass_class_word(subject.kernel.code.hash, launch);
  subject.spill =
      flow::SpillBytes{place.resources.spill_store_bytes, place.resources.spill_load_bytes};
  subject.shape = {launch.threads, launch.dynamic_shared_bytes};
  PHASEBIT_TRY_ASSIGN(spec, gate_of(variant, tools, place.in));
  PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(choice_of(variant, place.in).ptxas));
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(place.in.target));
  flow::promote_single_sites(subject.windows, subject.kernel, subject.source, spec,
                             flow::moves_lines(toolchain->version, known.family));
  return {};
}

VariantPlaces open_variants(Tools& tools, const std::vector<Prepared>& prepared,
                            const std::vector<CodeColumn>& columns, bool keep_bytes) {
  return Opener(tools, prepared, columns, keep_bytes).open();
}

void read_places(Tools& tools, const Disassembler& disassembler,
                 const std::vector<SubjectPlace>& places, const foreign::ReadOptions& options,
                 const foreign::VisitSubject& visit) {
  std::vector<CodeKernel> kernels;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].code)
      kernels.push_back(*places[i].code), of.push_back(i);
    else
      visit(i, tl::unexpected<Error>(places[i].code.error()));
  foreign::visit_code_kernels(
      disassembler, kernels, options, [&](std::size_t n, Result<CodeSubject> subject) {
        if (subject)
          if (const Status done = complete(tools, places[of[n]], *subject); !done)
            subject = tl::unexpected<Error>(done.error());
        visit(of[n], std::move(subject));
      });
}

void analyse_images(Tools& tools, const Disassembler& disassembler,
                    const std::vector<Prepared>& prepared, const std::vector<CodeColumn>& columns,
                    const VisitImage& visit) {
  const VariantPlaces opened = open_variants(tools, prepared, columns);
  read_places(tools, disassembler, opened.places, {{}, false, tools.options.threads},
              [&](std::size_t place, Result<CodeSubject> subject) {
                visit(opened.places[place].column, opened.places[place].row, std::move(subject));
              });
}

namespace {

// ptxas marks the instructions that spill from this release on.
const isa::Version first_that_marks{{13, 0}};

bool any_wants(const std::vector<Expectation>& rules, const GateSubject& subject,
               const char* limit = "") {
  return std::any_of(rules.begin(), rules.end(), [&](const Expectation& rule) {
    return gate::concerns(rule, subject) && (*limit == '\0' || rule.limits.count(limit) > 0);
  });
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
      at = std::from_chars(at + 2, end, words, 16).ptr + 1;  // after "0x"; a blank follows
      threads *= std::max(words, 1);
    }
    return threads;
  }
  return 0;
}

// As its launch says, else as the code allows.
void add_launch(GateSubject& subject, const CodeSubject& code, const isa::Target& target) {
  flow::CtaShape shape = code.shape;
  if (shape.threads == 0)
    for (const char* attribute : {"maxntid", "reqntid"})
      if (const int threads = threads_of(code.kernel.code, attribute); threads > 0) {
        shape.threads = threads;
        subject.threads_from = attribute;
      }
  subject.sm = target;
  subject.needs = flow::needs_of(code.kernel, target, shape);
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
    const cubin::SassKernel& kernel = program.code[place]->kernel;
    const auto found = marks.find(kernel.entry);
    if (marked && found == marks.end()) continue;
    const flow::SpillBytes bytes =
        marked ? reading::spilled_bytes(kernel, found->second) : reading::local_bytes(kernel);
    spills.bytes.stores += bytes.stores;
    spills.bytes.loads += bytes.loads;
  }
  return spills;
}

// The kernels of some images that some rule speaks of, read together.
class GateReader {
 public:
  GateReader(Tools& tools, const Disassembler& disassembler, const std::vector<Expectation>& rules,
             const cubin::source::SourceView& view)
      : tools_(tools), disassembler_(disassembler), rules_(rules), view_(view) {}

  void add(GatePlace& one) {
    if (!any_wants(rules_, one.subject)) return;
    if (!one.place.code) return one.subject.set_problem(one.place.code.error());
    constexpr std::size_t most_instructions = 200'000;  // in memory at a time
    size_ += one.place.code->kernel->size();
    batch_.push_back(&one);
    if (size_ > most_instructions) flush();
  }

  void flush() {
    std::vector<CodeKernel> kernels;
    bool known = false;
    for (const GatePlace* one : batch_) {
      kernels.push_back(*one->place.code);
      known = known || cubin::source::pick_frames(kernels.back().image->cubin.source, view_);
    }
    ReadProgram program = foreign::read_with_callees(
        disassembler_, kernels, known ? view_ : cubin::source::SourceView::none());
    for (std::size_t i = 0; i < batch_.size(); ++i)
      if (const Status done = read(program, i); !done) batch_[i]->subject.set_problem(done.error());
    batch_.clear();
    size_ = 0;
  }

 private:
  Status read(ReadProgram& program, std::size_t i) {
    GatePlace& one = *batch_[i];
    PHASEBIT_TRY_ASSIGN(called, program.kernels[i]);
    CodeSubject& code = *program.code[i];
    const CodeImage& image = *program.of[i].image;
    PHASEBIT_TRY_ASSIGN(target, tools_.targets.find(image.cubin.target));
    PHASEBIT_TRY(complete(tools_, one.place, code));
    if (any_wants(rules_, one.subject, "max_live_registers"))
      PHASEBIT_TRY(add_live(image, code, i));
    GateSubject& subject = one.subject;
    subject.code_class = code.kernel.code.hash;
    subject.features = reading::features_of(code, target);
    for (std::size_t n = 0; n < called.code.size(); ++n) {
      const CodeSubject& part = *program.code[called.code[n]];
      gate::add_code(subject, part, program.of[called.code[n]].image->cubin.source,
                     n == 0 ? "" : foreign::short_kernel_name(part.kernel.entry),
                     called.open_calls);
    }
    subject.features.kernel = subject.kernel.counts;
    if (!code.spill) subject.spills = spills_of(program, called, marks_of(image));
    add_launch(subject, code, target);
    return {};
  }

  // One run of nvdisasm an image, for those of it whose live registers a rule asks for.
  Status add_live(const CodeImage& image, CodeSubject& code, std::size_t first) {
    const auto [table, fresh] = live_.try_emplace(&image, disassembly::LiveTable());
    if (fresh) {
      std::vector<std::size_t> symbols;
      for (std::size_t i = first; i < batch_.size(); ++i)
        if (const auto& kernel = *batch_[i]->place.code;
            kernel.image == &image && any_wants(rules_, batch_[i]->subject, "max_live_registers"))
          symbols.push_back(kernel.kernel->symbol);
      table->second = disassembly::live_registers(disassembler_, image.bytes, symbols);
    }
    if (!table->second) return tl::unexpected<Error>(table->second.error());
    return disassembly::add_live_registers(code.kernel, *table->second);
  }
  const Marks& marks_of(const CodeImage& image) {
    const auto [marks, fresh] = marks_.try_emplace(&image);
    if (fresh) marks->second = reading::read_spill_marks(image.bytes);
    return marks->second;
  }

  Tools& tools_;
  const Disassembler& disassembler_;
  const std::vector<Expectation>& rules_;
  const cubin::source::SourceView& view_;
  std::vector<GatePlace*> batch_;
  std::size_t size_ = 0;
  std::map<const CodeImage*, Result<disassembly::LiveTable>> live_;
  std::map<const CodeImage*, Marks> marks_;
};

}  // namespace

Result<std::vector<GatePlace>> gate_places(Tools& tools, const std::vector<SubjectPlace>& places) {
  std::vector<GatePlace> all;
  for (const SubjectPlace& place : places) {
    const Prepared& one = *place.variant;
    PHASEBIT_TRY_ASSIGN(target, tools.targets.find(place.in.target));
    PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(choice_of(one, place.in).ptxas));
    // A variant that a target cannot have is none there.
    if (!place.code && !one.refused && !ptxas::check_takes(*toolchain, one.kernel, place.in.target))
      continue;
    GateSubject subject{one.key.id, target.name, target.family, toolchain->version, "", {}, {}};
    if (launch::is_external(one.key) || !one.key.value(space::file_axis).empty()) {
      subject.names = foreign::kernel_names(one.kernel.entry);
      subject.names.push_back(one.key.id);
    }
    all.push_back({place, std::move(subject)});
  }
  return all;
}

std::vector<GateSubject> read_gate_subjects(Tools& tools, const Disassembler& disassembler,
                                            std::vector<GatePlace> places,
                                            const std::vector<Expectation>& rules,
                                            const cubin::source::SourceView& view) {
  GateReader reader(tools, disassembler, rules, view);
  for (GatePlace& one : places) reader.add(one);
  reader.flush();
  std::vector<GateSubject> subjects;
  for (GatePlace& one : places) subjects.push_back(std::move(one.subject));
  return subjects;
}

}  // namespace phasebit::join::images
