/// The reason why something that was found is not in the new store.
///
/// The raw values are stable: scripts may look for them in the file of rejects.
package enum RowFault: String, Error, Sendable, Hashable, CaseIterable {
  // Rows.
  /// The record is not as long as it says, or has other values than its table has columns.
  case unreadableRecord = "unreadable-record"
  /// A page that a value goes on in is lost.
  case lostPage = "lost-page"
  /// A page that a value goes on in belongs to something else.
  case foreignPage = "foreign-page"
  /// The newest image of a page was in a part of the log that is damaged.
  case outdatedPage = "outdated-page"
  /// A part of a value is zeros, from where a disk's sector begins to where one ends.
  case blankedValue = "blanked-value"
  /// The bytes of a text are not text.
  case invalidText = "invalid-text"
  /// A value is of a kind that its column would have converted.
  case otherType = "other-type"
  /// The row is of an entity that the table does not have.
  case unknownEntity = "unknown-entity"
  /// The row is older than a column whose default value is not known.
  case missingDefault = "missing-default"
  /// The row was deleted, and its values go on in pages that may have been used again.
  case deletedOverflow = "deleted-overflow"
  /// The row was deleted, and its key is overwritten.
  case lostKey = "lost-key"
  /// There are several images of the row, and nothing says which is the newest.
  case severalImages = "several-images"
  /// There is a newer image of the row.
  case olderImage = "older-image"
  /// The table's tree has the row in another page, which is lost: this is an older image, or the row was deleted.
  case placedElsewhere = "placed-elsewhere"
  /// The definition of the table is lost, and the row does not fit the order of columns in a new store.
  case columnOrder = "column-order"
  /// Another row has the same values, which must be unique.
  case notUnique = "not-unique"

  // Links.
  /// The row that a link leads to was not found.
  case missingDestination = "missing-destination"
  /// An index of the relationship's table says otherwise, or none has it.
  case unconfirmedLink = "unconfirmed-link"
  /// Links of several relationships look like this.
  case ambiguousLink = "ambiguous-link"
  /// The link is in an index only, which does not have its place among the others.
  case lostOrder = "lost-order"

  /// The link is in indexes only: the page of the relationship's table is lost.
  case lostLinkRow = "lost-link-row"

  /// An external data file is missing.
  case missingExternalFile = "missing-external-file"

  init(_ fault: RecordFault) {
    self =
      switch fault {
      case .lostPage: .lostPage
      case .foreignPage, .otherEnd: .foreignPage
      case .outdatedPage: .outdatedPage
      case .deletedOverflow: .deletedOverflow
      }
  }

  /// The reason for people, as a clause.
  package var clause: String {
    switch self {
    case .unreadableRecord: "the record is damaged"
    case .lostPage: "a page that a value goes on in is lost"
    case .foreignPage: "a page that a value goes on in belongs to something else"
    case .outdatedPage: "the newest image of the page is lost with a part of the log"
    case .blankedValue: "a part of a value is blank"
    case .invalidText: "the bytes of a text are not text"
    case .otherType: "a value is not of its column's type"
    case .unknownEntity: "the entity is unknown"
    case .missingDefault: "the row is older than a column with a default value"
    case .deletedOverflow: "the row was deleted and its large values may have been overwritten"
    case .lostKey: "the row was deleted and its key is overwritten"
    case .severalImages: "nothing says which image of the row is the newest"
    case .olderImage: "there is a newer image of the row"
    case .placedElsewhere: "the newest image of the row was in another page, which is lost"
    case .columnOrder: "the columns of the table are in an order that is not known"
    case .notUnique: "another row has the same unique values"
    case .missingDestination: "the row that a link leads to was not found"
    case .unconfirmedLink: "the indexes of the relationship's table do not confirm a link"
    case .ambiguousLink: "it may be a link of several relationships"
    case .lostOrder: "the place of a link among others is lost"
    case .lostLinkRow: "the page of the relationship's table with a link is lost"
    case .missingExternalFile: "an external data file is missing"
    }
  }
}
