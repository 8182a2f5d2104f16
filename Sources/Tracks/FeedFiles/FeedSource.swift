/// A feed to read: its file, and what a person has said about it.
package struct FeedSource: Sendable {
  /// The file, or `-` for standard input.
  package var path: String
  /// The form of its tracks.
  package var format = FeedFormat.auto
  /// The member of a zip archive; `nil` for its only feed.
  package var member: String?
  /// Whether the columns of a table keep their names, since paths refer to them.
  package var keepsColumnNames = false

  package init(path: String, format: FeedFormat = .auto, member: String? = nil, keepsColumnNames: Bool = false) {
    (self.path, self.format, self.member, self.keepsColumnNames) = (path, format, member, keepsColumnNames)
  }
}

/// The form of a feed's tracks.
package enum FeedFormat: String, Sendable, CaseIterable {
  /// The one that the beginning of the feed looks like.
  case auto
  /// One JSON value a line.
  case ndjson
  /// A JSON array, or an object around one.
  case json
  /// A table whose first row names its columns.
  case csv

  /// The greatest length of a line in bytes: a longer one is most likely not one of many.
  package static let longestLine = 512 << 20
}
