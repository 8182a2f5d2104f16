/// One thing that an examination looks at.
///
/// The raw values are stable: scripts may look for them.
package enum HealthCheck: String, Sendable, Hashable, CaseIterable {
  /// The file's header, its journal and its write-ahead log.
  case file
  /// The pages, and the entries of indexes.
  case pages
  /// The row of `Z_METADATA`.
  case metadata
  /// The copy of its model that a store keeps.
  case modelCopy = "model-copy"
  /// The tables, columns, indexes and triggers, and `Z_PRIMARYKEY`.
  case tables
  /// The entities of the rows.
  case entities
  /// The values of attributes: whether they are there, of the right kind, within their limits and unique.
  case values
  /// The links.
  case links
  /// The bytes of text.
  case text
  /// The files of large values.
  case externalFiles = "external-files"
  /// Core Data's persistent history.
  case history

  /// The name for people.
  package var title: String {
    switch self {
    case .file: "header, journal and log"
    case .pages: "pages and indexes"
    case .metadata: "metadata"
    case .modelCopy: "copy of the model"
    case .tables: "tables, columns, indexes, triggers and Z_PRIMARYKEY"
    case .entities: "entities of rows"
    case .values: "required, unique and limited values and their storage classes"
    case .links: "links"
    case .text: "text"
    case .externalFiles: "external data files"
    case .history: "persistent history"
    }
  }
}

/// One check, and whether it was made.
package struct MadeCheck: Sendable, Hashable {
  /// The check.
  package let check: HealthCheck
  /// The reason why it could not be made, as a clause; `nil` if it was made.
  package let obstacle: String?
}

/// Everything that an examination of a store has found.
package struct HealthDocument: Sendable {
  /// The model that the rows were compared with.
  package enum Model: Sendable, Hashable {
    /// The store's own copy.
    case own
    /// A model that the caller has named, or that is built in; this is its name.
    case named(String)
    /// None has the store's version hashes.
    case unknown
  }

  /// The store, as the user named it.
  package let path: String
  /// The model; `nil` if the examination did not get that far.
  package let model: Model?
  /// The findings, in the order of the checks.
  package let findings: [Finding]
  /// All checks, those that could not be made too.
  package let checks: [MadeCheck]
  /// The parts of checks that could not be made, as clauses.
  package let unchecked: [String]

  /// The findings that can be mended without losing anything.
  package var repairable: [Finding] { findings.filter { $0.remedy == .repair } }

  /// The findings because of which rows have to be saved first.
  package var beyondRepair: [Finding] { findings.filter { $0.remedy == .salvage } }
}
