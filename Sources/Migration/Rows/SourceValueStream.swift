internal import Diagnostics
internal import PersistentStore
internal import SQLite

/// The value of one column in one row, read as UTF-8 piece by piece.
struct SourceValueStream {
  private enum Content {
    case null
    case short(String)
    case blob(Blob, isText: Bool)
  }

  private static let pieceSize = 1 << 18

  private let source: SourceConnection
  private let content: Content

  init(_ source: SourceConnection, table: String, column: String, row: Int64) throws(MigrationError) {
    self.source = source
    do {
      // typeof() looks at the row's header only.
      let sql = "SELECT typeof(\(column.quotedIdentifier)) FROM \(table.quotedIdentifier) WHERE Z_PK = \(row)"
      switch try source.connection.text(sql) {
      case "text": content = .blob(try Blob(source.connection, table: table, column: column, row: row), isText: true)
      case "blob": content = .blob(try Blob(source.connection, table: table, column: column, row: row), isText: false)
      case nil, "null": content = .null
      case .some:
        let sql = "SELECT \(column.quotedIdentifier) FROM \(table.quotedIdentifier) WHERE Z_PK = \(row)"
        content = .short(try source.connection.text(sql) ?? "")
      }
    } catch {
      throw MigrationError(error, path: source.path)
    }
  }

  var isNull: Bool {
    if case .null = content { true } else { false }
  }

  func forEachPiece(_ body: (UnsafeRawBufferPointer) throws(MigrationError) -> Void) throws(MigrationError) {
    switch content {
    case .null: break
    case .short(let text): try Self.lend(Array(text.utf8), to: body)
    case .blob(let blob, let isText):
      // The bytes of text are in the encoding of the database.
      var transcoder = isText ? UTF16Transcoder(encoding: source.encoding) : nil
      var piece = [UInt8](repeating: 0, count: min(Self.pieceSize, blob.count))
      var offset = 0
      while offset < blob.count {
        let count = try read(blob, into: &piece, at: offset)
        offset += count
        if transcoder != nil {
          let text = transcoder?.transcode(piece.prefix(count), isLast: offset >= blob.count) ?? []
          try Self.lend(text, to: body)
        } else {
          try Self.lend(piece, count: count, to: body)
        }
      }
    }
  }

  private func read(_ blob: Blob, into piece: inout [UInt8], at offset: Int) throws(MigrationError) -> Int {
    do throws(SQLiteError) {
      return try piece.withUnsafeMutableBufferPointer { buffer throws(SQLiteError) in
        try blob.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      }
    } catch {
      throw MigrationError(error, path: source.path)
    }
  }

  private static func lend(
    _ bytes: [UInt8], count: Int? = nil, to body: (UnsafeRawBufferPointer) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    try bytes.withUnsafeBufferPointer { buffer throws(MigrationError) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer.prefix(count ?? buffer.count))))
    }
  }
}
