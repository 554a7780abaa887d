#include "bench/capture/notes.h"

#include "bench/capture/driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace phasebit::bench::capture {
namespace {

using nlohmann::json;

constexpr const char* folder_variable = "PHASEBIT_CAPTURE";
constexpr const char* most_variable = "PHASEBIT_CAPTURE_MOST";

std::string hex_of(const unsigned char* bytes, std::size_t count) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (std::size_t n = 0; n < count; ++n) {
    text += digits[bytes[n] / 16];
    text += digits[bytes[n] % 16];
  }
  return text;
}

// One file a process: a child that was forked has its own.
class Notes {
 public:
  static Notes& of_process() {
    static auto* notes = new Notes;  // outlives what launches kernels at the end
    if (notes->process_ != ::getpid()) notes->begin();
    return *notes;
  }
  std::mutex& mutex() { return mutex_; }

  void add_map(const std::string& bytes, json map) { maps_[bytes] = std::move(map); }
  const json* map(const std::string& bytes) const {
    const auto found = maps_.find(bytes);
    return found == maps_.end() ? nullptr : &found->second;
  }

  void add(const std::string& kernel, const std::string& line) {
    if (const auto known = times_.find(line); known != times_.end()) return void(++known->second);
    if (written_[kernel] >= most_) return void(++left_out_);
    ++written_[kernel];
    times_.emplace(line, 1);
    file_ << line << std::endl;  // a launch may be the last thing that the process does
  }
  void end() {
    if (process_ != ::getpid()) return;
    for (const auto& [line, times] : times_)
      if (times > 1) file_ << json({{"again", line}, {"times", times}}).dump() << '\n';
    if (left_out_ > 0) file_ << json({{"left_out", left_out_}}).dump() << '\n';
    file_.flush();
  }

 private:
  void begin() {
    process_ = ::getpid();
    times_.clear();
    written_.clear();
    const char* folder = std::getenv(folder_variable);
    const char* most = std::getenv(most_variable);
    most_ = most == nullptr ? 64 : std::atoi(most);
    file_ = std::ofstream();
    if (folder != nullptr)
      file_.open(std::string(folder) + "/" + std::to_string(process_) + ".jsonl");
  }

  std::mutex mutex_;
  pid_t process_ = 0;
  std::ofstream file_;
  std::map<std::string, json> maps_;  // by the bytes
  std::map<std::string, int> times_;  // by the line
  std::map<std::string, int> written_;
  int most_ = 0, left_out_ = 0;
};

[[gnu::destructor]] void end_notes() {
  Notes& notes = Notes::of_process();
  const std::lock_guard lock(notes.mutex());
  notes.end();
}

// All parameters' bytes, with zeros between them; nothing where the driver does not say how many.
std::optional<std::string> block_of(const LaunchNote& launch,
                                    const std::vector<ParameterPlace>& places) {
  std::string block;
  if (!places.empty()) block.assign(places.back().offset + places.back().bytes, '\0');
  if (launch.parameters != nullptr) {
    for (std::size_t n = 0; n < places.size(); ++n)
      std::memcpy(&block[places[n].offset], launch.parameters[n], places[n].bytes);
    return block;
  }
  const char* bytes = nullptr;
  std::size_t count = 0;
  for (void** word = launch.extra; word != nullptr && *word != CU_LAUNCH_PARAM_END; word += 2) {
    if (word[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) bytes = static_cast<const char*>(word[1]);
    if (word[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) count = *static_cast<std::size_t*>(word[1]);
  }
  if (bytes == nullptr) return places.empty() ? std::optional(block) : std::nullopt;
  block.assign(bytes, count);
  return block;
}

// "at": where in the parameters; the address less the allocation's begin is where in that.
json pointer_at(std::size_t at, std::uint64_t address, const Allocation& in) {
  return {{"at", at}, {"address", address}, {"begin", in.begin}, {"bytes", in.bytes}};
}

void describe(const Notes& notes, const std::string& block, json& line) {
  line["pointers"] = line["maps"] = json::array();
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= block.size();) {
    const json* map = at + sizeof(CUtensorMap) <= block.size()
                          ? notes.map(block.substr(at, sizeof(CUtensorMap)))
                          : nullptr;
    if (map != nullptr) {
      line["maps"].push_back({{"at", at}, {"map", *map}});
      at += sizeof(CUtensorMap);
      continue;
    }
    std::uint64_t word = 0;
    std::memcpy(&word, &block[at], sizeof word);
    if (const auto found = allocation_of(word))
      line["pointers"].push_back(pointer_at(at, word, *found));
    at += sizeof word;
  }
}

}  // namespace

void note(const LaunchNote& launch) {
  Notes& notes = Notes::of_process();
  const std::lock_guard lock(notes.mutex());
  const std::string kernel = name_of(launch.function);
  json line = {{"kernel", kernel},
               {"grid", launch.grid},
               {"block", launch.block},
               {"cluster", launch.cluster},
               {"shared_bytes", launch.shared_bytes},
               {"registers", registers_of(launch.function)},
               {"cooperative", launch.cooperative}};
  const auto places = parameters_of(launch.function);
  const bool known = places || launch.parameters == nullptr;
  const auto block =
      known ? block_of(launch, places.value_or(std::vector<ParameterPlace>())) : std::nullopt;
  if (block) {
    line["places"] = json::array();
    for (const ParameterPlace& one : places.value_or(std::vector<ParameterPlace>()))
      line["places"].push_back({one.offset, one.bytes});
    line["parameters"] =
        hex_of(reinterpret_cast<const unsigned char*>(block->data()), block->size());
    describe(notes, *block, line);
  }
  notes.add(kernel, line.dump(-1, ' ', false, json::error_handler_t::replace));
}

void note(const MapNote& map) {
  Notes& notes = Notes::of_process();
  const std::lock_guard lock(notes.mutex());
  json made = {
      {"element", map.element}, {"sizes", map.sizes},         {"strides", map.strides},
      {"box", map.box},         {"steps", map.steps},         {"interleave", map.interleave},
      {"swizzle", map.swizzle}, {"promotion", map.promotion}, {"fill", map.fill},
      {"lower", map.lower},     {"upper", map.upper},         {"channels", map.channels},
      {"pixels", map.pixels},   {"address", map.address}};
  if (const auto found = allocation_of(map.address))
    made["memory"] = pointer_at(0, map.address, *found);
  notes.add_map(std::string(reinterpret_cast<const char*>(map.encoded), sizeof *map.encoded),
                std::move(made));
}

}  // namespace phasebit::bench::capture
