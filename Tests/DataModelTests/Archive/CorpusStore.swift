import DataModel
import Foundation
import PropertyListFormat
import SQLiteDatabase

/// A copy of a store in the corpus; opening an original might change it.
final class CorpusStore {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID())")
  private let connection: Connection

  init(_ path: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy = folder.appending(path: "copy.sqlite").path(percentEncoded: false)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      // The originals may be read-only.
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy + suffix)
    }
    connection = try Connection(path: copy, access: .readWrite)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The packed model, which stores of old systems do not have.
  func modelCache() throws -> [UInt8]? {
    guard try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'Z_MODELCACHE'") == 1 else {
      return nil
    }
    return try blob("SELECT Z_CONTENT FROM Z_MODELCACHE")
  }

  func metadata() throws -> PropertyList {
    try PropertyList(contentsOf: blob("SELECT Z_PLIST FROM Z_METADATA"))
  }

  private func blob(_ query: String) throws -> [UInt8] {
    let statement = try connection.prepare(query)
    _ = try statement.step()
    return statement.blob(0) ?? []
  }
}
