package io.github.variantshredded.fuzz.bytes

/**
 * One change of a file.
 *
 * @param kind
 *   what is changed: see [[FileChange.apply]]
 * @param where
 *   selects the part that is changed
 * @param how
 *   the change
 * @param number
 *   for it
 */
final case class FileChange(kind: Int, where: Int, how: Int, number: Int) {

  /** Whether pages are the only thing that it changes, so that their checksums are wrong. */
  def isSeenByChecksums: Boolean = kind == FileChange.ContentOnly

  /** Whether the content of pages stays as it was. */
  def leavesPages: Boolean = kind >= FileChange.FirstOfFooter
}

object FileChange {

  /** Bytes that tell a change. */
  final val Size = 6

  final val Kinds = 12

  /** The kind of changes that leave the checksum of a page as it was. */
  private final val ContentOnly = 3

  /** From this kind on, changes are of the footer, of indexes and of bloom filters. */
  private final val FirstOfFooter = 8

  def apply(bytes: Array[Byte]): FileChange = {
    def unsigned(at: Int) = bytes(at) & 0xff
    FileChange(
      unsigned(0) % Kinds,
      unsigned(1) | unsigned(2) << 8,
      unsigned(3),
      unsigned(4) | unsigned(5) << 8
    )
  }

  /** The file with the changes; None if they make something that cannot be written. */
  def apply(file: Array[Byte], changes: Seq[FileChange]): Option[Array[Byte]] = {
    val (ofBytes, ofParts) = changes.partition(_.kind < 2)
    val changed =
      if (ofParts.isEmpty) Some(file)
      else {
        val edited = new EditedFile(file)
        try {
          ofParts.foreach(change(edited, _))
          edited.assemble()
        } catch {
          // A page that an earlier change made unreadable is not to be changed again.
          case _: Exception => None
        }
      }
    changed.map(ofBytes.foldLeft(_)(changeBytes))
  }

  private def change(file: EditedFile, change: FileChange): Unit = {
    import change._
    def page = file.pages(where % file.pages.size)
    kind match {
      // The content of a page, before compression.
      case 2 => page.edit(fixesChecksum = true)(content(_, how, number))
      case 3 => page.edit(fixesChecksum = false)(content(_, how, number))
      // Levels, a dictionary's first entries, the header of a block: what stands first.
      case 4 => page.edit(fixesChecksum = true)(start(_, how, number))
      // A header as it is, with the body as it was.
      case 5 => ThriftEdit(page.header, how, number >>> 8, number)
      // The content as it is written, after compression.
      case 6 => page.body = content(page.body, how, number)
      // A page in the place of another.
      case 7 => page.body = file.pages(number % file.pages.size).body
      // The footer, after all offsets in it have been made right.
      case 8  => file.late += (() => ThriftEdit(file.footer, where, how, number))
      case 9  => rowGroups(file, change)
      case 10 => schema(file, change)
      case _  => other(file, change)
    }
  }

  private def rowGroups(file: EditedFile, change: FileChange): Unit = file.late += { () =>
    val groups = file.footer.getRow_groups
    if (!groups.isEmpty) {
      val columns = groups.get(change.where % groups.size).getColumns
      if (!columns.isEmpty) {
        val chunk = columns.get((change.where >>> 4) % columns.size)
        ThriftEdit(chunk, change.where >>> 9, change.how, change.number)
      }
    }
  }

  private def schema(file: EditedFile, change: FileChange): Unit = file.late += { () =>
    val elements = file.footer.getSchema
    if (!elements.isEmpty) {
      val element = elements.get(change.where % elements.size)
      ThriftEdit(element, change.where >>> 6, change.how, change.number)
    }
  }

  private def other(file: EditedFile, change: FileChange): Unit = if (file.others.nonEmpty) {
    val structure = file.others(change.where % file.others.size)
    file.late += { () =>
      ThriftEdit(structure.struct, change.where >>> 6, change.how, change.number)
    }
  }

  private def content(bytes: Array[Byte], how: Int, number: Int): Array[Byte] =
    if (bytes.isEmpty) bytes :+ number.toByte
    else {
      val at = number % bytes.length
      how & 3 match {
        case 0 | 1 => bytes.updated(at, (bytes(at) ^ (how >>> 2 | 1)).toByte)
        case 2     => bytes.take(at)
        case _     =>
          bytes.take(at) ++ Array.fill(1 + (how >>> 4))((how >>> 2).toByte) ++ bytes.drop(at)
      }
    }

  private def start(bytes: Array[Byte], how: Int, number: Int): Array[Byte] =
    if (bytes.isEmpty) bytes
    else {
      val at = (how & 15) % bytes.length
      val first = bytes.updated(at, number.toByte)
      if ((how & 16) == 0 || at + 1 >= bytes.length) first
      else first.updated(at + 1, (number >>> 8).toByte)
    }

  private def changeBytes(file: Array[Byte], change: FileChange): Array[Byte] = {
    import change._
    // The end of the file is the more interesting one.
    def at = math.max(0, file.length - 1 - where % file.length)
    if (file.isEmpty) file
    else if (kind == 0) file.updated(at, (file(at) ^ how).toByte)
    else {
      how % 3 match {
        case 0 => file.take(at)
        case 1 => file.take(at) ++ file.drop(math.min(file.length, at + number % 64))
        case _ => file.take(at) ++ Array.fill(number % 64)(how.toByte) ++ file.drop(at)
      }
    }
  }
}
