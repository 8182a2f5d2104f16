internal import SQLite

/// What a track of the old library says about its artists.
struct TrackTexts {
  private let row: RowWalk
  private let side: StoreSide
  private let table: String
  private let json: (name: String, place: Int)
  private let artist: (name: String, place: Int)

  init(
    _ row: RowWalk, _ side: StoreSide, table: String, json: (name: String, place: Int),
    artistName: (name: String, place: Int)
  ) {
    self.row = row
    self.side = side
    self.table = table
    self.json = json
    artist = artistName
  }

  /// Lends the document: in one piece, unless it is large; false when there is none.
  func forEachPieceOfJSON(_ body: (UnsafeRawBufferPointer) -> Void) throws(SQLiteError) -> Bool {
    guard row.isLarge else {
      return row.statement.withText(json.place) { text in
        if let text { body(text) }
        return text != nil
      }
    }
    let pieces = try ValuePieces(side, table: table, column: json.name, row: row.key, isRaw: false)
    guard pieces.type != "null" else { return false }
    while true {
      let piece = try pieces.next()
      if piece.isEmpty { return true }
      piece.withUnsafeBytes(body)
    }
  }

  /// The name that counts without a document; empty when there is none.
  func artistName() throws(SQLiteError) -> [UInt8] {
    guard row.isLarge else { return row.statement.withText(artist.place) { $0.map { Array($0) } ?? [] } }
    let pieces = try ValuePieces(side, table: table, column: artist.name, row: row.key, isRaw: false)
    var name: [UInt8] = []
    while true {
      let piece = try pieces.next()
      if piece.isEmpty { return name }
      name += piece
    }
  }
}
