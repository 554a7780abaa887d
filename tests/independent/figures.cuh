// The list of figures. A name is FAMILY/OPERATIONS/WHO ARRIVES/SIZE; the axes repeat it in fields.
#pragma once

#include "cluster_kernels.cuh"
#include "cta_kernels.cuh"
#include "entangle_kernels.cuh"
#include "figure.h"
#include "flag_kernels.cuh"
#include "handoff_kernels.cuh"

namespace independent {

using Axes = std::vector<std::pair<std::string, std::string>>;

inline std::string join_name(const std::string& family, const Axes& axes) {
  std::string name = family;
  for (const auto& [key, value] : axes) {
    const bool is_number = value.find_first_not_of("0123456789") == std::string::npos;
    name += "/" + (is_number ? key + "=" + value : value);
  }
  return name;
}

inline Figure make_figure(const std::string& family, Axes axes, const void* small,
                          const void* large, uint32_t num_threads) {
  Figure figure;
  figure.name = join_name(family, axes);
  figure.axes = {{"family", family}};
  figure.axes.insert(figure.axes.end(), axes.begin(), axes.end());
  figure.kernels[0] = small;
  figure.kernels[1] = large;
  figure.num_threads = num_threads;
  return figure;
}

template <class Role, int SmallBody = small_body, int LargeBody = large_body>
Figure cta_figure(const std::string& family, const Axes& axes, uint32_t num_warps) {
  Figure figure =
      make_figure(family, axes, reinterpret_cast<const void*>(&measure_cta<Role, SmallBody>),
                  reinterpret_cast<const void*>(&measure_cta<Role, LargeBody>), num_warps * 32);
  figure.body_items[0] = SmallBody;
  figure.body_items[1] = LargeBody;
  return figure;
}

template <class Protocol>
Figure hand_off_figure(const Axes& axes) {
  return make_figure("hand_off", axes,
                     reinterpret_cast<const void*>(&measure_hand_off<Protocol, small_body>),
                     reinterpret_cast<const void*>(&measure_hand_off<Protocol, large_body>), 64);
}

inline std::string name_of(Wait wait) {
  return wait == Wait::try_wait ? "try_wait.acquire.cta" : "test_wait.acquire.cta";
}

inline std::string name_of(Arrivers arrivers) {
  return arrivers == Arrivers::every_thread ? "every_thread" : "one_lane";
}

template <class Role>
Figure anchor(const std::string& operation) {
  return cta_figure<Role, small_body_of_short_items, large_body_of_short_items>(
      "anchor", {{"operation", operation}}, 1);
}

inline void add_anchors(std::vector<Figure>& figures) {
  figures.push_back(anchor<FmaChain>("fma_chain"));
  figures.push_back(anchor<SharedChase>("shared_chase"));
}

inline void add_cta_barriers(std::vector<Figure>& figures) {
  for (uint32_t warps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    figures.push_back(cta_figure<CtaBarrier>("fan_in",
                                             {{"operation", "cta_barrier.bar_sync_0"},
                                              {"who", "every_thread"},
                                              {"warps", std::to_string(warps)}},
                                             warps));
  }
}

template <Wait wait, Arrivers arrivers>
void add_fan_in(std::vector<Figure>& figures, std::initializer_list<uint32_t> warp_counts) {
  for (uint32_t warps : warp_counts) {
    figures.push_back(cta_figure<FanIn<wait, arrivers>>("fan_in",
                                                        {{"operation", "mbarrier"},
                                                         {"arrive", "arrive.release.cta"},
                                                         {"wait", name_of(wait)},
                                                         {"who", name_of(arrivers)},
                                                         {"warps", std::to_string(warps)}},
                                                        warps));
  }
}

template <Wait wait, Arrivers arrivers>
void add_mbarrier_hand_off(std::vector<Figure>& figures) {
  figures.push_back(
      hand_off_figure<MbarrierHandOff<wait, arrivers>>({{"operation", "mbarrier"},
                                                        {"arrive", "arrive.release.cta"},
                                                        {"wait", name_of(wait)},
                                                        {"who", name_of(arrivers)}}));
}

inline void add_hand_offs(std::vector<Figure>& figures) {
  add_mbarrier_hand_off<Wait::try_wait, Arrivers::every_thread>(figures);
  add_mbarrier_hand_off<Wait::try_wait, Arrivers::one_lane>(figures);
  add_mbarrier_hand_off<Wait::test_wait, Arrivers::every_thread>(figures);
  add_mbarrier_hand_off<Wait::test_wait, Arrivers::one_lane>(figures);
  figures.push_back(hand_off_figure<CtaBarrierHandOff>(
      {{"operation", "cta_barrier.bar_arrive_bar_sync"}, {"who", "every_thread"}}));
  figures.push_back(hand_off_figure<FlagHandOff<FlagOrder::is_volatile>>(
      {{"operation", "flag"}, {"order", "ld_volatile.st_volatile"}, {"who", "one_lane"}}));
  figures.push_back(hand_off_figure<FlagHandOff<FlagOrder::acquire_release>>(
      {{"operation", "flag"}, {"order", "ld_acquire.cta.st_release.cta"}, {"who", "one_lane"}}));
}

inline void make_cluster(Figure& figure, uint32_t cluster_size, uint32_t peer) {
  figure.cluster_size = cluster_size;
  figure.peer = peer;
  figure.shortest_chain = 128;  // a round trip costs hundreds of cycles
  figure.num_samples = 12;
}

template <Order arrive_order, Order wait_order, Arrivers arrivers>
void add_cluster_hand_off(std::vector<Figure>& figures) {
  const std::pair<uint32_t, uint32_t> places[] = {{2, 1}, {4, 1}, {4, 2}, {4, 3}};
  for (const auto& [size, peer] : places) {
    const bool releases = arrive_order == Order::ordered;
    const bool acquires = wait_order == Order::ordered;
    Figure figure = make_figure(
        "cluster_hand_off",
        {{"operation", "mbarrier"},
         {"arrive", releases ? "remote_arrive.release.cluster" : "remote_arrive.relaxed.cluster"},
         {"wait", acquires ? "try_wait.acquire.cluster" : "try_wait.relaxed.cluster"},
         {"who", name_of(arrivers)},
         {"cluster_size", std::to_string(size)},
         {"peer", std::to_string(peer)}},
        reinterpret_cast<const void*>(
            &measure_cluster<arrive_order, wait_order, arrivers, small_body>),
        reinterpret_cast<const void*>(
            &measure_cluster<arrive_order, wait_order, arrivers, large_body>),
        32);
    make_cluster(figure, size, peer);
    figures.push_back(figure);
  }
}

template <Arrivers arrivers>
void add_cluster_hand_offs(std::vector<Figure>& figures) {
  add_cluster_hand_off<Order::ordered, Order::ordered, arrivers>(figures);
  add_cluster_hand_off<Order::ordered, Order::relaxed, arrivers>(figures);
  add_cluster_hand_off<Order::relaxed, Order::ordered, arrivers>(figures);
  add_cluster_hand_off<Order::relaxed, Order::relaxed, arrivers>(figures);
}

template <int ClusterSize, Order order>
void add_cluster_barrier(std::vector<Figure>& figures) {
  Figure figure = make_figure(
      "cluster_barrier",
      {{"arrive", order == Order::ordered ? "arrive.release" : "arrive.relaxed"},
       {"wait", "wait.acquire"},
       {"who", "every_thread"},
       {"warps", "1"},
       {"cluster_size", std::to_string(ClusterSize)}},
      reinterpret_cast<const void*>(&measure_cluster_barrier<ClusterSize, order, small_body>),
      reinterpret_cast<const void*>(&measure_cluster_barrier<ClusterSize, order, large_body>), 32);
  make_cluster(figure, ClusterSize, 0);
  figures.push_back(figure);
}

template <Order order>
void add_cluster_barriers(std::vector<Figure>& figures) {
  add_cluster_barrier<1, order>(figures);
  add_cluster_barrier<2, order>(figures);
  add_cluster_barrier<4, order>(figures);
  add_cluster_barrier<8, order>(figures);
}

template <int NumGroups, EntangleShape shape>
void add_entangle(std::vector<Figure>& figures, const char* shape_name) {
  constexpr bool is_long = NumGroups == 32;
  constexpr int small = is_long ? small_body_of_long_items : small_body;
  constexpr int large = is_long ? large_body_of_long_items : large_body;
  figures.push_back(
      cta_figure<Entangle<NumGroups, shape>, small, large>("entangle",
                                                           {{"shape", shape_name},
                                                            {"arrive", "arrive.release.cta"},
                                                            {"wait", "try_wait.acquire.cta"},
                                                            {"who", "every_thread"},
                                                            {"groups", std::to_string(NumGroups)}},
                                                           1));
}

template <EntangleShape shape>
void add_entangles(std::vector<Figure>& figures, const char* shape_name) {
  if constexpr (shape != EntangleShape::if_chain) add_entangle<1, shape>(figures, shape_name);
  add_entangle<2, shape>(figures, shape_name);
  add_entangle<4, shape>(figures, shape_name);
  add_entangle<32, shape>(figures, shape_name);
}

inline std::vector<Figure> all_figures() {
  std::vector<Figure> figures;
  add_anchors(figures);
  add_cta_barriers(figures);
  add_fan_in<Wait::try_wait, Arrivers::every_thread>(figures, {1, 2, 4, 8, 16, 32});
  add_fan_in<Wait::try_wait, Arrivers::one_lane>(figures, {2, 4, 8, 16});
  add_fan_in<Wait::test_wait, Arrivers::every_thread>(figures, {2, 4, 8});
  add_fan_in<Wait::test_wait, Arrivers::one_lane>(figures, {2, 4, 8});
  add_hand_offs(figures);
  add_cluster_hand_offs<Arrivers::every_thread>(figures);
  add_cluster_hand_offs<Arrivers::one_lane>(figures);
  add_cluster_barriers<Order::ordered>(figures);
  add_cluster_barriers<Order::relaxed>(figures);
  add_entangles<EntangleShape::in_branch>(figures, "jump_table.arrive_in_branch");
  add_entangles<EntangleShape::after_syncwarp>(figures, "jump_table.arrive_after_syncwarp");
  add_entangles<EntangleShape::if_chain>(figures, "if_chain.arrive_in_branch");
  return figures;
}

}  // namespace independent
