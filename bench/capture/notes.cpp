#include "bench/capture/notes.h"

#include "bench/capture/driver.h"

#include <algorithm>
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
// How many bytes of what buffers hold are wanted, of each and in all.
constexpr const char* each_variable = "PHASEBIT_CAPTURE_EACH";
constexpr const char* all_variable = "PHASEBIT_CAPTURE_ALL";

std::size_t number_of(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

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

  // Whether it is to be written; one that came before is counted.
  bool is_new(const std::string& kernel, const std::string& line) {
    if (const auto known = times_.find(line); known != times_.end())
      return ++known->second.times, false;
    if (written_[kernel] >= most_) return ++left_out_, false;
    ++written_[kernel];
    return true;
  }
  // `line` tells it from others, `whole` is written.
  void add(const std::string& line, const std::string& whole) {
    times_.emplace(line, Written{whole, 1});
    file_ << whole << std::endl;  // a launch may be the last thing that the process does
  }
  // As much of a buffer as is wanted still.
  std::size_t wanted(std::size_t bytes) const { return std::min({bytes, each_, all_}); }
  // The name of the file that holds it.
  std::string keep(const std::string& bytes) {
    all_ -= bytes.size();
    std::string name = std::to_string(process_) + "-" + std::to_string(kept_++) + ".bin";
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    return name;
  }
  void end() {
    if (process_ != ::getpid()) return;
    for (const auto& [line, one] : times_)
      if (one.times > 1) file_ << json({{"again", one.whole}, {"times", one.times}}).dump() << '\n';
    if (left_out_ > 0) file_ << json({{"left_out", left_out_}}).dump() << '\n';
    file_.flush();
  }

 private:
  void begin() {
    process_ = ::getpid();
    times_.clear();
    written_.clear();
    const char* folder = std::getenv(folder_variable);
    most_ = static_cast<int>(number_of(most_variable, 64));
    each_ = number_of(each_variable, 0);
    all_ = number_of(all_variable, 0);
    file_ = std::ofstream();
    if (folder == nullptr) return;
    folder_ = folder;
    file_.open(folder_ + "/" + std::to_string(process_) + ".jsonl");
  }

  std::mutex mutex_;
  pid_t process_ = 0;
  std::ofstream file_;
  std::map<std::string, json> maps_;  // by the bytes
  struct Written {
    std::string whole;
    int times = 0;
  };
  std::map<std::string, Written> times_;  // by the line without contents
  std::map<std::string, int> written_;
  int most_ = 0, left_out_ = 0;
  std::string folder_;
  std::size_t each_ = 0, all_ = 0;  // bytes that are wanted
  int kept_ = 0;
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

// What the launch's buffers hold, from where its parameters point to.
json contents_of(Notes& notes, const json& line, CUstream stream) {
  json made = json::array();
  std::map<std::uint64_t, std::size_t> taken;  // by address
  const auto take = [&](const json& place) {
    const auto address = place.at("address").get<std::uint64_t>(),
               begin = place.at("begin").get<std::uint64_t>();
    const std::size_t left = begin + place.at("bytes").get<std::uint64_t>() - address;
    const std::size_t bytes = notes.wanted(left);
    if (bytes == 0 || !taken.emplace(address, bytes).second) return;
    const auto held = memory_at(address, bytes, stream);
    if (held)
      made.push_back({{"begin", begin},
                      {"at", address - begin},
                      {"file", notes.keep(*held)},
                      {"left", left - bytes}});
  };
  for (const json& one : line.at("pointers")) take(one);
  for (const json& one : line.at("maps"))
    if (one.at("map").contains("memory")) take(one.at("map").at("memory"));
  return made;
}

std::string text_of(const json& line) {
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
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
  const std::string without_contents = text_of(line);
  if (!notes.is_new(kernel, without_contents)) return;
  if (block && notes.wanted(1) > 0) line["contents"] = contents_of(notes, line, launch.stream);
  notes.add(without_contents, text_of(line));
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
