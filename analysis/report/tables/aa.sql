/*
doc = "how far two measurements of the same code differ"
none = "no two measurements of one code are in the results"
*/
SELECT stratum, relation AS "between", count(*) AS "pairs|n", median(abs(a - b)) AS "median cycles|.3f",
       median(iif(a = 0, 0, 100 * abs(a - b) / abs(a))) AS "median percent|percent",
       quantile(abs(a - b), 0.95) AS "p95 cycles|.3f",
       quantile(iif(a = 0, 0, 100 * abs(a - b) / abs(a)), 0.95) AS "p95 percent|percent"
FROM aa_pair WHERE g = :g GROUP BY 1, 2
UNION ALL
SELECT 'all', 'both', count(*), median(abs(a - b)), median(iif(a = 0, 0, 100 * abs(a - b) / abs(a))),
       quantile(abs(a - b), 0.95), quantile(iif(a = 0, 0, 100 * abs(a - b) / abs(a)), 0.95)
FROM aa_pair WHERE g = :g HAVING count(*) > 0
