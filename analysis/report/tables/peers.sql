/*
doc = "rings that nvcc made of other libraries beside ours of the same options"
legend = "Cycles an item. Both have the same stages, loop, look ahead, bytes an item, warps and arrivals; ours is the fastest of these by the protocol next to the peer's in docs/peers.md. Ahead: how many items a role asks for before it waits; 0 is the item that it then waits for, - is none. Warps: producers:consumers."
runs = "peers"
none = "no peer with items of :payload_bytes bytes was measured"
hint = "tools/peers makes a bundle of them and of our rings"
absent = "-"
[arguments]
payload_bytes = { words = "BYTES", default = "128" }
axes = true
*/
WITH
ring AS (
  SELECT f, id, nvcc IS NOT NULL AS peer, protocol, mover, roles, num_stages AS stages, coalesce(addressing, 'runtime') AS loop,
         iif(early_token = 'on', coalesce(ahead, 0), -1) AS asks, coalesce(producers, 1) AS producers,
         coalesce(consumers, 1) AS consumers, coalesce(sharing, 'share') AS sharing, arrival, copy_bytes, wait,
         iif(nvcc IS NULL, NULL, scope) AS scope, uniform_role, llvm
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND reason = '' AND probe = 'ring' AND payload_bytes = :payload_bytes
    AND work = 'none' AND coalesce(granularity, 'warp') = 'warp' AND coalesce(ctas_per_sm, 1) = 1
    AND max(1, coalesce(items_a_phase, 1)) = 1 AND {where}),
theirs AS (
  SELECT *, CASE WHEN mover = 'cp_async_bulk' THEN 'mbarrier_bulk'
                 WHEN protocol = 'syncthreads' THEN 'cta_barrier'
                 WHEN protocol = 'cutlass_named_barrier' THEN 'named_barrier'
                 WHEN protocol = 'pipeline_primitives' OR scope = 'thread' THEN 'cp_async_group'
                 WHEN mover = 'memcpy_async' AND roles = 'specialized' THEN 'cp_async_mbarrier'
                 ELSE 'mbarrier' END AS beside
  FROM ring WHERE peer),
pair AS (
  SELECT *, (SELECT fastest(ours.f) FROM ring AS ours
             WHERE NOT ours.peer AND ours.llvm IS NULL AND ours.protocol = beside AND ours.roles = theirs.roles
               AND ours.stages = theirs.stages AND ours.loop = theirs.loop AND ours.asks = theirs.asks
               AND ours.producers = theirs.producers AND ours.consumers = theirs.consumers AND ours.sharing = theirs.sharing
               AND coalesce(ours.arrival, theirs.arrival, '') = coalesce(theirs.arrival, ours.arrival, '')
               AND (theirs.mover = 'st_shared' OR ours.copy_bytes IS theirs.copy_bytes)
               AND (ours.roles = 'unified' OR ours.uniform_role = 'on')) AS own
  FROM theirs)
SELECT protocol || iif(mover = 'memcpy_async', ', copies of ' || coalesce(copy_bytes, 4) || ' B', '') ||
         iif(scope = 'thread', ', thread scope', '') || iif(wait = 'token', ', tokens', '') ||
         iif(arrival = 'warp', ', a lane a warp', '') AS peer,
       stages AS "stages|n", iif(loop = 'unrolled', 'unrolled', 'rolled') AS loop, iif(asks < 0, '-', asks) AS "ahead|n",
       iif(roles = 'unified', 'one', producers || ':' || consumers || iif(sharing = 'share', '', ' in turn')) AS warps,
       f AS "theirs|noted", own AS "ours|noted", coalesce(value(own) / value(f), '-') AS "ours / it|.2f"
FROM pair ORDER BY loop, asks, roles, value(f), protocol, id
