package io.github.variantshredded.spark;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Predicate;

import scala.runtime.AbstractFunction1;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.CacheManager;
import org.apache.spark.sql.execution.CachedData;

/** Calls private methods of Spark's manager of cached queries. */
public final class CacheInternals {
  private static final MethodHandle RECACHE_BY_CONDITION;

  static {
    try {
      RECACHE_BY_CONDITION =
          MethodHandles.privateLookupIn(CacheManager.class, MethodHandles.lookup())
              .findVirtual(
                  CacheManager.class,
                  "recacheByCondition",
                  MethodType.methodType(
                      void.class, SparkSession.class, scala.Function1.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private CacheInternals() {}

  /**
   * Drops the cached rows of the queries whose plans meet the condition, and has them computed anew
   * when they are next asked for. Spark itself offers this for its own file tables only.
   */
  public static void recache(
      CacheManager manager, SparkSession session, Predicate<LogicalPlan> condition)
      throws Throwable {
    RECACHE_BY_CONDITION.invokeExact(
        manager, session, (scala.Function1<?, ?>) new Condition(condition));
  }

  private static final class Condition extends AbstractFunction1<CachedData, Object> {
    private final Predicate<LogicalPlan> condition;

    Condition(Predicate<LogicalPlan> condition) {
      this.condition = condition;
    }

    @Override
    public Object apply(CachedData cached) {
      return condition.test(cached.plan());
    }
  }
}
