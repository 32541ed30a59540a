package io.github.variantshredded.table

/** Statements on tables that mean the same with Spark's Parquet source and with this source. */
private[table] object TableStatements {

  val Scripts: Seq[(String, String)] = Seq(
    "partition columns are last, wherever they are declared" ->
      """CREATE TABLE T (n INT, p INT, s STRING) USING $F PARTITIONED BY (p);
        |INSERT INTO T VALUES (1, 'a', 10), (2, 'b', 20);
        |INSERT INTO T PARTITION (p = 30) VALUES (3, 'c');
        |INSERT INTO T (p, s, n) VALUES (40, 'd', 4);
        |INSERT OVERWRITE T PARTITION (p = 30) SELECT 5, 'e';
        |INSERT INTO T BY NAME SELECT 50 AS p, 6 AS n, 'f' AS s;
        |SELECT * FROM T ORDER BY n;
        |DESCRIBE T;
        |SHOW COLUMNS IN T;
        |SHOW CREATE TABLE T;
        |CREATE TABLE T2 USING $F PARTITIONED BY (p, q) AS
        |  SELECT 1 AS n, 'x' AS p, 2 AS m, 3 AS q;
        |SELECT * FROM T2;
        |DESCRIBE T2;
        |CREATE TABLE T3 USING $F LOCATION '$D' AS SELECT 1 AS a, 2 AS b;
        |SELECT * FROM T3""",
    "ADD, DROP, RENAME and SHOW PARTITIONS, TRUNCATE of a partition" ->
      """CREATE TABLE T (n INT, p INT, s STRING) USING $F PARTITIONED BY (p);
        |INSERT INTO T VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30), (4, 'd', 40);
        |SHOW PARTITIONS T;
        |SHOW PARTITIONS T PARTITION (p = 10);
        |ALTER TABLE T ADD PARTITION (p = 50);
        |ALTER TABLE T ADD PARTITION (p = 50);
        |ALTER TABLE T ADD IF NOT EXISTS PARTITION (p = 50) PARTITION (p = 60);
        |SHOW PARTITIONS T;
        |ALTER TABLE T DROP PARTITION (p = 60);
        |ALTER TABLE T DROP PARTITION (p = 61);
        |ALTER TABLE T DROP IF EXISTS PARTITION (p = 61);
        |ALTER TABLE T DROP PARTITION (p = 20), PARTITION (p = 50);
        |SELECT * FROM T ORDER BY n;
        |ALTER TABLE T PARTITION (p = 10) RENAME TO PARTITION (p = 11);
        |ALTER TABLE T PARTITION (p = 11) RENAME TO PARTITION (p = 30);
        |ALTER TABLE T PARTITION (p = 99) RENAME TO PARTITION (p = 98);
        |SELECT * FROM T ORDER BY n;
        |SHOW PARTITIONS T;
        |TRUNCATE TABLE T PARTITION (p = 11);
        |TRUNCATE TABLE T PARTITION (p = 12);
        |SELECT * FROM T ORDER BY n;
        |SHOW PARTITIONS T;
        |INSERT INTO T VALUES (5, 'e', NULL);
        |SHOW PARTITIONS T;
        |ALTER TABLE T DROP PARTITION (p = NULL) PURGE;
        |SELECT * FROM T ORDER BY n;
        |MSCK REPAIR TABLE T;
        |ALTER TABLE T RECOVER PARTITIONS;
        |MSCK REPAIR TABLE T SYNC PARTITIONS;
        |ANALYZE TABLE T COMPUTE STATISTICS;
        |ANALYZE TABLE T COMPUTE STATISTICS NOSCAN;
        |TRUNCATE TABLE T;
        |SHOW PARTITIONS T;
        |SELECT * FROM T ORDER BY n;
        |CREATE TABLE T2 (a INT) USING $F;
        |SHOW PARTITIONS T2;
        |MSCK REPAIR TABLE T2""",
    "partitions by columns of all types" ->
      """CREATE TABLE T (n INT, d DATE, t TIMESTAMP, x DECIMAL(5, 2), b BOOLEAN, s STRING) USING $F
        |  PARTITIONED BY (d, t, x, b, s);
        |INSERT INTO T VALUES
        |  (1, DATE'2024-01-01', TIMESTAMP'2024-01-01 10:00:00', 1.50, true, 'a b/c=d%'),
        |  (2, NULL, NULL, NULL, NULL, NULL);
        |SHOW PARTITIONS T;
        |TRUNCATE TABLE T PARTITION (d = '2024-01-01');
        |SHOW PARTITIONS T;
        |SELECT * FROM T ORDER BY n;
        |ALTER TABLE T ADD PARTITION (d = '2024-02-01', t = '2024-01-01 10:00:00', x = 2, b = false,
        |  s = 'z');
        |SHOW PARTITIONS T""",
    "columns with defaults, comments, NOT NULL" ->
      """CREATE TABLE T (n INT, p INT, s STRING) USING $F PARTITIONED BY (p);
        |INSERT INTO T VALUES (1, 'a', 10);
        |ALTER TABLE T ADD COLUMN d INT DEFAULT 7;
        |SELECT * FROM T ORDER BY n;
        |INSERT INTO T (n, s, p) VALUES (2, 'f', 30);
        |ALTER TABLE T ALTER COLUMN d SET DEFAULT 8;
        |INSERT INTO T (n, s, p) VALUES (3, 'g', 30);
        |SELECT * FROM T ORDER BY n;
        |COMMENT ON TABLE T IS 'a table';
        |ALTER TABLE T ALTER COLUMN s COMMENT 'text';
        |SHOW CREATE TABLE T;
        |CREATE TABLE T2 (n INT NOT NULL, s STRUCT<a: INT NOT NULL>) USING $F;
        |INSERT INTO T2 VALUES (NULL, NULL);
        |SHOW CREATE TABLE T2;
        |SET spark.sql.fileSource.insert.enforceNotNull = true;
        |CREATE TABLE T3 (n INT NOT NULL, s STRUCT<a: INT NOT NULL>) USING $F;
        |INSERT INTO T3 VALUES (NULL, named_struct('a', 1));
        |INSERT INTO T3 VALUES (1, named_struct('a', CAST(NULL AS INT)));
        |INSERT INTO T3 VALUES (1, named_struct('a', 2)), (2, NULL);
        |SHOW CREATE TABLE T3;
        |SET spark.sql.fileSource.insert.enforceNotNull = false;
        |SELECT * FROM T3 ORDER BY n""",
    "CREATE TABLE LIKE, databases, external tables" ->
      """CREATE TABLE T (n INT, p INT, s STRING) USING $F PARTITIONED BY (p)
        |  OPTIONS (compression 'gzip');
        |CREATE TABLE T2 LIKE T;
        |INSERT INTO T2 VALUES (1, 'a', 2);
        |SELECT * FROM T2;
        |SHOW PARTITIONS T2;
        |CREATE TABLE T3 LIKE T USING $F LOCATION '$D';
        |INSERT INTO T3 VALUES (1, 'a', 2);
        |SELECT * FROM T3;
        |CREATE TABLE T3 LIKE T;
        |CREATE TABLE IF NOT EXISTS T3 LIKE T;
        |DROP TABLE T3;
        |CREATE TABLE T3 USING $F LOCATION '$D';
        |MSCK REPAIR TABLE T3;
        |SELECT * FROM T3;
        |CREATE DATABASE d_T;
        |USE d_T;
        |CREATE TABLE T (a INT, b STRING) USING $F;
        |INSERT INTO d_T.T VALUES (1, 'x');
        |ALTER TABLE T RENAME TO T4;
        |SELECT * FROM T4;
        |USE default;
        |DROP DATABASE d_T CASCADE""",
    "INSERT OVERWRITE DIRECTORY, paths named by the format" ->
      """INSERT OVERWRITE DIRECTORY '$D' USING $F SELECT 1 AS a, 'b' AS b;
        |SELECT * FROM `$F`.`$D`;
        |INSERT OVERWRITE LOCAL DIRECTORY '$D' USING $F OPTIONS (compression 'gzip')
        |  SELECT 2 AS a, 'b' AS b;
        |SELECT * FROM `$F`.`$D`"""
  ).map { case (name, script) =>
    name -> script.stripMargin
  }

  def of(script: String): Seq[String] = script.split(";\n").map(_.trim).toSeq
}
