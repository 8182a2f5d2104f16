/// The saved instances that a context shows.
protocol ObjectStore: AnyObject {
  var identifier: String { get }
  /// The names of an entity's columns, in the order of its rows.
  func columns(of entity: String) throws -> [String]
  /// Calls a closure with each instance of an entity and its subentities, in the order of their keys.
  func forEachRow(of entity: String, _ body: (_ entity: String, _ key: Int64, _ row: [WireValue]) -> Void) throws
  /// The row of an instance; `nil` if there is none.
  func row(of entity: String, key: Int64) throws -> [WireValue]?
  /// The instances that a relationship leads to.
  func destinations(of entity: String, key: Int64, _ relationship: String) throws -> [(entity: String, key: Int64)]
  /// Inserts an instance of each of some entities.
  ///
  /// - Returns: Their keys.
  func insert(_ entities: [String]) throws -> [Int64]
  func save(_ changes: [StoreChange]) throws
  /// A number that grows with each save, of any context.
  var saveCount: Int { get }
  /// Calls a closure that inserts and saves: all of it is kept, or nothing, and no other context is in between.
  func saving(_ body: () throws -> Void) throws
}

/// A change that a context saves.
enum StoreChange {
  /// An instance of a store.
  typealias Reference = (entity: String, key: Int64)

  case set(Reference, column: String, WireValue)
  case link(Reference, relationship: String, [Reference])
  case delete(Reference)

  /// The approximate size of the value.
  var byteCount: Int {
    guard case .set(_, _, let value) = self else { return 0 }
    return switch value {
    case .text(let text), .url(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: 8
    }
  }
}

/// A failure of the store, as the command reports it.
struct StoreFailure: LocalizedError, CustomStringConvertible {
  let description: String
  var errorDescription: String? { description }
}
