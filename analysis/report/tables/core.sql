/*
doc = "protocols: round trip and cycles per item by number of stages"
rows = ["protocol", "mover", "waited_on", "arrival", "warp_layout"]
hint = "axes that are neither rows nor across nor named are at their default"
legend = """
Cycles per item by number of stages, the ring's loop in it; round trip: cycles of a token to the consumer and back, \
alone and with its loop. The SASS class is that of 4 stages."""
varied = true
[where]
work = "none"
warp_layout = "1 x 1 warps"
[arguments]
axes = true
*/
WITH
ring AS (
  SELECT {rows}, {key -mover -work} AS verbs, num_stages AS stages, f, sass_class,
         row_number() OVER (ORDER BY {order}, f) AS place
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'ring' AND num_stages IN (1, 2, 4, 8) AND {where}
    AND only(named, {free} || ' num_stages')),
-- A token has no payload and no work, and one slot.
trip AS (
  SELECT {key -mover -work} AS verbs, one(iif(quantity = 'without_loop', f, NULL)) AS alone,
         one(iif(quantity = 'cycles', f, NULL)) AS looped
  FROM figure
  WHERE kind = 'point' AND probe = 'handoff' AND mover = 'none' AND work = 'none' AND {where -mover -work}
    AND only(named, {free -mover -work} || ' mover work num_stages')
  GROUP BY 1)
SELECT {titles}, alone AS "round trip|figure", looped AS "with its loop|figure",
       one(iif(stages = 1, f, NULL)) AS "1 stage|figure", one(iif(stages = 2, f, NULL)) AS "2 stages|figure",
       one(iif(stages = 4, f, NULL)) AS "4 stages|figure", one(iif(stages = 8, f, NULL)) AS "8 stages|figure",
       one(iif(stages = 4, substr(sass_class, 1, 8), NULL)) AS "SASS class"
FROM ring LEFT JOIN trip USING (verbs) GROUP BY {keys} ORDER BY min(place)
