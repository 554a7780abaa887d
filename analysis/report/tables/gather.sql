/*
doc = "the workload gather: GB/s of matrices of each kernel, against plain loads of the same GPU"
probe = "gather"
may_be_empty = true
hint = "it is made from the sweep `gather` of specs/workloads.toml"
legend = """
us: median of whole launches. GB/s: 10^9 bytes of matrices a second, those of every row of x counted, also where rows have \
the same matrix. Of best, of plain: share of the fastest variant, and of the fastest loads without a ring, of the same batch, \
mix, rank and columns on the same GPU. A thread that fills or adds up is one of so many in a CTA; roles: both where all warps \
do both."""
[arguments]
axes = true
most = { words = "N", least = 1 }
*/
WITH
gather AS (
  SELECT coalesce(batch, 1024) AS n, coalesce(mix, 'distinct') AS mix, coalesce(rank, 16) AS rank,
         coalesce(hidden, 4096) AS hidden, protocol, mover, protocol = 'none' AS plain, warp_layout,
         coalesce(sharing, 'share') AS sharing, coalesce(roles, 'specialized') AS roles,
         coalesce(num_stages, 4) AS stages, payload_bytes AS tile, coalesce(ctas_per_sm, 1) AS ctas, id, device,
         cycles, half, f, {where} AS wanted
  FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'gather' AND reason = '' AND cycles > 0),
rated AS (SELECT *, 4.0 * n * rank * hidden / cycles AS gbs FROM gather),
yard AS (
  SELECT *, max(gbs) OVER same AS best, max(iif(plain, gbs, NULL)) OVER same AS best_plain
  FROM rated WINDOW same AS (PARTITION BY device, n, mix, rank, hidden)),
wanted AS (SELECT *, row_number() OVER (PARTITION BY n, mix, rank, hidden, protocol, mover, roles, sharing
                                        ORDER BY gbs DESC, f) AS place
           FROM yard WHERE wanted)
SELECT n AS "batch|n", mix, rank AS "rank|n", hidden AS "columns|n", iif(plain, 'plain loads', protocol) AS protocol,
       mover, warp_layout AS warps, iif(plain, '-', stages) AS "stages|n", tile AS "tile|n", ctas AS "CTAs an SM|n",
       cycles / 1000 AS "us|.2f", gbs AS "GB/s|interval", gbs * half / cycles AS "|half",
       iif(gbs > 0, gbs / best, NULL) AS "of best|.3f", iif(gbs > 0, gbs / best_plain, NULL) AS "of plain|.3f",
       id AS variant
FROM wanted
WHERE :most = '' OR place <= :most
ORDER BY n, mix, rank, hidden, gbs DESC, f
