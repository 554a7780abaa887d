/*
doc = "variants compared with what they are without an axis"
none = "no variant with that axis was measured"
[arguments]
axis = { words = "AXIS", needed = true, axis = true }
value = { words = "VALUE" }
least = { words = "PERCENT", default = "0", percent = true }
variant = { words = "ID" }
axes = true
*/
WITH
changed AS MATERIALIZED (
  SELECT id, f, {column axis} AS own, without(spelled, :axis) AS base
  FROM figure
  WHERE kind = 'point' AND quantity = 'cycles' AND names(named, :axis) AND {where}),
usual AS MATERIALIZED (SELECT id, f FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND newest),
pair AS MATERIALIZED (
  SELECT changed.*, coalesce(plain.f, missing(changed.base)) AS plain, difference(changed.f, coalesce(plain.f, missing(changed.base))) AS apart
  FROM changed
  LEFT JOIN usual AS plain ON plain.id = changed.base)
SELECT base AS variant, own AS {title axis}, plain AS "without|noted", f AS "with|noted",
       value(apart) AS "difference|±", half(apart) AS "|half",
       100 * value(apart) / nullif(value(plain), 0) AS "change|{:+.1f} %", floor(plain, f) AS "floor|.2f",
       pairs(plain, f) AS pairs, verdict(plain, f) AS verdict
FROM pair
WHERE (:value = '' OR own = :value) AND (:variant = '' OR base = :variant)
  AND (value(apart) IS NULL OR abs(value(apart)) >= :least / 100.0 * value(plain))
ORDER BY f
