#include "join/capture/captured.h"

#include "core/base/fields_json.h"
#include "core/base/text.h"
#include "core/launch/bundle.h"
#include "join/capture/parameter_list.h"

#include <algorithm>
#include <climits>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::join::capture {

using guard::GuardLaunch;
using launch::CapturedLaunch;
using launch::ExternalLaunch;
using launch::ExternalParameter;
using launch::tensor::TensorMap;
using nlohmann::json;

namespace {

// The library writes whole numbers alone: a fraction is of another writer, and may be too large for
// any of the fields.
json parse_note(std::string_view line) {
  return json::parse(line, [](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::value && value.is_number_float())
      throw json::other_error::create(501, "no whole number: " + value.dump(), &value);
    return true;
  });
}

// Throws for what is not an integer of 32 bits.
int external(const json& value) {
  if (!base::holds_whole<int>(value))
    throw json::other_error::create(501, "not an integer of 32 bits: " + value.dump(), &value);
  return value.get<int>();
}

// The capture library writes the driver's numbers, which are those of our enums.
template <typename Word>
Word word_of(const json& value) {
  const int number = external(value);
  if (number < 0 || number >= static_cast<int>(launch::tensor::words_of(Word{}).size()))
    throw json::other_error::create(501, "no value of the driver: " + value.dump(), &value);
  return static_cast<Word>(number);
}

// A note's launch: its bytes, over which addresses and maps are written.
class LaunchOfNote {
 public:
  explicit LaunchOfNote(const json& note) : note_(note) {}

  ExternalLaunch make() {
    for (int d = 0; d < 3; ++d) {
      launch_.grid[d] = external(note_.at("grid").at(d));
      launch_.block[d] = external(note_.at("block").at(d));
      launch_.cluster[d] = external(note_.at("cluster").at(d));
    }
    note_.at("shared_bytes").get_to(launch_.shared_bytes);
    note_.at("cooperative").get_to(launch_.cooperative);
    raw_ = note_.at("parameters").get<std::string>();
    launch_.parameter_bytes = static_cast<int>(raw_.size() / 2);
    for (const json& one : note_.at("pointers")) add_pointer(one);
    for (const json& one : note_.at("maps")) add_map(one);
    add_raw();
    for (const json& one : note_.value("contents", json::array())) {
      const auto begin = one.at("begin").get<std::uint64_t>();
      const auto known = names_.find(begin);
      if (known == names_.end())
        throw json::other_error::create(501, "contents of no buffer", &one);
      launch_.contents.push_back(
          {known->second, one.at("at").get<std::uint64_t>(), 0, one.at("file").get<std::string>()});
    }
    return std::move(launch_);
  }

 private:
  launch::Buffer buffer_of(const json& place) {
    const auto begin = place.at("begin").get<std::uint64_t>();
    const auto [at, fresh] = names_.try_emplace(begin, fmt::format("b{}", names_.size()));
    return {at->second, place.at("bytes").get<std::uint64_t>(), {}};
  }
  static std::uint64_t offset_in(const json& place) {
    return place.at("address").get<std::uint64_t>() - place.at("begin").get<std::uint64_t>();
  }
  // Throws for what is not among the parameters.
  void check_place(int offset, int bytes) const {
    if (offset >= 0 && bytes >= 0 && bytes <= launch_.parameter_bytes &&
        offset <= launch_.parameter_bytes - bytes)
      return;
    throw json::other_error::create(
        501,
        fmt::format("{} bytes at {}, and there are {}", bytes, offset, launch_.parameter_bytes),
        &note_);
  }
  // Zeros in the place of what is another number in every process.
  void blank(int offset, int bytes) {
    check_place(offset, bytes);
    std::fill_n(raw_.begin() + 2 * offset, 2 * bytes, '0');
  }

  // Each parameter's bytes, before what is written over them. A driver that does not say where one
  // begins has been given all of them as one block.
  void add_raw() {
    auto places = note_.at("places").get<std::vector<std::pair<int, int>>>();
    if (places.empty() && !raw_.empty()) places = {{0, launch_.parameter_bytes}};
    std::vector<ExternalParameter> all;
    for (const auto& [offset, bytes] : places) {
      check_place(offset, bytes);
      ExternalParameter made;
      made.name = fmt::format("{}", all.size());
      made.kind = ExternalParameter::Kind::raw;
      made.offset = offset;
      made.bytes = bytes;
      made.raw =
          raw_.substr(2 * static_cast<std::size_t>(offset), 2 * static_cast<std::size_t>(bytes));
      launch_.starts.push_back(offset);
      all.push_back(std::move(made));
    }
    launch_.parameters.insert(launch_.parameters.begin(), all.begin(), all.end());
  }

  void add_pointer(const json& one) {
    constexpr int address_bytes = 8;
    ExternalParameter made;
    made.kind = ExternalParameter::Kind::buffer;
    made.offset = external(one.at("at"));
    made.bytes = address_bytes;
    made.buffer = buffer_of(one);
    made.name = made.buffer.name;
    made.at = offset_in(one);
    blank(made.offset, made.bytes);
    launch_.parameters.push_back(std::move(made));
  }

  void add_map(const json& one) {
    const json& said = one.at("map");
    ExternalParameter made;
    made.kind = ExternalParameter::Kind::tensor_map;
    made.offset = external(one.at("at"));
    made.bytes = static_cast<int>(launch::MapBytes{}.size());
    TensorMap map;
    map.element = word_of<launch::tensor::TensorElement>(said.at("element"));
    said.at("sizes").get_to(map.sizes);
    said.at("strides").get_to(map.strides);
    said.at("box").get_to(map.box);
    said.at("steps").get_to(map.steps);
    if (std::all_of(map.steps.begin(), map.steps.end(), [](int step) { return step == 1; }))
      map.steps.clear();
    map.interleave = word_of<launch::tensor::TensorInterleave>(said.at("interleave"));
    map.swizzle = word_of<launch::tensor::TensorSwizzle>(said.at("swizzle"));
    map.promotion = word_of<launch::tensor::TensorPromotion>(said.at("promotion"));
    map.fill = word_of<launch::tensor::TensorFill>(said.at("fill"));
    if (map.sizes.empty() || map.strides.size() + 1 != map.sizes.size())
      throw json::other_error::create(501, "a tensor map without sizes or strides", &said);
    if (external(said.at("pixels")) > 0)
      map.im2col = {said.at("lower"), said.at("upper"), said.at("channels"), said.at("pixels")};
    if (said.contains("memory")) {
      made.buffer = buffer_of(said.at("memory"));
      made.at = offset_in(said.at("memory"));
    } else {
      made.buffer = {fmt::format("m{}", made.offset),
                     static_cast<std::uint64_t>(launch::tensor::tensor_bytes(map)),
                     {}};
    }
    map.name = made.name = fmt::format("m{}", made.offset);
    map.buffer = made.buffer.name;
    made.map = std::move(map);
    blank(made.offset, made.bytes);
    launch_.parameters.push_back(std::move(made));
  }

  const json& note_;
  ExternalLaunch launch_;
  std::string raw_;
  std::map<std::uint64_t, std::string> names_;  // of buffers, by where they begin
};

class NoteReader {
 public:
  NoteReader(fs::path folder, std::string contents_folder)
      : folder_(std::move(folder)), contents_folder_(std::move(contents_folder)) {}

  Status read_lines(std::string_view text, const std::string& file) {
    const std::vector<std::string_view> lines = base::split(text, '\n');
    for (size_t n = 0; n < lines.size(); ++n) {
      const bool is_last = n + 1 == lines.size();
      try {
        if (!is_last || !lines[n].empty()) PHASEBIT_TRY(read(parse_note(lines[n])));
      } catch (const json::exception& error) {
        if (is_last) break;  // half of one, of a process that was killed
        return fail(Step::io, "{}:{}: {}", file, n + 1, error.what());
      }
    }
    return {};
  }
  Captured take() { return std::move(captured_); }

 private:
  static int times_of(const json& note) { return std::max(1, external(note.at("times"))); }
  // Up to the largest number.
  static void count(int& sum, int more) {
    sum = static_cast<int>(std::min<std::int64_t>(std::int64_t{sum} + more, INT_MAX));
  }

  Status read(const json& note) {
    if (note.contains("again"))
      return add(parse_note(note.at("again").get<std::string>()), times_of(note) - 1);
    if (!note.contains("left_out")) return add(note, 1);
    count(captured_.left_out, external(note.at("left_out")));
    return {};
  }

  Status add(const json& note, int times) {
    if (!note.contains("parameters")) {
      count(captured_.without_parameters, times);
      return {};
    }
    const auto kernel = note.at("kernel").get<std::string>();
    const int registers = external(note.at("registers"));
    ExternalLaunch launch = LaunchOfNote(note).make();
    PHASEBIT_TRY(take_contents(launch));
    for (CapturedLaunch& one : captured_.launches) {
      if (one.kernel != kernel || one.registers != registers || !(one.launch == launch)) continue;
      count(one.times, times);
      return {};
    }
    for (const json& one : note.value("contents", json::array()))
      captured_.cut += one.at("left").get<std::uint64_t>() > 0 ? 1 : 0;
    captured_.launches.push_back({kernel, times, registers, std::move(launch)});
    return {};
  }

  // By their hash in the place of the note's file.
  Status take_contents(ExternalLaunch& launch) {
    for (launch::ExternalContents& one : launch.contents) {
      if (fs::path(one.file).filename() != one.file || one.file.empty())
        return fail(Step::io, "contents in '{}', which is not a file of the notes", one.file);
      PHASEBIT_TRY_ASSIGN(bytes, base::read_file(folder_ / one.file));
      one.bytes = bytes.size();
      one.file = launch::contents_file(contents_folder_, bytes);
      captured_.contents.emplace(one.file, std::move(bytes));
    }
    return {};
  }

  fs::path folder_;
  std::string contents_folder_;
  Captured captured_;
};

}  // namespace

Result<Captured> read_notes(const fs::path& folder, const std::string& contents_folder) {
  std::vector<fs::path> files;
  for (const auto& one : fs::directory_iterator(folder))
    if (one.path().extension() == ".jsonl") files.push_back(one.path());
  std::sort(files.begin(), files.end());
  NoteReader reader(folder, contents_folder);
  for (const fs::path& path : files) {
    PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
    PHASEBIT_TRY(reader.read_lines(text, path.string()));
  }
  return reader.take();
}

Result<Captured> parse_notes(std::string_view text, const std::string& file,
                             const fs::path& folder) {
  NoteReader reader(folder, {});
  PHASEBIT_TRY(reader.read_lines(text, file));
  return reader.take();
}

namespace {

// "FILE#3" taken apart, and the launches of the file.
struct Named {
  std::string file;
  std::optional<size_t> number;
  bool has_mark = false;
  std::vector<CapturedLaunch> all;
  // Of the kernel, and that the number names where there is one.
  std::vector<size_t> of(const std::string& kernel) const {
    std::vector<size_t> own;
    for (size_t n = 0; n < all.size(); ++n)
      if (all[n].kernel == kernel && (!has_mark || number == n)) own.push_back(n);
    return own;
  }
};

Result<Named> read_named(const std::string& words) {
  const size_t mark = words.rfind('#');
  Named made;
  made.file = words.substr(0, mark);
  made.has_mark = mark != std::string::npos;
  if (made.has_mark) made.number = whole_number<size_t>(words.substr(mark + 1));
  PHASEBIT_TRY_ASSIGN(all, launch::read_launch_file(made.file));
  made.all = std::move(all);
  return made;
}

tl::unexpected<Error> choose(Named named, const std::string& words, const std::string& kernel) {
  named.has_mark = false;
  const std::vector<size_t> own = named.of(kernel);
  std::vector<std::string> known;
  for (const size_t n : own)
    known.push_back(fmt::format("{}#{}: a grid of {}, {} times", named.file, n,
                                fmt::join(named.all[n].launch.grid, ","), named.all[n].times));
  if (known.empty()) return fail(Step::usage, "{} has no launch of it", named.file);
  return with_hint(fail(Step::usage, "{} has {} launches of it, and --launch {} is none of them",
                        named.file, own.size(), words),
                   fmt::format("one of {}", fmt::join(known, "; ")));
}

GuardLaunch facts_of(const CapturedLaunch& one) {
  return {static_cast<int>(one.launch.threads()), one.registers};
}

}  // namespace

Result<CapturedLaunch> captured_launch(const std::string& words, const std::string& kernel) {
  PHASEBIT_TRY_ASSIGN(named, read_named(words));
  const std::vector<size_t> own = named.of(kernel);
  if (own.size() != 1) return choose(std::move(named), words, kernel);
  return named.all[own.front()];
}

Result<std::map<std::string, GuardLaunch>> guard_launches(const ptx::PtxFile& file,
                                                          const std::string& words) {
  PHASEBIT_TRY_ASSIGN(named, read_named(words));
  std::map<std::string, GuardLaunch> found;
  for (const ptx::PtxFunction* entry : file.entries()) {
    const std::vector<size_t> own = named.of(entry->name);
    if (own.empty()) continue;
    const GuardLaunch first = facts_of(named.all[own.front()]);
    if (!std::all_of(own.begin(), own.end(),
                     [&](size_t n) { return facts_of(named.all[n]) == first; }))
      return choose(std::move(named), words, entry->name);
    found[entry->name] = first;
  }
  if (found.empty())
    return with_hint(
        fail(Step::usage, "--launch {}: no launch of a kernel of {}", words, file.name),
        "`phasebit capture` of a program that launches it");
  return found;
}

}  // namespace phasebit::join::capture
