// What a kernel of a PTX file is for, in addition to its text: lines `//@ ` directly above its
// .entry, TOML without the marks. With it a bundle is made from the file alone: no catalogue, no
// templates.
#pragma once

#include "core/base/error.h"
#include "core/base/fields.h"
#include "core/isa/rule.h"
#include "core/isa/version.h"
#include "core/launch/launch.h"
#include "core/launch/manifest.h"
#include "core/launch/variant_key.h"
#include "core/ptx/file.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx::head {

inline constexpr int head_format = 1;

// Of a fork: the variant that it began as, and the merge base.
struct HeadParent {
  std::string id;
  std::string text;  // content_hash of the parent's file as it was when last merged; "": no fork
};
template <typename Visit>
void fields(Visit& visit, const HeadParent* /*type*/) {
  visit("id", &HeadParent::id, {.must = ""});
  visit("text", &HeadParent::text, {.must = ""});
}

// The barriers of one kind that lie side by side: one a slot.
struct HeadBarrier {
  std::string name;  // "full"
  std::string kind;  // one of barrier_kinds()
  int base = 0;      // byte offset in the dynamic shared memory; of a named barrier its first id
  int stride = 8;    // bytes from one slot's to the next; ids of named barriers are 1 apart
  int count = 1;
  int arrivals = 0;  // that complete a phase; 0: not by counting, and no mbarrier
  bool operator==(const HeadBarrier&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const HeadBarrier* /*type*/) {
  visit("name", &HeadBarrier::name, {.must = ""});
  visit("kind", &HeadBarrier::kind, {.must = ""});
  constexpr std::int64_t most = launch::most_shared_bytes;
  visit("base", &HeadBarrier::base, {.most = most, .always = true});
  visit("stride", &HeadBarrier::stride, {.most = most});
  visit("count", &HeadBarrier::count, {.least = 1, .most = most / 8});
  visit("arrivals", &HeadBarrier::arrivals);
}
HeadBarrier usual(const HeadBarrier& barrier);  // its stride follows from its kind
const std::vector<std::string>& barrier_kinds();
int barrier_bytes(const std::string& kind);  // of shared memory; 0 where it has no such word

// What a role keeps in which register, for reports; "" where it keeps none.
struct HeadRegisters {
  launch::Role role = launch::Role::none;
  std::string item, slot, cta;
  bool operator==(const HeadRegisters&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const HeadRegisters* /*type*/) {
  visit("role", &HeadRegisters::role, {.must = "write `role = \"consumer\"`"});
  visit("item", &HeadRegisters::item);
  visit("slot", &HeadRegisters::slot);
  visit("cta", &HeadRegisters::cta);
}

// One rule of the gate. All that depends on SASS family and ptxas is side by side: which of
// them holds is known when the text has been assembled.
struct HeadRule {
  isa::VerbRule rule;                 // any_verb with `forbid`: of the whole window
  std::vector<std::string> families;  // SASS families; empty: all
  std::string ptxas;                  // a version range; "": all
};

// Which SASS families and ptxas the rules of one component speak of: for others it is ungated.
struct HeadCover {
  std::string part;  // "mbarrier"
  std::vector<std::string> families;
  std::string ptxas;
};
template <typename Visit>
void fields(Visit& visit, const HeadCover* /*type*/) {
  visit("part", &HeadCover::part, {.must = ""});
  visit("families", &HeadCover::families);
  visit("ptxas", &HeadCover::ptxas);
}

struct Head {
  // "file:line" of what a head says, for messages about it: "threads", "role producer", "barrier
  // full", "buffer table", "tensor map tiles", "registers consumer", "payload", "reading polls",
  // "key num_stages"; "" is the head. Empty for one that was made.
  std::map<std::string, std::string> where;
  // Its id is empty where the head leaves it out: what knows the catalogue makes it of the key.
  launch::VariantKey key;
  // What the key names is the file's own and need not be in the catalogue (gen/kernel/head_plan.h).
  bool own_components() const { return !origin.empty(); }
  std::string origin;  // one of origin_words: "file", "nvcc"; "" where the catalogue knows all
  std::string doc;     // a line for people
  HeadParent parent;
  launch::Build build = launch::Build::timed;
  launch::LaunchShape launch;
  std::vector<launch::RoleSlice> idle;  // threads that have no role, Role::none
  // Directives of the entry that bound its launch, by name without the dot: "reqntid" -> 64, 1, 1.
  std::map<std::string, std::vector<int>> bounds;
  std::vector<launch::Role> clocks;  // roles that read a clock pair
  std::vector<HeadBarrier> barriers;
  std::vector<HeadRegisters> registers;
  std::vector<HeadRule> rules;
  std::vector<HeadCover> covers;
  bool exhaustive = true;                          // synchronisation that no rule counts is refused
  std::map<std::string, int> items_per_iteration;  // of the timed loop, by role; 1 where not named
  std::map<std::string, int> items_beside;  // of a pass outside it, where that has not as many
};
template <typename Visit>
void fields(Visit& visit, const Head* /*type*/) {
  visit("doc", &Head::doc);
  visit("build", &Head::build, {.always = true});
  visit("roles", &Head::idle, {.by_hand = true});  // and the launch's slices
  visit("barriers", &Head::barriers);
  visit("registers", &Head::registers);
}

// `data` of [expects]: what a grid reads, and the matrices and tiles that it lies in.
struct HeadData : launch::DataShape {
  launch::product::ProductShape product = {};
  launch::TilePayload tensor = {};
};
template <typename Visit>
void fields(Visit& visit, const HeadData* type) {
  fields(visit, static_cast<const launch::DataShape*>(type));
  visit("product", &HeadData::product);
  visit("tensor", &HeadData::tensor);
}
inline HeadData data_of(const launch::LaunchShape& launch) {
  return {launch.data, launch.payload.product, launch.payload.tile};
}

using base::word_of;  // "consumer" of a role

// Step::spec: "file:line: key: what (what to write)".
Result<Head> read_head(const std::vector<PtxHeadLine>& lines, const std::string& file);

// The lines with their marks and line ends. What has its default is left out, and so are these axes
// of the key, of which the catalogue knows that they are at theirs: an axis that is added later
// changes no file.
std::string write_head(const Head& head, const std::vector<std::string>& default_axes = {});

// What the window must hold for one SASS family ("": unknown) and ptxas. Rules of the same verb and
// role are joined, counts of the same pattern added.
Result<isa::GateSpec> gate_of(const Head& head, const std::string& family,
                              const isa::Version& ptxas);

// The words of a head: one table for its reader and its writer; and its units, which say what is
// counted and by what.

// Whose the components of a key are that the catalogue does not have: the file's own, or those of a
// library that nvcc compiled, whose key then says by which nvcc, flags and library.
struct OriginWord {
  const char* word;
};
inline constexpr const char* nvcc_origin = "nvcc";
inline constexpr OriginWord origin_words[] = {{"file"}, {nvcc_origin}};
inline constexpr const char* nvcc_axes[] = {"nvcc", "flags", "library"};

// In the list of roles: what threads without a role have.
inline constexpr const char* no_role = "none";

// The one buffer whose address is in the parameter block.
inline constexpr const char* payload_in_name = launch::payload_in_buffer;
inline constexpr int payload_in_at = offsetof(launch::KernelParams, payload_in);

// The lanes of a warp that play a role: `first_lane`, `first_lane` + `lane_stride`, ...
struct LaneWord {
  int first_lane, lane_stride;
  const char* word;
};
inline constexpr LaneWord lane_words[] = {{0, 1, "all"}, {0, 2, "even"}, {1, 2, "odd"}};

// Directives after the parameters that bound the launch, and how many numbers they take at most.
struct BoundWord {
  const char* word;
  int numbers;
};
inline constexpr BoundWord bound_words[] = {
    {"maxntid", 3},      {"reqntid", 3},           {"maxnreg", 1},        {"minnctapersm", 1},
    {"maxnctapersm", 1}, {"reqnctapercluster", 3}, {"maxclusterrank", 1}, {"explicitcluster", 0}};

template <typename Table>
std::vector<std::string> words_of(const Table& table) {
  std::vector<std::string> words;
  for (const auto& row : table) words.emplace_back(row.word);
  return words;
}

// What is wrong with a unit. Tables that compare two figures go by the words of their units.
struct UnitFault {
  std::string what, hint;
};

// "cycles per item", "cycles per 16 operations": the figure of the timed role's clocks. Of a launch
// on several SMs "ns per item".
std::optional<UnitFault> fault_of_figure(const std::string& unit, bool on_several_sms = false);

// "polls", "polls per item", "polls that failed, per item", "cycles from commit to wake-up",
// "low half of the barrier's word".
std::optional<UnitFault> fault_of_reading(const std::string& unit);

}  // namespace phasebit::ptx::head
