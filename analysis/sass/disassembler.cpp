#include "analysis/sass/disassembler.h"

#include "core/base/process.h"

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

Result<Disassembler> Disassembler::open(const fs::path& nvdisasm) {
  auto output = run_process({nvdisasm.string(), "--version"});
  if (!output) return with_hint(fail(Step::toolchain, "{}", output.error().message), install_hint);
  if (!output->ok())
    return with_hint(fail(Step::toolchain, "{} --version {}: {}", nvdisasm.string(),
                          output->how_it_ended(), first_line(*output)),
                     install_hint);
  std::string version = nvdisasm_version(output->out);
  if (version.empty())
    return fail(Step::toolchain, "{} --version names no version: {}", nvdisasm.string(),
                first_line(*output));
  return Disassembler(nvdisasm, std::move(version));
}

Result<Disassembly> Disassembler::run(std::string_view cubin,
                                      const std::vector<std::size_t>& functions) const {
  PHASEBIT_TRY_ASSIGN(folder, TempDir::create());
  const fs::path file = folder.path() / "module.cubin";
  PHASEBIT_TRY(write_file(file, cubin));
  std::vector<std::string> arguments = {path_.string(), "-json"};
  if (!functions.empty()) arguments.insert(arguments.end(), {"-fun", joined(functions)});
  arguments.push_back(file.string());
  auto output = run_process(arguments);
  if (!output) return fail(Step::toolchain, "{}", output.error().message);
  if (!output->ok())
    return fail(Step::disassemble, "nvdisasm {}: {}", output->how_it_ended(), first_line(*output));
  auto disassembly = parse_nvdisasm_json(output->out);
  if (disassembly && nvdisasm_version(disassembly->producer) != version_)
    return fail(Step::disassemble, "nvdisasm {} printed a listing of '{}'", version_,
                disassembly->producer);
  return disassembly;
}

}  // namespace phasebit
