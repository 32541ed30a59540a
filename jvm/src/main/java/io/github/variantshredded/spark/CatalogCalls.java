package io.github.variantshredded.spark;

import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog;

/** Tells on whose behalf Spark calls a source. */
public final class CatalogCalls {
  private CatalogCalls() {}

  private static final int MOST_FRAMES = 12;

  /**
   * Whether Spark's session catalog asks for a table by name. It passes the same to a source as a
   * save to a path does, if the properties of the table do not name the format: {@code CREATE TABLE
   * ... LIKE} makes such tables.
   */
  public static boolean isTableByName() {
    String catalog = V2SessionCatalog.class.getName();
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .limit(MOST_FRAMES)
                    .anyMatch(frame -> frame.getClassName().startsWith(catalog)));
  }
}
