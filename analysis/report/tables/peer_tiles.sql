/*
doc = "rings that bulk copies fill compared with those that nvcc made, tile by tile, and what the SM can issue"
runs = "peers"
none = "no peer whose slots are filled by bulk copies was measured"
hint = "tools/peers makes a bundle of them and of our rings"
absent = "-"
[arguments]
axes = true
*/
WITH
point AS (
  SELECT probe, nvcc IS NOT NULL AS peer, payload_bytes AS tile, num_stages AS stages, coalesce(producers, 1) AS producers,
         coalesce(consumers, 1) AS consumers, mover, spelled,
         share(f, max(1, coalesce(items_a_phase, 1))) AS item,
         iif(nvcc IS NOT NULL OR probe = 'issue', {where_only payload_bytes}, {where}) AS wanted,
         joined(num_stages || ' stages', chosen(spelled, 'num_stages payload_bytes items_a_phase file library nvcc flags' ||
         iif(instr(spelled || char(10), char(10) || 'producers=1' || char(10)), ' producers', '') ||
         iif(instr(spelled || char(10), char(10) || 'consumers=1' || char(10)), ' consumers', '') ||
         iif(roles = 'specialized', ' roles', ''))) AS choice,
         probe = 'ring' AND work = 'none' AND max(1, coalesce(items_a_phase, 1)) = 1 AND coalesce(granularity, 'warp') = 'warp'
           AND coalesce(ctas_per_sm, 1) = 1 AND "read" IS NOT 'first' AS ring
  FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND reason = ''),
tile AS (
  SELECT tile, item, choice, stages, producers = 1 AND consumers = 1 AS single, 
         CASE WHEN probe = 'issue' THEN iif(producers <= 4, 'issue', NULL)
              WHEN peer THEN iif(ring AND mover = 'cp_async_bulk', 'theirs', NULL)
              ELSE iif(ring AND mover IN (SELECT mover FROM point WHERE probe = 'issue'), 'ours', NULL) END AS side
  FROM point WHERE wanted),
shown AS (SELECT DISTINCT tile, rows.stages FROM tile, (SELECT 1 AS stages UNION SELECT 2 UNION SELECT 4 UNION SELECT 0) AS rows WHERE side = 'theirs'),
best AS (
  SELECT shown.tile, shown.stages, fastest(iif(side = 'ours', item, NULL)) AS ours, fastest(iif(side = 'theirs', item, NULL)) AS theirs,
         fastest(iif(side = 'issue' AND shown.stages = 0, item, NULL)) AS issue
  FROM shown JOIN tile ON tile.tile = shown.tile AND (shown.stages = 0 OR (tile.stages = shown.stages AND single) )
  GROUP BY 1, 2)
SELECT best.tile AS "tile|n", iif(best.stages = 0, 'best', best.stages) AS "stages|n",
       (SELECT choice FROM tile WHERE item = ours) AS "ours at", ours AS "ours|figure",
       (SELECT choice FROM tile WHERE item = theirs) AS "theirs at", theirs AS "theirs|figure",
       value(ours) / value(theirs) AS "ours / it|.2f", issue AS "issue|figure", value(ours) / value(issue) AS "ours / issue|.2f"
FROM best WHERE theirs IS NOT NULL ORDER BY best.tile, best.stages = 0, best.stages
