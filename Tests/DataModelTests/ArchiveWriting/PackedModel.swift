@testable import DataModel

/// How stores pack their models.
enum PackedModel {
  static func unpacked(_ bytes: [UInt8]) throws -> [UInt8] { try DeflateStream.inflate(bytes, limit: 64 << 20) }

  static func packed(_ bytes: [UInt8], limit: Int = 64 << 20) throws(ModelFileProblem) -> [UInt8] {
    try DeflateStream.deflate(bytes, limit: limit)
  }
}
