// Measures synchronisation on one Hopper GPU by libcu++'s cuda::ptx: the independent check of
// phasebit. See README.md of this folder.
#include "figures.cuh"
#include "measure.cuh"
#include "row_text.h"
#include "watchdog.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

namespace independent {

struct Options {
  std::vector<uint32_t> sms = {0};
  int launches = 4;
  uint32_t seed = 1;
  std::string only;
  std::string out;  // empty: standard output
  bool list = false;
};

constexpr const char* usage_text =
    "usage: independent [--sm N[,N...]] [--launches N] [--out FILE] [--only TEXT] [--seed N]\n"
    "                   [--list]\n"
    "  --sm        SMs of the CTA figures (default 0); one row each\n"
    "  --launches  clusters that measure the cluster figures, from index 0 (default 4); one row\n"
    "              each, with the SMs of its ranks\n"
    "  --out       file for the JSON lines (default: standard output)\n"
    "  --only      figures whose name contains TEXT, and the anchors\n"
    "  --seed      start offsets of the warps and order of the figures (default 1)\n"
    "  --list      print the names and end\n";

std::vector<uint32_t> parse_numbers(const std::string& text) {
  std::vector<uint32_t> numbers;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    numbers.push_back(static_cast<uint32_t>(std::strtoul(part.c_str(), nullptr, 10)));
  }
  return numbers;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list") {
      options.list = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    const std::string value = argv[++i];
    if (word == "--sm") {
      options.sms = parse_numbers(value);
    } else if (word == "--launches") {
      options.launches = std::atoi(value.c_str());
    } else if (word == "--out") {
      options.out = value;
    } else if (word == "--only") {
      options.only = value;
    } else if (word == "--seed") {
      options.seed = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    } else {
      return false;
    }
  }
  return !options.sms.empty() && options.launches > 0;
}

bool is_anchor(const Figure& figure) {
  return figure.name.rfind("anchor/", 0) == 0;
}

// The anchors come first, the rest in random order: drift must not look like a trend.
std::vector<Figure> chosen_figures(const Options& options) {
  std::vector<Figure> anchors, others;
  for (const Figure& figure : all_figures()) {
    if (is_anchor(figure)) {
      anchors.push_back(figure);
    } else if (figure.name.find(options.only) != std::string::npos) {
      others.push_back(figure);
    }
  }
  if (!options.list) std::shuffle(others.begin(), others.end(), std::mt19937(options.seed));
  anchors.insert(anchors.end(), others.begin(), others.end());
  return anchors;
}

std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    if (!word.empty() && word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos) {
      return word;
    }
  }
  int version = 0;
  cudaDriverGetVersion(&version);
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string nvcc_version() {
  return std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__) + "." +
         std::to_string(__CUDACC_VER_BUILD__);
}

// What the child does: the figures from `first` on.
class Child {
 public:
  Child(const Options& options, const std::vector<Figure>& figures, const Channel& channel)
      : options_(options), figures_(figures), channel_(channel) {}

  void run(size_t first) {
    const std::string error = device_.open();
    if (!error.empty()) {
      channel_.stop("cannot measure: " + error);
      return;
    }
    origin_ = {device_.properties().name, driver_version(), nvcc_version()};
    warm_up();
    for (size_t i = first; i < figures_.size(); ++i) {
      if (!measure_figure(figures_[i])) return;
      channel_.unit_done();
    }
  }

 private:
  // Clocks rise within some 100 ms; a fence of GPU scope costs SM cycles by the ratio of clocks.
  void warm_up() {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(300)) {
      const auto measured = Measure(device_, figures_[0], Place{options_.sms[0], 0, 0}, 1).run();
      if (!measured.error.empty()) return;  // the figure itself will say so
    }
  }

  // False when the process can measure nothing more.
  bool measure_figure(const Figure& figure) {
    if (figure.cluster_size == 0) {
      for (const uint32_t sm : options_.sms) {
        if (!measure_place(figure, Place{sm, 0, 0})) return false;
      }
      return true;
    }
    std::string error;
    const int num_clusters = device_.max_clusters(figure, error);
    if (num_clusters == 0) {
      channel_.error_row(error_text(figure, origin_, "no cluster of this size fits. " + error));
      return true;
    }
    for (int i = 0; i < std::min(options_.launches, num_clusters); ++i) {
      if (!measure_place(figure, Place{0, static_cast<uint32_t>(i), num_clusters})) return false;
    }
    return true;
  }

  bool measure_place(const Figure& figure, const Place& place) {
    Measurement measured;
    for (int attempt = 0; attempt < 4; ++attempt) {
      measured = Measure(device_, figure, place, options_.seed).run();
      if (!measured.moved) break;  // the two bodies must run on the same SMs
    }
    if (!measured.error.empty()) {
      channel_.error_row(error_text(figure, origin_, measured.error));
      channel_.summary(figure.name + "  error: " + measured.error);
      if (!measured.context_lost) return true;
      channel_.unit_done_and_end();
      _exit(1);  // CUDA's own clean-up could wait for the kernel that hangs
    }
    channel_.row(row_text(figure, origin_, measured.row, measured.sms, measured.clock_mhz));
    channel_.summary(summary_line(figure, measured));
    return anchor_holds(figure, measured.row);
  }

  // A dependent FMA costs 4 cycles on Hopper; else neither the loop nor the clock is understood.
  bool anchor_holds(const Figure& figure, const Row& row) const {
    if (figure.name != "anchor/fma_chain" || std::abs(row.value - 4) < 0.25) return true;
    channel_.stop("anchor/fma_chain is not 4 cycles: the set-up is broken, nothing is measured");
    return false;
  }

  static std::string summary_line(const Figure& figure, const Measurement& measured) {
    std::string sms;
    for (const uint32_t sm : measured.sms) sms += (sms.empty() ? "" : ",") + std::to_string(sm);
    char numbers[100];
    std::snprintf(numbers, sizeof numbers, "%10.2f %7.2f %7.2f  ", measured.row.value,
                  measured.row.half_width, measured.row.loop);
    std::string line = numbers + figure.name + "  [sm " + sms + "]";
    if (measured.row.not_linear) line += " not_linear";
    if (measured.row.imprecise) line += " imprecise";
    return line;
  }

  const Options& options_;
  const std::vector<Figure>& figures_;
  Channel channel_;
  Device device_;
  Origin origin_;
};

int measure_all(const Options& options) {
  std::ofstream file;
  if (!options.out.empty()) {
    file.open(options.out);
    if (!file) {
      std::fprintf(stderr, "cannot write %s\n", options.out.c_str());
      return 1;
    }
  }
  std::ostream& out = options.out.empty() ? std::cout : file;
  const std::vector<Figure> figures = chosen_figures(options);
  WatchdogHooks hooks;
  hooks.work = [&](size_t first, const Channel& channel) {
    Child(options, figures, channel).run(first);
  };
  hooks.row = [&](const std::string& json) { out << json << std::endl; };
  hooks.summary = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  hooks.lost = [&](size_t unit, const std::string& why) {
    hooks.row(error_text(figures[unit], Origin{"", "", nvcc_version()}, why));
    hooks.summary(figures[unit].name + "  error: " + why);
  };
  std::fprintf(stderr, "%10s %7s %7s  %s\n", "cycles", "+-", "loop", "figure");
  return Watchdog(figures.size(), hooks).run() ? 0 : 1;
}

}  // namespace independent

int main(int argc, char** argv) {
  using namespace independent;
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(usage_text, stderr);
    return 2;
  }
  if (options.list) {
    for (const Figure& figure : chosen_figures(options)) std::puts(figure.name.c_str());
    return 0;
  }
  return measure_all(options);
}
