internal import PersistentStore
internal import SQLite

/// A value that is read piece by piece.
final class ValuePieces {
  private enum Content {
    /// NULL and numbers: what is read at once.
    case whole([UInt8])
    case blob(Blob)
  }

  private static let pieceSize = 1 << 16

  /// `null`, `integer`, `real`, `text` or `blob`.
  let type: String
  private let content: Content
  private var transcoder: UTF16Reading?
  private var offset = 0

  /// Opens the value of one column in one row.
  ///
  /// - Parameter isRaw: Whether text is given as it is in the file, rather than as UTF-8.
  init(_ side: StoreSide, table: String, column: String, row: Int64, isRaw: Bool) throws(SQLiteError) {
    let source = "FROM \(table.quotedIdentifier) WHERE Z_PK = \(row)"
    // typeof() looks at the head of a row only.
    type = try side.connection.text("SELECT typeof(\(column.quotedIdentifier)) \(source)") ?? "null"
    if type == "text" || type == "blob" {
      content = .blob(try Blob(side.connection, table: table, column: column, row: row))
      if type == "text", side.isUTF16, !isRaw {
        transcoder = UTF16Reading(isBigEndian: side.reader.layout.encoding.uppercased().hasSuffix("BE"))
      }
    } else {
      let text = try side.connection.text("SELECT \(column.quotedIdentifier) \(source)")
      content = .whole(Array((text ?? "").utf8))
    }
  }

  /// The size of the value in the file.
  var count: Int {
    switch content {
    case .whole(let bytes): bytes.count
    case .blob(let blob): blob.count
    }
  }

  /// The next bytes; none at the end.
  func next() throws(SQLiteError) -> [UInt8] {
    while offset < count {
      let piece: [UInt8]
      switch content {
      case .whole(let bytes): piece = bytes
      case .blob(let blob):
        var buffer = [UInt8](repeating: 0, count: min(Self.pieceSize, blob.count - offset))
        _ = try buffer.withUnsafeMutableBufferPointer { bytes throws(SQLiteError) in
          try blob.read(into: UnsafeMutableRawBufferPointer(bytes), at: offset)
        }
        piece = buffer
      }
      offset += piece.count
      guard transcoder != nil else { return piece }
      let text = transcoder?.read(piece, isLast: offset >= count) ?? []
      if !text.isEmpty { return text }
    }
    return []
  }

  /// Whether two values are the same; both are read.
  static func areEqual(_ first: ValuePieces, _ second: ValuePieces) throws(SQLiteError) -> Bool {
    guard first.type == second.type else { return false }
    var (left, right) = (ArraySlice<UInt8>(), ArraySlice<UInt8>())
    while true {
      if left.isEmpty { left = try first.next()[...] }
      if right.isEmpty { right = try second.next()[...] }
      let length = min(left.count, right.count)
      guard length > 0 else { return left.isEmpty && right.isEmpty }
      guard left.prefix(length) == right.prefix(length) else { return false }
      left = left.dropFirst(length)
      right = right.dropFirst(length)
    }
  }
}
