/*
doc = "multiply-adds a cycle of rings that feed wgmma, by shape of the product and number of stages"
probe = "ring"
hint = "it is made from the sweep shapes of specs/products.toml"
legend = """
Multiply-adds a cycle of an SM, which makes 2,048 at most, by number of stages; of several variants of a row the \
fastest. Product: rows of A x columns x depth; a warpgroup has 64 rows. Needs: cycles of an item at 2,048. In flight: \
groups of products that are not waited for when a slot is released."""
across = ["2 stages", "3 stages", "4 stages", "5 stages", "6 stages", "7 stages", "8 stages", "9 stages"]
[where]
work = "wgmma"
sharing = "share"
[arguments]
axes = true
*/
WITH ring AS (
  SELECT 64 * consumers AS m, tile_n AS n, tile_k * max(1, coalesce(items_a_phase, 1)) AS k, consumers,
         payload_bytes * max(1, coalesce(items_a_phase, 1)) AS bytes, mover, arrival, in_flight, num_stages, cycles, f
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'ring' AND work = 'wgmma' AND protocol = 'mbarrier_bulk'
    AND epilogue_blocks = 0 AND sub_partitions IS 'any' AND newest AND declared AND cycles > 0 AND {where})
SELECT m || ' x ' || n || ' x ' || k AS product, consumers AS "warpgroups|n", bytes / 1024 AS "KiB|n", m * n * k / 2048 AS "needs|n",
       mover, arrival, in_flight AS "in flight|n", num_stages || ' stages' AS across, 1.0 * m * n * k / min(cycles) AS "|.0f"
FROM ring GROUP BY m, n, k, consumers, bytes, mover, arrival, in_flight, num_stages
ORDER BY m * n * k, m, n, k, mover, arrival, in_flight, num_stages
