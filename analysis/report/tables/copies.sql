/*
doc = "copies of one SM: latency, and GB/s by bytes in flight"
probe = "issue"
hint = "it is made from the sweeps `bulk` and `memory` of specs/bulk.toml and `copies` of specs/tensor.toml"
legend = """
Copies of one warp on one SM that waits for nothing but their bytes. Cycles, ns: one copy alone, from its issue \
until its bytes are seen. 1 KiB to 128 KiB: GB/s (10^9 bytes a second) with so many bytes in flight, tile x stages. \
Needed: bytes in flight that Little's law asks for, the latency of one copy x the highest rate of the row."""
[arguments]
axes = true
*/
WITH
copy AS (
  SELECT iif(resident = 'hbm', 'memory', 'L2') AS place, mover, dash(swizzle, 'swizzle', blank) AS swizzle,
         payload_bytes AS tile, payload_bytes * coalesce(num_stages, 1) AS in_flight, cycles,
         1000 * cycles / mhz AS ns, 1000 * half / mhz AS width
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'issue' AND cycles > 0 AND mhz > 0 AND {where}
    AND only(named, 'num_stages addressing resident swizzle row_bytes payload_bytes')),
-- Variants that share a cell differ in what else is free: the fastest is shown.
best AS (SELECT place, mover, swizzle, tile, in_flight, cycles, min(ns) AS ns, width FROM copy GROUP BY 1, 2, 3, 4, 5),
row AS (
  SELECT *, min(ns) OVER (PARTITION BY place, mover, swizzle, tile) AS fastest,
         max(iif(in_flight = tile, cycles, NULL)) OVER (PARTITION BY place, mover, swizzle, tile) AS alone_cycles,
         max(iif(in_flight = tile, ns, NULL)) OVER (PARTITION BY place, mover, swizzle, tile) AS alone_ns
  FROM best)
SELECT place AS "from", mover, swizzle, tile AS "tile|n", alone_cycles AS "cycles|.0f", alone_ns AS "ns|.0f",
       max(iif(in_flight = 1024, tile / ns, NULL)) AS "1 KiB|shown", max(iif(in_flight = 1024, tile / ns * width / ns, NULL)) AS "|half",
       max(iif(in_flight = 2048, tile / ns, NULL)) AS "2 KiB|shown", max(iif(in_flight = 2048, tile / ns * width / ns, NULL)) AS "|half",
       max(iif(in_flight = 4096, tile / ns, NULL)) AS "4 KiB|shown", max(iif(in_flight = 4096, tile / ns * width / ns, NULL)) AS "|half",
       max(iif(in_flight = 8192, tile / ns, NULL)) AS "8 KiB|shown", max(iif(in_flight = 8192, tile / ns * width / ns, NULL)) AS "|half",
       max(iif(in_flight = 16384, tile / ns, NULL)) AS "16 KiB|shown", max(iif(in_flight = 16384, tile / ns * width / ns, NULL)) AS "|half",
       max(iif(in_flight = 32768, tile / ns, NULL)) AS "32 KiB|shown", max(iif(in_flight = 32768, tile / ns * width / ns, NULL)) AS "|half",
       max(iif(in_flight = 65536, tile / ns, NULL)) AS "64 KiB|shown", max(iif(in_flight = 65536, tile / ns * width / ns, NULL)) AS "|half",
       max(iif(in_flight = 131072, tile / ns, NULL)) AS "128 KiB|shown", max(iif(in_flight = 131072, tile / ns * width / ns, NULL)) AS "|half",
       alone_ns / fastest * tile AS "needed|.0f"
FROM row GROUP BY place, mover, swizzle, tile ORDER BY place, mover, swizzle, tile
