internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The value of one column in one row, read as UTF-8 in pieces.
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
      // typeof() reads only the row's header.
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

/// Converts UTF-16 bytes that arrive in pieces to UTF-8.
///
/// Invalid sequences become U+FFFD.
struct UTF16Transcoder {
  private let isBigEndian: Bool
  private var oddByte: UInt8?
  private var highSurrogate: UInt16?

  /// Creates a transcoder for a database's encoding; `nil` if it already is UTF-8.
  init?(encoding: String) {
    switch encoding.uppercased() {
    case "UTF-16LE": isBigEndian = false
    case "UTF-16BE": isBigEndian = true
    default: return nil
    }
  }

  mutating func transcode(_ bytes: some Sequence<UInt8>, isLast: Bool) -> [UInt8] {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      guard let first = oddByte else {
        oddByte = byte
        continue
      }
      oddByte = nil
      append(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first), to: &text)
    }
    if isLast, highSurrogate != nil || oddByte != nil {
      text.append("\u{FFFD}")
      (highSurrogate, oddByte) = (nil, nil)
    }
    return Array(String(text).utf8)
  }

  private mutating func append(_ unit: UInt16, to text: inout String.UnicodeScalarView) {
    if let high = highSurrogate {
      highSurrogate = nil
      if UTF16.isTrailSurrogate(unit) {
        text.append(UTF16.decode(UTF16.EncodedScalar([high, unit])))
        return
      }
      text.append("\u{FFFD}")
    }
    if UTF16.isLeadSurrogate(unit) {
      highSurrogate = unit
    } else {
      text.append(Unicode.Scalar(unit) ?? "\u{FFFD}")
    }
  }
}

/// Checks whether bytes that arrive in pieces are valid UTF-8.
struct UTF8Validator {
  /// The bytes of an incomplete scalar at the end of the last piece.
  private var carry: [UInt8] = []
  private var isValid = true

  mutating func check(_ piece: UnsafeRawBufferPointer) {
    guard isValid, !piece.isEmpty else { return }
    let bytes = carry + piece
    // A scalar has at most four bytes, so an incomplete one begins within the last three.
    let cut = bytes.indices.suffix(3).first { bytes[$0] >= 0xC0 && Self.length(bytes[$0]) > bytes.endIndex - $0 }
    let end = cut ?? bytes.endIndex
    isValid = String(validating: bytes[..<end], as: UTF8.self) != nil
    carry = Array(bytes[end...])
  }

  var isValidAtEnd: Bool { isValid && carry.isEmpty }

  private static func length(_ lead: UInt8) -> Int { lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2 }
}
