/*
doc = "the measurements that show that the set-up is sound"
none = "no anchor was measured"
*/
SELECT anchor, unit, f AS "slope|noted", intercept AS "intercept|shown", iif(worst_residual = 0, 0, 1) AS "|half",
       iif(reason = '', coalesce(mhz, 0), NULL) AS "MHz|shown", 1 AS "|half"
FROM figure WHERE kind = 'anchor' AND quantity = 'cycles' ORDER BY id, f
