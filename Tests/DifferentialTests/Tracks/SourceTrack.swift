/// A track in a version 1 store, read with plain SQL.
struct SourceTrack {
  let primaryKey: Int64
  let json: [UInt8]?
  let artistName: [UInt8]?
  /// The track's name in messages.
  let title: String?
  /// The columns that the migration only copies.
  let kept: String

  /// Returns the tracks of a library in primary key order.
  static func all(in path: String) throws -> [SourceTrack] {
    try Cell.rows(
      "SELECT Z_PK, ZJSON, ZARTISTNAME, ZTITLE, Z_OPT, ZTITLE, ZIMAGEURL, ZLASTPLAYEDAT FROM ZTRACK ORDER BY Z_PK",
      in: path
    ).compactMap { row in
      guard case .integer(let key) = row[0] else { return nil }
      return SourceTrack(
        primaryKey: key, json: row[1].asText, artistName: row[2].asText,
        title: row[3].asText.map { String(decoding: $0, as: UTF8.self) },
        kept: "\(key): \(row.dropFirst(4).map(\.description).joined(separator: ", "))")
    }
  }
}

extension Cell {
  /// Returns the bytes that a reader of text gets.
  ///
  /// A blob is read as UTF-8.
  fileprivate var asText: [UInt8]? {
    switch self {
    case .null: nil
    case .text(let bytes), .blob(let bytes): bytes
    case .integer, .real: Array(description.utf8)
    }
  }
}
