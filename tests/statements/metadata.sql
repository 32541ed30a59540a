-- the column _metadata: all fields, in conditions too
CREATE TABLE T (n INT, s STRING, p INT) USING $F PARTITIONED BY (p);
INSERT INTO T SELECT CAST(id AS INT), concat('s', id), 1 FROM range(0, 4, 1, 1);
INSERT INTO T SELECT CAST(id AS INT), concat('s', id), 2 FROM range(4, 9, 1, 1);
SELECT n, p, _metadata.file_path LIKE concat('%/p=', p, '/', _metadata.file_name) AS a,
  _metadata.file_name LIKE 'part-%.parquet' AS b, _metadata.file_size > 0 AS c,
  _metadata.file_block_start AS d, _metadata.file_block_length = _metadata.file_size AS e,
  _metadata.file_modification_time > '2020-01-01' AS f, _metadata.row_index AS g
  FROM T ORDER BY n;
SELECT typeof(_metadata) FROM T WHERE n = 1;
SELECT n FROM T WHERE _metadata.file_path LIKE '%/p=2/%' ORDER BY n;
SELECT n FROM T WHERE _metadata.file_name NOT LIKE 'part-%' ORDER BY n;
SELECT n FROM T WHERE _metadata.file_size > 100 AND _metadata.file_block_start = 0 ORDER BY n;
SELECT n FROM T WHERE _metadata.file_block_length < 100 ORDER BY n;
SELECT n FROM T WHERE _metadata.file_modification_time < '2020-01-01' ORDER BY n;
SELECT n FROM T WHERE _metadata.row_index = 3 AND s > 's3' ORDER BY n;
SELECT p, count(DISTINCT _metadata.file_name) AS files, max(_metadata.row_index) AS last
  FROM T GROUP BY p ORDER BY p;
SELECT _metadata.nothing FROM T;
SELECT * FROM T WHERE n = 3;
