/// Why a store cannot go on as it is, although columns are all that it lacks: it is written anew instead.
package enum ExtensionObstacle: Error, Hashable {
  /// The store is read without locks.
  case noLocks
  /// The write-ahead log holds a part of the store.
  case changesBeside
  /// The file declares something that the model does not ask for, or lacks something; this is its name.
  case otherDeclaration(String)
  /// The entities have other numbers than in a fresh store.
  case otherNumbers
  /// Much of the file is free.
  case freeSpace
  /// SQLite finds something wrong with the file.
  case damage
  /// A table has rows that are of none of its entities.
  case strayRows(table: String)
  /// Instances break a rule of the model; the text says which.
  case brokenRule(String)
  /// Places in an ordered relationship are missing, or there are some without a link.
  case missingPlaces(table: String)
  /// The file was changed while it was copied.
  case changed
}

extension ExtensionObstacle: CustomStringConvertible {
  /// A clause without a full stop.
  package var description: String {
    switch self {
    case .noLocks: "the store is read without locks"
    case .changesBeside: "a part of the store is in its write-ahead log"
    case .otherDeclaration(let name): "the file and the model differ in '\(name)'"
    case .otherNumbers: "the entities have other numbers"
    case .freeSpace: "much of the file is free"
    case .damage: "the file is damaged"
    case .strayRows(let table): "'\(table)' has rows of no entity"
    case .brokenRule(let text): "a rule of the model is broken: \(text)"
    case .missingPlaces(let table): "'\(table)' lacks the places of an ordered relationship"
    case .changed: "the file was changed meanwhile"
    }
  }
}
