package import MigrationDiagnostics

/// Something in which a library is not what the migration of another had to make of it.
package struct Difference: Sendable, Hashable {
  /// What kind of difference it is.
  ///
  /// The raw values are stable: scripts may look for them.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// SQLite finds the file damaged.
    case damage
    /// A table, index or trigger is missing or another than it has to be.
    case schema
    /// What the store says about itself: version hashes, identity, the app's own entries.
    case metadata
    /// A row of `Z_PRIMARYKEY`: numbers and names of entities, and the greatest key that was used.
    case primaryKey = "primary-key"
    /// An instance of the old library that the new one lacks, or fewer of them than there have to be.
    case missingRow = "missing-row"
    /// An instance of the new library that the old one does not have.
    case extraRow = "extra-row"
    /// A value that is not the one that it has to be.
    case value
    /// A link that has to be there.
    case missingLink = "missing-link"
    /// A link that nothing in the old library gives a reason for.
    case extraLink = "extra-link"
    /// A link whose row is not there, or is not one of an entity that it may lead to.
    case danglingLink = "dangling-link"
    /// An artist that a track mentions and that is not there.
    case missingArtist = "missing-artist"
    /// An artist that no track mentions.
    case extraArtist = "extra-artist"
    /// A second artist that is the same as another.
    case duplicateArtist = "duplicate-artist"
    /// An artist that is not linked with any track.
    case artistWithoutTrack = "artist-without-track"
    /// A table of the app's own that is not as it was.
    case table
    /// A file of a large value that is not as it was.
    case file
    /// The rejects file does not list the tracks that it has to list.
    case rejects
    /// The statistics beside the library say something else.
    case statistics
  }

  /// What kind of difference it is.
  package let kind: Kind
  /// The entity, or the table.
  package var entity: String?
  /// The primary key of the row.
  package var row: Int64?
  /// The attribute, relationship or other part.
  package var property: String?
  /// What has to be there; `nil` for nothing.
  package var expected: String?
  /// What is there; `nil` for nothing.
  package var found: String?
  /// What else is known.
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

/// Counts differences, and hands on the first of them.
package final class DifferenceLog {
  /// The number of differences.
  package private(set) var count = 0
  /// The same by kind.
  package private(set) var countByKind: [Difference.Kind: Int] = [:]
  /// The first that was handed on.
  private var first: Difference?
  private let limit: Int
  private let report: (Difference) throws -> Void

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - limit: How many differences are handed on.
  ///   - report: Gets them.
  package init(limit: Int, report: @escaping (Difference) throws -> Void) {
    self.limit = limit
    self.report = report
  }

  /// Adds a difference, which is only made if anybody gets to see it: there may be millions.
  package func add(_ kind: Difference.Kind, _ fill: (inout Difference) throws -> Void) throws {
    count += 1
    countByKind[kind, default: 0] += 1
    guard count <= limit else { return }
    var difference = Difference(kind)
    try fill(&difference)
    first = first ?? difference
    try report(difference)
  }

  /// Fails if there was any.
  package func requireNone(path: String) throws(MigrationError) {
    guard let first else { return }
    throw MigrationError(
      .verificationFailed, path: path,
      detail: count == 1 ? first.description : "\(count) differences, of which the first is: \(first)")
  }

  /// How many differences are told one by one where none may be.
  package static let requiredLimit = 20
}
