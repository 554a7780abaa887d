// Message passing: one thread stores data and says so, another hears it and loads the data. What
// the PTX model says of each way to say it, as small kernels that are run once (`check`) or many
// times (a GPU).
#pragma once

#include <string>
#include <vector>

namespace phasebit::test {

// Where reader and writer are.
enum class Place { warp, cta, cluster, grid };
const char* to_string(Place place);
inline int ctas_of(Place place) {
  return place == Place::cluster || place == Place::grid ? 2 : 1;
}

struct Message {
  // Who executes what: one thread writes and one reads; all of warp 0 and all of warp 1; or all
  // threads do everything.
  enum class Roles { threads, warps, all };
  std::string family;   // "flags", "mbarriers and barriers"
  std::string section;  // of the PTX ISA, 9.0
  Place place = Place::cta;
  Roles roles = Roles::threads;
  std::string setup;                // once
  std::string write, signal, wait;  // in this order; `all` signal and wait in `signal`
  std::string read;                 // into r2
  std::string reader = "first";     // predicate of the thread of `all` that reads
  std::string expected = "$v";      // what r2 must be, of `all` in some rows not the writer's value
  std::string finding = {};         // what check finds first; "" for ordered
  bool reads_before = true;         // a load before the wait: its line may be in L1
  bool is_ordered() const { return finding.empty(); }
};

// In the texts: $v is the value of this time, $u that of the time before, $p its parity.
const std::vector<Message>& messages();

// "fence.acq_rel.gpu, st.relaxed.gpu.global.u32": the opcodes of a text.
std::string opcodes_of(const std::string& text);

// For small_kernel: once, with value 1 and parity 0.
std::string once(const Message& message);

// A kernel `message_N` that passes as many messages as its parameter says.
// .param .u64 out      4096 zeroed bytes for each pair of CTAs or each CTA; of a pair the SMs go to
//                      word 768 and the next
// .param .u64 counts   u32: stale reads, waits that were given up, messages
// .param .u32 rounds
std::string entry_of(std::size_t number);
std::string module_of_messages();  // all of them

}  // namespace phasebit::test
