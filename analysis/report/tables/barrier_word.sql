/*
doc = "where the fields of an mbarrier are in its 64-bit word"
may_be_empty = true
legend = "Each row is the widest field that agrees with every word read; N is modulo 2 to the width."
*/
SELECT layout, quantity AS "quantity N", bits AS "bits|n", width AS "width|n", stored_as AS "stored as",
       different_values AS "different values|n", words_read AS "words read|n"
FROM barrier_word WHERE g = :g ORDER BY rowid
