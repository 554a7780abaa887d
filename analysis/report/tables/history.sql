/*
doc = "each text by every version of ptxas"
runs = "ptxas"
none = "no such text was measured by several versions of ptxas"
hint = "phasebit pack --toolchain all, then phasebit-bench"
[arguments]
variant = { words = "ID" }
axes = true
*/
WITH version AS (
  SELECT without(spelled, 'ptxas') AS text, coalesce(ptxas, run_ptxas) AS ptxas, f,
         count(*) OVER (PARTITION BY without(spelled, 'ptxas')) AS versions
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND newest AND {where})
SELECT text AS variant, version_place(ptxas) AS "_order", ptxas AS across, f AS "|noted"
FROM version WHERE versions > 1 AND (:variant = '' OR text = :variant)
ORDER BY text
