internal import SQLite

/// The properties of a SQLite file that a migration keeps.
public struct FileLayout: Sendable, Hashable {
  /// The size of a page in bytes.
  public var pageSize: Int64
  /// 0 none, 1 full, 2 incremental; Core Data uses 2.
  public var autoVacuum: Int64
  /// `UTF-8`, `UTF-16le` or `UTF-16be`.
  public var encoding: String
  /// The app's own number in the header (`PRAGMA user_version`).
  public var userVersion: Int64 = 0
  /// The app's own mark in the header (`PRAGMA application_id`).
  public var applicationID: Int64 = 0

  /// The layout of the stores that Core Data itself makes.
  public static let coreData = FileLayout(pageSize: 4096, autoVacuum: 2, encoding: "UTF-8")

  /// Creates a layout.
  public init(pageSize: Int64, autoVacuum: Int64, encoding: String) {
    self.pageSize = pageSize
    self.autoVacuum = autoVacuum
    self.encoding = encoding
  }

  /// Reads the layout of an open database.
  init(_ connection: Connection) throws(SQLiteError) {
    pageSize = try connection.integer("PRAGMA page_size") ?? 4096
    autoVacuum = try connection.integer("PRAGMA auto_vacuum") ?? 0
    encoding = try connection.text("PRAGMA encoding") ?? "UTF-8"
    userVersion = try connection.integer("PRAGMA user_version") ?? 0
    applicationID = try connection.integer("PRAGMA application_id") ?? 0
  }
}
