internal import SQLiteDatabase
internal import Verification

/// The number of rows that a feed or a manifest requires.
package struct RequiredCounts: Sendable {
  package internal(set) var tracks = 0
  package internal(set) var artists = 0
  package internal(set) var links = 0
}

/// A value that a row must have.
enum RequiredValue: Equatable {
  case text([UInt8]?)
  case date(Double?)

  /// Whether a column has it.
  fileprivate func isIn(_ row: Statement, _ column: Int) -> Bool {
    switch self {
    case .text(let text):
      row.withText(column) { found in
        guard let found, let text else { return found == nil && text == nil }
        return text.withUnsafeBytes { StoredValue.areEqual(found, $0) }
      }
    case .date(let date): row.isNull(column) ? date == nil : row.real(column) == date
    }
  }

  fileprivate var description: String? {
    switch self {
    case .text(let text): text.map(StoredValue.quoted)
    case .date(let date): date.map { "\($0)" }
    }
  }
}

/// What a track must be, whatever requires it.
struct RequiredTrack: Equatable {
  var title: [UInt8]?
  var imageURL: [UInt8]?
  /// Seconds since 2001.
  var lastPlayedAt: Double?

  static let properties = ["title", "imageURL", "lastPlayedAt"]
  var values: [RequiredValue] { [.text(title), .text(imageURL), .date(lastPlayedAt)] }
}

/// What an artist must be.
struct RequiredArtist: Equatable {
  var name: [UInt8]?
  var id: [UInt8]?
  var imageURL: [UInt8]?

  static let properties = ["name", "id", "imageURL"]
  var values: [RequiredValue] { [.text(name), .text(id), .text(imageURL)] }
}

extension DifferenceLog {
  /// Compares a row, which begins with its key, with a track.
  func compare(_ row: Statement, with track: RequiredTrack) throws {
    try compare(row, "Track", RequiredTrack.properties, track.values)
  }

  /// Compares a row, which begins with its key, with an artist.
  func compare(_ row: Statement, with artist: RequiredArtist) throws {
    try compare(row, "Artist", RequiredArtist.properties, artist.values)
  }

  private func compare(_ row: Statement, _ entity: String, _ properties: [String], _ values: [RequiredValue]) throws {
    for (place, value) in values.enumerated() where !value.isIn(row, place + 1) {
      try add(.value) {
        ($0.entity, $0.row, $0.property) = (entity, row.integer(0), properties[place])
        ($0.expected, $0.found) = (value.description, StoredValue.text(row, place + 1))
      }
    }
  }

  func addMissing(_ artist: RequiredArtist, _ key: Int64) throws {
    try add(.missingArtist) { ($0.entity, $0.row, $0.expected) = ("Artist", key, artist.name.map(StoredValue.quoted)) }
  }

  func addMissingLink(ofTrack track: Int64, toArtist artist: Int64) throws {
    try add(.missingLink) {
      ($0.entity, $0.row, $0.property, $0.expected) = ("Track", track, "artists", "artist \(artist)")
    }
  }

  func addExtraLink(ofTrack track: Int64, toArtist artist: Int64) throws {
    try add(.extraLink) {
      ($0.entity, $0.row, $0.property, $0.found) = ("Track", track, "artists", "artist \(artist)")
    }
  }
}

extension Statement {
  /// The bytes of text; `nil` for NULL.
  func bytes(_ column: Int) -> [UInt8]? { withText(column) { $0.map { Array($0) } } }
}
