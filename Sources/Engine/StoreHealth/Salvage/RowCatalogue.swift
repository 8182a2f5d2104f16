internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC

/// The certainty that an image of a row is the one that counts.
enum ImageRank: Int64, Comparable {
  /// Its page is where the pages above it say.
  case placed
  /// Its page fits into a gap of its table, and is not free.
  case orphan
  /// Its page may be free, and a page of its table says that the row was in another one, which is lost.
  case doubtful
  /// Its page is free, or out of use.
  case free
  /// Its place in a page is free.
  case freed

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An image of a row.
struct RowImage {
  let key: Int64
  let rank: ImageRank
  let page: Int
  /// The place of its cell in the page.
  let place: Int
}

/// The images of rows that are not where their tables lead to, in a temporary database: there may be any number of them.
final class RowCatalogue {
  /// The temporary database.
  let connection: Connection
  private let insertion: Statement
  private(set) var counts: [Int: Int] = [:]

  /// Creates an empty catalogue.
  init() throws(MigrationError) {
    (connection, insertion) = try reporting(path: Self.name) {
      let connection = try Connection(path: "", access: .temporary)
      connection.onProgress(every: 100_000) { EndRequest.isMade }
      try connection.execute(
        """
        BEGIN;
        CREATE TABLE images (t INTEGER, key INTEGER, rank INTEGER, page INTEGER, place INTEGER);
        CREATE TABLE ranks (t INTEGER, key INTEGER, rank INTEGER, PRIMARY KEY (t, key)) WITHOUT ROWID;
        CREATE TABLE rejects (t INTEGER, key INTEGER, PRIMARY KEY (t, key)) WITHOUT ROWID;
        CREATE TABLE entries (first INTEGER, second INTEGER, row INTEGER, source INTEGER, page INTEGER, one INTEGER, two INTEGER);
        CREATE INDEX entries_by_link ON entries (first, second, row);
        """)
      return (connection, try connection.prepare("INSERT INTO images VALUES (?, ?, ?, ?, ?)"))
    }
  }

  /// The name in errors.
  private static let name = "a temporary database"

  /// Does work on the database.
  func work<Result>(_ body: (Connection) throws -> Result) throws(MigrationError) -> Result {
    try reporting(path: Self.name) { try body(connection) }
  }

  /// Adds an image of a row of a table.
  func add(_ image: RowImage, ofTable table: Int) throws(MigrationError) {
    counts[table, default: 0] += 1
    try work { _ in
      try insertion.bind(Int64(table), at: 1)
      try insertion.bind(image.key, at: 2)
      try insertion.bind(image.rank.rawValue, at: 3)
      try insertion.bind(Int64(image.page), at: 4)
      try insertion.bind(Int64(image.place), at: 5)
      try insertion.run()
    }
  }

  /// The images of rows of a table, in the order of keys and ranks.
  func images(ofTable table: Int) throws(MigrationError) -> ImageCursor? {
    guard counts[table] != nil else { return nil }
    return try work { connection in
      let statement = try connection.prepare(
        "SELECT key, rank, page, place FROM images WHERE t = ? ORDER BY key, rank, page, place")
      try statement.bind(Int64(table), at: 1)
      return ImageCursor(statement, self)
    }
  }

  /// Notes that a row was taken from an image that is not placed.
  func note(_ rank: ImageRank, ofTable table: Int, key: Int64) throws(MigrationError) {
    try work { connection in
      let statement = try connection.prepare("INSERT OR REPLACE INTO ranks VALUES (?, ?, ?)")
      try statement.bind(Int64(table), at: 1)
      try statement.bind(key, at: 2)
      try statement.bind(rank.rawValue, at: 3)
      try statement.run()
    }
  }

  /// Notes that a row was found and is not in the new store.
  func noteReject(ofTable table: Int, key: Int64) throws(MigrationError) {
    try work { connection in
      let statement = try connection.prepare("INSERT OR IGNORE INTO rejects VALUES (?, ?)")
      try statement.bind(Int64(table), at: 1)
      try statement.bind(key, at: 2)
      try statement.run()
    }
  }

  /// Whether a row was found and is not in the new store.
  func hasReject(ofTable table: Int, key: Int64) throws(MigrationError) -> Bool {
    try work { try $0.integer("SELECT 1 FROM rejects WHERE t = \(table) AND key = \(key)") != nil }
  }

  /// The rank of the image that a row was taken from.
  func rank(ofTable table: Int, key: Int64) throws(MigrationError) -> ImageRank {
    try work { connection in
      let rank = try connection.integer("SELECT rank FROM ranks WHERE t = \(table) AND key = \(key)")
      return rank.flatMap { ImageRank(rawValue: $0) } ?? .placed
    }
  }
}

/// Images of rows, one after the other.
final class ImageCursor {
  private let statement: Statement
  private let catalogue: RowCatalogue

  fileprivate init(_ statement: Statement, _ catalogue: RowCatalogue) {
    (self.statement, self.catalogue) = (statement, catalogue)
  }

  /// Moves to the next image; `nil` at the end.
  func next() throws(MigrationError) -> RowImage? {
    try catalogue.work { _ in
      guard try statement.step(), let rank = ImageRank(rawValue: statement.integer(1)) else { return nil }
      return RowImage(
        key: statement.integer(0), rank: rank, page: Int(statement.integer(2)), place: Int(statement.integer(3)))
    }
  }
}
