package import MigrationDiagnostics

/// A difference between a library and what the migration had to make.
package struct Difference: Sendable, Hashable {
  /// The kind of a difference.
  ///
  /// The raw values are stable: scripts may look for them.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// SQLite finds the file damaged.
    case damage
    /// A table, index or trigger is missing, unexpected or different.
    case schema
    /// The store's metadata: version hashes, identity, the app's own entries.
    case metadata
    /// A row of `Z_PRIMARYKEY`: the number and name of an entity, and its greatest used key.
    case primaryKey = "primary-key"
    /// An instance of the old library that the new one lacks, or too few instances.
    case missingRow = "missing-row"
    /// An instance of the new library that has no counterpart in the old one.
    case extraRow = "extra-row"
    /// A wrong value.
    case value
    /// A missing link.
    case missingLink = "missing-link"
    /// A link without a reason in the old library.
    case extraLink = "extra-link"
    /// A link to a row that does not exist, or that has an entity that the link may not refer to.
    case danglingLink = "dangling-link"
    /// An artist that a track mentions and that does not exist.
    case missingArtist = "missing-artist"
    /// An artist that no track mentions.
    case extraArtist = "extra-artist"
    /// A second row for the same artist.
    case duplicateArtist = "duplicate-artist"
    /// An artist without links to tracks.
    case artistWithoutTrack = "artist-without-track"
    /// A table of the app's own that has changed.
    case table
    /// An external data file that has changed.
    case file
    /// The rejects file does not list the right tracks.
    case rejects
    /// The statistics next to the library are wrong.
    case statistics
  }

  /// The kind.
  package let kind: Kind
  /// The entity, or the table.
  package var entity: String?
  /// The primary key of the row.
  package var row: Int64?
  /// The attribute, relationship or other part.
  package var property: String?
  /// The expected value; `nil` for none.
  package var expected: String?
  /// The actual value; `nil` for none.
  package var found: String?
  /// Further information.
  package var detail: String?

  /// Creates a difference.
  package init(
    _ kind: Kind, entity: String? = nil, row: Int64? = nil, property: String? = nil, expected: String? = nil,
    found: String? = nil, detail: String? = nil
  ) {
    self.kind = kind
    self.entity = entity
    self.row = row
    self.property = property
    self.expected = expected
    self.found = found
    self.detail = detail
  }
}

extension Difference: CustomStringConvertible {
  /// The difference as one line, such as "value: Track 7 title: expected 'A', found 'B'".
  package var description: String {
    let place = [entity, row.map(String.init), property].compactMap { $0 }.joined(separator: " ")
    let values = [expected.map { "expected \($0)" }, found.map { "found \($0)" }, detail].compactMap { $0 }
    return [kind.rawValue, place, values.joined(separator: ", ")].filter { !$0.isEmpty }.joined(separator: ": ")
  }
}

/// Counts differences, and reports the first of them.
package final class DifferenceLog {
  /// The number of differences.
  package private(set) var count = 0
  /// The number of differences of each kind.
  package private(set) var countByKind: [Difference.Kind: Int] = [:]
  /// The indexes that cannot be checked here, because they need an app's collation or function.
  package private(set) var uncheckedIndexes: [String] = []
  /// The first reported difference.
  private var first: Difference?
  private let limit: Int
  private let report: (Difference) throws -> Void
  /// Called once before the next difference, which it may replace by an error: other work has to have ended first.
  package var beforeNext: (() throws -> Void)?

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of differences that are reported.
  ///   - report: Called with each of them.
  package init(limit: Int, report: @escaping (Difference) throws -> Void) {
    self.limit = limit
    self.report = report
  }

  /// Adds a difference, which is filled in only if it is reported: there may be millions.
  package func add(_ kind: Difference.Kind, _ fill: (inout Difference) throws -> Void) throws {
    if let beforeNext {
      self.beforeNext = nil
      try beforeNext()
    }
    count += 1
    countByKind[kind, default: 0] += 1
    guard count <= limit else { return }
    var difference = Difference(kind)
    try fill(&difference)
    first = first ?? difference
    try report(difference)
  }

  /// Notes indexes that were not checked.
  func leaveUnchecked(_ indexes: [String]) { uncheckedIndexes += indexes }

  /// Throws an error if there are differences.
  package func requireNone(path: String) throws(MigrationError) {
    guard let first else { return }
    throw MigrationError(
      .verificationFailed, path: path,
      detail: count == 1 ? first.description : "\(count) differences, of which the first is: \(first)")
  }

  /// The maximum number of differences that are reported if any difference is an error.
  package static let requiredLimit = 20
}
