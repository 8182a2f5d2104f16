import MigrationDiagnostics
import PersistentStore
import PropertyListFormat
import TestSupport
import TrackLibrary
import Verification

/// A library and the result of its migration.
final class VerifiedPair {
  let folder: TemporaryFolder
  var old: String { folder.file("Old.sqlite") }
  var new: String { folder.file("New.sqlite") }

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  /// Makes a small library with all kinds of data and migrates it.
  convenience init(encoding: String = "UTF-8") throws {
    try self.init()
    var builder = TrackLibraryBuilder(Self.rows)
    builder.encoding = encoding
    builder.greatestKey = 20
    builder.extraMetadata = [("AppKey", .string("secret"))]
    try builder.write(to: old)
    try Database.run(
      """
      CREATE TABLE settings (a, b); INSERT INTO settings VALUES (1, 'x'), (2, 'y');
      CREATE INDEX settings_b ON settings (b)
      """, in: old)
    try migrate()
  }

  static let rows = [
    TrackRow(1, title: "One", json: #"{"artists":[{"id":"a","name":"Ann","imageURL":"u"},{"id":"b","name":"Bob"}]}"#)
      .with { $0.lastPlayedAt = .real(600_000_000.25) },
    TrackRow(2, title: "Two", json: #"{"artists":["Ann",{"name":"Caf\#u{E9}"}]}"#),
    TrackRow(3, title: "Three", artistName: "Solo", json: nil),
    TrackRow(4, title: "Four", artistName: "Bob", json: #"{"artists":[{"name":"Nobody"}"#),
    TrackRow(5, title: "F\u{FC}nf", json: #"{"artists":[{"id":"c","name":"Cid"}, null]}"#).with { $0.imageURL = "i" },
    TrackRow(7, title: "Seven", json: #"{"artists":[{"name":"Ann","id":"z"},{"name":"Cid"},{"name":"Ann"}]}"#),
    TrackRow(9, title: nil, artistName: nil, json: #"{"artists":[]}"#),
  ]

  /// Migrates the old library.
  func migrate(_ change: (inout LibraryMigration) -> Void = { _ in }) throws {
    var migration = LibraryMigration(path: old)
    migration.outputPath = new
    change(&migration)
    _ = try migration.run()
  }

  /// Returns the differences, such as `value Track 5 title`.
  func differences(_ change: (inout LibraryVerification) -> Void = { _ in }) throws -> [String] {
    try found(change).map(\.place)
  }

  /// Returns the differences.
  func found(_ change: (inout LibraryVerification) -> Void = { _ in }) throws -> [Difference] {
    var verification = LibraryVerification(path: new)
    verification.sourcePath = old
    change(&verification)
    var differences: [Difference] = []
    let result = try verification.run { differences.append($0) }
    if result.differenceCount <= verification.limit, result.differenceCount != differences.count {
      throw MigrationError(.verificationFailed, path: new, detail: "the differences are not counted right")
    }
    return differences
  }

  /// Changes the new library's metadata.
  func changeMetadata(_ change: (inout PropertyListDictionary) -> Void) throws {
    let store = try StoreReader(path: new)
    var properties = store.metadata.properties
    try store.close()
    change(&properties)
    let bytes = PropertyList.dictionary(properties).binary()
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try Database.run("UPDATE Z_METADATA SET Z_PLIST = x'\(hex)'", in: new)
  }
}

extension Difference {
  /// Returns the place of a difference without the values.
  var place: String {
    [kind.rawValue, entity, row.map(String.init), property].compactMap { $0 }.joined(separator: " ")
  }
}

extension TrackRow {
  func with(_ change: (inout TrackRow) -> Void) -> TrackRow {
    var row = self
    change(&row)
    return row
  }
}
