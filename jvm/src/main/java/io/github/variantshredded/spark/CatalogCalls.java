package io.github.variantshredded.spark;

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Utils;
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog;

import java.util.function.Predicate;

/** Tells on whose behalf Spark calls a source. */
public final class CatalogCalls {
  private CatalogCalls() {}

  private static final int MAX_FRAMES = 12;
  private static final String CATALOG = V2SessionCatalog.class.getName();

  /**
   * Returns whether Spark's session catalog asks for a table by name. It passes the same to a
   * source as a save to a path does, if the properties of the table do not name the format.
   * {@code CREATE TABLE ... LIKE ... USING} makes such tables if it is the first statement of a
   * session about the format: the rules of this source, which would add the property, are not in
   * the session yet.
   */
  public static boolean isTableByName() {
    return isBelow(CATALOG, method -> true);
  }

  /**
   * Returns whether Spark's session catalog looks for a table only to drop it. Spark 4.1 also loads a
   * table to see whether it exists, and does so before it drops one.
   */
  public static boolean isDrop() {
    return isBelow(
        CATALOG, method -> method.contains("dropTable") || method.contains("tableExists"));
  }

  /**
   * Returns whether a batch query reads paths with a given schema. A stream asks a source for the
   * same.
   */
  public static boolean isBatchRead() {
    return isBelow(DataSourceV2Utils.class.getName(), method -> method.contains("loadV2Source"));
  }

  private static boolean isBelow(String className, Predicate<String> method) {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .limit(MAX_FRAMES)
                    .anyMatch(
                        frame ->
                            frame.getClassName().startsWith(className)
                                && method.test(frame.getMethodName())));
  }
}
