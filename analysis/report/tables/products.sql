/*
doc = "rings that feed tensor cores: share of the same loop without waits"
probe = "ring"
hint = "it is made from rings of specs/products.toml"
legend = """
By stages: share of the ceiling, which is the fastest of the same product by the same warps when nobody waits and \
nothing moves. Cycles: of an item, at the best number of stages; each of the fastest variant. FMA a cycle: \
multiplications and additions of the product, over these cycles."""
[arguments]
axes = true
*/
WITH
-- A slot is rows of A and of B, tile_k elements of two bytes each; a slot of several items is as much deeper.
ring AS (
  SELECT work, payload_bytes / 2 / coalesce(tile_k, 64) - tile_n AS m, tile_n AS n,
         coalesce(tile_k, 64) * max(1, coalesce(items_a_phase, 1)) AS k,
         warp_layout AS layout, protocol, mover, dash(in_flight, 'in_flight', blank) AS flying,
         dash("order", 'order', blank) AS "order", num_stages AS stages, cycles, half, f, waited_on = '-' AS ceiling,
         {where} AS wanted
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'ring' AND cycles > 0 AND tile_n > 0
    AND payload_bytes / 2 / coalesce(tile_k, 64) > tile_n),
top AS (SELECT work, m, n, k, layout, min(cycles) AS top, half AS top_half FROM ring WHERE ceiling GROUP BY 1, 2, 3, 4, 5)
SELECT work, m || ' x ' || n || ' x ' || k AS product, layout AS warps, protocol, mover, flying AS "in flight", "order",
       top / min(iif(stages = 1, cycles, NULL)) AS "1 stage|.3f",
       top / min(iif(stages = 2, cycles, NULL)) AS "2 stages|.3f",
       top / min(iif(stages = 3, cycles, NULL)) AS "3 stages|.3f",
       top / min(iif(stages = 4, cycles, NULL)) AS "4 stages|.3f",
       value(fastest(f)) AS "cycles|interval", half(fastest(f)) AS "|half", top AS "ceiling|interval", top_half AS "|half",
       1.0 * m * n * k / min(cycles) AS "FMA a cycle|.0f"
FROM ring LEFT JOIN top USING (work, m, n, k, layout)
WHERE NOT ceiling AND wanted
GROUP BY work, m, n, k, layout, protocol, mover, flying, "order"
ORDER BY work, m, n, k, layout, protocol, mover, flying, "order"
