#include "core/base/fields.h"
#include "core/base/home.h"
#include "core/isa/targets.h"
#include "gen/ptxas/toolchain.h"
#include "join/emit/emit.h"

#include <algorithm>
#include <map>

namespace phasebit::join::emit {

using launch::Role;

namespace {

// What a verb is called, by the names of CUTLASS. The order is that of the header.
struct Function {
  Role role;
  const char *verb, *name;
};
constexpr Function functions[] = {
    {Role::producer, "try_acquire", "producer_try_acquire"},
    {Role::producer, "acquire", "producer_acquire"},
    {Role::producer, "fill", "producer_copy"},
    {Role::producer, "commit", "producer_commit"},
    {Role::producer, "tail", "producer_tail"},
    {Role::consumer, "try_wait", "consumer_try_wait"},
    {Role::consumer, "wait", "consumer_wait"},
    {Role::consumer, "release", "consumer_release"},
    {Role::consumer, "leave", "consumer_tail"},
};

// Registers of the whole kernel that a thread brings along, and what they are to a caller.
struct Given {
  const char *name, *says;
};
constexpr Given given[] = {
    {"lane", "threadIdx.x % 32"},
    {"rank", "the thread's number among those of its role that share a slot"},
    {"unit", "the number of the unit that takes turns with others of its role"},
    {"tid", "threadIdx.x"},
};

std::string type_in_cpp(const std::string& type) {
  return type.ends_with("64") ? "unsigned long long" : "unsigned";
}

// One role's verbs, and what its functions keep in the state and in the token.
struct Side {
  Role role = Role::none;
  std::string prefix, tag;  // "p_", "Producer"
  std::map<std::string, std::vector<Piece>> verbs;
  Names state, token;
  const Piece* first(const std::string& verb) const {  // its first place, or null
    const auto found = verbs.find(verb);
    return found == verbs.end() ? nullptr : &found->second.front();
  }
  std::string own(const std::string& name) const { return prefix + name; }
  std::string plain(const std::string& name) const {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  }
  // Of a member of the state: CUTLASS's words where it has some.
  std::string member(const std::string& name) const {
    const std::string word = plain(name);
    if (word == "slot") return "index_";
    if (word == "parity") return "phase_";
    return word == "item" ? "count_" : word + "_";
  }
};

class Header {
 public:
  Header(const VerbText& text, const ptx::head::Head& head) : text_(text), head_(head) {}

  Result<std::string> make(const HeaderFacts& facts);

 private:
  Status find_sides();
  Status find_side(Side& side);
  void add_token(Side& side) const;
  void add_state(Side& side) const;
  Piece set_up(const Side& side) const;
  Names brought(const Side& side) const;
  Result<std::string> state(const Side& side) const;
  Result<std::string> start(const Side& side) const;
  Result<std::string> verb(const Side& side, const Function& function) const;
  std::string token(const Side& side) const;
  Result<std::string> init() const;
  std::string comment(const HeaderFacts& facts) const;
  std::string conditions(const HeaderFacts& facts) const;
  std::string storage() const;
  bool copies() const { return head_.launch.payload.period > 0; }

  const VerbText& text_;
  const ptx::head::Head& head_;
  std::vector<Side> sides_;
  bool unrolled_ = false;
};

tl::unexpected<Error> refuse(const ptx::head::Head& head, const std::string& why) {
  return fail(Step::usage, "{}: no header: {}", head.key.id, why);
}

Names united(const Names& a, const Names& b) {
  Names all = a;
  all.insert(b.begin(), b.end());
  return all;
}

// What a try leaves and is read later: by the wait, or by the next try.
void Header::add_token(Side& side) const {
  for (const char* verb : {"try_acquire", "try_wait"})
    if (const Piece* tries = side.first(verb)) {
      Names used = text_.reads(*tries);
      for (const char* waits : {"acquire", "wait"})
        if (const Piece* piece = side.first(waits)) used.merge(text_.reads(*piece));
      for (const std::string& name : text_.writes(*tries))
        if (used.count(name) > 0) side.token.insert(name);
    }
}

// What the functions read and none of them is given. Going on to the next slot is cut to what the
// state has; the tail does so too.
void Header::add_state(Side& side) const {
  for (const auto& [verb, places] : side.verbs)
    for (const std::string& name : text_.reads(places.front()))
      if (side.token.count(name) == 0 && name != "items" && verb != "advance")
        side.state.insert(name);
  if (side.first("fill") != nullptr)
    for (const char* name : {"payload", "source"}) side.state.erase(side.own(name));
  for (const char* name : {"slot", "parity", "item"}) side.state.insert(side.own(name));
  if (const Piece* next = side.first("advance")) {
    for (std::size_t before = 0; before != side.state.size();) {
      before = side.state.size();
      side.state.merge(text_.reads(text_.slice(*next, side.state, false)));
    }
    for (Piece& place : side.verbs["advance"]) place = text_.slice(place, side.state, false);
  }
  if (side.first("tail") == nullptr) return;
  Piece& tail = side.verbs["tail"].front();
  const std::size_t begin = tail.front(), end = tail.back();
  for (const char* verb : {"advance", "advance_lap"})
    for (const Piece& place : side.verbs[verb])
      if (!place.empty() && place.front() > begin && place.back() < end)
        tail.insert(tail.end(), place.begin(), place.end());
  std::sort(tail.begin(), tail.end());
  std::erase_if(side.verbs, [](const auto& one) { return one.second.empty(); });
}

Status Header::find_side(Side& side) {
  for (const char* verb : {"prime", "advance", "advance_lap", "quit"})
    side.verbs[verb] = text_.places(side.role, verb);
  for (const Function& one : functions)
    if (one.role == side.role) side.verbs[one.verb] = text_.places(side.role, one.verb);
  if (!copies()) side.verbs.erase("fill");
  std::erase_if(side.verbs, [](const auto& one) { return one.second.empty(); });
  if (side.first("quit") != nullptr)
    return refuse(head_, "a consumer that leaves before the others drops out of its barriers");
  if (side.first(side.role == Role::producer ? "acquire" : "wait") == nullptr)
    return refuse(head_, fmt::format("no warp is {} alone", base::word_of(side.role)));
  if (side.first("fill") != nullptr)
    for (Piece& place : side.verbs["fill"]) place = text_.slice(place, {}, true);
  add_token(side);
  add_state(side);
  return {};
}

Status Header::find_sides() {
  sides_ = {{Role::producer, "p_", "Producer", {}, {}, {}},
            {Role::consumer, "c_", "Consumer", {}, {}, {}}};
  for (Side& side : sides_) {
    PHASEBIT_TRY(find_side(side));
    for (const auto& [verb, places] : side.verbs)
      unrolled_ = unrolled_ || ((verb == "acquire" || verb == "wait") && places.size() > 1);
    for (const std::string& name : text_.writes(text_.outside(side.role, false)))
      if (side.state.count(name) > 0)
        return refuse(head_, fmt::format("its loop sets '{}' outside of the verbs", name));
    for (const std::string& name : brought(side))
      if (name != "ring" && std::none_of(std::begin(given), std::end(given),
                                         [&](const Given& one) { return name == one.name; }))
        return refuse(head_,
                      fmt::format("its verbs read '{}', which a caller does not have", name));
  }
  return {};
}

Piece Header::set_up(const Side& side) const {
  return text_.slice(text_.outside(side.role, true), side.state, false);
}

// What a caller brings: read by the set-up or the verbs, and not made by the set-up.
Names Header::brought(const Side& side) const {
  const Piece piece = set_up(side);
  const Names made = text_.writes(piece);
  Names all = united(text_.reads(piece), side.state), found;
  if (const Piece* prime = side.first("prime")) all.merge(text_.reads(*prime));
  for (const std::string& name : all)
    if (made.count(name) == 0) found.insert(name);
  return found;
}

Result<std::string> Header::state(const Side& side) const {
  std::string out = fmt::format("template <>\nstruct PipelineState<{}> {{\n", side.tag);
  for (const std::string& name : side.state)
    out += fmt::format("  {} {};\n", type_in_cpp(text_.type_of(name)), side.member(name));
  out +=
      "  PHASEBIT_INLINE unsigned index() const { return index_; }\n"
      "  PHASEBIT_INLINE unsigned phase() const { return phase_; }\n"
      "  PHASEBIT_INLINE unsigned count() const { return count_; }\n";
  if (const Piece* next = side.first(unrolled_ ? "advance_lap" : "advance")) {
    const auto bind = [&](const std::string& name) { return side.member(name); };
    PHASEBIT_TRY_ASSIGN(text, text_.asm_statement({{*next}, side.state, false, bind}));
    out += fmt::format(
        "  // {}\n  PHASEBIT_INLINE {} {{\n{}{}  }}\n",
        unrolled_ ? "To the next lap, after the verbs of every stage." : "To the next item.",
        unrolled_ ? "void next_lap()" : "PipelineState& operator++()", text,
        unrolled_ ? "" : "    return *this;\n");
  }
  return out + "};\n\n";
}

Result<std::string> Header::start(const Side& side) const {
  const Names names = brought(side);
  std::string parameters, says;
  for (const Given& one : given)
    if (names.count(one.name) > 0) {
      parameters += fmt::format("{}unsigned {}", parameters.empty() ? "" : ", ", one.name);
      says += fmt::format("{}: {}. ", one.name, one.says);
    }
  if (names.count("ring") > 0)
    parameters = "SharedStorage& storage" + (parameters.empty() ? "" : ", " + parameters);
  const auto bind = [&](const std::string& name) {
    if (name == "ring") return std::string("address_of(storage)");
    return side.state.count(name) > 0 && names.count(name) == 0 ? "state." + side.member(name)
                                                                : name;
  };
  std::string out = fmt::format(
      "// {}\nPHASEBIT_INLINE PipelineState<{}> make_{}_start_state({}) {{\n"
      "  PipelineState<{}> state;\n",
      says + (side.first("prime") != nullptr ? "Once a thread: it also hands every stage over."
                                             : "After `init` and a CTA barrier."),
      side.tag, base::word_of(side.role), parameters, side.tag);
  PHASEBIT_TRY_ASSIGN(text, text_.asm_statement({{set_up(side)}, side.state, true, bind}));
  out += text;
  for (const std::string& name : side.state)
    if (names.count(name) > 0)
      out += fmt::format("  state.{} = {};\n", side.member(name), bind(name));
  if (const Piece* prime = side.first("prime")) {
    PHASEBIT_TRY_ASSIGN(primes, text_.asm_statement({{*prime}, {}, true, bind}));
    out += primes;
  }
  return out + "  return state;\n}\n\n";
}

Result<std::string> Header::verb(const Side& side, const Function& function) const {
  const auto found = side.verbs.find(function.verb);
  const std::vector<Piece> none;
  const std::vector<Piece>& all = found == side.verbs.end() ? none : found->second;
  const std::string_view word = function.verb;
  const bool tries = word.starts_with("try_"), tail = word == "tail";
  if (all.empty() && word != "commit") return std::string();
  Names read, written;
  if (!all.empty()) read = text_.reads(all.front()), written = text_.writes(all.front());
  const auto any = [](const Names& names, const Names& of) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return of.count(name) > 0; });
  };
  const bool takes_token = any(read, side.token);
  std::string parameters = tail ? fmt::format("PipelineState<{}> state", side.tag)
                                : fmt::format("{}PipelineState<{}>& state",
                                              any(written, side.state) ? "" : "const ", side.tag);
  if (read.count("items") > 0 && !tail) parameters += ", unsigned items";
  if (takes_token)
    parameters +=
        fmt::format(", {}{}Token{}token", tries ? "" : "const ", side.tag, tries ? " " : "& ");
  if (read.count(side.own("payload")) > 0) parameters += ", unsigned destination";
  if (read.count(side.own("source")) > 0) parameters += ", const void* source";
  const auto bind = [&](const std::string& name) -> std::string {
    if (side.token.count(name) > 0) return "token." + side.plain(name);
    // A tail goes over the stages, whatever was handled before.
    if (tail && (name == "items" || name == side.own("item")))
      return name == "items" ? "0" : "round";
    if (name == "items") return name;
    if (side.state.count(name) > 0) return "state." + side.member(name);
    return side.plain(name) == "payload"
               ? "destination"
               : "static_cast<unsigned long long>(__cvta_generic_to_global(source))";
  };
  std::string out;
  if (unrolled_ && all.size() != 1) out += "template <unsigned Slot>\n";
  out += fmt::format("PHASEBIT_INLINE {} {}({}) {{\n",
                     tries ? side.tag + "Token" : std::string("void"), function.name, parameters);
  if (tries && !takes_token) out += fmt::format("  {}Token token;\n", side.tag);
  if (tail) out += "  unsigned round = 0;\n";
  if (!all.empty()) {
    std::vector<Piece> places = all;
    if (!unrolled_ || tail) places.resize(1);
    PHASEBIT_TRY_ASSIGN(text,
                        text_.asm_statement({places, united(side.state, side.token), true, bind}));
    out += text;
  }
  return out + (tries ? "  return token;\n" : "") + "}\n\n";
}

std::string Header::token(const Side& side) const {
  if (side.token.empty()) return {};
  std::string out = fmt::format(
      "// What a try said, for the wait of the same item.\nstruct {}Token {{\n", side.tag);
  for (const std::string& name : side.token)
    out += fmt::format("  {} {} = 0;\n", type_in_cpp(text_.type_of(name)), side.plain(name));
  return out + "};\n\n";
}

Result<std::string> Header::init() const {
  const auto places = text_.places(Role::none, "init");
  if (places.empty()) return std::string();
  const auto bind = [](const std::string& name) {
    return name == "ring" ? std::string("address_of(storage)") : std::string("thread");
  };
  PHASEBIT_TRY_ASSIGN(text, text_.asm_statement({{places.front()}, {}, true, bind}));
  return fmt::format(
      "// By the first {} threads of the CTA, before a CTA barrier. thread: threadIdx.x.\n"
      "PHASEBIT_INLINE void init(SharedStorage& storage, unsigned thread) {{\n{}}}\n\n",
      head_.launch.threads, text);
}

std::string Header::comment(const HeaderFacts& facts) const {
  std::map<Role, int> threads;
  for (const launch::RoleSlice& slice : head_.launch.slices) threads[slice.role] += slice.lanes();
  const auto said = [](const std::string& text) { return text.empty() ? "not measured" : text; };
  std::string out = fmt::format(
      "// {}\n// The verbs of this variant as functions, by `phasebit emit` of phasebit {}; "
      "docs/emit.md.\n// Measured: {}.\n"
      "// A compiler orders what is around the verbs in its own way.\n"
      "// Through nvcc: {}.\n"
      "// Needs {} and PTX {}. {} threads produce, {} consume.\n",
      head_.key.id, base::program_version(), said(facts.figure.text),
      said(facts.figure.through_nvcc), facts.lowest_target, facts.ptx.text(),
      threads[Role::producer], threads[Role::consumer]);
  for (const ptx::head::HeadBarrier& one : head_.barriers)
    if (ptx::head::barrier_bytes(one.kind) == 0)
      out += fmt::format("// Named barriers {} to {} of the CTA are its {} barriers.\n", one.base,
                         one.base + one.stride * (one.count - 1), one.name);
  return out;
}

// What another compiler or architecture makes of it was not measured.
std::string Header::conditions(const HeaderFacts& facts) const {
  const auto architecture = [](const std::string& target) {
    return 10 * isa::parse_target(target).value_or(isa::Target{}).sm;
  };
  const auto release = [](const isa::Version& version) {
    return version.parts.size() < 2 ? 0 : 100 * version.parts[0] + version.parts[1];
  };
  const isa::Version cuda = ptxas::oldest_cuda(facts.ptx).value_or(isa::Version{{0, 0}});
  const std::string& id = head_.key.id;
  constexpr const char* own = "__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__";
  std::string out = fmt::format(
      "#pragma once\n\n#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < {}\n"
      "#error \"{} needs {}\"\n#endif\n#if {} < {}\n#error \"{} needs PTX {}: CUDA {}\"\n#endif\n",
      architecture(facts.lowest_target), id, facts.lowest_target, own, release(cuda), id,
      facts.ptx.text(), cuda.text());
  std::string other = "1", note = "not measured";
  if (const MeasuredFigure& figure = facts.figure; !figure.text.empty()) {
    other = fmt::format("__CUDA_ARCH__ != {} || {} != {}", architecture(figure.target), own,
                        release(isa::parse_version(figure.ptxas).value_or(isa::Version{})));
    note = fmt::format("measured for {} by ptxas {}, not for this architecture by this release",
                       figure.target, figure.ptxas);
  }
  return out + fmt::format(
                   "// Define PHASEBIT_NOT_MEASURED to leave the note out.\n"
                   "#if defined(__CUDA_ARCH__) && !defined(PHASEBIT_NOT_MEASURED)\n#if {}\n"
                   "#pragma message(\"{}: {}\")\n#endif\n#endif\n"
                   "#ifndef PHASEBIT_INLINE\n#define PHASEBIT_INLINE __device__ __forceinline__\n"
                   "#endif\n\n",
                   other, id, note);
}

std::string Header::storage() const {
  std::string words;
  for (const ptx::head::HeadBarrier& one : head_.barriers)
    if (ptx::head::barrier_bytes(one.kind) > 0)
      words += fmt::format("  unsigned long long {}_barrier_[Stages];\n", one.name);
  std::string out =
      fmt::format("inline constexpr unsigned Stages = {};\n", head_.key.value("num_stages"));
  if (copies())
    out += fmt::format("// Bytes of a stage.\ninline constexpr unsigned transaction_bytes = {};\n",
                       4 * head_.launch.payload.words_per_slot);
  out += fmt::format("\nstruct alignas(8) SharedStorage {{\n{}}};\n", words);
  return out +
         "PHASEBIT_INLINE unsigned address_of(SharedStorage& storage) {\n"
         "  return static_cast<unsigned>(__cvta_generic_to_shared(&storage));\n}\n\n"
         "struct Producer;\nstruct Consumer;\ntemplate <class Role>\nstruct PipelineState;\n\n";
}

Result<std::string> Header::make(const HeaderFacts& facts) {
  PHASEBIT_TRY(find_sides());
  std::string out = comment(facts) + conditions(facts) +
                    fmt::format("namespace phasebit::ring_{} {{\n\n", head_.key.hash) + storage();
  PHASEBIT_TRY_ASSIGN(initial, init());
  out += initial;
  for (const Side& side : sides_) {
    PHASEBIT_TRY_ASSIGN(made, state(side));
    PHASEBIT_TRY_ASSIGN(begins, start(side));
    out += made + begins + token(side);
    for (const Function& one : functions) {
      if (one.role != side.role) continue;
      PHASEBIT_TRY_ASSIGN(function, verb(side, one));
      out += function;
    }
  }
  return out + fmt::format("}}  // namespace phasebit::ring_{}\n", head_.key.hash);
}

}  // namespace

Result<std::string> header_text(const VerbText& text, const ptx::head::Head& head,
                                const HeaderFacts& facts) {
  return Header(text, head).make(facts);
}

}  // namespace phasebit::join::emit
