// Tensor copies, and tensor maps that a kernel makes itself. A map that the launch gives is known
// by its place among the parameters, one that the kernel makes by its place in memory.
#include "core/ptx/run/machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::ptx::run {

using launch::tensor::TensorElement;
using launch::tensor::TensorMap;

namespace {

constexpr std::uint64_t map_bytes = 128, map_align = 64;
constexpr std::size_t most_kept_tiles = 256;
constexpr std::uint32_t nan_of_halves = 0x7ff7;  // core/launch/tensor/tile.cpp

// PTX ISA, tensormap.replace: other numbers than the driver's.
std::optional<TensorElement> element_of(std::uint64_t number) {
  constexpr TensorElement elements[] = {
      TensorElement::u8,      TensorElement::u16, TensorElement::u32,  TensorElement::s32,
      TensorElement::u64,     TensorElement::s64, TensorElement::f16,  TensorElement::f32,
      TensorElement::f32_ftz, TensorElement::f64, TensorElement::bf16, TensorElement::tf32,
      TensorElement::tf32_ftz};
  if (number >= std::size(elements)) return std::nullopt;
  return elements[number];
}

template <typename Value>
void put(std::vector<Value>& values, std::uint64_t at, std::uint64_t value) {
  if (at >= 5) return;
  if (values.size() <= at) values.resize(at + 1);
  values[at] = static_cast<Value>(value);
}

}  // namespace

Machine::KnownMap* Machine::map_at(const Warp& warp, const Instruction& one, std::uint32_t pc,
                                   int lane, const Operand& operand) {
  const std::uint64_t address =
      warp.value(operand, lane) + static_cast<std::uint64_t>(operand.offset);
  const bool is_parameter = is_parameter_address(address);
  Place found;
  if (!is_parameter) {
    const auto made = place(warp, one, pc, lane, Space::generic, operand, map_bytes, map_align);
    if (!made) return nullptr;
    found = *made;
  }
  const auto map = maps_.find({found.region, is_parameter ? address & 0xffffffffU : found.offset});
  if (map != maps_.end()) {
    if (!is_parameter)
      touch(found, map_bytes, access_of(warp, one, pc, lane, false), warp.viewer(lane));
    return &map->second;
  }
  stop(FindingKind::bounds, Grade::unsupported, at(warp, pc, lane),
       is_parameter ? fmt::format("parameter byte {} has no tensor map in this launch "
                                  "(--tensor-map {}=...)",
                                  address & 0xffffffffU, address & 0xffffffffU)
                    : std::string("there is no tensor map at this address"));
  return nullptr;
}

// "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [map], 0, value"
void Machine::replace_in_map(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const auto found = place(warp, one, pc, lane, one.space, one.operands[0], map_bytes, map_align);
    if (!found) return;
    touch(*found, map_bytes, access_of(warp, one, pc, lane, true), warp.viewer(lane));
    KnownMap& known = maps_[{found->region, found->offset}];
    TensorMap& map = known.map;
    known.version = ++map_versions_;
    const std::uint64_t value = warp.value(one.operands.back(), lane);
    const std::uint64_t ordinal = warp.value(one.operands[1], lane);
    const auto field = static_cast<MapField>(one.target);
    if (field == MapField::address) known.address = value;
    if (field == MapField::rank) map.sizes.resize(std::min<std::uint64_t>(value, 4) + 1);
    if (field == MapField::box) put(map.box, ordinal, value);
    if (field == MapField::size) put(map.sizes, ordinal, value);
    if (field == MapField::stride) put(map.strides, ordinal, value);
    if (field == MapField::step) put(map.steps, ordinal, value);
    if (field == MapField::interleave)
      map.interleave = static_cast<launch::tensor::TensorInterleave>(value);
    if (field == MapField::swizzle) map.swizzle = static_cast<launch::tensor::TensorSwizzle>(value);
    if (field == MapField::fill) map.fill = static_cast<launch::tensor::TensorFill>(value);
    if (field != MapField::element) return;
    if (const auto element = element_of(value)) map.element = *element;
  });
  ++warp.time;
}

// "tensormap.cp_fenceproxy...sync.aligned [to], [from], 128": the warp copies a map.
Machine::Went Machine::publish_map(Warp& warp, const Instruction& one, std::uint32_t pc,
                                   Mask lanes) {
  Mask all = lanes;
  if (!gather(warp, one, pc, all)) return Went::stays;
  const int lane = std::countr_zero(all);
  const auto to = place(warp, one, pc, lane, Space::global, one.operands[0], map_bytes, map_align);
  const auto from =
      to ? place(warp, one, pc, lane, Space::shared, one.operands[1], map_bytes, map_align) : to;
  if (!to || !from) return Went::stays;
  touch(*from, map_bytes, access_of(warp, one, pc, lane, false), warp.viewer(lane));
  Access access = access_of(warp, one, pc, lane, true);
  access.scope = Scope::none;
  touch(*to, map_bytes, access, warp.viewer(lane));
  if (const auto known = maps_.find({from->region, from->offset}); known != maps_.end())
    maps_[{to->region, to->offset}] = KnownMap(known->second);
  warp.release(all, one.scope);
  each_lane(all, [&](int other) { warp.pcs[static_cast<std::size_t>(other)] = pc + 1; });
  return Went::elsewhere;
}

// The bytes of a tile, and where each is in global memory.
std::shared_ptr<const std::vector<std::int64_t>> Machine::tile_at(const KnownMap& known,
                                                                  const std::vector<int>& at,
                                                                  const std::vector<int>& offsets,
                                                                  RunPlace by) {
  std::vector<int> key{static_cast<int>(known.version)};
  key.insert(key.end(), at.begin(), at.end());
  key.insert(key.end(), offsets.begin(), offsets.end());
  if (const auto kept = tiles_.find(key); kept != tiles_.end()) return kept->second;
  auto made = launch::tensor::tile_of(known.map, at, offsets);
  if (!made) {
    stop(FindingKind::bounds, Grade::unsupported, by, made.error().message);
    return nullptr;
  }
  if (tiles_.size() >= most_kept_tiles) tiles_.clear();
  return tiles_[key] = std::make_shared<const std::vector<std::int64_t>>(std::move(*made));
}

// Operands after the addresses: what a copy has besides.
void Machine::copy_tensor(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const bool is_store = one.has(Word::group);
  const std::size_t map_operand = is_store ? 0 : 1, first = map_operand + 1;
  const std::size_t after = first + one.vector;
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const KnownMap* known = map_at(warp, one, pc, lane, one.operands[map_operand]);
    if (known == nullptr) return;
    const auto number = [&](std::size_t n) {
      return static_cast<int>(warp.value(one.operands[n], lane) & 0xffffffffU);
    };
    if (known->map.rank() != one.vector)
      return stop(
          FindingKind::range, Grade::error, at(warp, pc, lane),
          fmt::format("{} coordinates for {}", one.vector, launch::tensor::describe(known->map)));
    std::vector<int> place_in_tensor, offsets;
    for (std::size_t n = first; n < after; ++n) place_in_tensor.push_back(number(n));
    const std::size_t more = known->map.im2col && !is_store ? one.vector - 2U : 0;
    for (std::size_t n = after + 1; n < after + 1 + more; ++n) offsets.push_back(number(n));
    Transfer transfer;
    transfer.tile = tile_at(*known, place_in_tensor, offsets, at(warp, pc, lane));
    if (transfer.tile == nullptr) return;
    transfer.bytes = transfer.tile->size();
    transfer.tensor = known->address;
    if (known->map.fill == launch::tensor::TensorFill::nan) transfer.fill = nan_of_halves;
    const auto align = static_cast<std::uint64_t>(launch::tensor::alignment_of(known->map));
    const auto shared = place(warp, one, pc, lane, is_store ? Space::shared : one.space,
                              one.operands[is_store ? after : 0], transfer.bytes, align);
    if (!shared) return;
    (is_store ? transfer.from : transfer.to) = *shared;
    transfer.is_reduction = one.has(Word::reduction);
    send(warp, one, pc, lane, std::move(transfer), after, after + 1 + more);
  });
  ++warp.time;
}

// Runs of bytes that follow one another, of those that are in the tensor.
template <typename Visit>
void each_run(const std::vector<std::int64_t>& tile, const Visit& visit) {
  for (std::size_t n = 0; n < tile.size();) {
    std::size_t end = n + 1;
    while (
        end < tile.size() &&
        (tile[n] < 0 ? tile[end] < 0 : tile[end] == tile[n] + static_cast<std::int64_t>(end - n)))
      ++end;
    visit(n, tile[n], end - n);
    n = end;
  }
}

void Machine::land_tile(const Transfer& transfer, Access access, const Viewer& viewer,
                        bool is_store) {
  Warp& warp = warp_of(access.thread);
  each_run(*transfer.tile, [&](std::size_t begin, std::int64_t byte, std::size_t size) {
    if (stopped_) return;
    if (byte < 0) {
      for (std::size_t n = begin; n < begin + size && !is_store; ++n) {
        transfer.to.region->write(transfer.to.offset + n, 1,
                                  transfer.fill >> (n % 2 == 0 ? 0 : 8) & 0xff);
        transfer.to.region->set_unsure(transfer.to.offset + n, 1, 0);
      }
      return;
    }
    Place global;
    const std::uint64_t address = transfer.tensor + static_cast<std::uint64_t>(byte);
    global.region = region_of(warp, Space::global, address, global);
    if (global.region == nullptr || global.offset + size > global.region->bytes)
      return stop(FindingKind::bounds, Grade::error, {access.pc, access.thread},
                  fmt::format("the tile has {} bytes at {:#x}, which are in no buffer of the "
                              "launch",
                              size, address));
    Region& to = is_store ? *global.region : *transfer.to.region;
    const Region& source = is_store ? *transfer.from.region : *global.region;
    const std::uint64_t near = (is_store ? transfer.from : transfer.to).offset + begin;
    const std::uint64_t out = is_store ? global.offset : near;
    const std::uint64_t in = is_store ? near : global.offset;
    access.is_again = is_store && !transfer.is_reduction && to.holds(source, in, out, size);
    if (!touch(global, size, access, viewer)) note_contended(global, size);
    if (transfer.is_reduction) {
      outcome_.has_unfollowed = true;
      const std::uint32_t why = reason(Reason::Kind::unfollowed, access.pc);
      overwrite_flags({&to, -1, out}, size, transfer.issued.order, access);
      for (std::size_t n = 0; n < size; n += 4) to.set_unsure(out + n, 4, why);
    } else if ((out | in | size) % 4 == 0) {
      to.copy_from(source, in, out, size);
    } else {
      for (std::size_t n = 0; n < size; ++n) {
        to.write(out + n, 1, source.read(in + n, 1));
        to.set_unsure(out + n, 1, source.unsure(in + n, 1));
        to.hold(out + n, 1, source.held(in + n, 1));
      }
    }
  });
}

}  // namespace phasebit::ptx::run
