/*
doc = "the workload gemm: TFLOP/s of each kernel"
probe = "gemm"
may_be_empty = true
hint = "it is made from the sweep `gemm` of specs/workloads.toml"
legend = """
us: median of whole launches. TFLOP/s: 2 * m * n * k operations a launch. Of best: share of the fastest variant of the same \
shape on the same GPU. Tile: rows by columns of a CTA; shares: what the two CTAs of a cluster copy for both (multicast); under \
way: groups of wgmma when a slot is released."""
[arguments]
axes = true
most = { words = "N", least = 1 }
*/
WITH
gemm AS (
  SELECT coalesce(m, 8192) AS m, coalesce(n, 8192) AS n, coalesce(k, 8192) AS k, protocol, coalesce(arrival, 'warp') AS arrival,
         (64 * consumers) || ' x ' || coalesce(tile_n, 128) AS tile, coalesce(num_stages, 4) AS stages,
         coalesce(payload_bytes, 49152) AS slot, coalesce(in_flight, 0) AS under_way, coalesce(multicast, 'none') AS shares,
         coalesce(order_rows, 8) AS order_rows, id, device, cycles, half, f, {where} AS wanted
  FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'gemm' AND reason = '' AND cycles > 0),
rated AS (SELECT *, 2.0 * m * n * k / cycles / 1000 AS tflops FROM gemm),
yard AS (SELECT *, max(tflops) OVER (PARTITION BY device, m, n, k) AS best FROM rated),
wanted AS (SELECT *, row_number() OVER (PARTITION BY m, n, k, tile, shares, under_way ORDER BY tflops DESC, f) AS place
           FROM yard WHERE wanted)
SELECT m || ' x ' || n || ' x ' || k AS "m x n x k", tile, shares, stages AS "stages|n", slot AS "slot|n",
       under_way AS "under way|n", arrival, order_rows AS "order|n", cycles / 1000 AS "us|.1f", tflops AS "TFLOP/s|interval",
       tflops * half / cycles AS "|half", iif(tflops > 0, tflops / best, NULL) AS "of best|.3f", id AS variant
FROM wanted
WHERE :most = '' OR place <= :most
ORDER BY m, n, k, tflops DESC, f
