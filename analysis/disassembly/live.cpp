#include "analysis/disassembly/live.h"

#include "analysis/flow/features.h"
#include "core/base/process.h"
#include "core/base/text.h"

#include <charconv>
#include <cstring>
#include <optional>

namespace phasebit::disassembly {
namespace {

// The cells of the table after each line: "// | 3   ^ | 1 | |".
std::vector<std::string_view> cells_of(std::string_view line) {
  constexpr std::string_view front = "// |";
  std::vector<std::string_view> cells;
  const std::size_t begin = line.rfind(front);
  if (begin == std::string_view::npos) return cells;
  std::string_view rest = line.substr(begin + front.size());
  for (std::size_t bar = rest.find('|'); bar != std::string_view::npos; bar = rest.find('|')) {
    cells.push_back(base::trimmed(rest.substr(0, bar)));
    rest.remove_prefix(bar + 1);
  }
  return cells;
}

// The address of an instruction's line: "/*00a0*/"; nothing for other lines.
std::optional<std::uint32_t> address_of(std::string_view line) {
  const std::string_view code = base::trimmed(line);
  if (!code.starts_with("/*")) return std::nullopt;
  std::uint32_t address = 0;
  const auto [rest, error] =
      std::from_chars(code.data() + 2, code.data() + code.size(), address, 16);
  const std::string_view behind(rest, static_cast<std::size_t>(code.data() + code.size() - rest));
  if (error != std::errc() || !behind.starts_with("*/")) return std::nullopt;
  return address;
}

// An empty cell is a count of 0.
int first_number(std::string_view cell) {
  int value = 0;
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

class LifeRangeReader {
 public:
  void read(std::string_view line) {
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.empty()) return;
    if (line.starts_with(".text.") && line.find(':') != std::string_view::npos)
      kernel_ = line.substr(6, line.find(':') - 6);
    else if (std::find(cells.begin(), cells.end(), "GPR") != cells.end())
      kinds_.assign(cells.begin(), cells.end());
    else if (const auto address = address_of(line); address && !kernel_.empty())
      table_[kernel_].emplace(*address, counts_of(cells));
  }
  LiveTable take() { return std::move(table_); }

 private:
  cubin::LiveCounts counts_of(const std::vector<std::string_view>& cells) const {
    cubin::LiveCounts counts;
    for (std::size_t i = 0; i < std::min(cells.size(), kinds_.size()); ++i) {
      const int number = first_number(cells[i]);
      if (kinds_[i] == "GPR") counts.registers = number;
      if (kinds_[i] == "PRED") counts.predicates = number;
      if (kinds_[i] == "UGPR") counts.uniform_registers = number;
      if (kinds_[i] == "UPRED") counts.uniform_predicates = number;
    }
    return counts;
  }

  std::string kernel_;
  std::vector<std::string> kinds_;
  LiveTable table_;
};

std::string first_error(const base::ProcessOutput& output) {
  const std::size_t at = output.err.find("error");
  const std::string text = at == std::string::npos ? output.err : output.err.substr(at);
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<LiveTable> parse_life_ranges(std::string_view text) {
  LifeRangeReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.read(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  LiveTable table = reader.take();
  if (table.empty()) return fail(Step::disassemble, "nvdisasm printed no live registers");
  return table;
}

Result<LiveTable> live_registers(const Disassembler& disassembler, std::string_view cubin,
                                 const std::vector<std::size_t>& functions) {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const fs::path file = folder.path() / "module.cubin";
  PHASEBIT_TRY(base::write_file(file, with_present_header(cubin)));
  std::vector<std::string> arguments = {disassembler.path().string(), "-c", "-plr", "-lrm",
                                        "count"};
  if (!functions.empty())
    arguments.insert(arguments.end(), {"-fun", fmt::format("{}", fmt::join(functions, ","))});
  arguments.push_back(file.string());
  auto output = base::run_process(arguments);
  if (!output) return fail(Step::toolchain, "{}", output.error().message);
  if (!output->ok())
    return fail(Step::disassemble, "live registers: nvdisasm {}: {}", output->how_it_ended(),
                first_error(*output));
  return parse_life_ranges(output->out);
}

Status add_live_registers(cubin::SassKernel& kernel, const LiveTable& table) {
  const auto found = table.find(kernel.entry);
  if (found == table.end())
    return fail(Step::disassemble, "nvdisasm printed no live registers of {}", kernel.entry);
  kernel.live.assign(kernel.instructions.size(), {});
  const std::size_t used = flow::used_instructions(kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const auto counts = found->second.find(kernel.instructions[i].address);
    if (counts == found->second.end())
      return fail(Step::disassemble, "nvdisasm printed no live registers at {:#x} of {}",
                  kernel.instructions[i].address, kernel.entry);
    kernel.live[i] = counts->second;
  }
  return {};
}

// CUDA 11 and 12: OS/ABI 51, version 7, SM in e_flags[7:0]. CUDA 13: 65, 8, SM in e_flags[15:8].
std::string with_present_header(std::string_view cubin) {
  constexpr std::size_t os_abi = 7, abi_version = 8, flags_at = 48;
  constexpr std::uint32_t present_flags = 0x0600'0004;  // as ptxas 13 writes them
  std::string file(cubin);
  if (file.size() < 64 || file.compare(0, 4, "\177ELF") != 0 || file[os_abi] != 51) return file;
  std::uint32_t flags = 0;
  std::memcpy(&flags, file.data() + flags_at, sizeof flags);
  flags = present_flags | (flags & 0xffU) << 8U;
  std::memcpy(file.data() + flags_at, &flags, sizeof flags);
  file[os_abi] = 65;
  file[abi_version] = 8;
  return file;
}

}  // namespace phasebit::disassembly
