/*
doc = "the workload scale: GB/s of each kernel, against plain loads of the same GPU"
probe = "scale"
may_be_empty = true
hint = "it is made from the sweep `scale` of specs/workloads.toml"
legend = """
us: median of whole launches. GB/s: 10^9 bytes read and written a second, 8 for each element. Of best, of plain: share of \
the fastest variant, and of the fastest loads without a ring, of as many elements on the same GPU. A thread that fills \
or scales is one of so many in a CTA; roles: both where all warps do both."""
[arguments]
axes = true
most = { words = "N", least = 1 }
*/
WITH
scale AS (
  SELECT coalesce(elements, 16777216) AS n, protocol, mover, protocol = 'none' AS plain, warp_layout,
         coalesce(roles, 'specialized') AS roles, coalesce(num_stages, 4) AS stages, payload_bytes AS tile,
         coalesce(ctas_per_sm, 1) AS ctas, id, device, cycles, half, f, {where} AS wanted
  FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'scale' AND reason = '' AND cycles > 0),
rated AS (SELECT *, 8.0 * n / cycles AS gbs FROM scale),
yard AS (
  SELECT *, max(gbs) OVER same AS best, max(iif(plain, gbs, NULL)) OVER same AS best_plain
  FROM rated WINDOW same AS (PARTITION BY device, n)),
wanted AS (SELECT *, row_number() OVER (PARTITION BY n, protocol, mover, roles ORDER BY gbs DESC, f) AS place
           FROM yard WHERE wanted)
SELECT n AS "elements|n", iif(plain, 'plain loads', protocol) AS protocol, mover, warp_layout AS warps,
       iif(plain, '-', stages) AS "stages|n", tile AS "tile|n", ctas AS "CTAs an SM|n", cycles / 1000 AS "us|.2f",
       gbs AS "GB/s|interval", gbs * half / cycles AS "|half", gbs / best AS "of best|.3f",
       gbs / best_plain AS "of plain|.3f", id AS variant
FROM wanted
WHERE :most = '' OR place <= :most
ORDER BY n, gbs DESC, f
