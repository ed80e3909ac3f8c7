-- A small lineitem, the same in every run.
CREATE TABLE lineitem AS
SELECT i // 4 + 1 AS l_orderkey, (hash(i + 1) % 20000)::BIGINT + 1 AS l_partkey, (hash(i + 2) % 1000)::BIGINT + 1 AS l_suppkey, i % 4 + 1 AS l_linenumber,
       (hash(i + 3) % 50 + 1)::DECIMAL(15,2) AS l_quantity, ((hash(i + 4) % 10409501 + 90100)::DECIMAL(15,0) / 100)::DECIMAL(15,2) AS l_extendedprice,
       ((hash(i + 5) % 11)::DECIMAL(15,0) / 100)::DECIMAL(15,2) AS l_discount, ((hash(i + 6) % 9)::DECIMAL(15,0) / 100)::DECIMAL(15,2) AS l_tax,
       DATE '1992-01-02' + (hash(i + 8) % 2526)::INTEGER AS l_shipdate, DATE '1992-01-31' + (hash(i + 9) % 2466)::INTEGER AS l_commitdate,
       (l_shipdate + (hash(i + 10) % 30 + 1)::INTEGER)::DATE AS l_receiptdate,
       CASE WHEN l_receiptdate > DATE '1995-06-17' THEN 'N' WHEN hash(i + 7) % 2 = 0 THEN 'R' ELSE 'A' END AS l_returnflag,
       CASE WHEN l_shipdate > DATE '1995-06-17' THEN 'O' ELSE 'F' END AS l_linestatus,
       ['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'][(hash(i + 11) % 4 + 1)::BIGINT] AS l_shipinstruct,
       ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'][(hash(i + 12) % 7 + 1)::BIGINT] AS l_shipmode,
       'comment ' || (hash(i + 13) % 40000) AS l_comment
FROM range(120000) r(i);
