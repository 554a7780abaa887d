#include "core/base/text.h"
#include "core/ptx/flow/local.h"
#include "core/ptx/flow/stuck.h"
#include "core/ptx/run/instruction.h"
#include "core/ptx/run/launch.h"
#include "core/ptx/scope.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace phasebit::ptx::run {
namespace {

using Part = PtxStatement::Part;
using base::trimmed;

// "32", "0x20U", "-1", "0f3F800000", as a value of the type; nothing for names, and for what only a
// conversion would make such a value.
std::optional<std::uint64_t> number_of(std::string text, Type type) {
  const bool is_float = type.kind == Type::Kind::float_;
  if (text == "WARP_SZ") return lanes_of_warp;
  const bool is_single = text.starts_with("0f") || text.starts_with("0F");
  if (!is_single && !text.starts_with("0d") && !text.starts_with("0D"))
    return is_float ? std::nullopt : literal_integer(std::move(text));
  text.erase(0, 2);
  char* end = nullptr;
  const std::uint64_t bits = std::strtoull(text.c_str(), &end, 16);
  if (text.empty() || *end != '\0') return std::nullopt;
  if (type.bits == 0 || type.bits == (is_single ? 32 : 64)) return bits;
  if (!is_float || type.bits < 32) return std::nullopt;
  if (is_single)
    return std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
}

// The type of its operands where they may be numbers of the text.
Type type_of_numbers(const Decoded& decoded) {
  const bool is_data = decoded.op == Op::st || decoded.op == Op::atom || decoded.op == Op::red;
  if (decoded.op >= Op::opaque && !is_data) return {};
  return decoded.op == Op::cvt ? decoded.from : decoded.type;
}

// "{a, b}", "p|q", "a" -> their parts.
std::vector<std::string> parts_of(std::string_view operand) {
  std::vector<std::string> parts;
  if (operand.starts_with('{')) operand = operand.substr(1, operand.size() - 2);
  const char between = operand.find('|') != std::string_view::npos ? '|' : ',';
  while (!operand.empty()) {
    const std::size_t end = std::min(operand.find(between), operand.size());
    parts.emplace_back(trimmed(operand.substr(0, end)));
    operand.remove_prefix(std::min(end + 1, operand.size()));
  }
  return parts;
}

bool reads_two(Op op) {
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::mul24:
    case Op::div:
    case Op::rem:
    case Op::min:
    case Op::max:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::shl:
    case Op::shr:
    case Op::setp:
    case Op::vote:
    case Op::match:
    case Op::redux:
    case Op::st_matrix:
    case Op::map_replace:
    case Op::map_publish:
    case Op::st:
    case Op::discard:
    case Op::mapa:
    case Op::bar_arrive:
    case Op::mbarrier_init:
    case Op::mbarrier_expect:
    case Op::mbarrier_complete:
    case Op::mbarrier_wait:
    case Op::try_cancel: return true;
    default: return false;
  }
}

// Operands that an instruction reads at the least.
std::size_t operands_read(const Instruction& one) {
  switch (one.op) {
    case Op::tcgen05_mma: return 4;
    case Op::tcgen05_alloc:
    case Op::tcgen05_dealloc: return 2;
    case Op::bra:
    case Op::policy:
    case Op::exit:
    case Op::trap:
    case Op::nothing:
    case Op::active_mask:
    case Op::opaque:
    case Op::fence:
    case Op::fence_init:
    case Op::fence_proxy:
    case Op::cluster_arrive:
    case Op::cluster_wait:
    case Op::tcgen05_relinquish:
    case Op::cp_async_commit:
    case Op::bulk_commit:
    case Op::wgmma_fence:
    case Op::wgmma_commit: return 0;
    case Op::mad:
    case Op::fma:
    case Op::bfe:
    case Op::prmt:
    case Op::selp:
    case Op::cp_async:
    case Op::st_async: return 3;
    case Op::bfi:
    case Op::lop3:
    case Op::shfl: return 4;
    case Op::wgmma: return one.has(Word::group) ? 6 : 3;
    case Op::tensor_copy:
      return 2U + one.vector + (one.has(Word::group) ? 0 : 1) + (one.has(Word::multicast) ? 1 : 0);
    case Op::bulk_copy:
      return (one.has(Word::group) ? 3U : 4U) + (one.has(Word::multicast) ? 1 : 0);
    case Op::cp_async_wait: return one.has(Word::all) ? 0 : 1;
    case Op::atom:
    case Op::red: return one.has(Word::cas) ? 3 : 2;
    case Op::mbarrier_arrive: return one.has(Word::multicast) || one.has(Word::expect_tx) ? 2 : 1;
    default: return reads_two(one.op) ? 2 : 1;
  }
}

bool is_clock(std::string_view name) {
  return name.starts_with("%clock") || name.starts_with("%globaltimer");
}

class Decoder {
 public:
  Decoder(const PtxFile& file, const PtxFunction& function)
      : file_(file), function_(function), scopes_(scopes_of(file, function)) {}

  Result<RunProgram> make() {
    program_.predicates = false_predicate + 1;
    lay_out_parameters();
    PHASEBIT_TRY(lay_out_variables(file_, function_, scopes_, program_));
    PHASEBIT_TRY(check_late_names());
    take_bounds();
    number_instructions();
    for (std::size_t at = function_.open; at < function_.close; ++at)
      if (file_.statements[at].parsed.part == Part::instruction) PHASEBIT_TRY(add(at));
    leave_contracted();
    Instruction end;
    end.op = Op::exit;
    end.statement = static_cast<std::uint32_t>(function_.close);
    program_.code.push_back(std::move(end));
    // Another register where a predicate is meant reads an existing row: ptxas refuses the text.
    program_.rows = program_.predicates = std::max({program_.rows, program_.predicates, 1U});
    find_retries(file_, function_, program_);
    return std::move(program_);
  }

 private:
  const PtxStatement& parsed(std::size_t at) const { return file_.statements[at].parsed; }

  tl::unexpected<Error> complain(std::size_t at, std::string_view what) const {
    return with_hint(fail(Step::assemble, "{}: {}: {}", file_.place(file_.statements[at]),
                          parsed(at).name, what),
                     "docs/checker.md lists what is modelled");
  }

  void lay_out_parameters() {
    const std::vector<std::uint32_t> places = parameter_places(function_);
    for (std::size_t n = 0; n < function_.parameters.size(); ++n) {
      const std::string &name = function_.parameters[n].name, text = function_.parameters[n].text;
      parameters_[name] = places[n];
      if (text.find("64") < text.find(name) && text.find('[') == std::string::npos)
        program_.wide_parameters.push_back(places[n]);
    }
  }

  void take_bounds() {
    program_.target = trimmed(std::string_view(file_.target).substr(0, file_.target.find(',')));
    for (const std::size_t at : function_.directives) {
      if (parsed(at).name.starts_with(".maxnreg") && !numbers_of(parsed(at)).empty())
        program_.registers = numbers_of(parsed(at)).front();
      if (parsed(at).name.starts_with(".minnctapersm") && !numbers_of(parsed(at)).empty())
        program_.least_ctas_of_sm = numbers_of(parsed(at)).front();
      program_.is_explicit_cluster = program_.is_explicit_cluster ||
                                     parsed(at).name.starts_with(".explicitcluster") ||
                                     parsed(at).name.starts_with(".reqnctapercluster");
      if (parsed(at).name.starts_with(".maxntid") || parsed(at).name.starts_with(".reqntid")) {
        program_.most_threads = 1;
        for (const int number : numbers_of(parsed(at))) program_.most_threads *= number;
      }
      std::array<int, 3>* bound = nullptr;
      if (parsed(at).name.starts_with(".reqntid")) bound = &program_.block;
      if (parsed(at).name.starts_with(".reqnctapercluster")) bound = &program_.cluster;
      if (bound == nullptr) continue;
      const std::vector<int> numbers = numbers_of(parsed(at));
      *bound = {1, 1, 1};
      std::copy_n(numbers.begin(), std::min<std::size_t>(3, numbers.size()), bound->begin());
    }
  }

  void number_instructions() {
    std::uint32_t pc = 0;
    for (std::size_t at = function_.open; at < function_.close; ++at) {
      pcs_[at] = pc;
      if (parsed(at).part == Part::instruction) ++pc;
    }
  }

  // `variable`: whose address it is.
  std::uint32_t constant(std::uint64_t value, std::int32_t variable = -1) {
    const auto [found, is_new] = constants_.emplace(std::pair(value, variable), program_.rows);
    if (is_new) {
      program_.constants.push_back({value, program_.rows, variable});
      ++program_.rows;
    }
    return found->second;
  }

  std::uint32_t special(const std::string& name) {
    const auto [found, is_new] = specials_.emplace(name, program_.rows);
    if (is_new) program_.specials.push_back({name, program_.rows++});
    return found->second;
  }

  std::optional<Operand> register_named(std::size_t at, const std::string& name) {
    const int scope = scopes_.declaring(scopes_.of(at), name);
    if (scope < 0) return std::nullopt;
    const std::string type = scopes_.type_of(scope, name);
    if (type == ".local" || type.empty()) return std::nullopt;
    const bool predicate = type == ".pred";
    std::uint32_t& count = predicate ? program_.predicates : program_.rows;
    const auto [found, is_new] = registers_.emplace(flow::PtxName{scope, name}, count);
    if (is_new) count += type == ".b128" ? 2 : 1;
    return Operand{predicate ? Operand::Kind::predicate : Operand::Kind::row, false, found->second,
                   0};
  }

  Result<Operand> operand_of(std::size_t at, std::string text, Type type = {}) {
    Operand made;
    if (text == "_") return made;
    if (text.starts_with('[')) return address_of(at, text);
    made.negated = text.starts_with('!');
    if (made.negated) text.erase(0, 1);
    if (const auto number = number_of(text, type)) {
      made.kind = Operand::Kind::row;
      made.row = constant(made.negated ? static_cast<std::uint64_t>(*number == 0) : *number);
      made.negated = false;
      return made;
    }
    return named(at, text, made.negated);
  }

  // The one that is not hidden there.
  std::vector<SharedVariable>::const_iterator variable_named(std::size_t at,
                                                             const std::string& name) const {
    const std::string plain = name.ends_with("[0]") ? name.substr(0, name.size() - 3) : name;
    const int scope = scopes_.declaring(scopes_.of(at), plain);
    return std::find_if(
        program_.variables.begin(), program_.variables.end(),
        [&](const SharedVariable& one) { return one.name == plain && one.scope == scope; });
  }

  bool declares(std::size_t directive, const std::string& name) const {
    for (const std::string& operand : parsed(directive).operands) {
      const std::size_t range = operand.find('<');
      if (range != std::string::npos && name.starts_with(operand.substr(0, range))) return true;
    }
    const std::vector<std::string> names = names_in(file_.statements[directive].text);
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // A name that is declared further down in its block is, before that, the one that it hides.
  Status check_late_names() const {
    std::map<int, std::vector<std::size_t>> declarations;  // of each block but the first
    for (std::size_t at = function_.open; at < function_.close; ++at)
      if (parsed(at).part == Part::directive && scopes_.of(at) > 0)
        declarations[scopes_.of(at)].push_back(at);
    for (std::size_t at = function_.open; at < function_.close && !declarations.empty(); ++at) {
      if (parsed(at).part != Part::instruction) continue;
      for (const std::string& name : names_in(file_.statements[at].text)) {
        const auto found = declarations.find(scopes_.declaring(scopes_.of(at), name));
        if (found == declarations.end() || found->second.back() < at) continue;
        for (const std::size_t late : found->second)
          if (late > at && declares(late, name))
            return complain(at, fmt::format("'{}' is declared after it", name));
      }
    }
    return {};
  }

  Result<Operand> named(std::size_t at, const std::string& name, bool negated) {
    Operand made{Operand::Kind::row, negated, 0, 0};
    const auto variable = variable_named(at, name);
    if (const auto found = register_named(at, name)) {
      made = *found;
      made.negated = negated;
    } else if (variable != program_.variables.end()) {
      made.row = constant(variable->space == Space::global
                              ? address_of_buffer(first_variable + variable->offset)
                              : variable->offset,
                          static_cast<std::int32_t>(variable - program_.variables.begin()));
    } else if (const auto parameter = parameters_.find(name); parameter != parameters_.end()) {
      made.row = constant(parameter->second);
    } else if (is_clock(name) && parsed(at).name.starts_with("mov.")) {
      made.row = constant(0);
    } else if (name.starts_with('%') && !is_clock(name)) {
      made.row = special(name);
    } else {
      return complain(at, fmt::format("'{}' is not modelled", name));
    }
    return made;
  }

  Result<Operand> address_of(std::size_t at, const std::string& text) {
    const auto address = flow::address_of(text);
    if (!address) return complain(at, fmt::format("the address {} is not modelled", text));
    if (const auto number = number_of(address->base, {})) {
      return Operand{Operand::Kind::row, false, constant(*number), address->offset};
    }
    PHASEBIT_TRY_ASSIGN(made, named(at, address->base, false));
    made.offset = address->offset;
    // ptxas may place variables in another order: what is next to one is not known.
    const auto variable = variable_named(at, address->base);
    if (variable != program_.variables.end() && !variable->dynamic && variable->bytes > 0 &&
        !register_named(at, address->base) &&
        (made.offset < 0 || made.offset >= std::int64_t{variable->bytes}))
      return complain(at, fmt::format("{} is outside of its variable, which has {} bytes", text,
                                      variable->bytes));
    return made;
  }

  Status add(std::size_t at) {
    const PtxStatement& statement = parsed(at);
    if (is_of_call(at)) return add_call(at);
    Decoded decoded;
    std::string unknown;
    if (!decode_opcode(statement.name, decoded, unknown))
      return complain(at, unknown == statement.name
                              ? std::string("this instruction is not modelled")
                              : fmt::format("'.{}' is not modelled", unknown));
    Instruction made{decoded.op,
                     decoded.type,
                     decoded.from,
                     decoded.space,
                     decoded.source,
                     decoded.order,
                     decoded.names_order,
                     decoded.scope,
                     decoded.vector,
                     0,
                     decoded.words,
                     {},
                     {},
                     0,
                     -1,
                     -1,
                     static_cast<std::uint32_t>(at)};
    if (!statement.guard.empty()) {
      PHASEBIT_TRY_ASSIGN(guard, operand_of(at, statement.guard.substr(1)));
      made.guard = guard;
    }
    PHASEBIT_TRY(take_operands(at, decoded, made));
    if (made.operands.size() < made.results + operands_read(made) ||
        (decoded.results > 0 && made.results == 0))
      return complain(at, "it has too few operands");
    program_.elects = program_.elects || made.op == Op::elect;
    program_.code.push_back(std::move(made));
    return {};
  }

  // A call, or what it is given and gives back. None is modelled; one that is not executed, as of
  // an assertion, need not be.
  bool is_of_call(std::size_t at) {
    const std::string& name = parsed(at).name;
    if (name == "call" || name.starts_with("call.") || name.starts_with("st.param")) return true;
    if (!name.starts_with("ld.param") || parsed(at).operands.size() < 2) return false;
    const auto address = flow::address_of(parsed(at).operand(1));
    return address && !parameters_.contains(address->base) &&
           scopes_.declaring(scopes_.of(at), address->base) >= 0 &&
           !register_named(at, address->base);
  }

  Status add_call(std::size_t at) {
    Instruction made;
    made.op = Op::call;
    made.statement = static_cast<std::uint32_t>(at);
    if (!parsed(at).guard.empty()) {
      PHASEBIT_TRY_ASSIGN(guard, operand_of(at, parsed(at).guard.substr(1)));
      made.guard = guard;
    }
    program_.code.push_back(std::move(made));
    return {};
  }

  // Whether operand `n` of the text is a predicate.
  static bool takes_predicate(const Instruction& made, std::size_t n) {
    switch (made.op) {
      case Op::vote: return n == 1;
      case Op::selp:
      case Op::setp: return n == 3;
      case Op::mov:
      case Op::and_:
      case Op::or_:
      case Op::xor_:
      case Op::not_:
        return n > 0 && !made.operands.empty() && made.operands[0].kind == Operand::Kind::predicate;
      default: return false;
    }
  }

  // A number as a predicate: each that is not 0 is true.
  std::optional<Operand> constant_predicate(std::string_view text) const {
    const bool negated = text.starts_with('!');
    const auto number = number_of(std::string(text.substr(negated ? 1 : 0)), {});
    if (!number) return std::nullopt;
    return Operand{Operand::Kind::predicate, (*number != 0) != negated, false_predicate, 0};
  }

  // ptxas may make one instruction, which rounds once, of a product and a sum that name no rounding
  // (PTX ISA, mul): such sums are not computed.
  void leave_contracted() {
    std::set<std::uint32_t> products;
    const auto is_free = [](const Instruction& one) {
      return one.type.kind == Type::Kind::float_ && !one.has(Word::rn);
    };
    const auto hands_on = [](const Instruction& one) {
      const bool chooses = one.op == Op::min || one.op == Op::max || one.op == Op::selp;
      return (one.op == Op::mov && one.operands.size() == 2) || one.op == Op::neg ||
             one.op == Op::abs || one.op == Op::cvt || chooses;
    };
    for (bool more = true; more;) {
      const std::size_t before = products.size();
      for (const Instruction& one : program_.code)
        if ((one.op == Op::mul && is_free(one)) ||
            (hands_on(one) &&
             (products.contains(one.operands[1].row) ||
              (one.operands.size() > 2 && products.contains(one.operands[2].row)))))
          products.insert(one.operands[0].row);
      more = products.size() > before;
    }
    for (Instruction& one : program_.code)
      if ((one.op == Op::add || one.op == Op::sub) && is_free(one) &&
          (products.contains(one.operands[1].row) || products.contains(one.operands[2].row)))
        one.op = Op::opaque;
  }

  Status take_operands(std::size_t at, const Decoded& decoded, Instruction& made) {
    const PtxStatement& statement = parsed(at);
    if (decoded.op == Op::bra) return take_target(at, made);
    if (decoded.op == Op::brx) return take_table(at, made);
    if (decoded.op == Op::nothing) return {};
    std::size_t count =
        statement.operands.size() - (decoded.has_policy && !statement.operands.empty() ? 1 : 0);
    if (decoded.op == Op::policy) count = std::min<std::size_t>(count, 1);
    for (std::size_t n = 0; n < count; ++n) {
      const std::string& text = statement.operands[n];
      const bool one = text.starts_with('[');
      const std::vector<std::string> parts = one ? address_parts(text) : parts_of(text);
      for (const std::string& part : parts) {
        const auto constant = takes_predicate(made, n) ? constant_predicate(part) : std::nullopt;
        if (constant) {
          made.operands.push_back(*constant);
          continue;
        }
        PHASEBIT_TRY_ASSIGN(operand, operand_of(at, part, type_of_numbers(decoded)));
        made.operands.push_back(operand);
      }
      if (n == 0 && decoded.results > 0) made.results = static_cast<std::uint8_t>(parts.size());
    }
    if (made.op == Op::mov && statement.operands.size() == 2) take_clock(statement, made);
    if (made.op == Op::wgmma) return take_shape(at, made);
    if (made.op == Op::map_replace) return take_field(at, made);
    if (made.op == Op::tcgen05_mma && statement.operand(1).starts_with('['))
      made.words |= std::uint64_t{1} << static_cast<unsigned>(Word::group);
    return {};
  }

  // "[map, {column, row}]" -> "[map]", "column", "row"
  static std::vector<std::string> address_parts(const std::string& text) {
    const std::size_t list = text.find('{');
    if (list == std::string::npos) return {text};
    std::string base(trimmed(std::string_view(text).substr(0, text.find(','))));
    std::vector<std::string> parts = parts_of(text.substr(list, text.find('}') - list + 1));
    parts.insert(parts.begin(), base + "]");
    return parts;
  }

  Status take_field(std::size_t at, Instruction& made) {
    constexpr std::string_view fields[] = {
        "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
        "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"};
    for (std::size_t n = 0; n < std::size(fields); ++n)
      if (parsed(at).name.find("." + std::string(fields[n]) + ".") != std::string::npos) {
        made.target = static_cast<std::uint32_t>(n);
        return {};
      }
    return complain(at, "what it replaces is not modelled");
  }

  Status take_table(std::size_t at, Instruction& made) {
    PHASEBIT_TRY_ASSIGN(index, operand_of(at, parsed(at).operand(0)));
    made.operands.push_back(index);
    const auto table = scopes_.label(scopes_.of(at), parsed(at).operand(1));
    if (!table || parsed(*table + 1).name != ".branchtargets")
      return complain(at, "where it goes is not known");
    made.target = static_cast<std::uint32_t>(program_.tables.size());
    std::vector<std::uint32_t>& targets = program_.tables.emplace_back();
    for (const std::string& name : parsed(*table + 1).operands) {
      const auto label = scopes_.label(scopes_.of(at), name);
      if (!label) return complain(at, "where it goes is not known");
      targets.push_back(pcs_.at(*label));
    }
    return {};
  }

  // "wgmma.mma_async.sync.aligned.m64n64k16...": the columns; and whether A is in registers.
  Status take_shape(std::size_t at, Instruction& made) {
    const std::string& name = parsed(at).name;
    const std::size_t shape = name.find(".m64n");
    if (shape == std::string::npos) return complain(at, "its shape is not modelled");
    std::from_chars(name.data() + shape + 5, name.data() + name.size(), made.target);
    if (parsed(at).operand(1).starts_with('{'))
      made.words |= std::uint64_t{1} << static_cast<unsigned>(Word::group);
    if (name.find(".sp.") != std::string::npos) return complain(at, "'.sp' is not modelled");
    return {};
  }

  static void take_clock(const PtxStatement& statement, Instruction& made) {
    if (is_clock(statement.operands.back())) made.op = Op::clock;
  }

  Status take_target(std::size_t at, Instruction& made) {
    const auto label = scopes_.label(scopes_.of(at), parsed(at).operand(0));
    if (!label) return complain(at, "where it goes is not known");
    made.target = pcs_.at(*label);
    return {};
  }

  const PtxFile& file_;
  const PtxFunction& function_;
  PtxScopes scopes_;
  RunProgram program_;
  std::map<std::string, std::uint32_t> parameters_, specials_;
  std::map<std::pair<std::uint64_t, std::int32_t>, std::uint32_t> constants_;
  std::map<flow::PtxName, std::uint32_t> registers_;
  std::map<std::size_t, std::uint32_t> pcs_;
};

}  // namespace

Result<RunProgram> decode(const PtxFile& file, const PtxFunction& function) {
  return Decoder(file, function).make();
}

std::string place_of(const PtxFile& file, const Instruction& instruction) {
  return file.place(file.statements[instruction.statement]);
}

std::string text_of(const PtxFile& file, const Instruction& instruction) {
  std::string text = plain_text(file.statements[instruction.statement].text);
  while (text.ends_with(';') || text.ends_with(' ')) text.pop_back();
  return text == "}" ? "the end of the kernel" : text;
}

}  // namespace phasebit::ptx::run
