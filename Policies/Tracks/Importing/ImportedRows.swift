internal import Migration
internal import MigrationDiagnostics
internal import PersistentStore

/// Writes the rows of new tracks as pages of their table, as long as they come in the order of their keys.
///
/// SQLite has to write them where the table has rows already, and from the first row on whose key is not greater than
/// those before, or that is too long for a page. It sees the rows of the pages once they are finished.
final class ImportedRows {
  /// The source of a column's value.
  private enum Source { case version, title, imageURL, lastPlayedAt }

  private var pages: RowPages?
  private var cells: RowCells?
  /// The sources of the cells' columns.
  private var sources: [Source] = []
  private var lastKey = Int64.min

  /// The size from which cells are handed on.
  private static let cellSize = 1 << 16

  init(_ store: DestinationStore) throws(MigrationError) {
    let schema = store.schema
    guard let table = schema.table(forEntityNamed: "Track"), table.entityNames.count == 1 else { return }
    let version = "Z_OPT"
    var sourcesByColumn = [version: Source.version]
    for (name, source) in [("title", Source.title), ("imageURL", .imageURL), ("lastPlayedAt", .lastPlayedAt)] {
      guard let column = schema.column(forProperty: name, ofEntityNamed: "Track") else { return }
      sourcesByColumn[column.name] = source
    }
    let columns = sourcesByColumn.keys.filter { $0 != version }.map { ($0, $0) }
    pages = try RowPages(
      store.writer, table, entityNumber: schema.entityNumber("Track"), version: version,
      columns: Dictionary(uniqueKeysWithValues: columns))
    cells = pages.map { RowCells($0.layout, capacity: Self.cellSize) }
    sources = pages?.layout.columnNames.compactMap { sourcesByColumn[$0] } ?? []
  }

  /// Whether pages have all rows so far, and a row with this key would be the next.
  func canAppend(_ key: Int64) -> Bool { pages != nil && key > lastKey }

  /// Adds a row.
  ///
  /// - Returns: Whether it was added. If not, SQLite has to write it, and all others.
  func append(_ track: FeedLineReader.Track, _ key: Int64, _ texts: TrackBatch) throws(MigrationError) -> Bool {
    guard let pages, let cells, canAppend(key), add(track, key, texts, to: cells) else {
      try finish()
      return false
    }
    lastKey = key
    if cells.byteCount >= Self.cellSize {
      try pages.append(cells)
      self.cells = RowCells(pages.layout, capacity: Self.cellSize)
    }
    return true
  }

  private func add(_ track: FeedLineReader.Track, _ key: Int64, _ texts: TrackBatch, to cells: RowCells) -> Bool {
    cells.append(key) { column in
      switch sources[column] {
      case .version: .integer(1)
      case .title: .text(texts.text(track.title))
      case .imageURL: .text(texts.text(track.imageURL))
      case .lastPlayedAt: track.lastPlayedAt.map(RowCells.Value.real) ?? .null
      }
    }
  }

  /// Writes the rows that are left, after which SQLite writes all others.
  func finish() throws(MigrationError) {
    guard let pages, let cells else { return }
    (self.pages, self.cells) = (nil, nil)
    try pages.append(cells)
    try pages.finish()
  }
}
