#include "bench/worker/handle.h"

#include "bench/point/meter.h"
#include "bench/worker/channel.h"
#include "bench/worker/message.h"
#include "core/base/interrupt.h"
#include "core/launch/bundle.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phasebit::bench::worker {

using device::DeviceInfo;
using point::Measurement;
using point::Phase;

namespace {

using Clock = std::chrono::steady_clock;

// Between fork and exec: only what is safe there.
[[noreturn]] void become(char* const* argv, int socket, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  // Ctrl-C goes to the whole group, and so may a SIGTERM; the parent decides when a point ends.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  // dup2 clears close-on-exec, unless both are the same descriptor.
  if (socket == worker_fd)
    ::fcntl(socket, F_SETFD, 0);
  else
    ::dup2(socket, worker_fd);
  ::execv(argv[0], argv);
  ::_exit(127);
}

const char* phase_text(Phase phase) {
  switch (phase) {
    case Phase::loading: return "while it loaded the module";
    case Phase::guarded: return "in the guarded build";
    case Phase::timed: return "in the timed build";
  }
  bug("unknown phase");
}

Step phase_step(Phase phase) {
  return phase == Phase::guarded ? Step::guard : Step::launch;
}

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

Status WorkerHandle::spawn() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(Step::io, "cannot make a socket: {}", std::strerror(errno));
  std::vector<char*> argv;
  for (std::string& word : options_.command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ == 0) become(argv.data(), ends[1], parent);
  ::close(ends[1]);
  channel_.emplace(ends[0]);
  if (child_ < 0) return fail(Step::io, "cannot fork: {}", std::strerror(errno));
  ++started_;
  return {};
}

std::string WorkerHandle::reap(int signal) {
  channel_.reset();
  sent_ahead_.clear();
  if (child_ < 0) return "was not running";
  if (signal != 0) ::kill(child_, signal);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (WIFSIGNALED(status))
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  return fmt::format("exited with {}", WEXITSTATUS(status));
}

void WorkerHandle::stop() {
  if (child_ < 0) return;
  // It leaves by itself when the socket closes; but a driver may take its time, or never end.
  channel_.reset();
  sent_ahead_.clear();
  for (int n = 0; n < 200; ++n) {
    if (::waitpid(child_, nullptr, WNOHANG) == child_) {
      child_ = -1;
      return;
    }
    ::usleep(10'000);
  }
  reap(SIGKILL);
}

Result<WorkerReply> WorkerHandle::next_reply(Clock::time_point deadline, const char* doing) {
  const Channel::Received received = channel_->receive(deadline, &base::interrupted);
  switch (received.end) {
    case Channel::End::line: return decode_reply(received.line);
    case Channel::End::deadline: {
      reap(SIGKILL);
      lost_ = hung_ = true;
      return fail(Step::launch, "hung {}", doing);
    }
    case Channel::End::closed: {
      // Closing the socket and dying are not one moment: give it one.
      const std::string how = reap(0);
      lost_ = true;
      return fail(Step::launch, "the worker {} {}", how, doing);
    }
    case Channel::End::stopped: {
      reap(SIGKILL);
      return fail(Step::launch, "interrupted {}", doing);
    }
  }
  bug("unknown end");
}

Result<DeviceInfo> WorkerHandle::start() {
  if (child_ >= 0) return info_;
  PHASEBIT_TRY(spawn());
  const auto reply = next_reply(Clock::now() + options_.start_limit, "while it opened the device");
  if (!reply) return fail(Step::device, "{}", reply.error().message);
  if (const Error* error = std::get_if<Error>(&*reply)) {
    reap(0);
    return tl::unexpected<Error>(*error);
  }
  const DeviceInfo* info = std::get_if<DeviceInfo>(&*reply);
  if (info == nullptr) bug("the worker's first word is not its device");
  // One opening asks whether the GPU is busy; later the killed worker before it may still count.
  std::erase(options_.command, "--refuse-busy");
  info_ = *info;
  return info_;
}

std::string WorkerHandle::line_of(const point::PointRequest& request) const {
  point::PointRequest sent = request;
  // The worker knows where a guarded kernel hangs, and says so before it is killed.
  sent.hang_seconds = std::chrono::duration<double>(options_.watchdog).count() / 2;
  return encode(sent);
}

Status WorkerHandle::send(const point::PointRequest& request,
                          const std::optional<point::PointRequest>& next) {
  const std::string line = line_of(request);
  if (!sent_ahead_.empty() && sent_ahead_ != line) stop();  // its answer would come first
  PHASEBIT_TRY(start());
  // When it is gone, the next receive says so.
  if (sent_ahead_.empty()) channel_->send(line);
  sent_ahead_ = next ? line_of(*next) : "";
  if (next) channel_->send(sent_ahead_);
  return {};
}

Result<Measurement> WorkerHandle::measure(const point::PointRequest& request,
                                          const std::optional<point::PointRequest>& next) {
  lost_ = hung_ = false;
  PHASEBIT_TRY(send(request, next));
  const auto deadline = Clock::now() + options_.watchdog;
  Phase phase = Phase::loading;
  while (true) {
    const auto reply = next_reply(deadline, phase_text(phase));
    if (!reply) {
      if (Clock::now() < deadline) return fail(phase_step(phase), "{}", reply.error().message);
      return fail(phase_step(phase), "{}, and was killed after {}", reply.error().message,
                  seconds_text(options_.watchdog));
    }
    if (const Phase* now = std::get_if<Phase>(&*reply)) {
      phase = *now;
      continue;
    }
    if (const Measurement* measured = std::get_if<Measurement>(&*reply)) return *measured;
    const Error* error = std::get_if<Error>(&*reply);
    if (error == nullptr) bug("the worker answered a point with a device");
    if (error->step == Step::launch) {
      reap(SIGKILL);  // its context is lost: every later call in it would fail
      lost_ = true;
    }
    return tl::unexpected<Error>(*error);
  }
}

namespace {

struct Opened {
  launch::Manifest manifest;
  std::unique_ptr<device::Device> device;
};

Result<Opened> open(const device::DeviceRequest& request,
                    const device::DeviceFactory& open_device) {
  PHASEBIT_TRY_ASSIGN(manifest, launch::read_manifest(request.bundle));
  PHASEBIT_TRY_ASSIGN(device, open_device(request));
  PHASEBIT_TRY(device::check_target(manifest.target, device->info()));
  for (launch::BundleVariant& variant : manifest.variants)
    variant.launch.sms = std::min(variant.launch.sms,
                                  device->info().row.multiprocessors / variant.launch.cluster_size);
  return Opened{std::move(manifest), std::move(device)};
}

class Server {
 public:
  Server(Opened& opened, const fs::path& bundle, Channel& channel)
      : meter_(*opened.device, bundle), channel_(channel) {
    for (const launch::BundleVariant& variant : opened.manifest.variants)
      variants_.emplace(variant.key.hash, &variant);
  }

  WorkerReply serve(const std::string& line) {
    const auto request = decode_request(line);
    if (!request) return request.error();
    const auto variant = variants_.find(request->variant_hash);
    if (variant == variants_.end())
      return Error{Step::bundle, fmt::format("no variant {}", request->variant_hash), {}};
    auto measured = meter_.measure({*request, variant->second}, [&](point::Phase phase) {
      channel_.send(encode(WorkerReply(phase)));
    });
    if (!measured) return measured.error();
    measured->quality.first_use = first_;
    first_ = false;
    return std::move(*measured);
  }

 private:
  point::Meter meter_;
  Channel& channel_;
  std::map<std::string, const launch::BundleVariant*> variants_;
  bool first_ = true;
};

}  // namespace

int run_worker(const device::DeviceRequest& request, const device::DeviceFactory& open_device) {
  Channel channel(worker_fd);
  auto opened = open(request, open_device);
  if (!opened) {
    channel.send(encode(WorkerReply(opened.error())));
    return base::exit_code(opened.error().step);
  }
  channel.send(encode(WorkerReply(opened->device->info())));
  Server server(*opened, request.bundle, channel);
  while (true) {
    const Channel::Received received = channel.receive(std::nullopt, nullptr);
    if (received.end != Channel::End::line) return 0;
    if (!channel.send(encode(server.serve(received.line)))) return 0;
  }
}

}  // namespace phasebit::bench::worker
