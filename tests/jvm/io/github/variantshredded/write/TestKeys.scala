package io.github.variantshredded.write

import java.nio.charset.StandardCharsets.US_ASCII

import org.apache.parquet.crypto.KeyAccessDeniedException
import org.apache.parquet.crypto.keytools.LocalWrapKmsClient

/** A key server for Parquet's encryption: the access token lists the keys that may be used. */
class TestKeys extends LocalWrapKmsClient {

  override protected def initializeInternal(): Unit = ()

  override protected def getMasterKeyFromServer(name: String): Array[Byte] =
    if (kmsToken.split('+').contains(name)) name.padTo(16, '.').getBytes(US_ASCII)
    else throw new KeyAccessDeniedException(s"the key '$name' is not for everybody")
}

object TestKeys {

  /** Options of a reader or writer that may use the keys. */
  def options(keys: String*): Seq[(String, String)] = Seq(
    "parquet.crypto.factory.class" ->
      "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory",
    "parquet.encryption.kms.client.class" -> classOf[TestKeys].getName,
    "parquet.encryption.key.access.token" -> keys.mkString("+")
  )
}
