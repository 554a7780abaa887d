// A head against what its text is known to do: where it initialises which barrier with how many
// arrivals, and whose verbs which warp runs. What depends on memory, on other threads or on the
// launch is not known here: the launch verifies it.
#include "core/base/text.h"
#include "core/isa/opcodes.h"
#include "core/launch/product/product.h"
#include "core/ptx/head/complaint.h"
#include "core/ptx/head/head.h"
#include "core/ptx/head/text_facts.h"

#include <algorithm>

namespace phasebit::ptx::head {

using launch::Role;
using launch::RoleSlice;

namespace {

class TextCheck {
 public:
  explicit TextCheck(const CheckedHead& checked)
      : checked_(checked),
        head_(checked.head),
        facts_(facts_of(checked.head, checked.file, checked.entry)) {}

  Status check() const {
    PHASEBIT_TRY(check_guarded());
    for (const HeadBarrier& barrier : head_.barriers) {
      if (barrier.kind == "mbarrier") PHASEBIT_TRY(check_mbarrier(barrier));
      if (barrier.kind == "flag") PHASEBIT_TRY(check_flag(barrier));
      if (barrier.kind == "named") PHASEBIT_TRY(check_named(barrier));
    }
    PHASEBIT_TRY(check_inits());
    if (!facts_.complete) return {};
    for (const RoleSlice& slice : head_.launch.slices) PHASEBIT_TRY(check_slice(slice));
    for (const RoleSlice& slice : head_.idle) PHASEBIT_TRY(check_idle(slice));
    return {};
  }

 private:
  std::string place(std::size_t statement) const {
    return fmt::format("{}:{}", checked_.file.name, checked_.file.statements[statement].line);
  }

  // Without a guarded build nothing bounds a wait. What the catalogue has says itself which of its
  // kernels need none.
  Status check_guarded() const {
    if (head_.launch.guarded || !head_.own_components()) return {};
    const std::vector<PlacedStatement>& all = checked_.file.statements;
    for (std::size_t i = checked_.entry.open; i < checked_.entry.close; ++i)
      if (is(all[i].parsed, isa::PtxFact::phase))
        return checked_.complain("guarded", "leave it out", "false, and the text waits at {}",
                                 place(i));
    return {};
  }

  const HeadBarrier* declared_at(int offset) const {
    for (const HeadBarrier& barrier : head_.barriers)
      for (int slot = 0; slot < barrier.count; ++slot)
        if (barrier.kind == "mbarrier" && offset == barrier.base + slot * barrier.stride)
          return &barrier;
    return nullptr;
  }

  // Where the text initialises a barrier that the head does not have.
  std::map<int, TextFacts::Init>::const_iterator undeclared() const {
    return std::find_if(facts_.inits.begin(), facts_.inits.end(),
                        [&](const auto& init) { return declared_at(init.first) == nullptr; });
  }

  Status check_mbarrier(const HeadBarrier& barrier) const {
    const std::string key = "barrier " + barrier.name;
    for (int slot = 0; slot < barrier.count; ++slot) {
      const int offset = barrier.base + slot * barrier.stride;
      const auto init = facts_.inits.find(offset);
      if (init != facts_.inits.end()) {
        PHASEBIT_TRY(check_arrivals(barrier, init->second));
        continue;
      }
      if (!facts_.complete || !facts_.init_places_known) continue;
      const auto other = undeclared();
      const std::string hint =
          other == facts_.inits.end()
              ? "write its `base`, `stride` and `count` as its mbarrier.init has them"
              : fmt::format("{} initialises one at byte {}", place(other->second.statement),
                            other->first);
      return checked_.complain(key, hint, "the text initialises no mbarrier at byte {}", offset);
    }
    return {};
  }

  Status check_arrivals(const HeadBarrier& barrier, const TextFacts::Init& init) const {
    const auto said = static_cast<std::uint64_t>(barrier.arrivals);
    if (!init.counts_known || init.counts.contains(said)) return {};
    return checked_.complain("barrier " + barrier.name,
                             fmt::format("write `arrivals = {}`", *init.counts.begin()),
                             "{} arrivals, the mbarrier.init of {} has {}", barrier.arrivals,
                             place(init.statement), fmt::join(init.counts, " or "));
  }

  // Of a head that lists none it is not known which barriers it speaks of.
  Status check_inits() const {
    const bool lists =
        head_.own_components() ||
        std::any_of(head_.barriers.begin(), head_.barriers.end(),
                    [](const HeadBarrier& one) { return barrier_bytes(one.kind) > 0; });
    const auto init = undeclared();
    if (!lists || init == facts_.inits.end()) return {};
    return checked_.complain(
        "barriers",
        fmt::format(
            "write `{{ name = \"...\", kind = \"mbarrier\", base = {}, arrivals = {} }}`, or "
            "the `count` and `stride` of one that reaches it",
            init->first, init->second.counts_known ? *init->second.counts.begin() : 1),
        "{} initialises an mbarrier at byte {}, and the head has no barrier there",
        place(init->second.statement), init->first);
  }

  // Where the text sets up flags under a heading, it sets up this one.
  Status check_flag(const HeadBarrier& barrier) const {
    const std::string key = "barrier " + barrier.name;
    for (int slot = 0; slot < barrier.count; ++slot) {
      const int offset = barrier.base + slot * barrier.stride;
      const auto init = facts_.inits.find(offset);
      if (init != facts_.inits.end())
        return checked_.complain(key, "write `kind = \"mbarrier\"`",
                                 "a flag, {} initialises an mbarrier at byte {}",
                                 place(init->second.statement), offset);
      if (!facts_.complete || !facts_.init_stores_known || facts_.init_stores.empty() ||
          facts_.init_stores.contains(offset))
        continue;
      return checked_.complain(
          key, "write its `base`, `stride` and `count` as the text sets it up",
          "the text below [init] stores to other places, the first at byte {}, not to byte {}",
          *facts_.init_stores.begin(), offset);
    }
    return {};
  }

  Status check_named(const HeadBarrier& barrier) const {
    if (!facts_.complete || !facts_.ids_known) return {};
    for (int slot = 0; slot < barrier.count; ++slot) {
      const int id = barrier.base + slot * barrier.stride;
      if (facts_.ids.contains(static_cast<std::uint64_t>(id))) continue;
      std::vector<std::uint64_t> used;
      for (const auto& one : facts_.ids) used.push_back(one.first);
      return checked_.complain(
          "barrier " + barrier.name,
          used.empty() ? "leave it out"
                       : fmt::format("the text has the barriers {}", fmt::join(used, ", ")),
          "the text never comes to barrier {}", id);
    }
    return {};
  }

  unsigned roles_of(const RoleSlice& slice) const {
    unsigned roles = 0;
    for (int rank = 0; rank < head_.launch.cluster_size; ++rank) {
      const std::vector<unsigned>& threads = facts_.roles[static_cast<std::size_t>(rank)];
      for (int lane = slice.first_lane; slice.is_in(rank) && lane < 32; lane += slice.lane_stride) {
        const int thread = 32 * slice.warp + lane;
        roles |= threads[static_cast<std::size_t>(thread)];
      }
    }
    return roles;
  }

  // The first verb of one of the roles: "[consumer wait] of a.ptx:12".
  std::string verb_of(Role role) const {
    const std::size_t statement = facts_.verbs.at(role);
    const auto heading = static_cast<std::size_t>(checked_.file.statements[statement].heading);
    const PtxHeading& at = checked_.file.headings[heading];
    return fmt::format("[{} {}] of {}", at.role, at.verb, place(statement));
  }
  static Role first_of(unsigned roles) {
    for (const Role role : launch::all_roles)
      if ((roles & bit_of(role)) != 0) return role;
    bug("verbs of no role");
  }

  Status check_slice(const RoleSlice& slice) const {
    const unsigned roles = roles_of(slice);
    if ((roles & bit_of(slice.role)) != 0) return {};
    const std::string word = word_of(slice.role);
    if (roles != 0) {
      const Role other = first_of(roles);
      return checked_.complain(
          "role " + word,
          fmt::format("write `{{ role = \"{}\", warps = [{}] }}`", word_of(other), slice.warp),
          "warp {} runs {}, and no verb of its own", slice.warp, verb_of(other));
    }
    if (!facts_.verbs.contains(slice.role)) return {};
    return checked_.complain("role " + word, "give the role to the warps that run them",
                             "warp {} runs none of the role's verbs, not {}", slice.warp,
                             verb_of(slice.role));
  }

  Status check_idle(const RoleSlice& slice) const {
    const unsigned roles = roles_of(slice);
    if (roles == 0) return {};
    // Of two roles: which one it begins comes from other threads (shfl.sync), and is not known.
    const bool unknown = (roles & (roles - 1)) != 0;
    if (head_.launch.fixed_warps && unknown) return {};
    const Role other = first_of(roles);
    return checked_.complain(
        fmt::format("role {}", no_role),
        fmt::format("write `{{ role = \"{}\", warps = [{}] }}`", word_of(other), slice.warp),
        "warp {} runs {}", slice.warp, verb_of(other));
  }

  const CheckedHead& checked_;
  const Head& head_;
  const TextFacts facts_;
};

}  // namespace

Status check_head_text(const CheckedHead& checked) {
  return TextCheck(checked).check();
}

// What lies in shared memory: barriers and the slots of the payload; and the tensor maps that fill
// them.

namespace {

constexpr int named_barriers = 16;

bool in_memory(const HeadBarrier& barrier) {
  return barrier_bytes(barrier.kind) > 0;
}

std::int64_t last_of(const HeadBarrier& barrier) {
  return barrier.base + std::int64_t{barrier.stride} * (barrier.count - 1);
}

Status check_barrier(const CheckedHead& checked, const HeadBarrier& barrier) {
  const std::string key = "barrier " + barrier.name;
  const int shared = checked.head.launch.dynamic_shared_bytes;
  if (barrier.kind == "named") {
    const std::int64_t last = last_of(barrier);
    if (last < named_barriers) return {};
    return checked.complain(key, "a CTA has barriers 0 to 15", "its last barrier is {}", last);
  }
  if (!in_memory(barrier)) return {};
  const std::int64_t end = last_of(barrier) + barrier_bytes(barrier.kind);
  if (end > shared)
    return checked.complain(key, fmt::format("write `shared_bytes = {}` or more in [launch]", end),
                            "it ends at byte {}, the kernel has {} bytes of shared memory", end,
                            shared);
  if (barrier.base % 8 != 0 || barrier.stride % 8 != 0)
    return checked.complain(key, "base and stride are multiples of 8",
                            "base {} and stride {} do not keep it at multiples of 8", barrier.base,
                            barrier.stride);
  if (barrier.kind == "mbarrier" && barrier.arrivals == 0)
    return checked.complain(key, "write `arrivals = 1`: the count of its mbarrier.init",
                            "no arrivals complete a phase");
  return {};
}

// One barrier of one slot: its bytes, or its id.
struct Place {
  int first, end;
  const HeadBarrier* barrier;
};

Status check_overlap(const CheckedHead& checked, bool memory) {
  std::vector<Place> places;
  for (const HeadBarrier& barrier : checked.head.barriers) {
    if (in_memory(barrier) != memory || (!memory && barrier.kind != "named")) continue;
    const int size = memory ? barrier_bytes(barrier.kind) : 1;
    for (int slot = 0; slot < barrier.count; ++slot) {
      const int first = barrier.base + barrier.stride * slot;
      places.push_back({first, first + size, &barrier});
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.first < b.first; });
  for (size_t n = 1; n < places.size(); ++n) {
    const Place &below = places[n - 1], &above = places[n];
    if (above.first >= below.end) continue;
    const char* what = memory ? "byte" : "id";
    return checked.complain("barrier " + above.barrier->name,
                            "give each slot of each barrier a place of its own by `base` and "
                            "`stride`",
                            "{} {} is barrier {}'s already", what, above.first,
                            below.barrier->name);
  }
  return {};
}

Status check_phases(const CheckedHead& checked) {
  const launch::LaunchShape& launch = checked.head.launch;
  if (launch.phases_checked == 0) return {};
  std::int64_t barriers = 0;
  for (const HeadBarrier& barrier : checked.head.barriers)
    if (in_memory(barrier)) barriers += barrier.count;
  if (barriers == 0)
    return checked.complain("phases", "list the barriers, or leave `phases` out",
                            "{} are verified, and the head has no barriers in shared memory",
                            launch.phases_checked);
  // The first CTA of a cluster reads back those of all.
  const std::int64_t most = barriers * launch.cluster_size;
  if (launch.phases_checked <= most) return {};
  return checked.complain("phases", fmt::format("write `phases = {}` or less", most),
                          "{} are verified, and all slots have {} barriers", launch.phases_checked,
                          most);
}

Status check_payload(const CheckedHead& checked) {
  const launch::LaunchShape& launch = checked.head.launch;
  const launch::PayloadShape& payload = launch.payload;
  if (payload.words_per_slot == 0) return {};
  if (const std::string why = launch::product::why_unknown(
          payload.product, {payload.words_per_slot, payload.consumer_threads, payload.period});
      !why.empty())
    return checked.complain("payload", "mend `product`, `words` or `threads`", "product: {}", why);
  const std::int64_t step = std::int64_t{payload.consumer_threads} * payload.consumer_vector_words;
  const bool reads_words = payload.product.rows == 0;
  if (reads_words && payload.thread_words == 0 && payload.words_per_slot % step != 0)
    return checked.complain("payload", fmt::format("write a multiple of {} as `words`", step),
                            "{} words do not go into reads of {} words by {} threads",
                            payload.words_per_slot, payload.consumer_vector_words,
                            payload.consumer_threads);
  std::int64_t slots = 1, barriers = 0;
  for (const HeadBarrier& barrier : checked.head.barriers) {
    slots = std::max<std::int64_t>(slots, barrier.count);
    barriers += std::int64_t{barrier.count} * barrier_bytes(barrier.kind);
  }
  const std::int64_t needed = 4 * payload.words_per_slot * slots;
  const std::int64_t left = launch.dynamic_shared_bytes - barriers;
  if (needed <= left) return {};
  return checked.complain(
      "payload", fmt::format("write `shared_bytes = {}` or more in [launch]", needed + barriers),
      "{} slots of {} words have {} bytes, the barriers leave {}", slots, payload.words_per_slot,
      needed, left);
}

}  // namespace

Status check_head_memory(const CheckedHead& checked) {
  for (const HeadBarrier& barrier : checked.head.barriers)
    PHASEBIT_TRY(check_barrier(checked, barrier));
  PHASEBIT_TRY(check_overlap(checked, true));
  PHASEBIT_TRY(check_overlap(checked, false));
  PHASEBIT_TRY(check_phases(checked));
  return check_payload(checked);
}

Status check_head_tensor_maps(const CheckedHead& checked) {
  const launch::LaunchShape& launch = checked.head.launch;
  for (const launch::tensor::TensorMap& map : launch.tensor_maps) {
    const std::string key = "tensor map " + map.name;
    const std::int64_t bytes = launch::buffer_bytes(launch, map.buffer);
    if (bytes < 0) {
      std::vector<std::string> names = {launch::payload_in_buffer};
      for (const launch::Buffer& buffer : launch.buffers) names.push_back(buffer.name);
      return checked.complain(key, base::nearest_word_hint(map.buffer, names),
                              "there is no buffer '{}'", map.buffer);
    }
    if (const auto wrong = launch::tensor::complaint_about(map, bytes))
      return checked.complain(key, wrong->hint, "{}: {}", wrong->key, wrong->what);
  }
  // A tile is of the data that a grid reads, or of the payload.
  const launch::TilePayload& tile = launch.payload.tile;
  const bool of_data = launch.payload.words_per_slot == 0 && launch.data.bytes > 0;
  std::vector<std::string> names;
  for (const launch::tensor::TensorMap& map : launch.tensor_maps) names.push_back(map.name);
  if (!tile.map.empty() && !base::contains(names, tile.map))
    return checked.complain(of_data ? "data" : "payload", base::nearest_word_hint(tile.map, names),
                            "there is no tensor map '{}'", tile.map);
  if (const auto words = launch::words_of_slot(launch); !words)
    return checked.complain(of_data ? "data" : "payload", words.error().hint, "{}",
                            words.error().message);
  if (const auto stored = launch::expected_stored(launch, 0, 0); !stored)
    return checked.complain("stored", stored.error().hint, "{}", stored.error().message);
  return {};
}

}  // namespace phasebit::ptx::head
