/// The outcome of a salvage.
package struct SalvageReport: Sendable {
  /// The rows of one entity.
  package struct Entity: Sendable, Hashable {
    /// The entity, which is not abstract.
    package let name: String
    /// The entity at the root of its hierarchy, with which it shares a table.
    package let rootEntity: String
    /// The number of rows in the new store.
    package let count: Int
  }

  /// The rows of an entity and its subentities, which share their keys.
  package struct Table: Sendable, Hashable {
    /// The root entity.
    package let rootEntity: String
    /// The number of rows in the new store.
    package let count: Int
    /// The greatest key that was ever given to a row; `nil` if the store does not say it any more.
    package let greatestKey: Int64?

    /// The greatest number of rows that can be missing: rows that were deleted are among them.
    package var mostMissing: Int64? { greatestKey.map { max(0, max(0, $0) - Int64(count)) } }
  }

  /// The links of a join table.
  package struct Links: Sendable, Hashable {
    /// The relationship that the table is named after, as `Entity.relationship`.
    package let relationship: String
    /// The number of links in the new store.
    package let count: Int
  }

  /// The file as it was named, and the new store.
  package let path: String
  package let outputPath: String
  /// The rows by entity, in the order of the model.
  package internal(set) var entities: [Entity] = []
  /// The rows by table.
  package internal(set) var tables: [Table] = []
  /// The links of join tables.
  package internal(set) var links: [Links] = []
  /// The number of links that are not in the new store, of rows that are.
  package internal(set) var rejectedLinkCount = 0
  /// The number of rows that were deleted in the damaged store.
  package internal(set) var deletedCount = 0
  /// The number of rows in free pages, which are not in the new store.
  package internal(set) var freeRowCount = 0
  /// The number of rows in the new store in pages that may be free: the list of free pages is lost, and no page leads there.
  package internal(set) var unconfirmedRowCount = 0
  /// The numbers of rows that show that the columns of their table are not in the order that was taken for granted, by table.
  package internal(set) var contradictions: [String: Int] = [:]
  /// The number of pages that there should be.
  package internal(set) var pageCount = 0
  /// The pages that cannot be read.
  package internal(set) var unreadablePages = PageRanges()
  /// The pages with bytes that belong to nothing that was found.
  package internal(set) var unclaimedPages = PageRanges()
  /// The number of pages that come from the log, or from a journal.
  package internal(set) var imageCount = 0
  /// The file with what was found and is not in the new store; `nil` if there is nothing.
  package internal(set) var rejectsPath: String?
  /// The number of its lines, by their reasons.
  package internal(set) var rejects: [RowFault: Int] = [:]
  /// Further findings, as clauses.
  package internal(set) var remarks: [String] = []

  /// The number of rows in the new store.
  package var rowCount: Int { entities.reduce(0) { $0 + $1.count } }

  init(path: String, outputPath: String) { (self.path, self.outputPath) = (path, outputPath) }
}
