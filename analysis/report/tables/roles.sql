/*
doc = "rings that feed products, compared with the same loop without waits"
probe = "ring"
hint = "it is made from the sweep `roles` of specs/roles.toml"
legend = """
Shared, in turn, ping_pong: multiply-adds a cycle of the fastest ring whose warpgroups share every slot, take slots \
in turn, or do so and issue their products in order; the SM makes 2,048 at most. ± is the 95 % interval, and the \
fastest is the one whose lower end is highest. / loop: its share of the same loop in which nobody waits. A product \
has 64 rows for each warpgroup, so many columns and a depth of 64. Epilogue: blocks of eight dependent FMAs behind each item. In \
flight: groups of products that are not waited for when a slot is released."""
[arguments]
axes = true
*/
WITH
ring AS (
  SELECT coalesce(consumers, 1) AS groups, tile_n AS columns, coalesce(epilogue_blocks, 0) AS epilogue,
         coalesce(in_flight, 0) AS flying, waited_on <> '-' AS waits,
         iif(sharing = 'share', 0, iif("order" = 'none', 1, 2)) AS turns,
         1.0 * (payload_bytes / 128 - tile_n) * tile_n * 64 * max(1, coalesce(items_a_phase, 1)) AS fma, cycles, half, f
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'ring' AND cycles > 0 AND tile_n > 0
    AND granularity = 'producer_warp' AND tile_k = 64 AND payload_bytes / 128 > tile_n AND {where}),
rate AS (SELECT *, fma / cycles AS rate, fma / cycles * half / cycles AS width FROM ring),
-- What is surely reached: of many rings the fastest must not be the one with the widest interval.
best AS (SELECT *, max(rate - width) FROM rate GROUP BY groups, columns, epilogue, flying, waits, turns),
-- Without waits there is no order either: the loop in turn is also the loop in order.
loop AS (
  SELECT groups, columns, epilogue, flying, turns, rate FROM best WHERE NOT waits
  UNION ALL SELECT groups, columns, epilogue, flying, 2, rate FROM best WHERE NOT waits AND turns = 1),
row AS (
  SELECT best.*, loop.rate AS loop_rate FROM best LEFT JOIN loop USING (groups, columns, epilogue, flying, turns)
  WHERE waits)
SELECT groups AS "warpgroups|n", columns AS "columns|n", epilogue AS "epilogue|n", flying AS "in flight|n",
       max(iif(turns = 0, rate, NULL)) AS "shared|±", max(iif(turns = 0, width, NULL)) AS "|half",
       max(iif(turns = 0, rate / loop_rate, NULL)) AS "shared / loop|.3f",
       max(iif(turns = 1, rate, NULL)) AS "in turn|±", max(iif(turns = 1, width, NULL)) AS "|half",
       max(iif(turns = 1, rate / loop_rate, NULL)) AS "in turn / loop|.3f",
       max(iif(turns = 2, rate, NULL)) AS "ping_pong|±", max(iif(turns = 2, width, NULL)) AS "|half",
       max(iif(turns = 2, rate / loop_rate, NULL)) AS "ping_pong / loop|.3f"
FROM row GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
