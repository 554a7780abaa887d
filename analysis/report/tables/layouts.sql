/*
doc = "the same by warp layout"
rows = ["protocol", "mover", "warp_layout", "payload_bytes"]
hint = "axes that are neither rows nor across nor named are at their default"
legend = """
Cycles per item by number of stages. The SASS class is that of 4 stages."""
varied = true
[where]
work = "none"
[arguments]
axes = true
*/
WITH ring AS (
  SELECT {rows}, num_stages AS stages, f, sass_class, row_number() OVER (ORDER BY {order}, f) AS place
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND probe = 'ring' AND num_stages IN (1, 2, 4, 8) AND {where}
    AND only(named, {free} || ' num_stages'))
SELECT {titles}, one(iif(stages = 1, f, NULL)) AS "1 stage|figure", one(iif(stages = 2, f, NULL)) AS "2 stages|figure",
       one(iif(stages = 4, f, NULL)) AS "4 stages|figure", one(iif(stages = 8, f, NULL)) AS "8 stages|figure",
       one(iif(stages = 4, substr(sass_class, 1, 8), NULL)) AS "SASS class"
FROM ring GROUP BY {keys} ORDER BY min(place)
