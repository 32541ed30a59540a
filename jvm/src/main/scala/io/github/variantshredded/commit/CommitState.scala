package io.github.variantshredded.commit

/** Says in which state a commit is; the suffix of its note names the state. */
private[commit] sealed abstract class CommitState(val suffix: String)

private[commit] object CommitState {

  /** New files are being moved to their places, and readers ignore them. */
  case object Adding extends CommitState(".adding")

  /** All new files are in their places, and readers ignore the files that they replace. */
  case object Replacing extends CommitState(".replacing")

  val All: Seq[CommitState] = Seq(Adding, Replacing)
}
