/*
doc = "PTX forms by family: taken and measured"
legend = """
Forms of core/isa/forms.csv by family. Refused: a point of it failed, at the gate or later, and none has a figure. \
`phasebit coverage` says of each form what it lacks."""
[arguments.target]
words = "TARGET"
query = "SELECT target FROM run JOIN run_of_gpus USING (r) WHERE g = :g ORDER BY r DESC LIMIT 1"
values = "SELECT DISTINCT target FROM form_target"
*/
WITH
cost AS (
  SELECT form, max(is_measured(isolated)) AS isolated, coalesce(max(is_measured(loaded)), 0) AS loaded
  FROM form_cost WHERE g = :g GROUP BY form),
known AS (
  SELECT family, place, lowest_target <> '' AS taken, form_target.target IS NOT NULL AS here, isolated, loaded,
         isolated = 0 AS refused
  FROM form LEFT JOIN form_target ON form_target.form = form.form AND form_target.target = :target
  LEFT JOIN cost ON cost.form = form.form),
tally AS (
  SELECT family, min(place) AS place, count(*) AS forms, sum(taken) AS taken, sum(here) AS here, sum(isolated) AS isolated,
         sum(loaded) AS loaded, sum(refused) AS refused
  FROM known GROUP BY family
  UNION ALL SELECT 'all', 1e9, count(*), sum(taken), sum(here), sum(isolated), sum(loaded), sum(refused) FROM known)
SELECT family, nullif(forms, 0) AS "forms|n", nullif(taken, 0) AS "taken by some target|n", nullif(here, 0) AS {as target by %|n},
       nullif(isolated, 0) AS "measured|n", nullif(loaded, 0) AS "measured loaded|n", nullif(refused, 0) AS "refused|n"
FROM tally ORDER BY place
