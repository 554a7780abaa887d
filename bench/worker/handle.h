// The parent's side of the worker: starts it when it is needed, watches it, replaces it.
#pragma once

#include "bench/device/device.h"
#include "bench/worker/channel.h"
#include "bench/worker/message.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace phasebit::bench::worker {

struct WorkerOptions {
  std::vector<std::string> command;  // what is exec'ed: this program with --worker
  std::chrono::milliseconds watchdog = std::chrono::seconds(10);     // for one point
  std::chrono::milliseconds start_limit = std::chrono::seconds(60);  // driver and context
};

class WorkerHandle {
 public:
  explicit WorkerHandle(WorkerOptions options) : options_(std::move(options)) {}
  ~WorkerHandle() { stop(); }
  WorkerHandle(const WorkerHandle&) = delete;
  WorkerHandle& operator=(const WorkerHandle&) = delete;

  // The device, starting a worker when there is none.
  Result<device::DeviceInfo> start();

  // One point. `next` goes to the worker at once, so that it measures on while this side works on
  // the answer; the following call asks for that point. A worker that died, hung (killed after the
  // watchdog) or lost its device is gone afterwards; the error says which, and the next call starts
  // another.
  Result<point::Measurement> measure(const point::PointRequest& request,
                                     const std::optional<point::PointRequest>& next = std::nullopt);

  // Ends the worker, if there is one, and waits for it.
  void stop();

  // Whether the last point ended with a killed, dead or lost worker: what it left on the GPU is not
  // known until an anchor has run.
  bool lost_worker() const { return lost_; }
  // Whether it was killed because it took longer than the watchdog allows.
  bool hung() const { return hung_; }
  int started() const { return started_; }

 private:
  Status spawn();
  std::string line_of(const point::PointRequest& request) const;
  // The request, unless it lies there, and the next.
  Status send(const point::PointRequest& request, const std::optional<point::PointRequest>& next);
  Result<WorkerReply> next_reply(std::chrono::steady_clock::time_point deadline, const char* doing);
  // Kills and reaps; says how the child ended.
  std::string reap(int signal);

  WorkerOptions options_;
  pid_t child_ = -1;
  std::optional<Channel> channel_;
  std::string sent_ahead_;  // the request that the worker has after the present one
  device::DeviceInfo info_;
  bool lost_ = false, hung_ = false;
  int started_ = 0;
};

// The child process: it owns the device, and nothing else does. When a kernel hangs, it is what
// gets killed.

// Descriptor on which a worker finds its socket.
inline constexpr int worker_fd = 3;

// Opens the device, says so, serves requests until the other side closes. The exit status.
int run_worker(const device::DeviceRequest& request, const device::DeviceFactory& open_device);

}  // namespace phasebit::bench::worker
