// Figures that follow from others if a protocol costs what its parts cost: the closure of METHOD.
#pragma once

#include "analysis/report/data/aggregate.h"
#include "analysis/report/data/difference.h"

#include <string>
#include <vector>

namespace phasebit::report::tables::probes {

struct Prediction {
  std::string kind;     // "hand-off: its verbs": what is predicted, and from what
  std::string formula;  // with the figures that went in: "commit 47.00 + release 47.00"
  const data::Aggregate* of = nullptr;
  data::Figure predicted, measured;

  // measured - predicted
  data::Figure residual() const { return data::difference(measured, predicted); }
  // Of the measured figure.
  double percent() const;
  // More than 10 % of the measured figure is not explained.
  bool is_open() const;
};

// Nothing is fitted, every term is a figure of the same store; `same` is in every axis but those
// that a probe is asked by.
//   hand-off: its verbs      commit + release, each followed by a wait for the phase that it
//                            completes
//   hand-off: the wake-up    2 x the cycles from a commit to who waits for it, committed at once
//   hand-off: two meetings   2 x a phase of two warps that both arrive and wait (fan-in)
//   meeting: its verb        the phase of one warp: commit, followed by the wait for it
//   ring of 1: its hand-off  a round trip with its loop
//   ring: its verbs          max(acquire + commit, wait + release, round trip / stages); the round
//                            trip with its loop, the verbs without
//   ring: its own ends       max(the deepest ring, the ring of one stage / stages): Little's law
// Hand-offs and meetings are those without their loop (without_loop.h). By kind, then by id; a
// variant for which a term was not measured has none.
std::vector<Prediction> predictions(const data::Aggregation& all);

}  // namespace phasebit::report::tables::probes
