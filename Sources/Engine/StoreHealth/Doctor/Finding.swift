internal import Migration
internal import PersistentStore

/// Something in a store that is not as Core Data would have it.
package struct Finding: Sendable, Hashable {
  /// The ways to deal with a finding.
  package enum Remedy: String, Sendable, Hashable, CaseIterable {
    /// Nothing has to be done; or only the app can.
    case nothing
    /// A migration, which is due anyway, mends it.
    case migrate
    /// `doctor --repair` mends it, and loses nothing.
    case repair
    /// The rows have to be read without SQLite.
    case salvage
    /// Only a backup, or a person who knows the data, can bring back what is missing.
    case backup
  }

  /// The kind of the finding.
  package let code: Code
  /// The table, if it is about one.
  package var table: String?
  /// The entity.
  package var entity: String?
  /// The attribute or relationship.
  package var property: String?
  /// The number of rows, values or files; `nil` if it is not about such.
  package var count: Int64?
  /// The primary keys of the first few rows.
  package var rows: [Int64] = []
  /// The names of the first few files.
  package var files: [String] = []
  /// The fact, as a clause.
  package var fact: String
  /// The way to deal with it.
  package var remedy: Remedy
  /// The SQL that mends it by hand where this program does not, because it takes something away.
  package var statement: String?
  /// The case in which a person runs that, as a clause.
  package var statementCondition = "if the app does not need it"
  /// The work that mends it; `nil` unless it is ``Remedy/repair``.
  var repair: Repair?

  /// Creates a finding with its usual remedy, or with a repair.
  init(_ code: Code, _ fact: String, repair: Repair? = nil) {
    (self.code, self.fact, self.repair) = (code, fact, repair)
    remedy = repair == nil ? code.usualRemedy : .repair
  }

  /// The number of rows and files that are named.
  package static let exampleLimit = ValidationFailure.rowLimit
}

/// The work that mends a finding in a copy of the store.
struct Repair: Sendable, Hashable {
  /// The kinds of work.
  enum Work: Sendable, Hashable {
    /// Runs statements.
    case statements(String)
    /// Makes indexes again from their tables: these, or all.
    case indexes([String]?)
    /// Writes the file again without its free pages, which every repair does.
    case copying
    /// Rolls back the transaction of a journal, as SQLite does when it opens the store for writing.
    case rollback
  }

  /// The work as a clause in the past tense.
  let deed: String
  let work: Work
  /// The columns whose values it computes again from others, as `TABLE.COLUMN`; other columns only get values where they
  /// had none.
  var computedColumns: [String] = []
  /// The new name of the finding's table, if it gets one.
  var newName: String?
}

extension Finding {
  /// A kind of finding.
  ///
  /// The raw values are stable: scripts may look for them.
  package enum Code: String, Sendable, Hashable, CaseIterable {
    // The file.
    case header, log, journal, pages
    case damagedJournal = "damaged-journal"
    case readOnlyFormat = "read-only-format"
    case freePages = "free-pages"
    case indexEntries = "index-entries"
    case brokenRule = "broken-rule"

    // Core Data's own tables.
    case noMetadata = "no-metadata"
    case furtherMetadata = "further-metadata"
    case metadataVersion = "metadata-version"
    case noUUID = "no-uuid"
    case noVersionHashes = "no-version-hashes"
    case storeType = "store-type"
    case unknownVersion = "unknown-version"
    case modelCopy = "model-copy"
    case noPrimaryKeys = "no-primary-keys"

    // The tables and the model.
    case unmatchedLayout = "unmatched-layout"
    case missingTable = "missing-table"
    case missingColumn = "missing-column"
    case missingEntity = "missing-entity"
    case entityName = "entity-name"
    case unknownEntityName = "unknown-entity-name"
    case joinTableName = "join-table-name"
    case greatestKey = "greatest-key"
    case refusingConstraint = "refusing-constraint"
    case refusingTrigger = "refusing-trigger"
    case missingIndex = "missing-index"
    case missingTrigger = "missing-trigger"
    case columnType = "column-type"
    case oddKey = "odd-key"

    // The rows.
    case unknownEntity = "unknown-entity"
    case abstractEntity = "abstract-entity"
    case missingValue = "missing-value"
    case missingDestination = "missing-destination"
    case outOfLimits = "out-of-limits"
    case unfitValue = "unfit-value"
    case foreignValue = "foreign-value"
    case rowVersion = "row-version"
    case destinationCount = "destination-count"
    case notUnique = "not-unique"
    case storageClass = "storage-class"
    case invalidText = "invalid-text"
    case danglingLink = "dangling-link"
    case wrongEntityOfLink = "wrong-entity-of-link"
    case oneSidedLink = "one-sided-link"
    case contradictingLink = "contradicting-link"
    case halfLink = "half-link"
    case linkOrder = "link-order"

    // Beside the rows.
    case missingExternalFile = "missing-external-file"
    case orphanedExternalFile = "orphaned-external-file"
    case externalValue = "external-value"
    case historyTable = "history-table"
    case historyRow = "history-row"
  }
}
