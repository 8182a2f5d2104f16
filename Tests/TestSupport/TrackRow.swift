/// One track of version 1.
public struct TrackRow: Sendable {
  /// `Z_PK`.
  public var primaryKey: Int64
  /// `Z_ENT`.
  public var entity: CellValue = .integer(1)
  /// `Z_OPT`.
  public var version: CellValue = .integer(1)
  /// The title.
  public var title: CellValue
  /// The name that counts where the JSON names no artist.
  public var artistName: CellValue
  /// The server's answer.
  public var json: CellValue
  /// Where the image is.
  public var imageURL: CellValue = nil
  /// Seconds since 2001.
  public var lastPlayedAt: CellValue = nil

  /// Creates a track.
  public init(
    _ primaryKey: Int64, title: CellValue = "Title", artistName: CellValue = "Fallback", json: CellValue
  ) {
    self.primaryKey = primaryKey
    self.title = title
    self.artistName = artistName
    self.json = json
  }

  /// In the order of the columns.
  var values: [CellValue] {
    [.integer(primaryKey), entity, version, lastPlayedAt, artistName, imageURL, json, title]
  }
}
