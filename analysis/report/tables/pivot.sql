/*
doc = "any other cut"
rows = ["protocol", "mover", "work"]
every_column = true
hint = "axes that are neither rows nor across nor named are at their default"
[arguments]
axes = true
rows = { words = "AXIS,AXIS" }
across = { words = "AXIS:VALUE,VALUE", default = "num_stages:1,2,4,8" }
probe = { words = "PROBE", default = "ring" }
loop = { one_of = ["with", "subtracted"], default = "with" }
*/
SELECT {titles}, across, f AS "|figure"
FROM (
  SELECT {rows}, {across_title} AS across, f, row_number() OVER (ORDER BY {order}, f) AS place
  FROM figure
  WHERE kind = 'point' AND quantity = iif(:loop = 'subtracted', 'without_loop', 'cycles') AND probe = :probe
    AND {where} AND CAST({across} AS TEXT) IN ({across_values}) AND only(named, {free}))
ORDER BY place
