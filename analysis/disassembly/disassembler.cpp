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
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <set>
#include <unordered_map>

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

namespace {

// The address that the operands end with, and where it begins.
struct Address {
  std::size_t begin = std::string::npos;
  std::int64_t value = 0;
};

Address last_address(const std::string& operands) {
  const std::size_t comma = operands.find_last_of(", ");
  const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
  const std::size_t sign = operands.compare(begin, 1, "-") == 0 ? 1 : 0;
  if (operands.compare(begin + sign, 2, "0x") != 0) return {};
  Address found{begin, 0};
  const char* end = operands.data() + operands.size();
  const auto read = std::from_chars(operands.data() + begin + sign + 2, end, found.value, 16);
  if (sign != 0) found.value = -found.value;
  return read.ec == std::errc() && read.ptr == end ? found : Address{};
}

// Codes of one SM as the words that they are made of, each twice: nvdisasm needs as long for a word
// that it has printed as for another. What it prints of a word depends on nothing but its place,
// and on that in branches alone.
class RawWords {
 public:
  explicit RawWords(const std::vector<std::string_view>& codes) : codes_(codes) {
    std::unordered_map<std::string_view, std::size_t> known;
    for (const std::string_view code : codes)
      for (std::size_t at = 0; at < code.size(); at += instruction_bytes) {
        const auto [word, is_new] = known.emplace(code.substr(at, instruction_bytes), known.size());
        if (is_new) bytes_ += word->first;
        words_.push_back(word->second);
      }
  }
  std::string bytes() const { return bytes_ + bytes_; }

  // The listing of each code, in their order; addresses count from the start of each.
  Result<std::vector<Disassembler::Listing>> listings(const Disassembly& raw) const {
    PHASEBIT_TRY(check(raw));
    const std::vector<DisassembledInstruction>& printed = raw.functions.front().instructions;
    std::vector<Disassembler::Listing> all;
    auto word = words_.begin();
    for (const std::string_view code : codes_) {
      DisassembledFunction one{{}, 0, code.size(), {}};
      one.instructions.reserve(code.size() / instruction_bytes);
      for (std::size_t at = 0; at < code.size(); at += instruction_bytes, ++word)
        one.instructions.push_back(placed(printed, *word, at));
      all.emplace_back(std::move(one));
    }
    return all;
  }

 private:
  Status check(const Disassembly& raw) const {
    const auto& function = raw.functions.front();
    if (raw.functions.size() != 1 ||
        function.instructions.size() * instruction_bytes != 2 * bytes_.size())
      return fail(
          Step::disassemble,
          "nvdisasm printed {} functions, the first of {} instructions, of {} bytes of code",
          raw.functions.size(), function.instructions.size(), 2 * bytes_.size());
    for (std::size_t i = 0, count = bytes_.size() / instruction_bytes; i < count; ++i) {
      const auto &first = function.instructions[i], &second = function.instructions[i + count];
      const Address from = last_address(first.operands), to = last_address(second.operands);
      const bool moved = first.control_flow && from.begin != std::string::npos &&
                         static_cast<std::uint64_t>(to.value) ==
                             static_cast<std::uint64_t>(from.value) + bytes_.size();
      if (first.opcode != second.opcode || first.predicate != second.predicate ||
          (first.operands != second.operands && !moved))
        return fail(Step::disassemble, "nvdisasm printed one word as '{} {}' and as '{} {}'",
                    first.opcode, first.operands, second.opcode, second.operands);
    }
    return {};
  }

  // Branches name the place where they go; what goes by a register is relative and stays.
  DisassembledInstruction placed(const std::vector<DisassembledInstruction>& printed,
                                 std::size_t word, std::size_t at) const {
    DisassembledInstruction one = printed[word];
    if (one.operands == printed[word + printed.size() / 2].operands) return one;
    const Address target = last_address(one.operands);
    const auto value = target.value + static_cast<std::int64_t>(at) -
                       static_cast<std::int64_t>(word * instruction_bytes);
    one.operands.replace(target.begin, std::string::npos,
                         fmt::format("{}{:#x}", value < 0 ? "-" : "", std::abs(value)));
    return one;
  }

  const std::vector<std::string_view>& codes_;
  std::string bytes_;               // of the words
  std::vector<std::size_t> words_;  // of each instruction of the codes
};

}  // namespace

// One code that nvdisasm refuses fails all of a run: the halves say which.
std::vector<Disassembler::Listing> Disassembler::read_raw(int sm, const Codes& codes) const {
  const RawWords words(codes);
  const auto json = print({"-b", fmt::format("SM{}", sm)}, words.bytes());
  const auto raw = json ? checked(*json) : tl::unexpected<Error>(json.error());
  auto split = raw ? words.listings(*raw) : tl::unexpected<Error>(raw.error());
  if (split) return std::move(*split);
  if (codes.size() == 1 || split.error().step != Step::disassemble)
    return std::vector<Listing>(codes.size(), tl::unexpected<Error>(split.error()));
  const auto middle = codes.begin() + static_cast<std::ptrdiff_t>(codes.size() / 2);
  std::vector<Listing> all = read_raw(sm, Codes(codes.begin(), middle));
  std::vector<Listing> rest = read_raw(sm, Codes(middle, codes.end()));
  std::move(rest.begin(), rest.end(), std::back_inserter(all));
  return all;
}

void Disassembler::read_all(int sm, const Codes& codes, unsigned threads, Listings& found) const {
  // The listings of more than this would take too much memory at a time. nvdisasm needs as long
  // to start as for the words of some hundred kernels: fewer are one run.
  constexpr std::size_t most_bytes = std::size_t{4} << 20U, least_bytes = std::size_t{1} << 20U;
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
  if (const std::string* name = name_at(kernel, static_cast<std::uint64_t>(target.value)))
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
