package io.github.variantshredded.spark;

import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog;

/** Tells on whose behalf Spark calls a source. */
public final class CatalogCalls {
  private CatalogCalls() {}

  private static final int MOST_FRAMES = 12;

  /**
   * Whether Spark's session catalog asks for a table by name. It passes the same to a source as a
   * save to a path does, if the properties of the table do not name the format. {@code CREATE TABLE
   * ... LIKE ... USING} makes such tables if it is the first statement of a session about the format:
   * the rules of this source, which would add the property, are not in the session yet.
   */
  public static boolean isTableByName() {
    return isBelow("");
  }

  /** Whether Spark's session catalog looks for a table only to drop it. */
  public static boolean isDrop() {
    return isBelow("dropTable");
  }

  private static boolean isBelow(String method) {
    String catalog = V2SessionCatalog.class.getName();
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .limit(MOST_FRAMES)
                    .anyMatch(
                        frame ->
                            frame.getClassName().startsWith(catalog)
                                && frame.getMethodName().contains(method)));
  }
}
