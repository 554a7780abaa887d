#include "analysis/protocol/count_words.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

namespace phasebit::protocol {

using ptx::run::Instruction;
using ptx::run::Mask;
using ptx::run::Op;
using ptx::run::Order;
using ptx::run::RunProgram;
using ptx::run::Scope;
using ptx::run::Space;
using ptx::run::Type;
using ptx::run::Warp;
using ptx::run::Word;

namespace {

constexpr std::uint64_t words_mask = 0xffffffffU;
constexpr unsigned rank_shift = 24;  // of a shared address that names a CTA of the cluster

const char* word_of(Order order) {
  switch (order) {
    case Order::weak: return "weak";
    case Order::relaxed: return "relaxed";
    case Order::acquire: return "acquire";
    case Order::release: return "release";
    case Order::acq_rel: return "acq_rel";
  }
  bug("an order without a word");
}

const char* word_of(Scope scope) {
  switch (scope) {
    case Scope::none:
    case Scope::cta: return "cta";  // what an mbarrier's operation has where it names none
    case Scope::cluster: return "cluster";
    case Scope::gpu: return "gpu";
    case Scope::sys: return "sys";
  }
  bug("a scope without a word");
}

// "acquire.cta"; `usual` is what an operation has that names none.
std::string order_of(const Instruction& one, Order usual) {
  return fmt::format("{}.{}", word_of(one.names_order ? one.order : usual), word_of(one.scope));
}

const char* word_of(Space space) {
  switch (space) {
    case Space::generic: return "generic";
    case Space::shared: return "shared";
    case Space::cluster: return "cluster";
    case Space::global: return "global";
    case Space::param: return "param";
    case Space::local: return "local";
    case Space::constant: return "const";
  }
  bug("a space without a word");
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 31) * 0x9e3779b97f4a7c15U;
  return value ^ value >> 29;
}

}  // namespace

bool synchronises(const Instruction& one) {
  if (one.op == Op::ld || one.op == Op::st) return one.names_order;
  return one.op == Op::atom || one.op == Op::red || one.op == Op::nanosleep ||
         one.op == Op::setmaxnreg || one.op == Op::nothing ||
         (one.op >= Op::warp_sync && one.op <= Op::elect) ||
         (one.op >= Op::fence && one.op != Op::wgmma);
}

bool is_work(const Instruction& one) {
  const bool is_float = one.type.kind == Type::Kind::float_ || one.from.kind == Type::Kind::float_;
  // An integer division is one statement and a function of many instructions.
  return one.op == Op::wgmma || one.op == Op::opaque || one.op == Op::ld_matrix ||
         one.op == Op::div || one.op == Op::rem ||
         (is_float && one.op != Op::mov && one.op < Op::bra);
}

std::string access_of(const Instruction& one) {
  if (one.op != Op::ld && one.op != Op::st) return "";
  return fmt::format("{}.{}", one.op == Op::ld ? "ld" : "st", word_of(one.space));
}

std::uint64_t bytes_of(const Instruction& one) {
  return static_cast<std::uint64_t>(one.type.bytes()) * one.vector;
}

std::uint64_t wavefronts_of(const Warp& warp, const Instruction& one, Mask lanes) {
  constexpr std::size_t banks = 32;
  const ptx::run::Operand& at = one.operands[one.op == Op::ld ? one.results : 0U];
  const std::uint64_t words = std::max<std::uint64_t>(1, bytes_of(one) / 4);
  const auto together = static_cast<int>(banks / words);
  std::uint64_t wavefronts = 0;
  for (int first = 0; first < ptx::run::lanes_of_warp; first += together) {
    std::array<std::set<std::uint64_t>, banks> wanted;
    std::size_t most = 0;
    for (int lane = first; lane < first + together; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      const std::uint64_t word = (warp.value(at, lane) + static_cast<std::uint64_t>(at.offset)) / 4;
      for (std::uint64_t n = word; n < word + words; ++n) {
        std::set<std::uint64_t>& bank = wanted[n % banks];
        bank.insert(n);
        most = std::max(most, bank.size());
      }
    }
    wavefronts += most;
  }
  return wavefronts;
}

CountWords::CountWords(const ptx::PtxFile& file, const RunProgram& program,
                       const std::vector<ptx::head::HeadBarrier>& barriers)
    : file_(file), barriers_(barriers) {
  for (const ptx::run::SharedVariable& one : program.variables)
    if (one.dynamic) shared_begin_ = one.offset;
}

std::uint64_t CountWords::address(const Warp& warp, const Instruction& one, std::size_t operand,
                                  int lane) const {
  if (operand >= one.operands.size()) return 0;
  const ptx::run::Operand& from = one.operands[operand];
  const std::uint64_t value = warp.value(from, lane) + static_cast<std::uint64_t>(from.offset);
  const bool is_buffer = value > words_mask && value < std::uint64_t{0x7f} << 40;
  return is_buffer ? value : (value & words_mask) - shared_begin_;
}

std::string CountWords::barrier(std::uint64_t address) const {
  const std::uint64_t rank = address >> rank_shift & 0xff;
  const std::uint64_t offset = address & ((std::uint64_t{1} << rank_shift) - 1);
  const std::string where = rank == 0 ? "" : fmt::format(" of CTA {}", rank - 1);
  for (const ptx::head::HeadBarrier& one : barriers_) {
    const auto base = static_cast<std::uint64_t>(one.base);
    const auto stride = static_cast<std::uint64_t>(std::max(1, one.stride));
    if (ptx::head::barrier_bytes(one.kind) == 0 || offset < base || (offset - base) % stride != 0 ||
        (offset - base) / stride >= static_cast<std::uint64_t>(one.count))
      continue;
    return fmt::format("{}[{}]{}", one.name, (offset - base) / stride, where);
  }
  return fmt::format("{:#x}{}", address > words_mask ? address : offset, where);
}

std::string CountWords::operation(const Warp& warp, const Instruction& one, int lane) const {
  const auto value = [&](std::size_t operand) {
    return operand < one.operands.size() ? warp.value(one.operands[operand], lane) & words_mask : 0;
  };
  const auto barrier_of = [&](std::size_t operand) {
    return barrier(address(warp, one, operand, lane));
  };
  const std::size_t in = one.results;
  switch (one.op) {
    case Op::mbarrier_wait: {
      // A state's phase changes its parity, too.
      const bool tries = opcode(one).starts_with("mbarrier.try_wait");
      const std::string hint = one.operands.size() > 3 ? fmt::format(", {} ns", value(3)) : "";
      return fmt::format("mbarrier.{} {}, {} {}, {}{}", tries ? "try_wait" : "test_wait",
                         barrier_of(1), one.has(Word::parity) ? "parity" : "state", value(2) & 1,
                         order_of(one, Order::acquire), hint);
    }
    case Op::mbarrier_arrive: {
      const std::size_t amounts = in + (one.has(Word::multicast) ? 2U : 1U);
      const std::uint64_t amount = one.operands.size() > amounts ? value(in + 1) : 1;
      return fmt::format("mbarrier.arrive{}{}{} {}, {} {}, {}", one.has(Word::drop) ? "_drop" : "",
                         one.has(Word::no_complete) ? ".noComplete" : "",
                         one.has(Word::multicast) ? ".multicast" : "", barrier_of(in),
                         one.has(Word::expect_tx) ? "bytes" : "count", amount,
                         order_of(one, Order::release));
    }
    case Op::mbarrier_init:
    case Op::mbarrier_expect:
    case Op::mbarrier_complete:
      return fmt::format("{} {}, {}", opcode(one), barrier_of(0), value(1));
    case Op::mbarrier_inval:
    case Op::cp_async_arrive:
    case Op::tcgen05_commit: return fmt::format("{} {}", opcode(one), barrier_of(0));
    case Op::try_cancel: return fmt::format("{} {}", opcode(one), barrier_of(1));
    case Op::st_async:
      return fmt::format("{} {}", opcode(one), barrier_of(one.operands.size() - 1));
    case Op::bulk_copy: {
      std::string text = fmt::format("{}, {} bytes", opcode(one), value(2));
      if (one.operands.size() > 3) text += ", " + barrier_of(3);
      if (one.operands.size() > 4) text += fmt::format(", {:#x}", value(4));
      return text;
    }
    case Op::ld:
    case Op::st:
      return fmt::format("{}.{} {}", access_of(one), order_of(one, Order::weak),
                         barrier_of(one.op == Op::ld ? in : 0));
    case Op::atom:
    case Op::red: return fmt::format("{} {}", opcode(one), barrier_of(in));
    case Op::cp_async: return fmt::format("{}, {} bytes", opcode(one), value(2));
    case Op::elect:
    case Op::shfl:
    case Op::vote: return opcode(one);
    default: break;
  }
  std::string text = opcode(one);
  for (std::size_t n = in; n < one.operands.size(); ++n)
    text += fmt::format("{} {:#x}", n == in ? "" : ",", value(n));
  return text;
}

std::string CountWords::asked(const Warp& warp, const Instruction& one, int lane) const {
  const std::string name = barrier(address(warp, one, one.results, lane));
  const std::size_t slot = name.find('[');
  return slot == std::string::npos ? "" : name.substr(0, slot);
}

std::string CountWords::statement(const Warp& warp, const Instruction& one, int lane) const {
  if (one.op != Op::ld || one.space != Space::param) return opcode(one);
  const ptx::run::Operand& from = one.operands[one.operands.size() - 1];
  return fmt::format("{} +{}", opcode(one),
                     warp.value(from, lane) + static_cast<std::uint64_t>(from.offset));
}

std::optional<std::uint64_t> CountWords::places(const Warp& warp, const Instruction& one,
                                                int lane) const {
  switch (one.op) {
    case Op::ld:
      if (one.space == Space::param) return std::nullopt;
      return mixed(address(warp, one, one.results, lane));
    case Op::st: return mixed(address(warp, one, 0, lane));
    case Op::cp_async:
    case Op::bulk_copy:
      return mixed(address(warp, one, 0, lane) + 3 * mixed(address(warp, one, 1, lane)));
    case Op::st_async: return mixed(address(warp, one, 0, lane));
    case Op::mbarrier_wait:
      // Which barrier a verification asks, and for which parity.
      if (one.retry >= 0 || !one.has(ptx::run::Word::parity)) return std::nullopt;
      return mixed(address(warp, one, 1, lane) + 3 * mixed(warp.value(one.operands[2], lane)));
    default: return std::nullopt;
  }
}

}  // namespace phasebit::protocol
