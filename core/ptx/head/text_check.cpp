// A head against what its text is known to do: where it initialises which barrier with how many
// arrivals, and whose verbs which warp runs. What depends on memory, on other threads or on the
// launch is not known here: the launch verifies it.
#include "core/ptx/head/complaint.h"
#include "core/ptx/head/text_facts.h"
#include "core/ptx/head/words.h"

#include <algorithm>

namespace phasebit::ptx::head {

using image::Role;
using image::RoleSlice;

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
      if (all[i].parsed.name.starts_with("mbarrier.try_wait") ||
          all[i].parsed.name.starts_with("mbarrier.test_wait"))
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
        "{} initialises an mbarrier at byte {}, and the head has none there",
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
    for (const Role role : image::all_roles)
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

}  // namespace phasebit::ptx::head
