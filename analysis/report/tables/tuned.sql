/*
doc = "forks and snippets compared with their parents"
runs = "by_hand"
none = "nothing made by hand was measured"
hint = "phasebit pack --tuned, then phasebit-bench"
[arguments]
parent = { words = "ID" }
tuned = { words = "NAME" }
*/
-- The first axis that says that the text was made by hand; the assembler's come after it.
WITH
hand AS (
  SELECT id, f, sass_class, by_hand(spelled) AS made, substr(id, 1, length(id) - length(by_hand(spelled)) - 1) AS parent
  FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND by_hand(spelled) <> '' AND padding IS NULL),
usual AS MATERIALIZED (SELECT id, f, sass_class FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND newest),
pair AS MATERIALIZED (
  SELECT hand.*, coalesce(base.f, missing(hand.parent)) AS base, difference(hand.f, coalesce(base.f, missing(hand.parent))) AS apart, base.sass_class AS base_class
  FROM hand
  LEFT JOIN usual AS base ON base.id = hand.parent)
SELECT made AS "by hand", parent AS "from", base AS "cycles before|noted", f AS "cycles by hand|noted",
       value(apart) AS "difference|±", half(apart) AS "|half",
       100 * value(apart) / nullif(value(base), 0) AS "change|{:+.1f} %", floor(base, f) AS "floor|.2f",
       pairs(base, f) AS pairs, verdict(base, f) AS verdict, substr(base_class, 1, 8) AS "SASS class before",
       substr(sass_class, 1, 8) AS "SASS class by hand"
FROM pair
WHERE (:parent = '' OR parent = :parent) AND (:tuned = '' OR made = 'tuned=' || :tuned)
ORDER BY f
