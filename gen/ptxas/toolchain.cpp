#include "gen/ptxas/toolchain.h"

#include "core/base/process.h"
#include "core/base/text.h"
#include "core/isa/targets.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include <unistd.h>

namespace phasebit::ptxas {

using base::Home;
using isa::parse_version;
using isa::Version;

namespace {

std::string install_hint(const Home& home) {
  return fmt::format("run {} {}", home.toolchain_command(), pinned_toolchain);
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// tools/toolchain's; without it that of the Python environment that phasebit was installed into.
fs::path pinned_folder(const Home& home) {
  fs::path own = home.toolchains / pinned_toolchain;
  if (home.packages.empty() || !toolchain_programs(own).empty()) return own;
  return toolchain_programs(home.packages).empty() ? own : home.packages;
}

Status check_program(const fs::path& path, const Home& home) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return with_hint(fail(Step::toolchain, "{} does not exist", path.string()), install_hint(home));
  if (!is_program(path))
    return with_hint(fail(Step::toolchain, "{} is not an executable file", path.string()),
                     fmt::format("chmod +x {}", path.string()));
  return {};
}

Result<fs::path> locate_ptxas(const ToolchainRequest& request) {
  if (request.ptxas) {
    PHASEBIT_TRY(check_program(*request.ptxas, request.home));
    return *request.ptxas;
  }
  const char* variable = std::getenv("PHASEBIT_TOOLCHAIN");
  const bool asked = variable != nullptr && *variable != '\0';
  const fs::path folder = asked ? fs::path(variable) : pinned_folder(request.home);
  const fs::path programs = toolchain_programs(folder);
  if (programs.empty() && asked)
    return with_hint(fail(Step::toolchain, "no ptxas in $PHASEBIT_TOOLCHAIN ({})", folder.string()),
                     install_hint(request.home) + " and unset it");
  if (programs.empty())
    return with_hint(fail(Step::toolchain, "no ptxas in {}", folder.string()),
                     install_hint(request.home));
  PHASEBIT_TRY(check_program(programs / "ptxas", request.home));
  return programs / "ptxas";
}

Result<fs::path> locate_nvdisasm(const ToolchainRequest& request, const fs::path& ptxas) {
  if (request.nvdisasm) {
    PHASEBIT_TRY(check_program(*request.nvdisasm, request.home));
    return *request.nvdisasm;
  }
  const fs::path beside = ptxas.parent_path() / "nvdisasm";
  const fs::path pinned = toolchain_programs(pinned_folder(request.home)) / "nvdisasm";
  for (const fs::path& path : {beside, pinned})
    if (is_program(path)) return path;
  return fs::path();
}

// What a program prints for one option.
Result<std::string> ask(const Home& home, const fs::path& program, const std::string& option) {
  base::ProcessOptions options;
  options.timeout = std::chrono::seconds(20);
  // An explicit "./" keeps a bare file name from being searched in PATH.
  const fs::path path = program.has_parent_path() ? program : "." / program;
  auto output = base::run_process({path.string(), option}, options);
  if (!output)
    return tl::unexpected(Error{Step::toolchain, output.error().message, install_hint(home)});
  if (!output->ok())
    return with_hint(
        fail(Step::toolchain, "{} {} {}", program.string(), option, output->how_it_ended()),
        install_hint(home));
  return output->out + output->err;
}

Result<Version> ask_version(const Home& home, const fs::path& program) {
  PHASEBIT_TRY_ASSIGN(banner, ask(home, program, "--version"));
  auto version = parse_version(isa::version_in_banner(banner));
  if (!version)
    return with_hint(fail(Step::toolchain, "{} --version names no version", program.string()),
                     install_hint(home));
  return *version;
}

}  // namespace

fs::path toolchain_programs(const fs::path& folder) {
  std::error_code ignored;
  for (const char* inner : {"nvidia/cu13/bin", "nvidia/cuda_nvcc/bin", "bin", ""}) {
    const fs::path programs = *inner == '\0' ? folder : folder / inner;
    if (fs::exists(programs / "ptxas", ignored)) return programs;
  }
  return {};
}

fs::path cuobjdump_next_to(const fs::path& program) {
  const fs::path path = program.parent_path() / "cuobjdump";
  return !program.empty() && is_program(path) ? path : fs::path();
}

fs::path find_cuobjdump(const Home& home) {
  const char* variable = std::getenv("PHASEBIT_TOOLCHAIN");
  const bool asked = variable != nullptr && *variable != '\0';
  if (!asked && home.toolchains.empty()) return {};
  const fs::path programs = toolchain_programs(asked ? fs::path(variable) : pinned_folder(home));
  return programs.empty() ? fs::path() : cuobjdump_next_to(programs / "ptxas");
}

std::vector<std::string> targets_in_help(std::string_view help) {
  std::set<std::tuple<int, std::string, std::string>> found;  // number, suffix, name
  for (size_t at = help.find("'sm_"); at != std::string_view::npos;
       at = help.find("'sm_", at + 1)) {
    const size_t end = help.find('\'', at + 1);
    if (end == std::string_view::npos) break;
    const auto target = isa::parse_target(help.substr(at + 1, end - at - 1));
    if (target) found.emplace(target->sm, target->suffix, target->name);
  }
  std::vector<std::string> names;
  for (const auto& [sm, suffix, name] : found) names.push_back(name);
  return names;
}

std::optional<Version> newest_ptx(const Version& cuda) {
  if (cuda.parts.size() < 2) return std::nullopt;
  const int major = cuda.parts[0], minor = cuda.parts[1];
  // 13.n reads 9.n; 11.n and 12.n as the release notes list them.
  if (major == 13) return Version{{9, minor}};
  static const std::map<std::pair<int, int>, int> eights = {
      {{12, 0}, 0}, {{12, 1}, 1}, {{12, 2}, 2}, {{12, 3}, 3}, {{12, 4}, 4},
      {{12, 5}, 5}, {{12, 6}, 5}, {{12, 7}, 6}, {{12, 8}, 7}, {{12, 9}, 8}};
  if (const auto found = eights.find({major, minor}); found != eights.end())
    return Version{{8, found->second}};
  if (major == 11 && minor <= 8) return Version{{7, minor}};
  return std::nullopt;
}

std::optional<Version> oldest_cuda(const Version& ptx) {
  for (int major = 11; major <= 13; ++major)
    for (int minor = 0; minor <= 9; ++minor)
      if (newest_ptx({{major, minor}}).value_or(Version{}) >= ptx) return Version{{major, minor}};
  return std::nullopt;
}

std::string InstalledToolchain::choice() const {
  return version.text() == pinned_toolchain ? std::string() : version.text();
}

std::vector<InstalledToolchain> installed_toolchains(const Home& home) {
  std::vector<InstalledToolchain> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(home.toolchains, missing)) {
    auto version = parse_version(entry.path().filename().string());
    if (version && !toolchain_programs(entry.path()).empty())
      found.push_back({*std::move(version), entry.path()});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.version < b.version; });
  return found;
}

Result<InstalledToolchain> find_installed(const Home& home, const std::string& version) {
  const auto wanted = parse_version(version);
  if (!wanted)
    return with_hint(fail(Step::usage, "'{}' is not a version of ptxas", version),
                     "such as 12.4 or 12.4.131, or all");
  std::vector<std::string> names;
  std::optional<InstalledToolchain> newest;
  for (const InstalledToolchain& one : installed_toolchains(home)) {
    names.push_back(one.version.text());
    const auto& have = one.version.parts;
    const auto& want = wanted->parts;
    if (want.size() <= have.size() && std::equal(want.begin(), want.end(), have.begin()))
      newest = one;
  }
  if (newest) return *newest;
  return with_hint(fail(Step::toolchain, "ptxas {} is not installed (there {} {})", version,
                        names.size() == 1 ? "is" : "are",
                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))),
                   fmt::format("run {} {}", home.toolchain_command(), version));
}

Result<std::vector<InstalledToolchain>> installed_named(const Home& home,
                                                        const std::vector<std::string>& words) {
  std::vector<InstalledToolchain> named;
  const auto add = [&](const InstalledToolchain& one) {
    if (std::none_of(named.begin(), named.end(),
                     [&](const auto& known) { return known.version == one.version; }))
      named.push_back(one);
  };
  for (const std::string& word : words) {
    if (word != "all") {
      PHASEBIT_TRY_ASSIGN(found, find_installed(home, word));
      add(found);
      continue;
    }
    for (const InstalledToolchain& one : installed_toolchains(home)) add(one);
    if (named.empty())
      return with_hint(fail(Step::toolchain, "no toolchain is installed"), "run tools/toolchain");
  }
  return named;
}

Result<Toolchain> find_toolchain(const ToolchainRequest& request) {
  Toolchain toolchain;
  toolchain.install = install_hint(request.home);
  PHASEBIT_TRY_ASSIGN(ptxas, locate_ptxas(request));
  toolchain.ptxas = ptxas;
  PHASEBIT_TRY_ASSIGN(version, ask_version(request.home, ptxas));
  toolchain.version = version;
  toolchain.ptx = newest_ptx(version).value_or(Version{});
  PHASEBIT_TRY_ASSIGN(help, ask(request.home, ptxas, "--help"));
  toolchain.targets = targets_in_help(help);
  if (toolchain.targets.empty())
    return with_hint(fail(Step::toolchain, "{} --help names no architecture", ptxas.string()),
                     toolchain.install);
  PHASEBIT_TRY_ASSIGN(nvdisasm, locate_nvdisasm(request, ptxas));
  toolchain.nvdisasm = nvdisasm;
  if (!nvdisasm.empty()) {
    PHASEBIT_TRY_ASSIGN(disassembler_version, ask_version(request.home, nvdisasm));
    toolchain.nvdisasm_version = disassembler_version;
  }
  return toolchain;
}

Status require_nvdisasm(const Toolchain& toolchain) {
  if (!toolchain.nvdisasm.empty()) return {};
  return with_hint(fail(Step::toolchain, "no nvdisasm next to {}", toolchain.ptxas.string()),
                   toolchain.install);
}

Status check_target(const Toolchain& toolchain, const std::string& target) {
  const auto& known = toolchain.targets;
  if (std::find(known.begin(), known.end(), target) != known.end()) return {};
  return with_hint(fail(Step::usage, "ptxas {} does not know the architecture '{}'",
                        toolchain.version.text(), target),
                   base::nearest_word_hint(target, known));
}

}  // namespace phasebit::ptxas
