/*
doc = "single PTX forms, a row a family: what the cheapest and the dearest form cost"
none = "the results hold no form that fits (sweep forms of specs/forms.toml)"
legend = """
Cycles of one operation, alone on the SM and next to 8 warps that compute and use shared memory (loaded). Forms: how \
many PTX forms the row stands for. `phasebit report --table forms --argument family=NAME` has each form."""
[arguments]
path = { words = "WORD", default = "*" }
measure = { words = "WORD", default = "throughput" }
family = { words = "PATTERN", default = "*" }
*/
WITH
cost AS (
  SELECT form_cost.rowid AS place, substr(form_cost.form, 1, instr(form_cost.form || '#', '#') - 1) AS family,
         form_cost.*
  FROM form_cost
  WHERE g = :g AND fits(:path, path) AND fits(:measure, measure))
SELECT family || iif(path = 'plain', '', ', ' || path) AS family, count(DISTINCT form) AS forms,
       fastest(isolated) AS "lowest|figure", slowest(isolated) AS "highest|figure",
       fastest(loaded) AS "loaded: lowest|figure", slowest(loaded) AS "loaded: highest|figure"
FROM cost WHERE fits(:family, family) GROUP BY cost.family, path ORDER BY min(place)
