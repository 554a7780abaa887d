#include "core/ptx/run/instruction.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace phasebit::ptx::run {
namespace {

// The opcodes that are modelled: the longest stem that fits counts. `words` are the modifiers that
// it may have besides types, spaces, orders, scopes and vectors; "*" any. `results` says how many
// of its operands it writes.
struct OpcodeRow {
  std::string_view stem;
  Op op;
  int results;
  std::string_view words;
};

constexpr OpcodeRow opcode_rows[] = {
    {"mov", Op::mov, 1, ""},
    {"cvt", Op::cvt, 1, "rn rz rzi"},
    {"cvta", Op::cvta, 1, "to"},
    {"add", Op::add, 1, "rn"},
    {"sub", Op::sub, 1, "rn"},
    {"mul", Op::mul, 1, "lo hi wide rn"},
    {"mad", Op::mad, 1, "lo hi wide"},
    {"mul24", Op::mul24, 1, "lo"},
    {"div", Op::div, 1, "rn"},
    {"rem", Op::rem, 1, ""},
    {"abs", Op::abs, 1, ""},
    {"neg", Op::neg, 1, ""},
    {"min", Op::min, 1, ""},
    {"max", Op::max, 1, ""},
    {"fma", Op::fma, 1, "rn"},
    {"and", Op::and_, 1, ""},
    {"or", Op::or_, 1, ""},
    {"xor", Op::xor_, 1, ""},
    {"not", Op::not_, 1, ""},
    {"shl", Op::shl, 1, ""},
    {"shr", Op::shr, 1, ""},
    {"bfe", Op::bfe, 1, ""},
    {"bfi", Op::bfi, 1, ""},
    {"clz", Op::clz, 1, ""},
    {"bfind", Op::bfind, 1, "shiftamt"},
    {"popc", Op::popc, 1, ""},
    {"brev", Op::brev, 1, ""},
    {"prmt", Op::prmt, 1, ""},
    {"lop3", Op::lop3, 1, ""},
    {"selp", Op::selp, 1, ""},
    {"fns", Op::opaque, 1, "*"},
    {"setp", Op::setp, 1, "eq ne lt le gt ge lo ls hi hs and or xor"},
    {"ex2", Op::opaque, 1, "*"},
    {"lg2", Op::opaque, 1, "*"},
    {"rcp", Op::opaque, 1, "*"},
    {"rsqrt", Op::opaque, 1, "*"},
    {"sqrt", Op::opaque, 1, "*"},
    {"sin", Op::opaque, 1, "*"},
    {"cos", Op::opaque, 1, "*"},
    {"tanh", Op::opaque, 1, "*"},
    {"mma.sync", Op::opaque, 1, "*"},
    {"dp4a", Op::opaque, 1, "*"},
    {"dp2a", Op::opaque, 1, "*"},
    {"sad", Op::opaque, 1, "*"},
    {"copysign", Op::opaque, 1, "*"},
    {"testp", Op::opaque, 1, "*"},
    {"movmatrix.sync", Op::opaque, 1, "*"},
    {"createpolicy", Op::policy, 1, "*"},
    {"bra", Op::bra, 0, "uni"},
    {"brx.idx", Op::brx, 0, "uni"},
    {"exit", Op::exit, 0, ""},
    {"ret", Op::exit, 0, "uni"},
    {"trap", Op::trap, 0, ""},
    {"brkpt", Op::trap, 0, ""},
    {"nanosleep", Op::nanosleep, 0, ""},
    {"setmaxnreg", Op::setmaxnreg, 0, "inc dec sync aligned"},
    {"prefetch", Op::nothing, 0, "*"},
    {"discard", Op::discard, 0, "L2"},
    {"griddepcontrol", Op::nothing, 0, "launch_dependents wait"},
    {"cp.async.bulk.prefetch", Op::nothing, 0, "*"},
    {"pmevent", Op::nothing, 0, ""},
    {"shfl.sync", Op::shfl, 1, "idx up down bfly"},
    {"vote.sync", Op::vote, 1, "all any uni ballot"},
    {"match", Op::match, 1, "any all sync"},
    {"redux.sync", Op::redux, 1, "add min max and or xor abs NaN"},
    {"elect.sync", Op::elect, 1, ""},
    {"activemask", Op::active_mask, 1, ""},
    {"ld", Op::ld, 1, "nc ca cg cs lu cv"},
    {"ld.volatile", Op::ld, 1, ""},
    {"st", Op::st, 0, "wb cg cs wt"},
    {"st.volatile", Op::st, 0, ""},
    {"atom", Op::atom, 1, "add min max exch cas and or xor inc dec noftz"},
    {"red", Op::red, 0, "add min max and or xor inc dec noftz"},
    {"ldmatrix.sync", Op::ld_matrix, 1, "aligned m8n8 x1 x2 x4 trans"},
    {"stmatrix.sync", Op::st_matrix, 0, "aligned m8n8 x1 x2 x4 trans"},
    {"mapa", Op::mapa, 1, ""},
    {"fence", Op::fence, 0, ""},
    {"membar", Op::fence, 0, "gl"},
    {"fence.mbarrier_init", Op::fence_init, 0, ""},
    {"fence.proxy.async", Op::fence_proxy, 0, ""},
    {"fence.proxy.tensormap::generic", Op::nothing, 0, ""},
    {"bar.sync", Op::bar_sync, 0, ""},
    {"bar.cta.sync", Op::bar_sync, 0, ""},
    {"barrier.sync", Op::bar_sync, 0, "aligned"},
    {"barrier.cta.sync", Op::bar_sync, 0, "aligned"},
    {"bar.arrive", Op::bar_arrive, 0, ""},
    {"bar.cta.arrive", Op::bar_arrive, 0, ""},
    {"barrier.arrive", Op::bar_arrive, 0, "aligned"},
    {"barrier.cta.arrive", Op::bar_arrive, 0, "aligned"},
    {"bar.warp.sync", Op::bar_warp_sync, 0, ""},
    {"barrier.cluster.arrive", Op::cluster_arrive, 0, "aligned"},
    {"barrier.cluster.wait", Op::cluster_wait, 0, "aligned"},
    {"mbarrier.init", Op::mbarrier_init, 0, "layout::v1"},
    {"mbarrier.inval", Op::mbarrier_inval, 0, ""},
    {"mbarrier.arrive", Op::mbarrier_arrive, 1, "expect_tx noComplete multicast::cluster::32b"},
    {"mbarrier.arrive_drop", Op::mbarrier_arrive, 1, "expect_tx noComplete"},
    {"mbarrier.expect_tx", Op::mbarrier_expect, 0, ""},
    {"mbarrier.complete_tx", Op::mbarrier_complete, 0, ""},
    {"mbarrier.test_wait", Op::mbarrier_wait, 1, "parity"},
    {"mbarrier.try_wait", Op::mbarrier_wait, 1, "parity"},
    {"mbarrier.pending_count", Op::mbarrier_pending, 1, ""},
    {"cp.async.ca", Op::cp_async, 0, ""},
    {"cp.async.cg", Op::cp_async, 0, ""},
    {"cp.async.commit_group", Op::cp_async_commit, 0, ""},
    {"cp.async.wait_group", Op::cp_async_wait, 0, ""},
    {"cp.async.wait_all", Op::cp_async_wait, 0, "all"},
    {"cp.async.mbarrier.arrive", Op::cp_async_arrive, 0, "noinc"},
    {"cp.async.bulk", Op::bulk_copy, 0,
     "mbarrier::complete_tx::bytes bulk_group multicast::cluster L2::cache_hint"},
    {"cp.reduce.async.bulk", Op::bulk_copy, 0,
     "mbarrier::complete_tx::bytes bulk_group L2::cache_hint add min max and or xor inc dec noftz"},
    {"cp.async.bulk.tensor", Op::tensor_copy, 0,
     "mbarrier::complete_tx::bytes bulk_group multicast::cluster L2::cache_hint tile im2col "
     "im2col_no_offs cta_group::1 1d 2d 3d 4d 5d"},
    {"cp.reduce.async.bulk.tensor", Op::tensor_copy, 0,
     "bulk_group L2::cache_hint tile im2col_no_offs 1d 2d 3d 4d 5d add min max and or xor inc dec"},
    {"tensormap.replace.tile", Op::map_replace, 0,
     "b1024 global_address rank box_dim global_dim global_stride element_stride elemtype "
     "interleave_layout swizzle_mode fill_mode"},
    {"tensormap.cp_fenceproxy", Op::map_publish, 0, "tensormap::generic sync aligned"},
    {"cp.async.bulk.commit_group", Op::bulk_commit, 0, ""},
    {"cp.async.bulk.wait_group", Op::bulk_wait, 0, "read"},
    {"st.async", Op::st_async, 0, "mbarrier::complete_tx::bytes"},
    {"wgmma.mma_async.sync.aligned", Op::wgmma, 1, "*"},
    {"wgmma.fence.sync.aligned", Op::wgmma_fence, 0, ""},
    {"wgmma.commit_group.sync.aligned", Op::wgmma_commit, 0, ""},
    {"wgmma.wait_group.sync.aligned", Op::wgmma_wait, 0, ""},
    {"tcgen05.alloc", Op::tcgen05_alloc, 0, "cta_group::1 sync aligned"},
    {"tcgen05.relinquish_alloc_permit", Op::tcgen05_relinquish, 0, "*"},
    {"tcgen05.dealloc", Op::tcgen05_dealloc, 0, "cta_group::1 sync aligned"},
    {"tcgen05.ld.sync", Op::opaque, 1, "*"},
    {"tcgen05.st.sync", Op::nothing, 0, "*"},
    {"tcgen05.wait::ld", Op::nothing, 0, "*"},
    {"tcgen05.wait::st", Op::nothing, 0, "*"},
    {"tcgen05.fence::before_thread_sync", Op::nothing, 0, ""},
    {"tcgen05.fence::after_thread_sync", Op::nothing, 0, ""},
    {"tcgen05.mma", Op::tcgen05_mma, 0,
     "cta_group::1 kind::f16 kind::tf32 kind::f8f6f4 kind::i8 collector::a::discard"},
    {"tcgen05.commit", Op::tcgen05_commit, 0, "cta_group::1 mbarrier::arrive::one"},
    {"clusterlaunchcontrol.try_cancel.async", Op::try_cancel, 0, "mbarrier::complete_tx::bytes"},
    {"clusterlaunchcontrol.query_cancel", Op::query_cancel, 1,
     "is_canceled get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z"},
};

struct WordRow {
  std::string_view text;
  Word word;
};
// Unsigned comparisons have names of their own.
constexpr WordRow word_rows[] = {
    {"lo", Word::lo},
    {"shiftamt", Word::shiftamt},
    {"hi", Word::hi},
    {"wide", Word::wide},
    {"eq", Word::eq},
    {"ne", Word::ne},
    {"lt", Word::lt},
    {"le", Word::le},
    {"gt", Word::gt},
    {"ge", Word::ge},
    {"ls", Word::le},
    {"hs", Word::ge},
    {"and", Word::and_},
    {"or", Word::or_},
    {"xor", Word::xor_},
    {"rn", Word::rn},
    {"rz", Word::rz},
    {"rzi", Word::rzi},
    {"all", Word::all},
    {"any", Word::any},
    {"ballot", Word::ballot},
    {"uni", Word::uni},
    {"idx", Word::idx},
    {"up", Word::up},
    {"down", Word::down},
    {"bfly", Word::bfly},
    {"parity", Word::parity},
    {"inc", Word::inc},
    {"dec", Word::dec},
    {"min", Word::min},
    {"max", Word::max},
    {"add", Word::add},
    {"exch", Word::exch},
    {"cas", Word::cas},
    {"to", Word::to},
    {"trans", Word::trans},
    {"x1", Word::x1},
    {"x2", Word::x2},
    {"x4", Word::x4},
    {"read", Word::read},
    {"expect_tx", Word::expect_tx},
    {"noinc", Word::noinc},
    {"noComplete", Word::no_complete},
    {"aligned", Word::aligned},
    {"nc", Word::nc},
    {"bulk_group", Word::group},
    {"is_canceled", Word::is_canceled},
    {"multicast::cluster", Word::multicast},
    {"multicast::cluster::32b", Word::multicast},
};

std::optional<Type> type_of_word(std::string_view word) {
  if (word == "pred") return Type{Type::Kind::predicate, 1};
  if (word.size() < 2) return std::nullopt;
  Type type;
  switch (word[0]) {
    case 'b': type.kind = Type::Kind::bits; break;
    case 'u': type.kind = Type::Kind::unsigned_; break;
    case 's': type.kind = Type::Kind::signed_; break;
    case 'f': type.kind = Type::Kind::float_; break;
    default: return std::nullopt;
  }
  int bits = 0;
  const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), bits);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) return std::nullopt;
  type.bits = static_cast<std::uint8_t>(bits);
  return type;
}

bool is_listed(std::string_view words, std::string_view word) {
  if (words == "*") return true;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// Types and modifiers of floating point that is not computed.
bool is_unfollowed_type(std::string_view word) {
  return is_listed("f16 f16x2 bf16 bf16x2 tf32 e4m3x2 e5m2x2 f32x2", word);
}
bool is_unfollowed_word(std::string_view word) {
  return is_listed(
      "ftz approx full sat relu rni rmi rpi rm rp satfinite rna rs NaN xorsign nan "
      "equ neu ltu leu gtu geu num",
      word);
}
// Hints to caches, which change nothing that is modelled.
bool is_hint(std::string_view word) {
  return word.starts_with("L1::") || (word.starts_with("L2::") && word != "L2::cache_hint");
}

std::optional<Space> space_of_word(std::string_view word) {
  if (word == "shared" || word == "shared::cta") return Space::shared;
  if (word == "shared::cluster") return Space::cluster;
  if (word == "global") return Space::global;
  if (word == "const") return Space::constant;
  if (word == "local") return Space::local;
  if (word == "param" || word == "param::entry") return Space::param;
  return std::nullopt;
}

std::optional<Order> order_of_word(std::string_view word) {
  if (word == "weak") return Order::weak;
  // A volatile access is a relaxed one of the system's scope (PTX ISA, memory consistency model).
  if (word == "relaxed" || word == "volatile") return Order::relaxed;
  if (word == "acquire") return Order::acquire;
  if (word == "release") return Order::release;
  if (word == "acq_rel" || word == "sc") return Order::acq_rel;
  return std::nullopt;
}

std::optional<Scope> scope_of_word(std::string_view word) {
  if (word == "cta") return Scope::cta;
  if (word == "cluster") return Scope::cluster;
  if (word == "gpu" || word == "gl") return Scope::gpu;
  if (word == "sys") return Scope::sys;
  return std::nullopt;
}

bool is_stem(std::string_view opcode, std::string_view stem) {
  return opcode.starts_with(stem) && (opcode.size() == stem.size() || opcode[stem.size()] == '.');
}

const OpcodeRow* row_of(std::string_view opcode) {
  const OpcodeRow* found = nullptr;
  for (const OpcodeRow& row : opcode_rows)
    if (is_stem(opcode, row.stem) && (found == nullptr || row.stem.size() > found->stem.size()))
      found = &row;
  return found;
}

void take_space(Space space, Decoded& decoded, int& spaces) {
  (spaces == 0 ? decoded.space : decoded.source) = space;
  ++spaces;
}

struct WordsSoFar {
  int types = 0, spaces = 0;
  bool is_unfollowed = false;  // it has a type whose values are not computed
  std::string_view unknown;    // a modifier that is none where they are
};

// False: the word is not one that the row allows.
bool take_word(const OpcodeRow& row, std::string_view word, Decoded& decoded, WordsSoFar& so_far) {
  if (is_unfollowed_type(word)) {
    so_far.is_unfollowed = true;
    ++so_far.types;
    const bool is_word = word == "f16x2" || word == "bf16x2" || word == "tf32";
    decoded.from = {Type::Kind::float_, static_cast<std::uint8_t>(word == "f32x2" ? 64
                                                                  : is_word       ? 32
                                                                                  : 16)};
    if (so_far.types == 1) decoded.type = decoded.from;
  } else if (const auto type = type_of_word(word)) {
    if (so_far.types++ == 0) decoded.type = *type;
    decoded.from = *type;
  } else if (const auto space = space_of_word(word)) {
    take_space(*space, decoded, so_far.spaces);
  } else if (const auto order = order_of_word(word)) {
    decoded.order = *order;
    decoded.names_order = true;
    if (word == "volatile") decoded.scope = Scope::sys;
  } else if (const auto scope = scope_of_word(word)) {
    decoded.scope = *scope;
  } else if (is_hint(word)) {
  } else if (word == "L2::cache_hint") {
    decoded.has_policy = true;
  } else if (word.size() == 2 && word[1] == 'd' && row.op == Op::tensor_copy) {
    decoded.vector = static_cast<std::uint8_t>(word[0] - '0');
  } else if (word == "v2" || word == "v4" || word == "v8") {
    decoded.vector = static_cast<std::uint8_t>(word[1] - '0');
  } else {
    for (const WordRow& one : word_rows)
      if (one.text == word) decoded.words |= std::uint64_t{1} << static_cast<unsigned>(one.word);
    if (is_listed(row.words, word)) return true;
    if (!is_unfollowed_word(word)) return false;
    so_far.unknown = word;
  }
  return true;
}

// Floating point that is not computed gives values that are not followed.
bool settle(const OpcodeRow& row, Decoded& decoded, const WordsSoFar& so_far,
            std::string& unknown) {
  const bool is_number = row.op < Op::opaque && row.op != Op::cvta;
  const bool is_float =
      decoded.type.kind == Type::Kind::float_ || decoded.from.kind == Type::Kind::float_;
  const bool is_move = row.op == Op::mov || row.op == Op::selp;
  unknown = so_far.unknown;
  if (!unknown.empty() && (!is_number || !is_float)) return false;
  if (is_number && row.op != Op::mov && (so_far.is_unfollowed || !unknown.empty())) {
    if (is_move) {
      unknown = "f16";
      return false;
    }
    decoded.op = Op::opaque;
  }
  // Other roundings than to the nearest are not computed.
  const bool is_cut = (decoded.words >> static_cast<unsigned>(Word::rz) & 1) != 0;
  if (is_number && is_float && is_cut) decoded.op = Op::opaque;
  if (decoded.type.bits != 128 || row.op == Op::mov || row.op == Op::query_cancel ||
      row.op == Op::try_cancel)
    return true;
  unknown = "b128";
  return false;
}

}  // namespace

bool decode_opcode(std::string_view opcode, Decoded& decoded, std::string& unknown) {
  const OpcodeRow* row = row_of(opcode);
  if (row == nullptr) {
    unknown = opcode;
    return false;
  }
  decoded.op = row->op;
  decoded.results = row->results;
  if (row->stem.starts_with("cp.reduce"))
    decoded.words |= std::uint64_t{1} << static_cast<unsigned>(Word::reduction);
  WordsSoFar so_far;
  std::string_view rest = opcode.substr(row->stem.size());
  if (row->stem.ends_with("volatile")) {
    decoded.order = Order::relaxed;
    decoded.names_order = true;
    decoded.scope = Scope::sys;
  }
  if (row->stem.ends_with(".aligned") || row->stem.starts_with("bar."))
    decoded.words |= std::uint64_t{1} << static_cast<unsigned>(Word::aligned);
  if (row->stem.ends_with("_drop"))
    decoded.words |= std::uint64_t{1} << static_cast<unsigned>(Word::drop);
  if (row->stem.ends_with("wait_all"))
    decoded.words |= std::uint64_t{1} << static_cast<unsigned>(Word::all);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const std::string_view word = rest.substr(0, end);
    if (!take_word(*row, word, decoded, so_far)) {
      unknown = word;
      return false;
    }
    rest.remove_prefix(end);
  }
  return settle(*row, decoded, so_far, unknown);
}

}  // namespace phasebit::ptx::run
