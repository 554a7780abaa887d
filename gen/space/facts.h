// What the plan and the probes must know of a protocol, a mover or a work, as its file states it
// (docs/catalogue.md). No C++ knows a component by its name.
#pragma once

#include "core/launch/launch.h"
#include "gen/space/expression.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::space {

// How the end state of a slot's barriers is read back after the roles: the phases of an mbarrier,
// the count of a flag.
enum class ReadBack { none, phases, count };

struct ProtocolFacts {
  int words = 0;        // of 8 bytes, that a slot has in shared memory: a full and an empty one (2)
  int extra_bytes = 0;  // that the hardware writes for a slot, in addition to the payload
  bool keeps_address = false;  // a role keeps the address of its slot's words in a register
  bool counts_laps = false;    // a role counts its laps of the ring, in addition to their parity
  // Arrivals of the role that hands over that complete a phase; set where there are words.
  std::optional<Expression> full_arrivals, empty_arrivals;
  std::optional<Expression> most_arrivals;  // that a barrier can expect; of counts_arrivals
  std::optional<Expression> waits_arrive;   // a wait arrives too, and every slot is primed once
  std::optional<Expression> early, ahead;   // an early try, and of which item; of `try`
  ReadBack read_full = ReadBack::none, read_empty = ReadBack::none;
  std::optional<Expression> empty_in_all;  // in a cluster, every CTA's empty barriers are used
  std::string waits_on;                    // the word that tables print, see report_facts.h
  std::string no_header;  // why its verbs cannot be functions of a header; "" where they can
};

// A word, or the axis whose value it is.
struct AxisWord {
  std::string axis, word;
};

// Of a mover whose slots are tiles that tensor copies fill from the images of the payload: what
// the tensor map says (core/launch/tensor/map.h).
struct TileFacts {
  bool is_tile = false;
  AxisWord element, swizzle, promotion, fill;
  std::optional<Expression> rank, copies;  // copies: tiles of a slot
  // Elements, the innermost dimension first and in bytes, for the greatest rank: of the box, and at
  // its end those that the tensor lacks.
  std::vector<Expression> box, cut;
  // Of an im2col map: box and cut are those of an image, whose pixels are a tile. Corners and the
  // copy's offsets, of the dimensions between the first and the last.
  std::optional<Expression> im2col;
  std::vector<Expression> lower, upper, offsets;
};

// Of a mover whose consumers store the slots back (core/launch/stores/store.h).
struct StoreFacts {
  bool stores = false;
  AxisWord operation, rewrite;
  std::optional<Expression> by_map;  // by a tensor map like that of the tiles
};

struct MoverFacts {
  TileFacts tile;
  StoreFacts stored;
  std::optional<Expression> bytes;       // of a slot's payload; 0: none
  std::optional<Expression> copy_bytes;  // of one copy, where images of the payload are copied
  std::optional<Expression> copiers;     // copy a slot together; missing: its producer threads
  std::optional<Expression> read_bytes;  // of a slot by a consumer thread; 0: its even share
  std::optional<Expression> kept_bytes;  // of each copy that come from memory; missing: all
  std::optional<Expression> period;      // items whose words differ, where slots keep theirs
};

// Of a work that multiplies the matrices of a slot (core/launch/product/product.h).
struct ProductFacts {
  bool multiplies = false;
  std::optional<Expression> rows, columns, blocks, depth;
};

struct WorkFacts {
  std::optional<Expression> producer, consumer;  // whether the role works
  std::optional<Expression> amount;              // given to the kernel at launch
  std::optional<Expression>
      behind;                       // items under way when a slot is released: it is an earlier one
  std::optional<Expression> fixed;  // its warps must keep their numbers
  std::optional<Expression> repeats;  // items after which what it does begins anew
  ProductFacts product;
};

// [[inputs]], [output] and [expects] of a probe that is a workload
// (core/launch/workload/workload.h).
struct WorkloadFacts {
  struct Input {
    std::string name;
    std::optional<Expression> elements;
    std::string fill;  // of a buffer; {axis} stands for the axis's value
    std::string where;
  };
  // A tensor map of a matrix: an input, or the output, row by row.
  struct Map {
    std::string name, of, where;
    std::optional<Expression> rows, columns, box_rows, box_columns;
  };
  std::string reference;  // "": no workload
  std::vector<Input> inputs;
  std::vector<Map> maps;
  Input output;  // without a fill
  // Elements of a tile of the output; missing: the words of a slot. Bytes of shared memory after
  // the slots, and a multiple of what they begin at. The rest: launch::workload::WorkloadShape.
  std::optional<Expression> tile, scratch, scratch_alignment, rows, columns, tile_rows,
      items_a_tile, halves, drawn, cancels, launches, overlaps;
  int relative = 0, absolute = 0;
};

// [plan] of a probe: what a launch of it is where that is not what a ring's is.
struct ProbePlanFacts {
  std::optional<launch::Role> timed_role;
  std::string unit;                      // "cycles per phase"
  std::vector<std::string> timed_verbs;  // empty: all that a gate knows
  std::optional<Expression> cluster_size, work_amount, min_items, max_items;
  std::optional<Expression> phases;  // so many full barriers are read back, where the protocol can
  bool repeats = false;              // `unroll` items are in the body of the loop
  bool guarded = true;               // false: nothing in it waits
  std::vector<launch::Reading> readings;
  WorkloadFacts workload;
};

// A spelling that verbs of the component share: Mustache that stands for `{{name}}`.
struct Word {
  std::string name;
  std::string text;
  std::string where;  // "templates/protocols/mbarrier/protocol.toml:12"
};

// A name that verbs may use, of which an expression says whether it holds, or its value.
struct NamedExpression {
  std::string name;
  Expression expression;
  bool is_flag = false;
  std::string where;
};

}  // namespace phasebit::space
