#include "analysis/disassembly/disassembler.h"

#include "analysis/cubin/instruction.h"
#include "analysis/cubin/sass_word.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/process.h"
#include "core/isa/opcodes.h"
#include "core/isa/version.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <mutex>
#include <set>

namespace phasebit::disassembly {

using cubin::CubinKernel;
using cubin::instruction_bytes;
using cubin::RelocatedOperand;
using cubin::SassKernel;
using isa::SassFact;

namespace {

constexpr const char* install_hint = "tools/toolchain installs nvdisasm";

// The tool's own first words, for a message.
std::string first_line(const base::ProcessOutput& output) {
  const std::string& text = output.err.empty() ? output.out : output.err;
  return text.substr(0, text.find('\n'));
}

}  // namespace

Result<Disassembler> Disassembler::open(const fs::path& nvdisasm, const fs::path& cache) {
  base::ProcessOptions options;
  options.timeout = std::chrono::seconds(20);
  auto output = base::run_process({nvdisasm.string(), "--version"}, options);
  if (!output) return with_hint(fail(Step::toolchain, "{}", output.error().message), install_hint);
  if (!output->ok())
    return with_hint(fail(Step::toolchain, "{} --version {}: {}", nvdisasm.string(),
                          output->how_it_ended(), first_line(*output)),
                     install_hint);
  std::string version = isa::version_in_banner(output->out);
  if (version.empty())
    return fail(Step::toolchain, "{} --version names no version: {}", nvdisasm.string(),
                first_line(*output));
  Disassembler disassembler(nvdisasm, std::move(version));
  if (!cache.empty()) {
    PHASEBIT_TRY_ASSIGN(opened, base::Cache::open(cache));
    disassembler.cache_.emplace(std::move(opened), disassembler.version());
  }
  return disassembler;
}

Result<std::string> Disassembler::print(const std::vector<std::string>& options,
                                        std::string_view bytes) const {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const fs::path file = folder.path() / "code";
  PHASEBIT_TRY(base::write_file(file, bytes));
  std::vector<std::string> arguments = {path_.string(), "-json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(file.string());
  base::ProcessOptions process;
  process.timeout = timeout_;
  auto output = base::run_process(arguments, process);
  if (!output) return fail(Step::toolchain, "{}", output.error().message);
  if (output->ok()) return std::move(output->out);
  const std::string words = first_line(*output);
  if (words.find("is not defined for option 'binary'") != std::string::npos)
    return with_hint(
        fail(Step::toolchain, "nvdisasm {} does not know {}", version_, options.back()),
        "that of the release whose ptxas made the code does; tools/toolchain installs "
        "a newer one, --nvdisasm names it");
  return fail(Step::disassemble, "nvdisasm {}: {}", output->how_it_ended(), words);
}

Result<Disassembly> Disassembler::checked(const std::string& json) const {
  auto disassembly = parse_nvdisasm_json(json);
  if (disassembly && isa::version_in_banner(disassembly->producer) != version_)
    return fail(Step::disassemble, "nvdisasm {} printed a listing of '{}'", version_,
                disassembly->producer);
  return disassembly;
}

Result<Disassembly> Disassembler::run(std::string_view cubin) const {
  PHASEBIT_TRY_ASSIGN(json, print({}, cubin));
  return checked(json);
}

// One code that nvdisasm refuses fails all of a run: the halves say which.
std::vector<Disassembler::Listing> Disassembler::read_raw(int sm, const Codes& codes) const {
  std::string bytes;
  std::vector<std::size_t> sizes;
  for (const std::string_view code : codes) bytes += code, sizes.push_back(code.size());
  const auto json = print({"-b", fmt::format("SM{}", sm)}, bytes);
  auto raw = json ? checked(*json) : tl::unexpected<Error>(json.error());
  auto split = raw ? split_raw(std::move(*raw), sizes) : tl::unexpected<Error>(raw.error());
  if (split) {
    const auto begin = std::make_move_iterator(split->begin());
    return {begin, std::make_move_iterator(split->end())};
  }
  if (codes.size() == 1 || split.error().step != Step::disassemble)
    return std::vector<Listing>(codes.size(), tl::unexpected<Error>(split.error()));
  const auto middle = codes.begin() + static_cast<std::ptrdiff_t>(codes.size() / 2);
  std::vector<Listing> all = read_raw(sm, Codes(codes.begin(), middle));
  std::vector<Listing> rest = read_raw(sm, Codes(middle, codes.end()));
  std::move(rest.begin(), rest.end(), std::back_inserter(all));
  return all;
}

void Disassembler::read_all(int sm, const Codes& codes, unsigned threads, Listings& found) const {
  // What is printed of more than this would take too much memory at a time. nvdisasm needs as long
  // to start as for a hundred kernels: fewer are one run.
  constexpr std::size_t most_bytes = std::size_t{4} << 20U, least_bytes = std::size_t{256} << 10U;
  std::size_t total = 0;
  for (const std::string_view code : codes) total += code.size();
  const std::size_t share = std::clamp(total / std::max(1U, threads) + 1, least_bytes, most_bytes);
  std::vector<Codes> runs;
  for (std::size_t i = 0, bytes = share; i < codes.size(); ++i) {
    if (bytes >= share) runs.emplace_back(), bytes = 0;
    runs.back().push_back(codes[i]);
    bytes += codes[i].size();
  }
  std::vector<std::vector<Listing>> made(runs.size());
  std::mutex mutex;
  std::size_t done = 0;
  base::parallel_for(runs.size(), std::max(1U, threads), [&](std::size_t i) {
    made[i] = read_raw(sm, runs[i]);
    // A cache that cannot be written costs time, not the result.
    if (cache_) static_cast<void>(cache_->add(sm, runs[i], made[i]));
    if (!progress_) return;
    const std::lock_guard guard(mutex);
    progress_(++done, runs.size());
  });
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t n = 0; n < runs[i].size(); ++n)
      found.emplace(runs[i][n], std::move(made[i][n]));
}

std::vector<Disassembler::Listing> Disassembler::listings(
    int sm, const std::vector<const CubinKernel*>& kernels, unsigned threads) const {
  Listings found;
  std::set<std::string_view> asked;
  Codes missing;
  Codes codes;
  for (const CubinKernel* kernel : kernels)
    if (asked.insert(kernel->text).second) codes.push_back(kernel->text);
  std::vector<std::optional<DisassembledFunction>> kept(codes.size());
  if (cache_) kept = cache_->find(sm, codes, std::max(1U, threads));
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (kept[i])
      found.emplace(codes[i], std::move(*kept[i]));
    else
      missing.push_back(codes[i]);
  read_all(sm, missing, threads, found);
  std::vector<Listing> all;
  all.reserve(kernels.size());
  for (const CubinKernel* kernel : kernels) {
    all.push_back(found.at(kernel->text));
    if (all.back()) name_operands(*all.back(), *kernel);
  }
  return all;
}

Disassembler::Listing Disassembler::listing(int sm, const CubinKernel& kernel) const {
  return std::move(listings(sm, {&kernel}).front());
}

namespace {

// The address that the operands end with, and where it begins.
struct Address {
  std::size_t begin = std::string::npos;
  std::uint64_t value = 0;
};

Address last_address(const std::string& operands) {
  const std::size_t comma = operands.find_last_of(", ");
  const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
  if (operands.compare(begin, 2, "0x") != 0) return {};
  Address found{begin, 0};
  const char* end = operands.data() + operands.size();
  const auto read = std::from_chars(operands.data() + begin + 2, end, found.value, 16);
  return read.ec == std::errc() && read.ptr == end ? found : Address{};
}

// Branches name the place in all of the raw code; what goes by a register is relative and stays.
void rebase(DisassembledInstruction& one, std::uint64_t base, std::size_t size) {
  if (!one.control_flow || base == 0) return;
  const Address target = last_address(one.operands);
  if (target.begin == std::string::npos || target.value < base || target.value - base > size)
    return;
  one.operands.replace(target.begin, std::string::npos, fmt::format("{:#x}", target.value - base));
}

const std::string* name_at(const CubinKernel& kernel, std::uint64_t address) {
  for (const cubin::CubinFunction& function : kernel.functions)
    if (function.offset == address) return &function.name;
  return address == 0 ? &kernel.entry : nullptr;
}

// Of calls and returns that go by a distance; an address would be a relocation's.
void name_function(DisassembledInstruction& one, const CubinKernel& kernel) {
  const auto& facts = isa::sass_opcode(one.opcode).facts;
  if (!facts.has(SassFact::relative) || !facts.has(SassFact::call, SassFact::ends)) return;
  const Address target = last_address(one.operands);
  if (target.begin == std::string::npos) return;
  if (const std::string* name = name_at(kernel, target.value))
    one.operands.replace(target.begin, std::string::npos, *name);
}

// "name", "name+0x4", "name-0x8".
std::string place_of(const RelocatedOperand& operand) {
  if (operand.addend == 0) return operand.name;
  const bool back = operand.addend < 0;
  const auto size = static_cast<std::uint64_t>(operand.addend);
  return fmt::format("{}{}{:#x}", operand.name, back ? '-' : '+', back ? 0 - size : size);
}

// "[RZ]" -> "[name]", "[R4]" -> "[R4+name]". An address that a relocation fills in is one of shared
// memory; of LDGSTS that is the first one.
void name_address(DisassembledInstruction& one, const std::string& place) {
  std::string& operands = one.operands;
  const bool copies = isa::sass_opcode(one.opcode).facts.has(SassFact::copy);
  const std::size_t close = copies ? operands.find(']') : operands.rfind(']');
  const std::size_t open = operands.rfind('[', close);
  if (close == std::string::npos || open == std::string::npos) return;
  const std::string_view inside = std::string_view(operands).substr(open + 1, close - open - 1);
  if (inside == "RZ" || inside == "URZ")
    operands.replace(open + 1, inside.size(), place);
  else
    operands.insert(close, "+" + place);
}

// "c[0x0][R0]" -> "c[0x2][R0+name]". Up to sm_89 the relocation fills in the bank as well, which is
// 0 until then; a constant of another file is a variable.
void name_constant(std::string& operands, std::size_t constant, const RelocatedOperand& operand) {
  const std::size_t open = operands.find("][", constant);
  const std::size_t close = open == std::string::npos ? open : operands.find(']', open + 2);
  if (close == std::string::npos) return;
  std::string place = operands.substr(open + 2, close - open - 2);
  if (place == "0x0" || place == "RZ" || place == "URZ") place.clear();
  place += (place.empty() ? "" : "+") + place_of(operand);
  std::string bank = operands.substr(constant + 2, open - constant - 2);
  if (operand.bank >= 0 || bank == "0x0")
    bank = fmt::format("{:#x}", operand.bank >= 0 ? operand.bank : cubin::variables_bank);
  operands.replace(constant, close - constant, fmt::format("c[{}][{}", bank, place));
}

void name_relocated(DisassembledInstruction& one, const RelocatedOperand& operand) {
  constexpr std::uint64_t low = 56, high = 57;  // R_CUDA_ABS32_LO_32, _HI_32
  const std::string place = place_of(operand);
  const std::size_t constant = one.operands.rfind("c[");
  if (constant != std::string::npos) return name_constant(one.operands, constant, operand);
  const Address zero = last_address(one.operands);
  if (zero.begin == std::string::npos) return name_address(one, place);
  const std::string text = operand.type == low    ? "32@lo(" + place + ")"
                           : operand.type == high ? "32@hi(" + place + ")"
                                                  : place;
  one.operands.replace(zero.begin, std::string::npos, text);
}

// Keeps what was there before names.
template <typename Name>
void keep_and_name(DisassembledInstruction& one, const Name& name) {
  std::string before = one.operands;
  name(one);
  if (one.operands != before && one.unnamed.empty()) one.unnamed = std::move(before);
}

}  // namespace

Result<std::vector<DisassembledFunction>> split_raw(Disassembly raw,
                                                    const std::vector<std::size_t>& sizes) {
  std::size_t total = 0;
  for (const std::size_t size : sizes) total += size;
  if (raw.functions.size() != 1 ||
      raw.functions.front().instructions.size() * cubin::instruction_bytes != total)
    return fail(Step::disassemble,
                "nvdisasm printed {} functions, the first of {} instructions, of {} bytes of code",
                raw.functions.size(), raw.functions.front().instructions.size(), total);
  auto next = raw.functions.front().instructions.begin();
  std::uint64_t base = 0;
  std::vector<DisassembledFunction> listings;
  for (const std::size_t size : sizes) {
    const auto end = next + static_cast<std::ptrdiff_t>(size / cubin::instruction_bytes);
    DisassembledFunction one{
        {}, 0, size, {std::make_move_iterator(next), std::make_move_iterator(end)}};
    for (DisassembledInstruction& instruction : one.instructions) rebase(instruction, base, size);
    listings.push_back(std::move(one));
    next = end;
    base += size;
  }
  return listings;
}

void name_operands(DisassembledFunction& function, const CubinKernel& kernel) {
  function.name = kernel.entry;
  for (DisassembledInstruction& one : function.instructions)
    keep_and_name(one, [&](DisassembledInstruction& it) { name_function(it, kernel); });
  for (const RelocatedOperand& operand : kernel.relocated)
    if (operand.instruction < function.instructions.size())
      keep_and_name(function.instructions[operand.instruction],
                    [&](DisassembledInstruction& it) { name_relocated(it, operand); });
}

namespace {

// Each ends where the next begins.
std::vector<cubin::FunctionCode> functions_of(const CubinKernel& kernel) {
  std::vector<cubin::FunctionCode> functions;
  for (auto one = kernel.functions.begin(); one != kernel.functions.end(); ++one) {
    const auto next =
        std::find_if(one, kernel.functions.end(),
                     [&](const cubin::CubinFunction& other) { return other.offset > one->offset; });
    functions.push_back(
        {one->name, one->offset / instruction_bytes,
         next == kernel.functions.end() ? kernel.size() : next->offset / instruction_bytes});
  }
  return functions;
}

}  // namespace

Result<SassKernel> join_kernel(const CubinKernel& kernel, const DisassembledFunction& function) {
  const std::size_t count = function.instructions.size();
  if (count != kernel.size() || function.length != kernel.text.size() || function.start != 0)
    return fail(Step::disassemble,
                "{}: .text has {} instructions; nvdisasm printed {} of {} bytes from {}",
                kernel.entry, kernel.size(), count, function.length, function.start);
  SassKernel joined{kernel.entry,     base::content_hash(kernel.text), {},
                    kernel.registers, kernel.static_shared_bytes,      kernel.barriers};
  joined.code = kernel.code;
  joined.functions = functions_of(kernel);
  joined.indirect = kernel.indirect;
  joined.instructions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const DisassembledInstruction& text = function.instructions[i];
    const cubin::SassWord word = kernel.word(i);
    joined.instructions.push_back({static_cast<std::uint32_t>(i * instruction_bytes),
                                   text.predicate, text.opcode, text.operands, word,
                                   cubin::decode_control(word),
                                   kernel.lines.empty() ? 0 : kernel.lines[i], text.unnamed});
  }
  return joined;
}

Result<SassKernel> join_kernel(const CubinKernel& kernel, const Disassembler::Listing& listing) {
  if (!listing) return tl::unexpected<Error>(listing.error());
  return join_kernel(kernel, *listing);
}

}  // namespace phasebit::disassembly
