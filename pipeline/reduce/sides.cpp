#include "pipeline/reduce/sides.h"

#include "analysis/disassembly/module.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/process.h"

#include <algorithm>
#include <sstream>
#include <thread>

namespace phasebit::pipeline::reduce {

using cubin::CubinKernel;
using cubin::SassKernel;
using ptxas::Kernel;

namespace {

// A candidate that takes ptxas longer is no candidate.
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
    opened[i] = {toolchain, sides[i].target, ptxas::flags_of(sides[i].choice), {}};
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

}  // namespace phasebit::pipeline::reduce
