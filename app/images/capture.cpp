#include "app/commands.h"
#include "core/base/home.h"
#include "core/base/interrupt.h"
#include "core/base/process.h"
#include "join/capture/captured.h"

#include <cstdio>
#include <cstdlib>

namespace phasebit::app {
namespace {

constexpr const char* library_name = "libphasebit-capture.so";

// Next to the program, in the build folder, or where it is installed.
Result<fs::path> find_library() {
  if (auto found = base::find_beside_program({library_name, fs::path("bench") / library_name,
                                              fs::path(PHASEBIT_LIBRARY_FOLDER) / library_name}))
    return *std::move(found);
  return with_hint(
      fail(Step::io, "no {} next to {}", library_name, base::surroundings().program.string()),
      "build it with `ninja`, or install it with the program");
}

std::string preloaded(const fs::path& library) {
  const char* others = std::getenv("LD_PRELOAD");
  const bool none = others == nullptr || *others == '\0';
  return fmt::format("LD_PRELOAD={}{}{}", library.string(), none ? "" : ":", none ? "" : others);
}

void say_what_is_missing(const join::capture::Captured& captured, const CaptureOptions& options) {
  if (captured.without_parameters > 0)
    fmt::print(stderr,
               "note: {} launches are left out: this driver does not say what their kernels take "
               "(cuFuncGetParamInfo, CUDA 12.4)\n",
               captured.without_parameters);
  if (captured.left_out > 0)
    fmt::print(stderr, "note: {} launches are left out: more than {} of a kernel that differ\n",
               captured.left_out, options.most);
  if (captured.cut > 0)
    fmt::print(stderr,
               "note: of {} buffers the file has the first bytes, zeros stand for the rest "
               "(--most-bytes, --most-bytes-in-all)\n",
               captured.cut);
}

}  // namespace

Result<int> run_capture(const CaptureOptions& options) {
  PHASEBIT_TRY_ASSIGN(library, find_library());
  PHASEBIT_TRY_ASSIGN(notes, base::TempDir::create());
  std::vector<std::string> words = {"env", preloaded(library),
                                    fmt::format("PHASEBIT_CAPTURE={}", notes.path().string()),
                                    fmt::format("PHASEBIT_CAPTURE_MOST={}", options.most)};
  if (options.contents) {
    words.push_back(fmt::format("PHASEBIT_CAPTURE_EACH={}", options.most_bytes));
    words.push_back(fmt::format("PHASEBIT_CAPTURE_ALL={}", options.most_bytes_in_all));
  }
  words.insert(words.end(), options.program.begin(), options.program.end());
  base::catch_interrupts();  // a program that hangs is ended, and its launches are written down
  PHASEBIT_TRY_ASSIGN(ended, base::run_process(words, {.timeout = base::no_timeout,
                                                       .working_directory = "",
                                                       .own_streams = true}));
  const fs::path out(options.out);
  PHASEBIT_TRY_ASSIGN(captured,
                      join::capture::read_notes(notes.path(), out.stem().string() + ".contents"));
  say_what_is_missing(captured, options);
  if (!ended.ok())
    fmt::print(stderr, "note: {} {}\n", options.program.front(), ended.how_it_ended());
  if (captured.launches.empty())
    return with_hint(
        fail(Step::launch, "{}: no launch of a kernel was seen", options.program.front()),
        "a program that is linked statically, runs with privileges of its own, or "
        "launches by CUDA graphs alone cannot be looked at");
  const std::string made_by = fmt::format("phasebit {}: capture -- {}", base::program_version(),
                                          fmt::join(options.program, " "));
  for (const auto& [file, bytes] : captured.contents)
    PHASEBIT_TRY(base::write_file(out.parent_path() / file, bytes));
  PHASEBIT_TRY(base::write_file(options.out, launch_file_text(captured.launches, made_by)));
  std::size_t times = 0;
  for (const launch::CapturedLaunch& one : captured.launches)
    times += static_cast<std::size_t>(one.times);
  fmt::print(stderr, "{}: {} launches, {} of them different\n", options.out, times,
             captured.launches.size());
  return ended.signal != 0 ? 128 + ended.signal : ended.exit_status;
}

}  // namespace phasebit::app
