// The machine: CTAs of warps over memory and barriers, one schedule of them, and what is wrong with
// any. docs/checker.md says what is checked and why one run is enough.
#pragma once

#include "core/ptx/run/barriers.h"
#include "core/ptx/run/findings.h"
#include "core/ptx/run/warp.h"
#include "core/ptx/run/watch.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace phasebit::ptx::run {

// Why a value is not known for sure.
struct Reason {
  enum class Kind : std::uint8_t {
    clock,
    poll,
    atomic,
    flag,
    answer,
    turns,
    unfollowed,
    state,
    unwritten,
    unwritten_memory,
    open,
    lane,
    elected,
    place,
    address,
    unfilled
  };
  Kind kind = Kind::clock;
  std::uint32_t pc = 0;
  int token = -1;  // of a poll: which try
};
std::string to_string(const Reason& reason);

// A try whose answer is used later, lane by lane: which phase of which barrier it asked for.
struct Token {
  std::uint32_t pc = 0;
  std::array<std::int32_t, lanes_of_warp> barrier{};
  std::array<std::int64_t, lanes_of_warp> phase{};
  Mask over = 0;  // whose phase was complete
};

// An allocation of Tensor Memory. Its address is a number that is in the place of the one that the
// hardware gives.
struct Columns {
  std::uint32_t address = 0;
  int count = 0;
  Base base = no_base;
};

struct Cta {
  int cluster = 0, rank = 0;  // its cluster, and which of its CTAs
  int first_warp = 0;
  std::unique_ptr<Region> shared;
  std::unordered_map<std::uint32_t, std::int32_t> barriers;           // by offset
  std::uint64_t first_barrier = ~std::uint64_t{0}, last_barrier = 0;  // their offsets
  std::array<CtaBarrier, 16> named;
  std::vector<Columns> columns;   // of Tensor Memory that are allocated
  int least_columns = 0;          // of them all
  bool has_relinquished = false;  // the right to allocate more
  int free_registers = 0;  // a thread, that setmaxnreg.dec has given back and no warp has taken
  std::vector<Waiters> register_waiters;
  VectorClock left;  // what has run before its threads left
  // Accesses of others to its shared memory, and copies: all end before it leaves. The last of each
  // component.
  std::map<Component, std::pair<std::uint32_t, RunPlace>> visits;
};

// A setmaxnreg that has changed how many registers the threads of a warp have.
struct RegisterChange {
  int warp = 0;
  int before = 0, after = 0;
  std::uint32_t time = 0;   // of its warp
  std::vector<bool> known;  // of the earlier ones of other warps: those that come before it always
  RunPlace at;
};

struct Cluster {
  int first_cta = 0;
  std::vector<RegisterChange> register_changes;  // in the order of the run
  std::uint32_t phase = 0;
  int arrived = 0;
  Clocks current, last;
  VectorClock left;  // as of a CTA: of threads that have not arrived
};

// What an address is made of: where the buffer of the launch or the variable lies, and numbers.
// Rounded ones, and those in another form, are bases of their own.
struct AddressBase {
  std::int32_t buffer = -1, variable = -1;
  // An address; one shifted to the right; how far one in another CTA of the cluster is; of an
  // allocation of Tensor Memory.
  enum class Form : std::uint8_t { address, shifted, to_other_cta, columns };
  Form form = Form::address;
  bool in_space = false;      // not generic: it may be 0
  std::uint64_t align = 1;    // what of the low bits is known
  Base other_form = no_base;  // the same one generic, or of its space
};

// Where an address leads.
struct Place {
  Region* region = nullptr;
  int cta = -1;  // of shared memory: of the launch; -2: a thread's own
  std::uint64_t offset = 0;
};

// How many CTAs of a launch run at once on the smallest GPU that takes its target.
struct Residency {
  int ctas = 0, on_an_sm = 0;
  int most_on_an_sm = 1;  // with as few registers as any kernel has
  std::string limit;      // what lets no more of them: ""; all fit
};
// residency.cpp
Residency residency_of(const RunProgram& program, const RunLaunch& launch);
// Why no GPU takes the launch, or none of its target.
std::optional<Finding> complaint_about(const RunProgram& program, const RunLaunch& launch);
// How many registers a thread of it begins with, at most: .maxnreg, or what .minnctapersm and the
// number of threads leave.
int most_registers(const RunProgram& program, const RunLaunch& launch);

class Machine {
 public:
  Machine(const RunProgram& program, const RunLaunch& launch, const RunOptions& options);
  RunOutcome run();

 private:
  enum class Went : std::uint8_t { on, stays, elsewhere };

  // machine.cpp: what runs when
  void make_ctas();
  void make_warp(int cta, int number);
  std::uint64_t special(const std::string& name, const Warp& warp, int lane);
  void run_warp(Warp& warp, int quantum);
  Went step(Warp& warp, std::uint32_t pc, Mask group);
  Went execute(Warp& warp, const Instruction& one, std::uint32_t pc, Mask group, Mask lanes);
  Went branch_by_index(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  Went branch(Warp& warp, const Instruction& one, std::uint32_t pc, Mask group, Mask taken);
  void mark_turns(Warp& warp, std::uint32_t pc, const RetryLoop& loop, Mask lanes);
  void leave(Warp& warp, Mask lanes);
  void check_left();
  void check_groups();
  void report_stuck();

  // tokens.cpp: numbers, and what may depend on the answer of a try
  void compute_numbers(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  static std::vector<Otherwise> answered_false(Warp& warp, const Instruction& one, Mask lanes);
  static Otherwise guarded_false(Warp& warp, const Instruction& one, Mask unsure);
  bool check_decision(Warp& warp, const Instruction& one, std::uint32_t pc, Mask group, Mask taken);
  struct Kept {
    Operand operand;
    std::array<std::uint64_t, lanes_of_warp> values;
    Unsure unsure;
    Mask based;
    LaneBases bases;
  };
  std::vector<Kept> compute_ahead(Warp& warp, std::uint32_t from, std::uint32_t to, Mask lanes);
  bool is_skip(Warp& warp, const Instruction& one, std::uint32_t branch, Mask unsure, Mask taken);

  // addresses.cpp
  struct FollowedAddresses {
    Mask lanes = 0,
         open = 0;  // that hold one; whose result is another where variables lie elsewhere
    LaneBases bases{};
  };
  void make_bases();
  Base base_of_variable(std::int32_t variable) const;
  Base base_of_parameter(std::uint64_t offset, std::uint64_t size) const;
  std::uint64_t parameter(std::uint64_t offset, std::uint64_t size) const;
  Base base_of_buffer(std::size_t buffer) const { return static_cast<Base>(2 + buffer); }
  bool is_whole(Base base) const {
    return base > made_of_address && bases_[base].form == AddressBase::Form::address;
  }
  Base add_base(AddressBase made);
  Base derived(Base from, std::uint32_t by, AddressBase as);
  Base in_form(Base base, bool in_space);
  LaneBases bases_in_form(const Warp& warp, const Operand& operand, Mask lanes, bool in_space);
  Base base_in_thread(const HeldAddress& held, const Warp& warp, int lane) const;
  bool is_shared(Base base) const;
  std::int64_t distance(Base base, std::uint64_t value, bool is_wide) const;
  bool leads_away(Base base) const {
    return base > made_of_address && bases_[base].form == AddressBase::Form::to_other_cta;
  }
  bool names_rank(Base base, std::uint64_t number) const;
  Base masked(Base base, std::uint64_t mask, std::uint64_t bits, std::uint32_t pc);
  Base base_of_result(const Instruction& one, std::uint32_t pc, const std::array<Base, 4>& bases,
                      const std::array<std::uint64_t, 4>& values, bool& open);
  bool is_same_anywhere(const Instruction& one, const std::array<Base, 4>& bases,
                        const std::array<std::uint64_t, 4>& values) const;
  FollowedAddresses follow_addresses(const Warp& warp, const Instruction& one, std::uint32_t pc,
                                     Mask lanes);
  bool check_constant(const Instruction& one, Base base, const Place& found, RunPlace by);
  bool check_base(Base base, const Place& found, std::uint64_t size, RunPlace by);
  void set_addresses(Warp& warp, const Instruction& one, std::uint32_t pc,
                     const FollowedAddresses& followed);

  // warp_ops.cpp: what the lanes of a warp do together
  Went execute_whole(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  Went execute_together(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  bool gather(Warp& warp, const Instruction& one, std::uint32_t pc, Mask& lanes);
  static Mask named_lanes(const Warp& warp, const Instruction& one, int lane);
  void shuffle(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void compare_lanes(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void reduce_lanes(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void vote(Warp& warp, const Instruction& one, Mask lanes);
  void elect(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  static void note_group(Warp& warp, std::uint32_t pc, std::uint64_t what);
  Went set_registers(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void note_registers(Warp& warp, int after, RunPlace by);
  int registers_when_stuck(const Cluster& cluster, std::size_t wanted, const Warp& warp) const;
  void check_registers(const Cluster& cluster);
  Went warp_sync(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void compute_unfollowed(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);

  // memory_ops.cpp
  void execute_memory(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  std::optional<Place> place(const Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                             Space space, const Operand& operand, std::uint64_t size,
                             std::uint64_t align);
  Region* region_of(const Warp& warp, Space space, std::uint64_t address, Place& found);
  void load(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void load_parameter(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void store(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void change(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  std::uint32_t reason_of_change(const Warp& warp, const Instruction& one, std::uint32_t pc,
                                 int lane, const Place& at);
  void discard(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void load_matrix(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void describe_store(const Warp& warp, const Instruction& one, int lane, const Place& at,
                      Access& access) const;
  void store_matrix(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void convert_address(Warp& warp, const Instruction& one, Mask lanes);
  // False: another access comes before or after it, without a race, and one of them is told which.
  bool touch(const Place& at, std::uint64_t size, Access access, Viewer viewer);
  bool cluster_orders(const Access& first, const Access& second);
  void note_contended(const Place& at, std::uint64_t size);
  bool adds_up(const Instruction& one, std::uint64_t key);
  static std::uint64_t key_of(const Place& at, std::uint64_t offset);
  // An access to shared memory that must end before its CTA leaves.
  void note_visit(const Place& at, const Epoch& epoch, RunPlace by);
  Access access_of(const Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                   bool writes) const;
  // The least scope that has both CTAs.
  Scope scope_of(int from_cta, int to_cta) const;
  // The CTAs of its cluster that a multicast's mask names.
  std::vector<int> ctas_of(const Warp& warp, std::uint64_t mask, RunPlace by);
  Mbarrier* overlapped(const Place& at, std::uint64_t size);
  void check_overwrite(const Place& at, std::uint64_t size, RunPlace by);

  // flags.cpp
  Flag& flag_of(const Place& at, int size, const Access& access);
  void read_flag(Warp& warp, const Instruction& one, int lane, const Place& at, int size,
                 const Access& access);
  void write_flag(Warp& warp, const Instruction& one, int lane, const Place& at, int size,
                  std::uint64_t value, const Access& access, bool is_known, Base base);
  void publish_version(const Warp& warp, const Instruction& one, int lane,
                       const Flag::Version& before, Flag::Writer& own, Flag::Version& version);
  void note_supposed(const Place& place, std::uint64_t size, RunPlace by);
  // What a load or an atomic has to say and to learn before it reads.
  void look_before(Warp& warp, const Instruction& one, std::uint32_t pc, int lane, const Place& at);
  void overwrite_flags(const Place& to, std::uint64_t bytes, const VectorClock& known,
                       const Access& access, const Flag* same = nullptr);
  struct Wanted {
    std::uint64_t value = 0;
    Base base = no_base;
    bool operator==(const Wanted&) const = default;
  };
  void check_polls(const Flag& flag, const VectorClock& known, const Epoch& own, RunPlace by,
                   std::size_t after = 0);
  bool ends(const RetryLoop& loop, const Wanted& wanted, std::uint64_t stored) const;
  std::size_t counted_end(const RetryLoop& loop, const Wanted& wanted, const Flag& flag) const;
  std::string other_end(const RetryLoop& loop, const Wanted& wanted, const Flag& flag,
                        std::size_t seen, RunPlace& other) const;
  struct Polled {
    Flag* flag = nullptr;
    std::size_t version = 0;
    bool acquires = false;
    Scope scope = Scope::gpu;
  };
  void end_poll(Warp& warp, const RetryLoop& loop, Mask lanes);
  std::pair<Scope, bool> writers_of(const Flag& flag, std::size_t version, const Warp& warp) const;
  void hear(Warp& warp, const Polled& seen, Mask lanes, Scope needed);
  // Whether a strong load or a try outside of a retry loop may be told what no schedule changes.
  bool may_settle(const Instruction& one, std::uint32_t pc) const {
    return one.retry < 0 && !one.is_token && options_.watch == nullptr &&
           !options_.unsettled.contains(pc);
  }

  // barrier_ops.cpp
  Went execute_barrier(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  Mbarrier* barrier_at(const Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                       const Operand& operand, Space space);
  Mbarrier* barrier_in(int cta, std::uint64_t offset, RunPlace at);
  void check_init(const Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane);
  void check_init_in_proxy(const Mbarrier& barrier, const Clocks& issued, RunPlace at);
  void check_unused(const Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane,
                    const char* what);
  void use(Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane);
  void look_at(Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane);
  void init_barriers(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void arrive(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void arrive_at(Mbarrier& barrier, Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                 std::uint64_t amount);
  void expect(Mbarrier& barrier, Warp& warp, std::uint32_t pc, int lane, std::uint64_t bytes,
              bool is_fused);
  void complete_bytes(Mbarrier& barrier, const Clocks& issued, RunPlace at, std::int64_t bytes);
  void check_phase(const Mbarrier& barrier, const VectorClock& order, RunPlace at,
                   const char* what);
  void check_phase(const Mbarrier& barrier, const Warp& warp, std::uint32_t pc, int lane,
                   const char* what);
  void try_complete(Mbarrier& barrier);
  void check_completion(Mbarrier& barrier);
  void check_parity(const Warp& warp, std::uint32_t pc, int lane, const Operand& operand);
  void check_state(const Mbarrier& barrier, const Warp& warp, const Instruction& one,
                   std::uint32_t pc, int lane);
  bool is_kept(const Warp& warp, const RetryLoop& loop, Mask lanes) const;
  Went wait(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  // `acquire`: the instruction that does.
  void wait_over(Mbarrier& barrier, Warp& warp, std::uint32_t pc, Mask lanes, std::int64_t phase,
                 const Instruction& acquire);
  void answer(Warp& warp, const Instruction& one, Mask lanes, const Token& token);
  bool is_over(const Mbarrier& barrier, const Warp& warp, const Instruction& one, int lane,
               std::int64_t& phase) const;
  Went cta_barrier(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void check_all_aligned(Warp& warp, std::uint32_t pc, Mask lanes);
  void try_complete(Cta& cta, CtaBarrier& barrier);
  Went cluster_barrier(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void try_complete(Cluster& cluster);
  int live_threads(const Cluster& cluster) const;
  int live_warps(const Cta& cta) const;

  // copy_ops.cpp
  Went execute_copy(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void copy_async(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void arrive_async(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void end_groups(Warp& warp, const Instruction& one, Mask lanes);
  void copy_bulk(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void store_async(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void ask_for_cluster(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void multiply(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void check_accumulators(const Warp& warp, const Instruction& one, std::uint32_t pc);
  // The other order: a row has the same place in memory in each of 8 columns of it.
  void touch_columns(Warp& warp, std::uint64_t descriptor, int rows, const Access& access);
  bool is_known(const Warp& warp, const Operand& operand, std::uint32_t pc);
  void touch_matrix(Warp& warp, std::uint32_t pc, std::uint64_t descriptor, int first_row, int rows,
                    int row_bytes, const Access& access);
  struct Transfer {
    Place from, to;
    std::uint64_t bytes = 0;
    std::int32_t barrier = -1;
    Clocks issued;
    Access access;
    // Of st.async and cp.async, in the place of `from`; and why they are not known.
    std::vector<std::uint32_t> words, unsure;
    OwnClock source_read;  // of a bulk group: how its reads are told apart from its writes
    // Of a tensor copy, in the place of what is in global memory: each byte's place in the tensor,
    // and the tensor's address.
    std::shared_ptr<const std::vector<std::int64_t>> tile;
    std::uint64_t tensor = 0;
    std::uint32_t fill = 0;  // two bytes, of what is outside of it
    bool is_reduction = false;
  };
  // Of a copy that is ready: to its group, or to the barriers that its operands from `barrier` and
  // `mask` on name.
  void send(Warp& warp, const Instruction& one, std::uint32_t pc, int lane, Transfer transfer,
            std::size_t barrier, std::size_t mask);
  void issue(Transfer transfer);
  void land(Transfer& transfer);
  // Those of a thread's bulk groups up to the one that it waits for.
  void land_groups(std::int32_t thread, std::uint32_t last);

  // tensor_memory.cpp
  void allocate_columns(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void check_columns();
  void free_columns(Warp& warp, const Instruction& one, std::uint32_t pc, int lane, int columns);
  void check_products_done(const Warp& warp, std::uint32_t pc, int lane);
  void multiply_in_tensor_memory(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void commit_tensor_memory(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);

  // tensor_ops.cpp
  struct KnownMap {
    launch::tensor::TensorMap map;
    std::uint64_t address = 0;
    std::uint32_t version = 0;
  };
  KnownMap* map_at(const Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                   const Operand& operand);
  void replace_in_map(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  Went publish_map(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  std::shared_ptr<const std::vector<std::int64_t>> tile_at(const KnownMap& known,
                                                           const std::vector<int>& at,
                                                           const std::vector<int>& offsets,
                                                           RunPlace by);
  void copy_tensor(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  void land_tile(const Transfer& transfer, Access access, const Viewer& viewer, bool is_store);

  void note_event(const Mbarrier& barrier, std::int64_t phase, RunPlace at);
  void keep_memory();
  void report(FindingKind kind, Grade grade, RunPlace at, std::string what,
              std::vector<Finding::Related> related = {});
  void stop(FindingKind kind, Grade grade, RunPlace at, std::string what);
  std::uint32_t reason(Reason::Kind kind, std::uint32_t pc, int token = -1);
  void report_decision(const Warp& warp, const Operand& operand, std::uint32_t pc, Mask lanes,
                       const char* what);
  void check_number(const Warp& warp, const Operand& operand, std::uint32_t pc, Mask lanes);
  bool require_sure(const Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes);
  Component new_component() { return next_component_++; }
  Component component_of(Warp::Groups& groups);
  Component products_of(Warp& warp);
  void set_channel(Warp& warp, int lane, Component component, std::uint32_t clock);
  void tell(const Warp& warp, std::uint32_t pc, Mask lanes) const {
    if (options_.watch != nullptr && lanes != 0)
      options_.watch->executed(warp, program_.code[pc], pc, lanes);
  }
  RunPlace at(const Warp& warp, std::uint32_t pc, int lane) const {
    return {pc, warp.first_thread + lane};
  }
  Warp& warp_of(int thread) { return warps_[static_cast<std::size_t>(thread / lanes_of_warp)]; }
  Cta& cta_of(const Warp& warp) { return ctas_[static_cast<std::size_t>(warp.cta)]; }
  std::string name_of(const Mbarrier& barrier) const;

  const RunProgram& program_;
  const RunLaunch& launch_;
  const RunOptions& options_;
  std::vector<Warp> warps_;
  std::vector<Cta> ctas_;
  std::vector<Cluster> clusters_;
  std::vector<std::unique_ptr<Region>> buffers_;
  std::vector<std::unique_ptr<Mbarrier>> barriers_;
  std::map<std::pair<const Region*, std::uint64_t>, Flag> flags_;
  std::vector<AddressBase> bases_;
  std::map<std::pair<Base, std::uint32_t>, Base> derived_;  // by what it is made of, and where
  std::vector<Reason> reasons_{1};
  std::map<std::pair<std::uint8_t, std::uint32_t>, std::uint32_t> reason_of_;
  std::vector<Token> tokens_;
  // How the atomics whose order is open change a word, the first of them.
  struct Combined {
    Word way = Word::add;
    Type::Kind kind = Type::Kind::bits;
    unsigned bits = 0;
    bool operator==(const Combined&) const = default;
  };
  std::unordered_map<std::uint64_t, Combined> combined_;
  std::unordered_map<std::int32_t, Polled> polled_;  // by thread: its last poll
  std::vector<Transfer> pending_;
  std::map<std::pair<const Region*, std::uint64_t>, KnownMap> maps_;
  std::uint32_t map_versions_ = 0;
  std::map<std::vector<int>, std::shared_ptr<const std::vector<std::int64_t>>> tiles_;
  std::vector<std::unique_ptr<Region>> variables_;  // of the file, in global memory
  std::unordered_map<std::int32_t, std::unique_ptr<Region>> local_;  // by thread
  std::set<std::pair<std::uint8_t, std::pair<std::uint32_t, std::uint32_t>>> reported_;
  Component next_component_ = 0;
  std::uint64_t progress_ = 0;
  std::mt19937 draw_;
  std::uint32_t allocations_ = 0;         // of Tensor Memory
  int most_columns_ = 0;                  // of it, that a CTA has had at once
  std::optional<RunPlace> other_polled_;  // a poll of what another cluster stores
  std::uint32_t unwritten_memory_ = 0;    // the reason
  Residency residency_;                   // of no limit where all CTAs are there at once
  bool relies_on_cta_scope_ = false;      // a wait has, for what another CTA did
  bool stopped_ = false;
  Mask elected_of_ = 0;          // the mask of the last elect.sync of several lanes
  bool has_lost_order_ = false;  // a load or an atomic decided: what it was ordered with is unknown
  RunOutcome outcome_;
};

// settle.cpp: runs the launch, again where a run shows that threads share an atomic, and for each
// lane that elect.sync may choose.
RunOutcome run_launch(const RunProgram& program, const RunLaunch& launch, RunOptions options);

}  // namespace phasebit::ptx::run
