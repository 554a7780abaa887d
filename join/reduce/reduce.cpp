#include "join/reduce/reduce.h"

#include "analysis/compare/summary.h"
#include "analysis/disassembly/disassembler.h"
#include "core/base/file.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/ptx/statement.h"
#include "gen/reduce/reduce.h"
#include "join/images/images.h"
#include "join/select/open_space.h"
#include "join/select/ptx_files.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace phasebit::join::reduce {

using cubin::CubinKernel;
using cubin::SassKernel;
using flow::CountIn;
using flow::OpcodeCensus;
using images::Prepared;
using phasebit::reduce::FlatKernel;
using phasebit::reduce::ReducedKernel;
using ptxas::Kernel;

namespace {

using Clock = std::chrono::steady_clock;
using Counts = std::map<std::string, int>;

// The opcode that differs most, of those that only one side has where there are any: these tell
// more than one move or add the less. "" when none differs.
std::string most_different(const Counts& a, const Counts& b) {
  Counts all = a;
  all.insert(b.begin(), b.end());
  std::string best;
  std::pair<bool, int> most{false, 0};
  for (const auto& [opcode, unused] : all) {
    const auto in_a = a.find(opcode), in_b = b.find(opcode);
    const int left = in_a == a.end() ? 0 : in_a->second, right = in_b == b.end() ? 0 : in_b->second;
    const std::pair<bool, int> how{left == 0 || right == 0, std::abs(left - right)};
    if (how.second == 0 || how <= most) continue;
    most = how;
    best = opcode;
  }
  return best;
}

Counts counts_of(const OpcodeCensus& census, CountIn where) {
  Counts counts;
  for (const auto& [opcode, count] : census.opcodes)
    if (count.of(where) > 0) counts[opcode] = count.of(where);
  return counts;
}

class DifferenceReducer {
 public:
  DifferenceReducer(const Prepared& prepared, ReduceSides sides, const ReduceRequest& request)
      : prepared_(prepared), sides_(std::move(sides)), request_(request) {
    reduction_.opcode = request.opcode;
    reduction_.where = request.where;
  }

  Result<Reduction> run() {
    PHASEBIT_TRY(read_first());
    PHASEBIT_TRY(choose_opcode());
    PHASEBIT_TRY(check_difference());
    PHASEBIT_TRY_ASSIGN(flat, phasebit::reduce::flatten(prepared_.kernel));
    if (!still_shows({flat}).front())
      return fail(Step::assemble,
                  "{}: without inner blocks its text does not show the difference any more",
                  variant_);
    return confirm(reduce_it(flat));
  }

 private:
  Clock::duration elapsed() const { return Clock::now() - began_; }

  Status read_first() {
    for (const std::size_t side : {0U, 1U}) {
      auto code = sides_.code_of(side, prepared_.kernel);
      if (!code) return named(code.error());
      auto census = flow::take_opcode_census(*code);
      if (!census) return named(census.error());
      first_[side] = std::move(*code);
      census_[side] = std::move(*census);
    }
    return {};
  }
  tl::unexpected<Error> named(Error error) const {
    error.message = fmt::format("{}: {}", variant_, error.message);
    return tl::unexpected<Error>(std::move(error));
  }

  Counts hot_opcodes(std::size_t side) const {
    const launch::SourceMap& source = prepared_.kernel.source;
    return compare::hot_code(
               flow::take_features(first_[side], source, flow::find_windows(first_[side], source)))
        .opcodes;
  }

  // Where it was not asked for: of the hot path, else of all loops, else of the kernel.
  Status choose_opcode() {
    std::string& opcode = reduction_.opcode;
    if (opcode.empty()) {
      opcode = most_different(hot_opcodes(0), hot_opcodes(1));
      if (census_[0].count(opcode).of(request_.where) ==
          census_[1].count(opcode).of(request_.where))
        opcode.clear();
    }
    for (const CountIn where : {CountIn::loops, CountIn::kernel}) {
      if (!opcode.empty()) return {};
      opcode = most_different(counts_of(census_[0], where), counts_of(census_[1], where));
      reduction_.where = where;
    }
    if (!opcode.empty()) return {};
    return fail(Step::usage, "{}: {} and {} make as many of every opcode of it", variant_,
                sides_.name(0), sides_.name(1));
  }

  Status check_difference() {
    const std::string& opcode = reduction_.opcode;
    for (const std::size_t side : {0U, 1U}) {
      ReducedSide& out = reduction_.sides[side];
      out.name = sides_.name(side);
      out.arguments = sides_.arguments(side);
      out.first = census_[side].count(opcode);
      PHASEBIT_TRY_ASSIGN(banner, sides_.banner(side));
      out.banner = std::move(banner);
    }
    const flow::OpcodeTally a = reduction_.sides[0].first, b = reduction_.sides[1].first;
    if (a.kernel == 0 && b.kernel == 0) return no_such_opcode();
    const int left = a.of(reduction_.where), right = b.of(reduction_.where);
    if (left == right) {
      const bool elsewhere = reduction_.where == CountIn::loops && a.kernel != b.kernel;
      return with_hint(fail(Step::usage, "{}: {} {} {}: {} by {}, {} by {}", variant_, opcode,
                            flow::to_string(reduction_.where), "does not differ", left,
                            sides_.name(0), right, sides_.name(1)),
                       elsewhere ? fmt::format("in the kernel they are {} and {}: give --anywhere",
                                               a.kernel, b.kernel)
                                 : "");
    }
    more_ = left > right ? 0 : 1;
    in_kernel_too_ = (left > right) ? a.kernel > b.kernel : b.kernel > a.kernel;
    for (const std::size_t side : {0U, 1U})
      words_[side] = flow::OpcodeWords::learn({&first_[0], &first_[1]}, {&first_[side]}, opcode);
    return {};
  }

  Status no_such_opcode() const {
    std::set<std::string> opcodes;
    for (const OpcodeCensus& census : census_)
      for (const auto& [opcode, count] : census.opcodes) opcodes.insert(opcode);
    return with_hint(
        fail(Step::usage, "--opcode {}: neither side has one in {}", reduction_.opcode, variant_),
        base::nearest_word_hint(reduction_.opcode, {opcodes.begin(), opcodes.end()}));
  }

  // Of OpcodeTally or WordCount. Where the first text has more in the kernel too, so has every
  // other, so that counting the lines of a listing shows it.
  template <typename Tally>
  bool differs(const Tally& a, const Tally& b) const {
    const Tally &more = more_ == 0 ? a : b, &less = more_ == 0 ? b : a;
    return more.of(reduction_.where) > less.of(reduction_.where) &&
           (!in_kernel_too_ || more.kernel > less.kernel);
  }
  bool differs(const std::array<OpcodeCensus, 2>& both) const {
    return differs(both[0].count(reduction_.opcode), both[1].count(reduction_.opcode));
  }

  std::vector<Kernel> kernels_of(const std::vector<FlatKernel>& candidates) const {
    std::vector<Kernel> kernels;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      kernels.push_back(
          phasebit::reduce::as_kernel(candidates[i], fmt::format("pb_candidate_{}", i)));
    return kernels;
  }

  // A loop that nothing leaves shows little, unless the first text has one. Of OpcodeCensus or
  // WordCount.
  template <typename Counts>
  bool gains_endless_loop(const Counts& both) const {
    return (both[0].has_endless_loop && !census_[0].has_endless_loop) ||
           (both[1].has_endless_loop && !census_[1].has_endless_loop);
  }

  // By nvdisasm.
  std::vector<bool> still_shows(const std::vector<FlatKernel>& candidates) {
    std::vector<bool> shows;
    for (const ReduceSides::Both& both : sides_.census(kernels_of(candidates)))
      shows.push_back(both && differs(*both) && !gains_endless_loop(*both));
    return shows;
  }
  // By the words.
  std::vector<bool> seems_to_show(const std::vector<FlatKernel>& candidates) const {
    std::vector<bool> shows;
    for (const ReduceSides::Estimates& both : sides_.estimate(kernels_of(candidates), words_))
      shows.push_back(both && differs((*both)[0], (*both)[1]) && !gains_endless_loop(*both));
    return shows;
  }

  // By the words as long as nvdisasm says the same of the result; from the start by nvdisasm where
  // it does not, or where the words show nothing.
  ReducedKernel reduce_it(const FlatKernel& flat) {
    const Clock::time_point until = Clock::now() + request_.seconds;
    const phasebit::reduce::ReduceLimits limits{
        [until] { return base::interrupted() || Clock::now() > until; }};
    std::size_t tried = 0;
    if (seems_to_show({flat}).front()) {
      ReducedKernel reduced = phasebit::reduce::reduce(
          flat, [&](const auto& candidates) { return seems_to_show(candidates); }, limits);
      if (still_shows({reduced.kernel}).front()) return reduced;
      tried = reduced.tried;
    }
    ReducedKernel reduced = phasebit::reduce::reduce(
        flat, [&](const auto& candidates) { return still_shows(candidates); }, limits);
    reduced.tried += tried;
    return reduced;
  }

  Result<Reduction> confirm(const ReducedKernel& reduced) {
    const Kernel kernel = phasebit::reduce::as_kernel(reduced.kernel, "reduced");
    const std::string text = reduced_module(kernel);
    std::array<OpcodeCensus, 2> last;
    for (const std::size_t side : {0U, 1U}) {
      PHASEBIT_TRY_ASSIGN(code, sides_.code_of_text(side, text));
      PHASEBIT_TRY_ASSIGN(census, flow::take_opcode_census(code));
      reduction_.sides[side].last = census.count(reduction_.opcode);
      last[side] = std::move(census);
    }
    if (!differs(last))
      return fail(Step::assemble, "{}: the reduced text does not show it by itself", variant_);
    reduction_.finished = reduced.finished;
    reduction_.candidates = reduced.tried;
    reduction_.first_statements = prepared_.kernel.statements.size();
    reduction_.last_statements = kernel.statements.size();
    reduction_.first_bytes = reduced_module(prepared_.kernel).size();
    reduction_.last_bytes = text.size();
    reduction_.seconds = std::chrono::duration<double>(elapsed()).count();
    reduction_.text = reduction_header(reduction_, variant_, request_.file) + text;
    return std::move(reduction_);
  }

  const Clock::time_point began_ = Clock::now();
  const Prepared& prepared_;
  const std::string variant_ = prepared_.head.key.id;  // without its choice of ptxas
  ReduceSides sides_;
  const ReduceRequest& request_;
  Reduction reduction_;
  std::array<cubin::SassKernel, 2> first_;
  std::array<OpcodeCensus, 2> census_;  // of first_
  std::size_t more_ = 0;                // the side that has more
  bool in_kernel_too_ = false;          // not in loops alone
  std::array<flow::OpcodeWords, 2> words_;
};

}  // namespace

Result<Reduction> reduce_difference(images::Tools& tools, const Prepared& prepared,
                                    const std::array<ReduceSide, 2>& sides,
                                    const ReduceRequest& request) {
  PHASEBIT_TRY_ASSIGN(opened, ReduceSides::open(tools, sides));
  return DifferenceReducer(prepared, std::move(opened), request).run();
}

namespace {

// A candidate that takes ptxas longer is not a candidate.
constexpr std::chrono::seconds candidate_timeout{10};

Result<SassKernel> only_kernel(const disassembly::Disassembler& disassembler,
                               const std::string& code) {
  PHASEBIT_TRY_ASSIGN(cubin, cubin::read_cubin(code));
  const CubinKernel& kernel = cubin.kernels.front();
  return disassembly::join_kernel(kernel, disassembler.listing(cubin.sm, kernel));
}

}  // namespace

struct ReduceSides::Assembled {
  ptxas::Assembly assembly;
  std::map<std::string, cubin::Cubin> cubins;  // by module
  const CubinKernel* find(std::size_t kernel) const {
    const auto& made = assembly.kernels[kernel];
    if (!made) return nullptr;
    const auto cubin = cubins.find(made->module_hash);
    return cubin == cubins.end() ? nullptr : cubin->second.find(made->entry);
  }
};

Result<ReduceSides> ReduceSides::open(images::Tools& tools,
                                      const std::array<ReduceSide, 2>& sides) {
  std::array<Side, 2> opened;
  for (std::size_t i = 0; i < 2; ++i) {
    PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(sides[i].choice.ptxas));
    PHASEBIT_TRY(ptxas::check_target(*toolchain, sides[i].target));
    opened[i] = {toolchain, sides[i].target, sides[i].choice.flags, {}};
  }
  // Listings of candidates are not worth a place in the cache of all others.
  PHASEBIT_TRY(ptxas::require_nvdisasm(tools.toolchain));
  PHASEBIT_TRY_ASSIGN(disassembler, disassembly::Disassembler::open(tools.toolchain.nvdisasm));
  const unsigned all = tools.options.threads != 0
                           ? tools.options.threads
                           : std::max(1U, std::thread::hardware_concurrency());
  ReduceSides made(std::move(opened), std::move(disassembler), std::max(1U, all / 2));
  if (made.name(0) == made.name(1))
    return with_hint(fail(Step::usage, "both sides are {}", made.name(0)),
                     "name two versions as in --toolchain 12.4,13.5, two targets, or two variants "
                     "that differ in an axis of ptxas");
  return made;
}

std::string ReduceSides::name(std::size_t side) const {
  const Side& one = sides_[side];
  return fmt::format("ptxas {}{}{} for {}", one.toolchain->version.text(),
                     one.flags.empty() ? "" : " ", fmt::join(one.flags, " "), one.target);
}

std::string ReduceSides::arguments(std::size_t side) const {
  const Side& one = sides_[side];
  return fmt::format("-arch={}{}{}", one.target, one.flags.empty() ? "" : " ",
                     fmt::join(one.flags, " "));
}

Result<std::string> ReduceSides::banner(std::size_t side) const {
  PHASEBIT_TRY_ASSIGN(said,
                      base::run_process({sides_[side].toolchain->ptxas.string(), "--version"}));
  std::istringstream lines(said.out);
  std::string banner;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("Cuda compilation tools") || line.starts_with("Build "))
      banner += (banner.empty() ? "" : ", ") + line;
  return banner;
}

Result<SassKernel> ReduceSides::code_of(std::size_t side, const Kernel& kernel) const {
  const Side& one = sides_[side];
  ptxas::AssembleOptions options;
  options.flags = one.flags;
  options.line_info = true;
  const ptxas::Assembly made =
      ptxas::assemble(*one.toolchain, nullptr, {kernel}, one.target, options);
  const auto& assembled = made.kernels.front();
  if (!assembled) {
    Error error = assembled.error();
    error.message = fmt::format("{}: {}", name(side), error.message);
    return tl::unexpected<Error>(std::move(error));
  }
  return only_kernel(disassembler_, made.modules.at(assembled->module_hash));
}

Result<SassKernel> ReduceSides::code_of_text(std::size_t side, const std::string& text) const {
  const Side& one = sides_[side];
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const std::string source = (folder.path() / "reduced.ptx").string();
  const std::string cubin = (folder.path() / "reduced.cubin").string();
  PHASEBIT_TRY(base::write_file(source, text));
  std::vector<std::string> words{one.toolchain->ptxas.string(), "-arch=" + one.target};
  words.insert(words.end(), one.flags.begin(), one.flags.end());
  words.insert(words.end(), {source, "-o", cubin});
  PHASEBIT_TRY_ASSIGN(ran, base::run_process(words));
  if (!ran.ok()) return fail(Step::assemble, "{}: {}", name(side), ran.out + ran.err);
  PHASEBIT_TRY_ASSIGN(code, base::read_file(cubin));
  return only_kernel(disassembler_, code);
}

ReduceSides::Assembled ReduceSides::assemble_all(const Side& side,
                                                 const std::vector<Kernel>& kernels) const {
  ptxas::AssembleOptions options;
  options.flags = side.flags;
  options.threads = threads_;
  options.kernels_per_module = (kernels.size() + threads_ - 1) / threads_;
  options.timeout = candidate_timeout;
  Assembled made{ptxas::assemble(*side.toolchain, nullptr, kernels, side.target, options), {}};
  for (const auto& [hash, code] : made.assembly.modules)
    if (auto cubin = cubin::read_cubin(code)) made.cubins.emplace(hash, std::move(*cubin));
  return made;
}

void ReduceSides::disassemble(Side& side, const Assembled& made,
                              const std::vector<bool>& wanted) const {
  std::vector<std::string> codes;
  std::vector<const CubinKernel*> kernels;
  int sm = 0;  // of all: a side has one target
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    const ptxas::Assembled& one = *made.assembly.kernels[i];
    if (!side.known.emplace(one.text_hash, std::nullopt).second) continue;
    codes.push_back(one.text_hash);
    kernels.push_back(made.find(i));
    sm = made.cubins.at(one.module_hash).sm;
  }
  const auto listings = disassembler_.listings(sm, kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto joined = disassembly::join_kernel(*kernels[i], listings[i]);
    auto census = joined ? flow::take_opcode_census(*joined)
                         : Result<flow::OpcodeCensus>(tl::unexpected<Error>(joined.error()));
    if (census) side.known[codes[i]] = std::move(*census);
  }
}

void ReduceSides::assemble_both(const std::vector<Kernel>& kernels,
                                std::array<Assembled, 2>& made) const {
  base::parallel_for(2, 2, [&](std::size_t i) { made[i] = assemble_all(sides_[i], kernels); });
}

std::vector<ReduceSides::Estimates> ReduceSides::estimate(
    const std::vector<Kernel>& kernels, const std::array<flow::OpcodeWords, 2>& words) const {
  std::array<Assembled, 2> made;
  assemble_both(kernels, made);
  std::vector<Estimates> estimates(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const CubinKernel *a = made[0].find(i), *b = made[1].find(i);
    if (a != nullptr && b != nullptr) estimates[i] = {words[0].count(*a), words[1].count(*b)};
  }
  return estimates;
}

std::vector<ReduceSides::Both> ReduceSides::census(const std::vector<Kernel>& kernels) {
  std::array<Assembled, 2> made;
  assemble_both(kernels, made);
  std::vector<bool> wanted(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i)
    wanted[i] = made[0].find(i) != nullptr && made[1].find(i) != nullptr;
  base::parallel_for(2, 2, [&](std::size_t i) { disassemble(sides_[i], made[i], wanted); });
  std::vector<Both> both(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!wanted[i]) continue;
    const auto& a = sides_[0].known.at(made[0].assembly.kernels[i]->text_hash);
    const auto& b = sides_[1].known.at(made[1].assembly.kernels[i]->text_hash);
    if (a && b) both[i] = {*a, *b};
  }
  return both;
}

namespace {

Status check_words(const VariantReduceRequest& options) {
  if (options.targets.size() > 2)
    return fail(Step::usage, "--target: one architecture, or one for each side");
  if (options.toolchains.size() > 2)
    return fail(Step::usage, "--toolchain: one version, or one for each side");
  if (options.seconds < 1) return fail(Step::usage, "--seconds {}: at least 1", options.seconds);
  return {};
}

struct Side {
  images::Prepared prepared;
  ReduceSide how;
};

// What the side's id says, with the version of --toolchain in the place of its own.
Result<Side> open_side(const VariantReduceRequest& options, std::size_t index) {
  const auto of_side = [&](const std::vector<std::string>& words) {
    return words.empty() ? std::string() : index == 0 ? words.front() : words.back();
  };
  const std::string& other = options.second.empty() ? options.first : options.second;
  const bool second = index == 1 && !options.second.empty();
  const std::string& word = second ? options.second : options.first;
  PHASEBIT_TRY_ASSIGN(request,
                      select::request_of_side(options.space, word, second ? options.first : other));
  if (const std::string ptxas = of_side(options.toolchains); !ptxas.empty())
    request.toolchains = {ptxas};
  PHASEBIT_TRY_ASSIGN(space, select::open_one(request, word));
  std::string target = of_side(options.targets);
  if (target.empty()) target = select::default_target(word);
  space.target = target;
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, launch::Build::timed, 1));
  const ptxas::AssemblerChoice choice = prepared.front().choice;
  return Side{std::move(prepared.front()), {target, choice}};
}

}  // namespace

Result<Reduction> reduce_variants(const VariantReduceRequest& options) {
  PHASEBIT_TRY(check_words(options));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(a, open_side(options, 0));
  PHASEBIT_TRY_ASSIGN(b, open_side(options, 1));
  if (a.prepared.head.key.id != b.prepared.head.key.id)
    return with_hint(
        fail(Step::usage, "{} and {} are two texts", a.prepared.key.id, b.prepared.key.id),
        "reduce takes one text by two ptxas; compare two with sass diff");
  ReduceRequest request;
  request.opcode = options.opcode;
  request.where = options.in_loop ? flow::CountIn::loops : flow::CountIn::kernel;
  request.seconds = std::chrono::seconds(options.seconds);
  if (!options.out.empty()) request.file = fs::path(options.out).filename().string();
  return reduce_difference(tools, a.prepared, std::array<ReduceSide, 2>{a.how, b.how}, request);
}

namespace {

// A shell pattern over opcodes as one for grep -E: the opcode ends at a blank or semicolon.
std::string as_grep(const std::string& pattern) {
  std::string out = " ";
  for (const char c : pattern) {
    if (c == '*')
      out += "[^ ;]*";
    else if (c == '?')
      out += "[^ ;]";
    else if (c == '.')
      out += "\\.";
    else
      out += c;
  }
  return out + "( |;|$)";
}

}  // namespace

std::string reduced_module(const ptxas::Kernel& kernel) {
  std::string body;
  bool shared = false, inside = false;
  for (const std::string& line : kernel.statements) {
    const bool brace = line == "{" || line == "}";
    const bool label = ptx::take_apart(line).part == ptx::PtxStatement::Part::label;
    if (line == "}") inside = false;
    body += (!inside || brace ? "" : label ? " " : "  ") + line + "\n";
    if (line == "{") inside = true;
    shared = shared || line.find("pb_shared") != std::string::npos;
  }
  return fmt::format(".version {}\n.target {}\n.address_size 64\n{}{}\n{}", kernel.ptx_version,
                     kernel.ptx_target, shared ? ptxas::module_shared_declaration : "",
                     shared ? "\n" : "", body);
}

std::string reduction_header(const Reduction& reduction, const std::string& variant,
                             const std::string& file) {
  const std::string cubin = file.substr(0, file.rfind(".ptx")) + ".cubin";
  std::string out = fmt::format(
      "// {} {}: {} by {}, {} by {}.\n", reduction.opcode, flow::to_string(reduction.where),
      reduction.sides[0].last.of(reduction.where), reduction.sides[0].name,
      reduction.sides[1].last.of(reduction.where), reduction.sides[1].name);
  for (const ReducedSide& side : reduction.sides) {
    out += fmt::format("//\n// {}: {} in loops, {} in the kernel\n// {}\n", side.name,
                       side.last.loops, side.last.kernel, side.banner);
    out += fmt::format("//   ptxas {} {} -o {} && nvdisasm {} | grep -cE '{}'\n", side.arguments,
                       file, cubin, cubin, as_grep(reduction.opcode));
  }
  if (reduction.sides[0].last.kernel == reduction.sides[1].last.kernel)
    out += "//\n// The kernel has as many in both: look at which are in a loop.\n";
  out += fmt::format(
      "//\n// Reduced by phasebit from {}: {} lines to {}{}.\n// What it computes means "
      "nothing.\n\n",
      variant, reduction.first_statements, reduction.last_statements,
      reduction.finished ? "" : ", stopped by its time limit");
  return out;
}

}  // namespace phasebit::join::reduce
