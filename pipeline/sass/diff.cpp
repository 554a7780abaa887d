#include "pipeline/sass/diff.h"

#include "pipeline/images/sass_images.h"
#include "pipeline/sass/files.h"
#include "pipeline/sass/library.h"
#include "pipeline/select/choices.h"
#include "pipeline/select/open_space.h"
#include "pipeline/select/ptx_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace phasebit::pipeline::sass {

using compare::DiffSide;
using images::Tools;

namespace {

// What the command line says of one side.
struct SideWords {
  std::string word, other;  // this side's variant or file, the other's
  std::string target, ptxas, kernel;
};

Result<DiffSide> variant_side(const DiffRequest& options, Tools& tools,
                              const disassembly::Disassembler& disassembler,
                              const SideWords& side) {
  const std::string target = side.target.empty() ? default_target : side.target;
  PHASEBIT_TRY_ASSIGN(build, select::parse_build(options.build));
  PHASEBIT_TRY_ASSIGN(known, tools.targets.find(target));
  PHASEBIT_TRY_ASSIGN(request, select::request_of_side(options.space, side.word, side.other));
  request.kernel = side.kernel;
  if (!side.ptxas.empty()) request.toolchains = {side.ptxas};
  PHASEBIT_TRY_ASSIGN(space, select::open_one(request, side.word));
  space.target = target;
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, build, 1));
  std::optional<Result<images::AnalysedImage>> image;
  PHASEBIT_TRY(
      images::analyse_images(tools, disassembler, prepared, {{target, {}}},
                             [&](std::size_t, std::size_t, Result<images::AnalysedImage> one) {
                               image = std::move(one);
                             }));
  const std::string name = fmt::format("{} for {}", prepared.front().key.id, target);
  if (!*image) {
    Error error = image->error();
    if (!error.message.starts_with(name)) error.message = name + ": " + error.message;
    return tl::unexpected<Error>(std::move(error));
  }
  return DiffSide{name, known.sm, std::move((*image)->kernel), prepared.front().kernel.source,
                  std::move((*image)->windows)};
}

Status check_words(const DiffRequest& options) {
  if (options.targets.size() > 2)
    return fail(Step::usage, "--target: one architecture, or one for each side");
  if (options.kernels.size() > 2)
    return fail(Step::usage, "--kernel: one name, or one for each side");
  if (options.toolchains.size() > 2)
    return fail(Step::usage, "--toolchain: one version, or one for each side");
  const bool two_kernels = options.kernels.size() == 2 &&
                           (is_code_file(options.first) || select::is_ptx_file(options.first));
  if (options.second.empty() && options.targets.size() < 2 && options.toolchains.size() < 2 &&
      !two_kernels)
    return with_hint(fail(Step::usage, "one side is missing"),
                     "name a second variant or file, or two targets as in --target "
                     "sm_90a,sm_100a, or two toolchains as in --toolchain 12.4,13.5");
  return {};
}

// Where both sides are files of code, nothing is said of variants.
Status check_files(const DiffRequest& options, const std::string& second) {
  const auto is_file = [](const std::string& word) {
    return is_code_file(word) || select::is_ptx_file(word);
  };
  if (!options.kernels.empty() && !is_file(options.first) && !is_file(second))
    return fail(Step::usage, "--kernel is for files, and neither side is one");
  if (!options.source.empty() && !is_code_file(options.first) && !is_code_file(second))
    return fail(Step::usage, "--source is for code files, and neither side is one");
  if (options.full_names && !is_code_file(options.first) && !is_code_file(second))
    return fail(Step::usage, "--full-names is for code files, and neither side is one");
  if (!is_code_file(options.first) || !is_code_file(second)) return {};
  if (!options.toolchains.empty() || options.build != "timed")
    return fail(Step::usage, "--toolchain and --build are for variants, not for files");
  return select::take_only(options.space, {}, "files are no variants",
                           "choose with --kernel and --target");
}

class Sides {
 public:
  explicit Sides(const DiffRequest& options)
      : options_(options),
        words_{options.first, options.second.empty() ? options.first : options.second} {}

  Result<std::variant<SassDiff, foreign::LibraryDiff>> run() {
    PHASEBIT_TRY(check_words(options_));
    PHASEBIT_TRY(check_files(options_, words_[1]));
    PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options_.tools));
    PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
    PHASEBIT_TRY(open_files(tools));
    PHASEBIT_TRY_ASSIGN(whole, takes_whole_files());
    if (whole) {
      if (!options_.source.empty())
        return with_hint(fail(Step::usage, "--source is for two kernels, and there are more"),
                         "choose one with --kernel");
      PHASEBIT_TRY_ASSIGN(diff,
                          library_diff(tools, disassembler, library_side(0), library_side(1)));
      return diff;
    }
    PHASEBIT_TRY_ASSIGN(left, side(tools, disassembler, 0));
    PHASEBIT_TRY_ASSIGN(right, side(tools, disassembler, 1));
    // One file is made of one source.
    if (words_[0] == words_[1]) left.shares_verbs = right.shares_verbs = true;
    PHASEBIT_TRY_ASSIGN(diff, compare::diff_kernels(left, right));
    return SassDiff{std::move(left), std::move(right), std::move(diff)};
  }

 private:
  static std::string of_side(const std::vector<std::string>& words, std::size_t side) {
    return words.empty() ? std::string() : side == 0 ? words.front() : words.back();
  }
  const foreign::CodeFile* file(std::size_t side) const {
    return &files_[words_[0] == words_[1] ? 0 : side].value();
  }
  LibrarySide library_side(std::size_t side) const {
    return {file(side), of_side(options_.targets, side)};
  }

  // Each once, though both sides may be of one.
  Status open_files(const Tools& tools) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (!is_code_file(words_[i]) || (i == 1 && words_[0] == words_[1])) continue;
      const std::string target = of_side(options_.targets, i);
      std::vector<std::string> targets = options_.targets;
      if (words_[0] != words_[1] && !target.empty()) targets = {target};
      PHASEBIT_TRY_ASSIGN(opened, open_code_file(tools, words_[i], targets));
      files_[i] = std::move(opened);
    }
    return {};
  }
  Result<bool> takes_whole_files() const {
    if (!options_.kernels.empty() || !is_code_file(words_[0]) || !is_code_file(words_[1]))
      return false;
    PHASEBIT_TRY_ASSIGN(left, has_several_kernels(library_side(0)));
    PHASEBIT_TRY_ASSIGN(right, has_several_kernels(library_side(1)));
    return left || right;
  }

  Result<DiffSide> side(Tools& tools, const disassembly::Disassembler& disassembler,
                        std::size_t i) const {
    const SideWords words{words_[i], words_[1 - i], of_side(options_.targets, i),
                          of_side(options_.toolchains, i), of_side(options_.kernels, i)};
    if (is_code_file(words.word))
      return code_side(disassembler, *file(i), {words.kernel, words.target},
                       cubin::source::source_view(options_.source),
                       options_.full_names || options_.in_json);
    return variant_side(options_, tools, disassembler, words);
  }

  const DiffRequest& options_;
  std::array<std::string, 2> words_;
  std::array<std::optional<foreign::CodeFile>, 2> files_;
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
  return Sides(request).run();
}

}  // namespace phasebit::pipeline::sass
