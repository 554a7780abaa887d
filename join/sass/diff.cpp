#include "join/sass/diff.h"

#include "join/sass/subjects.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"
#include "join/select/ptx_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace phasebit::join::sass {

using foreign::CodeCell;
using images::Tools;
using reading::CodeSubject;

namespace {

bool is_file(const std::string& word) {
  return is_code_file(word) || select::is_ptx_file(word);
}

Status check_words(const DiffRequest& options) {
  if (options.targets.size() > 2)
    return fail(Step::usage, "--target: one architecture, or one for each side");
  if (options.kernels.size() > 2)
    return fail(Step::usage, "--kernel: one name, or one for each side");
  if (options.toolchains.size() > 2)
    return fail(Step::usage, "--toolchain: one version, or one for each side");
  const bool two_kernels = options.kernels.size() == 2 && is_file(options.first);
  if (options.second.empty() && options.targets.size() < 2 && options.toolchains.size() < 2 &&
      !two_kernels)
    return with_hint(fail(Step::usage, "one side is missing"),
                     "name a second variant or file, or two targets as in --target "
                     "sm_90a,sm_100a, or two toolchains as in --toolchain 12.4,13.5");
  return {};
}

// Where both sides are files of code, nothing is said of variants.
Status check_files(const DiffRequest& options, const std::string& second) {
  const bool code = is_code_file(options.first) || is_code_file(second);
  if (!options.kernels.empty() && !is_file(options.first) && !is_file(second))
    return fail(Step::usage, "--kernel is for files, and neither side is one");
  if (!options.source.empty() && !code)
    return fail(Step::usage, "--source is for code files, and neither side is one");
  if (options.full_names && !code)
    return fail(Step::usage, "--full-names is for code files, and neither side is one");
  const auto is_made = [](const std::string& word) {
    return select::is_ptx_file(word) || !is_code_file(word);
  };
  if (is_made(options.first) || is_made(second)) return {};
  if (!options.toolchains.empty() || options.build != "timed")
    return fail(Step::usage, "--toolchain and --build are for variants, not for files");
  return select::take_only(options.space, {}, "files are not variants",
                           "choose with --kernel and --target");
}

class Sides {
 public:
  Sides(const DiffRequest& options, Tools& tools, const disassembly::Disassembler& disassembler)
      : options_(options),
        tools_(tools),
        disassembler_(disassembler),
        words_{options.first, options.second.empty() ? options.first : options.second} {}

  Result<std::variant<SassDiff, foreign::LibraryDiff>> run() {
    PHASEBIT_TRY_ASSIGN(build, select::parse_build(options_.build));
    for (std::size_t i = 0; i < 2; ++i)
      if (is_code_file(words_[i])) PHASEBIT_TRY(open_file(i, build));
    PHASEBIT_TRY_ASSIGN(whole, takes_whole_files());
    if (whole) {
      if (!options_.source.empty())
        return with_hint(fail(Step::usage, "--source is for two kernels, and there are more"),
                         "choose one with --kernel");
      PHASEBIT_TRY_ASSIGN(left, cells(0));
      PHASEBIT_TRY_ASSIGN(right, cells(1));
      return foreign::diff_libraries(library_name(0), left, library_name(1), right);
    }
    PHASEBIT_TRY_ASSIGN(left, side(0, build));
    PHASEBIT_TRY_ASSIGN(right, side(1, build));
    // One file is made of one source.
    left.shares_verbs = right.shares_verbs =
        words_[0] == words_[1] || (!left.has_lines && !right.has_lines);
    PHASEBIT_TRY_ASSIGN(diff, compare::diff_kernels(left, right));
    return SassDiff{std::move(left), std::move(right), std::move(diff)};
  }

 private:
  static std::string of_side(const std::vector<std::string>& words, std::size_t side) {
    return words.empty() ? std::string() : side == 0 ? words.front() : words.back();
  }
  static std::vector<std::string> list(const std::string& word) {
    return word.empty() ? std::vector<std::string>() : std::vector<std::string>{word};
  }
  SubjectRequest request_of(std::size_t i) const {
    return {options_.space,
            options_.tools,
            {words_[i]},
            of_side(options_.kernels, i),
            list(of_side(options_.targets, i)),
            list(of_side(options_.toolchains, i)),
            options_.source};
  }
  foreign::KernelQuery query_of(std::size_t i) const {
    const OpenedFile& file = *files_[i].front();
    return {of_side(options_.kernels, i), file.ptxas ? "" : of_side(options_.targets, i)};
  }

  Result<bool> takes_whole_files() const {
    if (!options_.kernels.empty() || files_[0].empty() || files_[1].empty()) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      PHASEBIT_TRY_ASSIGN(kernels, foreign::find_kernels(files_[i].front()->code, query_of(i)));
      if (kernels.size() > 1) return true;
    }
    return false;
  }
  std::string library_name(std::size_t i) const {
    const std::string target = of_side(options_.targets, i);
    return files_[i].front()->label + (target.empty() ? "" : " for " + target);
  }

  // Code that is there already is opened once, though both sides may be of one file.
  Status open_file(std::size_t i, launch::Build build) {
    const bool both = words_[0] == words_[1] && !select::is_ptx_file(words_[i]);
    if (i == 1 && both) return files_[1] = files_[0], Status();
    SubjectRequest request = request_of(i);
    if (both) request.targets = options_.targets;
    PHASEBIT_TRY(open_code_file(tools_, request, words_[i], build, files_[i]));
    if (files_[i].size() > 1) return fail(Step::usage, "{}: a side has one ptxas", words_[i]);
    return {};
  }

  Result<std::vector<CodeCell>> cells(std::size_t i) {
    PHASEBIT_TRY_ASSIGN(grid, file_grid(files_[i], request_of(i)));
    PHASEBIT_TRY_ASSIGN(summaries, summarise_grid(tools_, disassembler_, grid, {}));
    return cells_of(grid, std::move(summaries));
  }

  Result<CodeSubject> side(std::size_t i, launch::Build build) {
    std::optional<Result<CodeSubject>> read;
    const auto take = [&](std::size_t, Result<CodeSubject> one) { read = std::move(one); };
    const foreign::ReadOptions options{cubin::source::source_view(options_.source), false};
    if (files_[i].empty()) {
      PHASEBIT_TRY(read_variant(i, build, options, take));
    } else {
      PHASEBIT_TRY_ASSIGN(found, foreign::find_kernel(files_[i].front()->code, query_of(i)));
      images::SubjectPlace place;
      place.code = found;
      images::read_places(tools_, disassembler_, {place}, options, take);
      if (*read) (*read)->name = foreign::title_of(found, options_.full_names || options_.in_json);
    }
    return std::move(*read);
  }

  Status read_variant(std::size_t i, launch::Build build, const foreign::ReadOptions& options,
                      const foreign::VisitSubject& take) {
    std::string target = of_side(options_.targets, i);
    if (target.empty()) target = select::default_target(words_[i]);
    PHASEBIT_TRY(tools_.targets.find(target));
    PHASEBIT_TRY_ASSIGN(request, select::request_of_side(options_.space, words_[i], words_[1 - i]));
    request.kernel = of_side(options_.kernels, i);
    if (!options_.toolchains.empty()) request.toolchains = {of_side(options_.toolchains, i)};
    PHASEBIT_TRY_ASSIGN(space, select::open_one(request, words_[i]));
    space.target = target;
    PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, build, 1));
    const images::VariantPlaces opened = images::open_variants(tools_, prepared, {{target, {}}});
    const std::string name = fmt::format("{} for {}", prepared.front().key.id, target);
    images::read_places(tools_, disassembler_, opened.places, options,
                        [&](std::size_t place, Result<CodeSubject> one) {
                          if (one)
                            one->name = name;
                          else if (Error error = one.error(); !error.message.starts_with(name))
                            error.message = name + ": " + error.message,
                            one = tl::unexpected<Error>(std::move(error));
                          take(place, std::move(one));
                        });
    return {};
  }

  const DiffRequest& options_;
  Tools& tools_;
  const disassembly::Disassembler& disassembler_;
  std::array<std::string, 2> words_;
  std::array<OpenedFiles, 2> files_;
};

}  // namespace

std::vector<std::string> split_kernels(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    int depth = 0;
    std::string name;
    for (const char c : word) {
      if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
      if (c == '>' || c == ')' || c == ']' || c == '}') depth = std::max(0, depth - 1);
      if (c == ',' && depth == 0)
        names.push_back(std::exchange(name, {}));
      else if (c != ' ' || !name.empty())
        name += c;
    }
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::variant<SassDiff, foreign::LibraryDiff>> sass_diff(const DiffRequest& options) {
  DiffRequest request = options;
  request.kernels = split_kernels(options.kernels);
  PHASEBIT_TRY(check_words(request));
  PHASEBIT_TRY(check_files(request, request.second.empty() ? request.first : request.second));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(request.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  return Sides(request, tools, disassembler).run();
}

}  // namespace phasebit::join::sass
