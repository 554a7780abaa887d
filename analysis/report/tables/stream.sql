/*
doc = "data read by 1 to all SMs: GB/s, bytes in flight, clocks"
probe = "stream"
hint = "it is made from the sweep `stream` of specs/bulk.toml"
legend = """
GB/s: 10^9 bytes a second by %globaltimer over the grid, the slope over four sizes; every word, or product, is in a \
verified sum. In flight: bytes an SM has under way at most. Little: GB/s when each tile takes as long as one bulk \
copy of it alone (probe `issue`, one stage, from the same place). Of best, of plain: share of the fastest variant, \
and of the fastest loads without a ring, on as many SMs of the same GPU from the same place. MHz: achieved by the \
SMs; memory MHz and watts as the driver says while the grids run. Watts lag behind by more than a point lasts: they \
are of the rows measured before, too."""
[arguments]
axes = true
most = { words = "N", least = 1 }
*/
WITH
stream AS (
  SELECT resident, min(iif(typeof(sms) = 'integer', sms, sms_of_gpu), sms_of_gpu) AS n, mover,
         protocol = 'none' AS plain, consumers, warp_layout, coalesce(ctas_per_sm, 1) AS ctas, payload_bytes AS tile,
         coalesce(num_stages, 1) AS stages, mhz, gpu_memory_mhz, gpu_watts, id, device, cycles, half, f,
         {where} AS wanted
  FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'stream' AND reason = ''),
rated AS (
  SELECT *, tile * ctas * stages AS in_flight, 1.0 * tile * ctas * n / cycles AS gbs FROM stream),
-- How long one bulk copy alone takes, of one warp with one stage.
alone AS (
  SELECT resident, payload_bytes AS tile, min(1000 * cycles / mhz) AS ns
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'issue' AND swizzle IS NULL AND coalesce(num_stages, 1) = 1
    AND cycles > 0 AND mhz > 0 AND only(named, 'num_stages addressing resident swizzle row_bytes payload_bytes')
  GROUP BY 1, 2),
-- The yardsticks are of the same GPU: the memory of one is up to 2 % faster than that of another of its model.
yard AS (
  SELECT *, max(gbs) OVER same AS best, max(iif(plain, gbs, NULL)) OVER same AS best_plain
  FROM rated WINDOW same AS (PARTITION BY device, resident, n)),
wanted AS (
  SELECT *, row_number() OVER (PARTITION BY resident, n, mover ORDER BY gbs DESC, f) AS place FROM yard WHERE wanted)
SELECT resident AS "from", n AS "SMs|n", mover, iif(plain, consumers || ' warps', warp_layout) AS warps,
       ctas AS "CTAs an SM|n", tile AS "tile|n", iif(plain, '-', stages) AS "stages|n", in_flight AS "in flight|n",
       in_flight * n / ns AS "Little|.0f", gbs AS "GB/s|interval", gbs * half / cycles AS "|half",
       gbs / best AS "of best|.3f", gbs / best_plain AS "of plain|.3f", mhz AS "MHz|.0f",
       nullif(gpu_memory_mhz, 0) AS "memory MHz|.0f", nullif(gpu_watts, 0) AS "W|.0f", id AS variant
FROM wanted LEFT JOIN alone USING (resident, tile)
WHERE :most = '' OR place <= :most
ORDER BY resident, n DESC, gbs DESC, f
