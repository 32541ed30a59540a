package io.github.variantshredded.directory

import org.apache.hadoop.fs.Path
import org.apache.parquet.crypto.keytools.HadoopFSKeyMaterialStore

/**
 * Names the files that hold the keys of encrypted Parquet files, if these do not hold their keys
 * themselves (`parquet.encryption.key.material.store.internally`). parquet-java looks for the keys
 * by the name of the Parquet file, in the same directory.
 */
private[variantshredded] object KeyMaterial {

  /** Returns the name of the file that holds the keys of `file`. */
  def of(file: Path): Path = Directories.child(
    file.getParent,
    HadoopFSKeyMaterialStore.KEY_MATERIAL_FILE_PREFIX + file.getName +
      HadoopFSKeyMaterialStore.KEY_MATERIAL_FILE_SUFFFIX
  )

  /** Returns whether a file of this name holds the keys of another one. */
  def isName(name: String): Boolean =
    name.startsWith(HadoopFSKeyMaterialStore.KEY_MATERIAL_FILE_PREFIX) &&
      name.endsWith(HadoopFSKeyMaterialStore.KEY_MATERIAL_FILE_SUFFFIX)
}
