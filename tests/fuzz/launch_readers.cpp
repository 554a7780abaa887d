// How kernels are launched, and what processes say to each other.
#include "bench/worker/message.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/launch/bundle.h"
#include "core/launch/external.h"
#include "gen/ptxas/messages.h"
#include "join/capture/captured.h"
#include "join/capture/external_launch.h"
#include "tests/fuzz/reader.h"

namespace phasebit::test {
namespace {

using launch::CapturedLaunch;
using launch::ExternalLaunch;
using launch::Manifest;

// What a bench does with a launch: the bytes of its parameters for some addresses.
void use(const ExternalLaunch& launch) {
  if (complaint_about(launch)) bug("a launch that was read cannot be made");
  const std::vector<launch::Buffer> buffers = buffers_of(launch);
  std::vector<launch::MapBytes> maps;
  for (const launch::ExternalParameter& one : launch.parameters)
    if (one.kind == launch::ExternalParameter::Kind::tensor_map) maps.emplace_back();
  const std::vector<std::uint64_t> addresses(buffers.size(), 1 << 20);
  const auto block = parameter_block(launch, 16, addresses, maps);
  if (block.size() != static_cast<std::size_t>(launch.parameter_bytes))
    bug("a block of another size");
  (void)launch::launch_signature(launch);
}

std::string written(const std::vector<CapturedLaunch>& launches) {
  return launch::launch_file_text(launches, "made by a fuzzer");
}

void check_written(const std::vector<CapturedLaunch>& launches) {
  const std::string text = written(launches);
  const auto toml = base::parse_toml(text, "again.toml");
  if (!toml) bug(toml.error().text());
  const auto again = launch::read_launches(*toml, "again.toml");
  if (!again) bug(again.error().text());
  if (written(*again) != text) bug("written again it is another file");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : base::split(text, '\n'))
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

}  // namespace

// launch.toml
void read_fuzzed_launch_file(std::string_view text) {
  const auto toml = base::parse_toml(text, "launch.toml");
  if (!toml) return check_refusal(toml.error(), {Step::spec});
  const auto launches = launch::read_launches(*toml, "launch.toml");
  if (!launches) return check_refusal(launches.error(), {Step::spec});
  for (const CapturedLaunch& one : *launches) use(one.launch);
  check_written(*launches);
}

// What the capture library notes.
void read_fuzzed_launch_notes(std::string_view text) {
  const auto captured = join::capture::parse_notes(text, "notes");
  if (!captured) return check_refusal(captured.error(), {Step::io});
  if (!captured->launches.empty()) (void)written(captured->launches);
}

// The options of the command line, for a kernel's parameters and what Triton says of it: the parts
// "ptx" (after the head of a file), "json", "param", "map", "grid", "block" and "cluster".
void read_fuzzed_launch_facts(std::string_view bytes) {
  static const base::TempDir folder = std::move(base::TempDir::create().value());
  auto parts = parts_of(bytes);
  const fs::path path = folder.path() / "mine.ptx";
  if (const Status done = base::write_file(folder.path() / "mine.json", parts["json"]); !done)
    bug(done.error().text());
  const auto file = ptx::read_ptx(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(" + parts["ptx"],
      "mine.ptx");
  if (!file) return check_refusal(file.error(), {Step::assemble});
  join::capture::ExternalFacts facts;
  facts.parameters = lines_of(parts["param"]);
  facts.tensor_maps = lines_of(parts["map"]);
  facts.grid = base::trimmed(parts["grid"], "\n");
  facts.block = base::trimmed(parts["block"], "\n");
  facts.cluster = base::trimmed(parts["cluster"], "\n");
  facts.no_figure = parts.contains("no_figure");
  for (const ptx::PtxFunction* entry : file->entries()) {
    const auto launch = join::capture::external_launch(*file, *entry, path, facts);
    if (!launch)
      check_refusal(launch.error(), {Step::usage, Step::spec});
    else
      use(*launch);
  }
}

void read_fuzzed_manifest(std::string_view text) {
  const auto manifest = launch::manifest_from_json(text, "manifest.json");
  if (!manifest) return check_refusal(manifest.error(), {Step::bundle});
  for (const launch::BundleVariant& variant : manifest->variants)
    (void)launch::launch_signature(variant.launch);
  const Status whole = launch::check_manifest(*manifest);
  if (!whole) check_refusal(whole.error(), {Step::bundle});
  const std::string again = to_json(*manifest);
  const auto read = launch::manifest_from_json(again, "manifest.json");
  if (!read) bug(read.error().text());
  if (to_json(*read) != again) bug("written again it is another manifest");
}

// By the first letter: what the bench's worker is told ("q"), what it answers ("r"), what ptxas
// says ("p"), the changes of a module that is padded ("m").
void read_fuzzed_messages(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string text(bytes.substr(1));
  if (bytes[0] == 'q') {
    const auto request = bench::worker::decode_request(text);
    if (!request) return check_refusal(request.error(), {Step::io});
    if (!bench::worker::decode_request(bench::worker::encode(*request)))
      bug("a request that cannot be sent");
  } else if (bytes[0] == 'r') {
    const auto reply = bench::worker::decode_reply(text);
    if (!reply) return check_refusal(reply.error(), {Step::io});
    if (!bench::worker::decode_reply(bench::worker::encode(*reply)))
      bug("a reply that cannot be sent");
  } else if (bytes[0] == 'p') {
    (void)ptxas::parse_ptxas_output(text);
  } else if (bytes[0] == 'm') {
    const std::string file = fmt::format("phasebit moves 1 {}\n{}", base::content_hash(text), text);
    const auto moves = launch::placement::moves_from_bytes(file, "a.moves");
    if (!moves) return check_refusal(moves.error(), {Step::bundle});
    if (to_bytes(*moves).empty()) bug("moves that cannot be written");
    const auto padded = launch::placement::move_code(text, *moves, 16);
    if (!padded) check_refusal(padded.error(), {Step::bundle});
  }
}

}  // namespace phasebit::test
