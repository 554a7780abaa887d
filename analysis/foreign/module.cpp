#include "analysis/foreign/module.h"

#include "analysis/flow/flow.h"
#include "core/base/parallel.h"
#include "core/isa/version.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>

namespace phasebit::foreign {

using cubin::CubinKernel;
using cubin::source::SourceView;
using disassembly::Disassembler;
using reading::CodeSubject;

namespace {

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// "k.cu" where only one file is called so, else the whole path.
std::vector<std::string> short_names(const std::vector<std::string>& files) {
  std::map<std::string, int> count;
  for (const std::string& file : files) ++count[base_name(file)];
  std::vector<std::string> names;
  for (const std::string& file : files)
    names.push_back(count[base_name(file)] == 1 ? base_name(file) : file);
  return names;
}

// The frame that stands for each, as `view` asks.
using PickedFrames = std::map<const CodeImage*, std::vector<int>>;

// A view of a file is for those images that name it: one at least.
Result<PickedFrames> picked_of(const std::vector<CodeKernel>& kernels, const SourceView& view) {
  PickedFrames picked;
  std::optional<Error> missing;
  bool found = false;
  for (const CodeKernel& one : kernels) {
    const auto [place, fresh] = picked.try_emplace(one.image);
    if (!fresh) continue;
    const cubin::source::SourceTable& table = one.image->cubin.source;
    auto frames = cubin::source::pick_frames(table, view);
    found = found || frames.has_value();
    if (!frames && !missing) missing = frames.error();
    place->second = frames ? std::move(*frames) : std::vector<int>(table.frames.size(), -1);
  }
  if (missing && !found) return tl::unexpected<Error>(std::move(*missing));
  return picked;
}

// One element for each source line of the kernel, by file and line; the instructions then name
// their element.
launch::SourceMap number_lines(cubin::SassKernel& kernel, const CubinKernel& of,
                               const cubin::source::SourceTable& table,
                               const std::vector<int>& picked) {
  const auto place_of = [&](int frame) -> std::pair<int, int> {
    const int seen = frame < 0 ? -1 : picked[static_cast<std::size_t>(frame)];
    if (seen < 0) return {-1, 0};
    const cubin::source::SourceFrame& line = table.frames[static_cast<std::size_t>(seen)];
    return {line.file, line.line};
  };
  std::map<std::pair<int, int>, int> numbers;  // file and line -> element
  for (const int frame : of.frames)
    if (const auto place = place_of(frame); place.second > 0) numbers[place] = 0;
  const std::vector<std::string> names = short_names(table.files);
  launch::SourceMap source;
  for (auto& [place, number] : numbers) {
    const auto [file, line] = place;
    const bool known = file >= 0;
    const auto index = static_cast<std::size_t>(file);
    source.push_back({known ? table.files[index] : "?", line,
                      fmt::format("{}:{}", known ? names[index] : "?", line), "", false});
    number = static_cast<int>(source.size());
  }
  for (std::size_t i = 0; i < of.frames.size(); ++i) {
    const auto found = numbers.find(place_of(of.frames[i]));
    kernel.instructions[i].line = found == numbers.end() ? 0 : found->second;
  }
  return source;
}

// "13.5" of "13.5.37"; no parts when it names none.
isa::Version release_of(const std::string& text) {
  auto version = isa::parse_version(text);
  if (!version) return {};
  version->parts.resize(std::min<std::size_t>(version->parts.size(), 2));
  return *version;
}

// An older nvdisasm prints what it knows, and nothing says that it is wrong.
Status check_age(const Disassembler& disassembler, const CodeImage& image) {
  const isa::Version made = release_of(image.cubin.tool_version);
  if (made.parts.empty() || !(release_of(disassembler.version()) < made)) return {};
  return with_hint(
      fail(Step::disassemble, "{}: made by {} {}; nvdisasm {} is older and may misread it",
           image.name, image.cubin.tool.empty() ? "CUDA" : image.cubin.tool,
           image.cubin.tool_version, disassembler.version()),
      fmt::format("tools/toolchain {} installs a newer one; name it with --nvdisasm",
                  image.cubin.tool_version));
}

using Classes = std::map<const CodeImage*, std::map<std::string, cubin::CodeClass>>;

// Reading an image again costs more than a class: once, for everything that is asked of it.
Classes read_classes(const std::vector<CodeKernel>& kernels, unsigned threads) {
  std::map<const CodeImage*, std::set<std::string>> entries;
  for (const CodeKernel& one : kernels)
    if (one.kernel->code.hash.empty()) entries[one.image].insert(one.kernel->entry);
  Classes classes;
  std::vector<const CodeImage*> images;
  for (const auto& [image, those] : entries) classes[image], images.push_back(image);
  base::parallel_for(images.size(), threads, [&](std::size_t i) {
    classes.at(images[i]) = cubin::classes_of_code(images[i]->bytes, entries.at(images[i]));
  });
  return classes;
}

class Reader {
 public:
  Reader(const Disassembler& disassembler, const std::vector<CodeKernel>& kernels,
         const ReadOptions& options, const VisitSubject& visit)
      : disassembler_(disassembler), kernels_(kernels), options_(options), visit_(visit) {}

  void run() {
    auto picked = picked_of(kernels_, options_.view);
    if (!picked) {
      for (std::size_t i = 0; i < kernels_.size(); ++i)
        visit_(i, tl::unexpected<Error>(picked.error()));
      return;
    }
    picked_ = std::move(*picked);
    classes_ = read_classes(kernels_, options_.threads);
    listings_.resize(kernels_.size(), fail(Step::disassemble, "not reached"));
    std::map<int, std::vector<std::size_t>> by_sm;
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      if (const Status age = check_age(disassembler_, *kernels_[i].image); !age)
        visit_(i, tl::unexpected<Error>(age.error()));
      else
        by_sm[kernels_[i].image->cubin.sm].push_back(i), places_.push_back(i);
    disassemble({by_sm.begin(), by_sm.end()});
    base::parallel_for(places_.size(), options_.threads,
                       [&](std::size_t i) { visit_(places_[i], read(places_[i])); });
  }

 private:
  using OfSm = std::pair<int, std::vector<std::size_t>>;

  // A run takes a quarter of a second to start: one an SM where there are as many as cores.
  void disassemble(const std::vector<OfSm>& sms) {
    const unsigned asked = options_.threads;
    const std::size_t cores =
        asked != 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t share =
        std::max<std::size_t>(1, cores / std::max<std::size_t>(1, sms.size()));
    base::parallel_for(sms.size(), asked, [&](std::size_t n) {
      const auto& [sm, places] = sms[n];
      std::vector<const CubinKernel*> those;
      for (const std::size_t place : places) those.push_back(kernels_[place].kernel);
      auto listings = disassembler_.listings(sm, those, static_cast<unsigned>(share));
      for (std::size_t i = 0; i < places.size(); ++i) listings_[places[i]] = std::move(listings[i]);
    });
  }

  Result<CodeSubject> read(std::size_t place) const {
    const CodeKernel& one = kernels_[place];
    CubinKernel kernel = *one.kernel;
    if (kernel.code.hash.empty()) kernel.code = classes_.at(one.image).at(kernel.entry);
    auto joined = disassembly::join_kernel(kernel, listings_[place]);
    if (!joined)
      return with_hint(fail(Step::disassemble, "{}: {}", one.image->name, joined.error().message),
                       joined.error().hint);
    CodeSubject subject;
    subject.name = title_of(one, true);
    subject.target = one.image->cubin.target;
    subject.sm = one.image->cubin.sm;
    subject.kernel = std::move(*joined);
    subject.has_lines = one.statements == nullptr;
    if (subject.has_lines) {
      subject.frames = one.kernel->frames;
      subject.source =
          number_lines(subject.kernel, *one.kernel, one.image->cubin.source, picked_.at(one.image));
    } else {
      subject.source = *one.statements;
      subject.windows = flow::find_windows(subject.kernel, subject.source);
    }
    if (options_.loops)
      subject.loops = reading::find_code_loops(subject.kernel, subject.source, subject.has_lines);
    return subject;
  }

  const Disassembler& disassembler_;
  const std::vector<CodeKernel>& kernels_;
  const ReadOptions& options_;
  const VisitSubject& visit_;
  PickedFrames picked_;
  Classes classes_;
  std::vector<std::size_t> places_;  // those that are read
  std::vector<Disassembler::Listing> listings_;
};

}  // namespace

void visit_code_kernels(const Disassembler& disassembler, const std::vector<CodeKernel>& kernels,
                        const ReadOptions& options, const VisitSubject& visit) {
  Reader(disassembler, kernels, options, visit).run();
}

Result<std::vector<CodeSubject>> read_code_kernels(const Disassembler& disassembler,
                                                   const std::vector<CodeKernel>& kernels,
                                                   const SourceView& view) {
  std::vector<Result<CodeSubject>> read(kernels.size());
  visit_code_kernels(
      disassembler, kernels, {view},
      [&](std::size_t place, Result<CodeSubject> one) { read[place] = std::move(one); });
  std::vector<CodeSubject> all;
  for (Result<CodeSubject>& one : read) {
    if (!one) return tl::unexpected<Error>(one.error());
    all.push_back(std::move(*one));
  }
  return all;
}

namespace {

using Place = std::pair<const CodeImage*, std::string_view>;  // image and symbol

// The functions of other sections that some code calls, by name; "" stands for none of the image.
struct Call {
  const cubin::CubinKernel* callee = nullptr;  // null: not in the image
  std::string text;                            // "CALL.ABS.NOINC f"
};

std::vector<Call> calls_of(const cubin::SassKernel& kernel, const CodeImage& image) {
  std::vector<Call> calls;
  const std::size_t used = flow::used_instructions(kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const cubin::Instruction& one = kernel.instructions[i];
    if (!flow::calls_function(one)) continue;
    const std::string_view name = flow::callee_of(one);
    if (name == kernel.entry || flow::find_function(kernel, name) != nullptr) continue;
    calls.push_back({image.cubin.find(name), one.opcode + " " + std::string(name)});
  }
  return calls;
}

class Program {
 public:
  Program(const Disassembler& disassembler, const SourceView& view)
      : disassembler_(disassembler), view_(view) {}

  ReadProgram read(const std::vector<CodeKernel>& kernels) {
    std::vector<CodeKernel> wanted = kernels;
    while (!wanted.empty()) {
      add(wanted);
      wanted = missing();
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) result_.kernels.push_back(reached_from(i));
    return std::move(result_);
  }

 private:
  void add(const std::vector<CodeKernel>& wanted) {
    const std::size_t first = result_.code.size();
    result_.code.resize(first + wanted.size());
    calls_.resize(result_.code.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      places_.emplace(Place(wanted[i].image, wanted[i].kernel->entry), first + i);
      result_.of.push_back(wanted[i]);
    }
    visit_code_kernels(disassembler_, wanted, {view_},
                       [&](std::size_t place, Result<CodeSubject> one) {
                         if (one)
                           calls_[first + place] = calls_of(one->kernel, *wanted[place].image);
                         result_.code[first + place] = std::move(one);
                       });
  }

  // Called, and not read yet.
  std::vector<CodeKernel> missing() const {
    std::vector<CodeKernel> missing;
    for (std::size_t i = 0; i < calls_.size(); ++i)
      for (const Call& call : calls_[i]) {
        const CodeImage* image = result_.of[i].image;
        if (call.callee == nullptr || places_.count({image, call.callee->entry}) > 0) continue;
        const bool known = std::any_of(missing.begin(), missing.end(), [&](const CodeKernel& one) {
          return one.kernel == call.callee;
        });
        if (!known) missing.push_back({image, call.callee, result_.of[i].statements});
      }
    return missing;
  }

  Result<CalledKernel> reached_from(std::size_t start) const {
    CalledKernel reached{{start}, {}};
    for (std::size_t next = 0; next < reached.code.size(); ++next) {
      const std::size_t here = reached.code[next];
      if (!result_.code[here]) return tl::unexpected<Error>(result_.code[here].error());
      for (const Call& call : calls_[here]) {
        if (call.callee == nullptr) {
          ++reached.open_calls[call.text];
          continue;
        }
        const std::size_t place = places_.at({result_.of[here].image, call.callee->entry});
        if (std::count(reached.code.begin(), reached.code.end(), place) == 0)
          reached.code.push_back(place);
      }
    }
    return reached;
  }

  const Disassembler& disassembler_;
  const SourceView& view_;
  ReadProgram result_;
  std::map<Place, std::size_t> places_;
  std::vector<std::vector<Call>> calls_;  // by place in the code
};

}  // namespace

ReadProgram read_with_callees(const Disassembler& disassembler,
                              const std::vector<CodeKernel>& kernels, const SourceView& view) {
  return Program(disassembler, view).read(kernels);
}

}  // namespace phasebit::foreign
