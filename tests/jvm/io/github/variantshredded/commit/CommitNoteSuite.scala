package io.github.variantshredded.commit

import java.nio.file.Files

import io.github.variantshredded.errors.VariantShreddedException

/** Notes that other versions have written, or that are damaged. */
class CommitNoteSuite extends CommitSuite {

  test("a list of replaced files that was lost is an error, for readers and for jobs") {
    val table = newTable()
    val root = rootOf(table)
    create(table, "part-old.parquet")
    create(table, "part-dead.parquet")
    Seq("", "{", "{}", "[]").foreach { content =>
      val note = create(table, "_variant_shredded_commits/_dead.replacing")
      Files.writeString(note, content)
      val reader = intercept[VariantShreddedException](visible(root))
      assert(reader.getMessage.contains("dead.replacing"), content)
      val job = intercept[VariantShreddedException](append(table, root, "next"))
      assert(job.getMessage.contains("dead.replacing"), content)
      assert(Files.exists(note))
      assert(notes(table) === Set("_dead.replacing"))
    }
  }

  test("notes and marks with the names of earlier versions, without _ at the beginning") {
    CommitState.All.foreach { state =>
      val table = newTable()
      val root = rootOf(table)
      create(table, "part-old.parquet")
      create(table, "part-dead.parquet")
      create(table, "_variant_shredded_commits/earlier.last")
      val replaced = listed(root)
        .filter(_.getPath.getName == "part-old.parquet")
        .map(file => NotedFile(file.getPath.getName, file.getLen, file.getModificationTime))
      CommitState.All.takeWhile(_ != state).foreach { earlier =>
        create(table, s"_variant_shredded_commits/dead${earlier.suffix}")
      }
      val note = CommitNote("dead", state, None, replaced)
      writeNote(root, note)
      Files.move(
        table.resolve(s"_variant_shredded_commits/${note.name}"),
        table.resolve(s"_variant_shredded_commits/dead${state.suffix}")
      )
      val seen = if (state == CommitState.Adding) "part-old.parquet" else "part-dead.parquet"
      assert(visible(root) === Set(seen))
      ExclusiveCommit(root, conf, "next", CommitPatience(silenceOfUnknown = 50)) {
        _.add {
          create(table, "part-next.parquet")
          ()
        }
      }
      assert(visible(root) === Set(seen, "part-next.parquet"))
      assert(
        table.resolve("_variant_shredded_commits").toFile.list().toSet === Set("_next.last")
      )
    }
  }
}
