// Waits in the shapes that counts, tables of functions, votes and states give them: a loop whose
// count goes on when the poll says so, a poll whose news comes from a function, a warp that agrees.
// Compiled with and without optimisation and for a debugger, which each write the loop otherwise.
#include <cstdint>

__device__ __forceinline__ bool is_there(uint32_t barrier, uint32_t phase) {
  uint32_t there;
  asm volatile(
      "{\n"
      ".reg .pred complete;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
      "selp.b32 %0, 1, 0, complete;\n"
      "}\n"
      : "=r"(there)
      : "r"(barrier), "r"(phase)
      : "memory");
  return there;
}

// Counts.
extern "C" __global__ void count_of_flags(volatile int* flags, int items) {
  for (int item = 0; item < items;)
    if (flags[item]) ++item;
}
extern "C" __global__ void count_by_value(uint32_t barrier, int items) {
  for (int item = 0; item < items;) item += is_there(barrier, item & 1);
}
extern "C" __global__ void count_and_phase(uint32_t barrier, int items) {
  uint32_t phase = 0;
  for (int item = 0; item < items;)
    if (is_there(barrier, phase)) phase ^= 1, ++item;
}
extern "C" __global__ void sum(volatile int* flags, int items) {
  int there;
  do {
    there = 0;
    for (int i = 0; i < items; ++i) there += flags[i];
  } while (there < items);
}
extern "C" __global__ void mask(volatile int* flags, int items) {
  uint32_t there = 0;
  while (there != (1U << items) - 1)
    for (int i = 0; i < items; ++i)
      if (flags[i]) there |= 1U << i;
}
extern "C" __global__ void down(volatile int* flag, int items) {
  for (int left = items; left != 0;)
    if (const int some = *flag) left -= some;
}
extern "C" __global__ void exchanges(int* flag, int items) {
  for (int got = 0; got < items;) got += atomicExch(flag, 0);
}
extern "C" __global__ void follows(volatile int* flag) {
  for (int seen = 0; flag[0] != seen;) seen = flag[1];
}
extern "C" __global__ void one_by_one(volatile int* flags, int items) {
  for (int item = 0; item < items; ++item)
    while (flags[item] == 0) {
    }
}
extern "C" __global__ void with_reports(volatile int* flag) {
  long long last = clock64();
  int reports = 0;
  while (flag[0] == 0)
    if (clock64() - last > 1000) last = clock64(), ++reports;
  flag[1] = reports;
}
extern "C" __global__ void counts_round(volatile int* flag, int most) {
  int tries = 0;
  while (flag[0] == 0)
    if (++tries == most) tries = 0;
  flag[1] = tries;
}
extern "C" __global__ void two_exits(volatile int* flags, int items) {
  for (int item = 0; item < items && flags[item] == 0;)
    if (flags[items]) ++item;
}
extern "C" __global__ void round_and_round(volatile int* flags, int wanted) {
  for (int i = 0; flags[i] != wanted; i = (i + 1) & 7) {
  }
}

// Loads that do not look like polls.
extern "C" __global__ void together(int* flag) {
  while (*flag == 0) __syncwarp();
}
extern "C" __global__ void cached_in_l2(int* flag) {
  while (__ldcg(flag) == 0) {
  }
}
extern "C" __global__ void not_cached(int* flag) {
  while (__ldcv(flag) == 0) {
  }
}
extern "C" __global__ void spelled_out(int* flag) {
  int there;
  do asm volatile("ld.global.u32 %0, [%1];" : "=r"(there) : "l"(flag));
  while (there == 0);
}
extern "C" __global__ void multimem(int* flag, int wanted) {
  int there;
  do
    asm volatile("multimem.ld_reduce.acquire.sys.global.add.u32 %0, [%1];"
                 : "=r"(there)
                 : "l"(flag)
                 : "memory");
  while (there < wanted);
}
extern "C" __global__ void half_a_word(volatile unsigned long long* words, uint32_t wanted) {
  while ((words[4] & 0xffffffff) != wanted) {
  }
}
extern "C" __global__ void one_of_four(const float4* values) {
  float4 found;
  do
    asm volatile("ld.volatile.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(found.x), "=f"(found.y), "=f"(found.z), "=f"(found.w)
                 : "l"(values));
  while (found.x != 1 || found.w != 2);
}

// What others are asked.
using Asks = bool (*)(uint32_t, uint32_t);
__device__ __noinline__ bool asks(uint32_t barrier, uint32_t phase) {
  return is_there(barrier, phase);
}
__device__ __noinline__ bool asks_both(uint32_t barrier, uint32_t phase) {
  return is_there(barrier, phase) && is_there(barrier + 8, phase);
}
__device__ __noinline__ void says(uint32_t barrier, bool* there) {
  *there = is_there(barrier, 0);
}
__device__ Asks table[2] = {asks, asks_both};
extern __device__ bool elsewhere(uint32_t, uint32_t);
struct Queue {
  __device__ virtual bool is_full(uint32_t barrier) = 0;
};
struct Ring : Queue {
  __device__ bool is_full(uint32_t barrier) override { return asks(barrier, 0); }
};
extern "C" __global__ void by_table(uint32_t barrier, int which) {
  while (!table[which](barrier, 0)) {
  }
}
extern "C" __global__ void by_pointer(uint32_t barrier, int which) {
  const Asks chosen = table[which];
  for (uint32_t phase = 0; !chosen(barrier, phase);) phase ^= 1;
}
extern "C" __global__ void by_another_file(uint32_t barrier) {
  while (!elsewhere(barrier, 0)) {
  }
}
extern "C" __global__ void by_method(uint32_t barrier, Queue* queue) {
  while (!queue->is_full(barrier)) {
  }
}
extern "C" __global__ void by_argument(uint32_t barrier) {
  for (bool there = false; !there;) says(barrier, &there);
}
__shared__ bool announced;
extern "C" __global__ void by_announcement(uint32_t barrier) {
  do {
    if (threadIdx.x == 0) announced = asks(barrier, 0);
    __syncthreads();
  } while (!announced);
}
__device__ __noinline__ void recurs(volatile int* flags, int depth) {
  if (depth == 0) return;
  while (flags[depth] == 0) {
  }
  recurs(flags, depth - 1);
}
extern "C" __global__ void by_recursion(volatile int* flags, int depth) {
  recurs(flags, depth);
}

// Warps that agree.
extern "C" __global__ void all_agree(volatile int* flags, int wanted) {
  while (!__all_sync(0xffffffff, flags[threadIdx.x] >= wanted)) {
  }
}
extern "C" __global__ void one_tells(volatile int* flag, int wanted) {
  while (__shfl_sync(0xffffffff, *flag, 0) != wanted) {
  }
}
extern "C" __global__ void any_sleeps(volatile int* flags) {
  while (__any_sync(0xffffffff, flags[threadIdx.x] == 0)) __nanosleep(40);
}

// Several polls.
extern "C" __global__ void two_barriers(uint32_t barrier) {
  bool first = false, second = false;
  while (!(first && second)) {
    if (!first) first = is_there(barrier, 0);
    if (!second) second = is_there(barrier + 8, 0);
  }
}
extern "C" __global__ void states(uint32_t barrier, volatile int* stop) {
  for (int state = 0; state != 3;) switch (state) {
      case 0: state = is_there(barrier, 0) ? 1 : 0; break;
      case 1: state = is_there(barrier + 8, 1) ? 2 : 0; break;
      case 2: state = *stop ? 3 : 2; break;
    }
}
extern "C" __global__ void falls_back(uint32_t barrier) {
  int tries = 0;
  while (!is_there(barrier, 1))
    if (++tries > 1000) {
      while (!is_there(barrier, 1)) __nanosleep(100);
      break;
    }
}
extern "C" __global__ void serves(uint32_t barrier, volatile int* stop, int* out) {
  for (int served = 0; *stop == 0;)
    if (is_there(barrier, 0)) out[served++] = 1;
}

// No waits: one gives up by itself, the other walks along a list.
extern "C" __global__ void gives_up(uint32_t barrier) {
  const long long start = clock64();
  while (!is_there(barrier, 1))
    if (clock64() - start > 1000000000) __trap();
}
extern "C" __global__ void walks(int* list) {
  long long total = 0;
  for (const int* at = list; *at != 0;
       at = reinterpret_cast<const int*>(reinterpret_cast<const char*>(at) + *at))
    total += *at;
  list[0] = static_cast<int>(total);
}

// Locks and counters in global memory.
extern "C" __global__ void takes_a_lock(int* lock, int* value) {
  for (int sleep = 8; atomicCAS(lock, 0, 1) != 0; sleep = sleep < 256 ? 2 * sleep : sleep)
    __nanosleep(sleep);
  *value += 1;
  atomicExch(lock, 0);
}
extern "C" __global__ void named(int first, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(first + 1), "r"(threads) : "memory");
  asm volatile("bar.arrive %0, %1;" ::"r"(first + 2), "r"(threads) : "memory");
  asm volatile("barrier.sync %0;" ::"r"(first + 3) : "memory");
  asm volatile("{\n.reg .pred some;\nsetp.ne.s32 some, %0, 0;\nbarrier.red.popc.u32 %0, 5, some;\n}"
               : "+r"(threads)::"memory");
}

// Votes of a warp, and masks of lanes.
extern "C" __global__ void ballot(volatile int* flags) {
  while (__ballot_sync(0xffffffff, flags[threadIdx.x] != 0) != 0xffffffff) {
  }
}
extern "C" __global__ void lanes_that_are_done(volatile int* flags) {
  uint32_t done = 0;
  while (done != 0xffffffff) done |= __ballot_sync(0xffffffff, flags[threadIdx.x] != 0);
}
extern "C" __global__ void lanes_that_are_left(volatile int* flags) {
  for (uint32_t left = 0xffffffff; left != 0;)
    left &= __ballot_sync(0xffffffff, flags[threadIdx.x] == 0);
}
extern "C" __global__ void count_by_ballot(volatile int* flags, int items) {
  for (int item = 0; item < items;)
    if (__ballot_sync(0xffffffff, flags[item + threadIdx.x] != 0) != 0) ++item;
}
extern "C" __global__ void count_of_lanes(volatile int* flags, int wanted) {
  for (int got = 0; got < wanted;)
    got += __popc(__ballot_sync(0xffffffff, flags[threadIdx.x] != 0));
}

// A choice of what is polled, and where.
extern "C" __global__ void choice(volatile int* first, volatile int* second, int items, int lanes) {
  for (int item = 0; item < items;) {
    const int one = first[item], other = second[item];
    if ((threadIdx.x < lanes ? one : other) != 0) ++item;
  }
}
extern "C" __global__ void choice_or_nothing(volatile int* flags, int items, int lanes) {
  for (int item = 0; item < items;) {
    const int there = flags[item];
    item += threadIdx.x < lanes ? there : 0;
  }
}
extern "C" __global__ void rows(volatile int** rows, int items) {
  for (int item = 0; item < items;)
    if (*rows[item] != 0) ++item;
}
extern "C" __global__ void row_of_state(volatile int* flag, const int (*next)[2]) {
  for (int state = 0; state != 7;) state = next[state][*flag != 0];
}
__constant__ int next_state[8][2];
extern "C" __global__ void constant_row_of_state(volatile int* flag) {
  for (int state = 0; state != 7;) state = next_state[state][*flag != 0];
}
extern "C" __global__ void begun_anew(volatile int* flags, int items) {
  int item;
  do {
    for (item = 0; item < items && flags[item] != 0; ++item) {
    }
  } while (item < items);
}
extern "C" __global__ void begun_anew_with_work(volatile int* flags, int items, int* out) {
  for (int there = 0; there < items;) {
    there = 0;
    for (int item = 0; item < items; ++item) {
      out[item] += 1;
      if (flags[item] != 0) ++there;
    }
  }
}
extern "C" __global__ void starts_over(volatile int* flags, int items) {
  for (int item = 0; item < items;) item = flags[item] != 0 ? item + 1 : 0;
}

// What one number of the poll holds: a state, a bit, a sign, and what is made of it.
extern "C" __global__ void busy(volatile uint32_t* word, int items) {
  for (int item = 0; item < items;)
    if ((*word & 0x80000000) == 0) ++item;
}
extern "C" __global__ void but_for_nine(volatile int* state, int items) {
  for (int item = 0; item < items;)
    if (state[item] != 9) ++item;
}
extern "C" __global__ void but_in_between(volatile uint32_t* state, int items) {
  for (int item = 0; item < items;)
    if (state[item] < 5 || state[item] > 9) ++item;
}
extern "C" __global__ void apart(volatile int* head, volatile int* tail, int items) {
  for (int item = 0; item < items;)
    if (*head != *tail + 4) ++item;
}
extern "C" __global__ void few_bits(volatile uint32_t* word, int items) {
  for (int item = 0; item < items;)
    if (__popc(*word) < 3) ++item;
}
extern "C" __global__ void looks_back(volatile unsigned long long* tiles, int tile, int* out) {
  uint32_t sum = 0;
  for (int at = tile - 1; at >= 0;) {
    const unsigned long long found = tiles[at];
    if (found >> 32 == 0) continue;
    sum += static_cast<uint32_t>(found);
    if (found >> 32 == 2) break;
    --at;
  }
  out[tile] = sum;
}

// Counts that do not go on.
extern "C" __global__ void once_more(volatile int* flags, int items) {
  for (int item = 0; item < items; ++item)
    if (flags[item] == 0) --item;
}
extern "C" __global__ void from_the_start(volatile int* flags, int items) {
  for (int item = 0; item < items; ++item)
    if (flags[item] == 0) item = -1;
}
extern "C" __global__ void largest(volatile int* value, int wanted) {
  for (int best = 0; best < wanted;) best = max(best, *value);
}
extern "C" __global__ void smallest(volatile int* value, int wanted) {
  for (int count = 0; min(count, *value) < wanted;) ++count;
}
extern "C" __global__ void own_table(volatile int* flags, int which) {
  int seen[8] = {};
  for (int i = 0; seen[which] == 0; i = (i + 1) & 7) seen[i] = flags[i];
}
extern "C" __global__ void lanes_that_are_there(volatile int* out) {
  if ((threadIdx.x & 1) != 0) out[0] = 1;
  while (__activemask() != 0xffffffff) {
  }
  out[1] = 2;
}

// Left with a note.
extern "C" __global__ void to_and_fro(volatile int* flag, int side) {
  for (int at = 0; *flag == 0 && at != side;) at ^= 1;
}
extern "C" __global__ void with_a_ceiling(volatile int* flag) {
  for (uint32_t sleep = 8; *flag == 0 && sleep < 512;) {
    __nanosleep(sleep);
    sleep = min(2 * sleep, 256U);
  }
}
extern "C" __global__ void puts_off(volatile int* flag) {
  for (long long end = clock64() + 1000; *flag == 0 && clock64() < end;) end += 1000000;
}

// No waits: they end by themselves.
extern "C" __global__ void ends_by_tries(volatile int* flags, int items, int step) {
  int failed = 0;
  for (int item = threadIdx.x; item < items && failed < 100;)
    if (flags[item] != 0)
      item += step, failed = 0;
    else
      ++failed;
}
extern "C" __global__ void ends_by_sleep(volatile int* flag, uint32_t most) {
  for (uint32_t sleep = 8; *flag == 0 && sleep < most; sleep *= 2) __nanosleep(sleep);
}
extern "C" __global__ void ends_by_clock(volatile int* flag) {
  for (const long long end = clock64() + 1000; *flag == 0 && clock64() < end;) {
  }
}
