#include "analysis/sass/disassembler.h"

#include "core/base/process.h"

#include <algorithm>

namespace phasebit {
namespace {

constexpr const char* install_hint = "tools/toolchain installs nvdisasm";

// The tool's own first words, for a message.
std::string first_line(const ProcessOutput& output) {
  const std::string& text = output.err.empty() ? output.out : output.err;
  return text.substr(0, text.find('\n'));
}

std::string joined(const std::vector<std::size_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

}  // namespace

Result<Disassembler> Disassembler::open(const fs::path& nvdisasm, const fs::path& cache) {
  ProcessOptions options;
  options.timeout = std::chrono::seconds(20);
  auto output = run_process({nvdisasm.string(), "--version"}, options);
  if (!output) return with_hint(fail(Step::toolchain, "{}", output.error().message), install_hint);
  if (!output->ok())
    return with_hint(fail(Step::toolchain, "{} --version {}: {}", nvdisasm.string(),
                          output->how_it_ended(), first_line(*output)),
                     install_hint);
  std::string version = nvdisasm_version(output->out);
  if (version.empty())
    return fail(Step::toolchain, "{} --version names no version: {}", nvdisasm.string(),
                first_line(*output));
  Disassembler disassembler(nvdisasm, std::move(version));
  if (!cache.empty()) {
    PHASEBIT_TRY_ASSIGN(opened, DisassemblyCache::open(cache, disassembler.version()));
    disassembler.cache_ = std::move(opened);
  }
  return disassembler;
}

Result<Disassembly> Disassembler::run(std::string_view cubin,
                                      const std::vector<std::size_t>& functions) const {
  PHASEBIT_TRY_ASSIGN(folder, TempDir::create());
  const fs::path file = folder.path() / "module.cubin";
  PHASEBIT_TRY(write_file(file, cubin));
  std::vector<std::string> arguments = {path_.string(), "-json"};
  if (!functions.empty()) arguments.insert(arguments.end(), {"-fun", joined(functions)});
  arguments.push_back(file.string());
  ProcessOptions options;
  options.timeout = timeout_;
  auto output = run_process(arguments, options);
  if (!output) return fail(Step::toolchain, "{}", output.error().message);
  if (!output->ok())
    return fail(Step::disassemble, "nvdisasm {}: {}", output->how_it_ended(), first_line(*output));
  auto disassembly = parse_nvdisasm_json(output->out);
  if (disassembly && nvdisasm_version(disassembly->producer) != version_)
    return fail(Step::disassemble, "nvdisasm {} printed a listing of '{}'", version_,
                disassembly->producer);
  return disassembly;
}

Result<std::map<std::string, DisassembledFunction>> Disassembler::functions(
    std::string_view bytes, const Cubin& cubin,
    const std::vector<const CubinKernel*>& wanted) const {
  std::map<std::string, DisassembledFunction> found;
  std::vector<const CubinKernel*> missing;
  for (const CubinKernel* kernel : wanted) {
    auto kept = cache_ ? cache_->find(cubin.sm, *kernel) : std::nullopt;
    if (kept)
      found.emplace(kernel->entry, std::move(*kept));
    else
      missing.push_back(kernel);
  }
  if (missing.empty()) return found;
  // All of them, or one without a symbol: no selection.
  const bool select = missing.size() < cubin.kernels.size() &&
                      std::all_of(
                          missing.begin(), missing.end(),
                          [](const CubinKernel* kernel) { return kernel->symbol != 0; });
  std::vector<std::size_t> symbols;
  for (std::size_t i = 0; select && i < missing.size(); ++i) symbols.push_back(missing[i]->symbol);
  PHASEBIT_TRY_ASSIGN(disassembly, run(bytes, symbols));
  for (const CubinKernel* kernel : missing) {
    const auto printed =
        std::find_if(disassembly.functions.begin(), disassembly.functions.end(),
                     [&](const DisassembledFunction& one) { return one.name == kernel->entry; });
    if (printed == disassembly.functions.end())
      return fail(Step::disassemble, "nvdisasm printed nothing for {}", kernel->entry);
    // A cache that cannot be written costs time, not the result.
    if (cache_) static_cast<void>(cache_->add(cubin.sm, *kernel, *printed));
    found.emplace(kernel->entry, std::move(*printed));
  }
  return found;
}

}  // namespace phasebit
