/*
doc = "variants without a figure, with the reason"
may_be_empty = true
*/
SELECT id AS variant, reason AS "why it has no figure"
FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND reason <> '' ORDER BY f
