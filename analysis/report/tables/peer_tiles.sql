/*
doc = "the fastest ring of other libraries and of ours at each size, of the options that both have"
legend = "Cycles an item. Allowed are stages, items asked for ahead and warps that both sides have of that size and loop: protocol and stages, then items ahead (0: the item itself is asked for before the wait), then producers:consumers where they are not 1:1, or producers/consumers that take the slots in turn."
runs = "peers"
none = "no peer was measured of which ours have the options"
hint = "tools/peers makes a bundle of them and of our rings"
absent = "-"
[arguments]
axes = true
*/
WITH
ring AS (
  SELECT f, nvcc IS NOT NULL AS peer, protocol, payload_bytes AS tile, num_stages AS stages,
         coalesce(addressing, 'runtime') AS loop, iif(early_token = 'on', coalesce(ahead, 0), -1) AS asks,
         coalesce(producers, 1) AS producers, coalesce(consumers, 1) AS consumers, coalesce(sharing, 'share') AS sharing,
         CASE WHEN mover = 'st_shared' THEN 'stores' WHEN mover IN ('memcpy_async', 'cp_async') THEN 'cp.async'
              WHEN mover IN ('bulk', 'cp_async_bulk') THEN 'bulk copies' END AS filled
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND reason = '' AND probe = 'ring' AND work = 'none' AND roles = 'specialized'
    AND coalesce(granularity, 'warp') = 'warp' AND coalesce(ctas_per_sm, 1) = 1 AND max(1, coalesce(items_a_phase, 1)) = 1
    AND llvm IS NULL AND coalesce(uniform_role, 'on') IN ('on', iif(nvcc IS NULL, 'on', 'off')) AND "read" IS NOT 'first' AND {where}),
allowed AS (
  SELECT tile, filled, stages, loop, asks, producers, consumers, sharing FROM ring WHERE filled IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING max(peer) > min(peer)),
row AS (
  SELECT ring.*, replace(replace(protocol, 'cutlass_pipeline_', 'cutlass '), 'cutlass_', 'cutlass ') || ' ' || stages || iif(asks < 0, '', ', ahead ' || asks) ||
                 iif(producers * consumers > 1, ', ' || producers || iif(sharing = 'share', ':', '/') || consumers, '') AS choice
  FROM ring JOIN allowed USING (tile, filled, stages, loop, asks, producers, consumers, sharing)),
best AS (
  SELECT tile, filled, loop, fastest(iif(peer, NULL, f)) AS ours, fastest(iif(peer, f, NULL)) AS theirs
  FROM row GROUP BY 1, 2, 3)
SELECT tile AS "bytes|n", iif(loop = 'unrolled', 'unrolled', 'rolled') AS loop,
       (SELECT choice FROM row WHERE f = ours) AS "ours at", value(ours) AS "ours|.1f",
       (SELECT choice FROM row WHERE f = theirs) AS "theirs at", value(theirs) AS "theirs|.1f",
       value(ours) / value(theirs) AS "ours / it|.2f"
FROM best ORDER BY filled = 'bulk copies', filled, tile, loop
