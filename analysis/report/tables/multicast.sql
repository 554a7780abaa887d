/*
doc = "one tile for a whole cluster over a tile for each of its CTAs: cycles, by number of stages"
probe = "cluster_ring"
hint = "it is made from the sweep clusters of specs/tensor.toml"
legend = """
Cycles of a multicast over those of a copy for each CTA, by number of stages; below 1 multicast is faster. Clusters: \
one on the GPU, or as many as it has room for. Split: each CTA copies its slice of the tile to all, or one CTA copies \
all of it. Read: consumers read the whole tile, or the first 16 bytes a lane. Blank: figures of several groups."""
across = ["1 stage", "2 stages", "4 stages", "6 stages"]
[arguments]
axes = true
*/
WITH ring AS (
  SELECT clusters, cluster_size, payload_bytes, "read", num_stages, protocol, mover, split, f
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'cluster_ring' AND newest AND declared
    AND coalesce(swizzle, 'none') = 'none' AND coalesce(arrive_semantics, 'default') = 'default' AND {where})
SELECT over.clusters, over."read", over.cluster_size AS "CTAs|n", over.payload_bytes AS "tile|n", over.split,
       iif(over.num_stages = 1, '1 stage', over.num_stages || ' stages') AS across, value(over.f) / value(own.f) AS "|.2f"
FROM ring AS over JOIN ring AS own USING (clusters, cluster_size, payload_bytes, "read", num_stages)
WHERE over.protocol = 'mbarrier_cluster_bulk' AND over.mover = 'multicast'
  AND own.protocol = 'mbarrier_bulk' AND own.mover = 'bulk_tensor'
ORDER BY over.clusters DESC, over."read", over.payload_bytes, over.cluster_size, over.split, over.num_stages
