internal import CLibMD

/// The SHA-2 digests that Core Data uses, computed by libmd.
package enum Digest {
  package static func sha256(_ message: [UInt8]) -> [UInt8] {
    var context = SHA2_CTX()
    var digest = [UInt8](repeating: 0, count: 32)
    SHA256Init(&context)
    SHA256Update(&context, message, message.count)
    SHA256Final(&digest, &context)
    return digest
  }

  static func sha512(_ message: [UInt8]) -> [UInt8] {
    var context = SHA2_CTX()
    var digest = [UInt8](repeating: 0, count: 64)
    SHA512Init(&context)
    SHA512Update(&context, message, message.count)
    SHA512Final(&digest, &context)
    return digest
  }
}
