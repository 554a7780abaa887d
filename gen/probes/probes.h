// What a probe decides of a variant's plan. A probe that is not in the table is planned as a ring.
#pragma once

#include "gen/probes/plan.h"

#include <string>

namespace phasebit::probes {

struct ProbePlanner {
  const char* probe;
  // Warps and roles: fills in launch.threads, launch.slices and the two RolePlans. Shared memory is
  // placed after it.
  Status (*lay_out)(const image::VariantKey& variant, Plan& plan);
  // All else: who is timed, in which unit, readings, and how many items a launch may have. It finds
  // everything else in the plan and may add to the shared memory.
  Status (*finish)(const image::VariantKey& variant, Plan& plan);
};

const ProbePlanner& planner_of(const std::string& probe);

// The plan of the probe between the CTAs of a cluster.

// After lay_out_warps. Size and ranks of the cluster, and which CTA has which role: the producers
// are those of first_rank, the consumers those of second_rank, which may be the same; unified warps
// are in every CTA. Step::spec for a rank that the cluster does not have.
Status finish_cluster(const image::VariantKey& variant, Plan& plan);

// After lay_out_warps. Producers of `arrivers` CTAs do one thing to second_rank; those of
// first_rank alone leave a record. work_amount says how many CTAs.
Status finish_remote(const image::VariantKey& variant, Plan& plan);

// The plan of the probe `form`.

Status lay_out_form(const image::VariantKey& variant, Plan& plan);
Status finish_form(const image::VariantKey& variant, Plan& plan);

// The plan of probe `word`: one thread of one warp, one barrier, no waiting.

Status lay_out_barrier_word(const image::VariantKey& variant, Plan& plan);
Status finish_barrier_word(const image::VariantKey& variant, Plan& plan);

// The plans of the probes that take one verb, one answer, one victim or one mover by itself.

// verb: `num_stages` times one verb of one warp is an item.
Status finish_verb(const image::VariantKey& variant, Plan& plan);

// response: a producer that commits late, and what its consumer reads then.
Status finish_response(const image::VariantKey& variant, Plan& plan);

// interference: victim warps on sub-partition 0 and, there or elsewhere, consumers that wait.
Status lay_out_interference(const image::VariantKey& variant, Plan& plan);
Status finish_interference(const image::VariantKey& variant, Plan& plan);

// fanin: all warps arrive and wait.
Status finish_fanin(const image::VariantKey& variant, Plan& plan);

// entangle: the lanes of one warp arrive apart.
Status finish_entangle(const image::VariantKey& variant, Plan& plan);

// stream: a grid on one SM or more that reads data.
Status finish_stream(const image::VariantKey& variant, Plan& plan);

// issue: producers that wait for their own copies.
Status lay_out_issue(const image::VariantKey& variant, Plan& plan);
Status finish_issue(const image::VariantKey& variant, Plan& plan);

}  // namespace phasebit::probes
