/*
doc = "hardware counters of each variant next to its time"
may_be_empty = true
hint = "`phasebit-bench --counters` counts, where the GPU permits it"
legend = """
Of one launch after the timed ones: of a workload the whole, of a ring the longest of its chain. Issue slots, warps \
active, tensor pipe: % of the most that the SMs could have done while they were active; of what is measured on one SM \
those of the busiest SM. DRAM, L2: % of their most over the launch. Waits: what a warp waited for, cycles for each \
instruction that it issued, the largest first. `select * from counter` of `phasebit sql` has all."""
[arguments]
axes = true
waits = { words = "N", default = "3", least = 1 }
*/
WITH
wanted AS (
  SELECT f, id, iif(same_as <> '', same_as, id) AS counted, device, sass_class
  FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND newest AND {where}),
own AS (
  SELECT wanted.f, wanted.id, counter.name, median(counter.value) AS value
  FROM wanted JOIN variant ON variant.id = counted JOIN measurement USING (v) JOIN device USING (d) JOIN code USING (c)
  JOIN counter USING (p)
  WHERE measurement.kind = 'point' AND device.uuid = wanted.device AND code.sass_class = wanted.sass_class
  GROUP BY wanted.f, counter.name),
wait AS (
  SELECT f, replace(replace(name, 'stall_', ''), '_cycles', '') AS name, value,
         row_number() OVER (PARTITION BY f ORDER BY value DESC, name) AS place
  FROM own WHERE name LIKE 'stall#_%' ESCAPE '#' AND name <> 'stall_selected_cycles'),
waits AS (
  SELECT f, group_concat(format('%s %.2f', name, value), ', ') AS said
  FROM (SELECT * FROM wait WHERE place <= CAST(:waits AS INTEGER) ORDER BY f, place) GROUP BY f),
wide AS (
  SELECT f, id, max(iif(name = 'issue_slots_percent', value, NULL)) AS issue,
         max(iif(name = 'warps_active_percent', value, NULL)) AS warps,
         max(iif(name = 'tensor_pipe_percent', value, NULL)) AS tensor,
         max(iif(name = 'dram_read_bytes', value, NULL)) / 1e6 AS dram_read,
         max(iif(name = 'dram_write_bytes', value, NULL)) / 1e6 AS dram_write,
         max(iif(name = 'dram_percent', value, NULL)) AS dram,
         max(iif(name = 'l2_bytes', value, NULL)) / 1e6 AS l2_bytes,
         max(iif(name = 'l2_percent', value, NULL)) AS l2
  FROM own GROUP BY f)
SELECT id AS variant, f AS "time|figure", (SELECT unit FROM figure WHERE figure.f = wide.f) AS unit,
       issue AS "?issue slots %|.1f", warps AS "?warps active %|.1f", tensor AS "?tensor pipe %|.1f",
       dram_read AS "?DRAM read MB|.2f", dram_write AS "?DRAM written MB|.2f", dram AS "?DRAM %|.1f",
       l2_bytes AS "?L2 MB|.2f", l2 AS "?L2 %|.1f", (SELECT said FROM waits WHERE waits.f = wide.f) AS "?waits"
FROM wide ORDER BY f
