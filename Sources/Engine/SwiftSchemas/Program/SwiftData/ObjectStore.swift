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

/// The store that the command migrates, over pipes.
final class PipedStore: ObjectStore, Sendable {
  private let input: Int32
  private let output: Int32
  let identifier = "migration"

  init(input: Int32, output: Int32) { (self.input, self.output) = (input, output) }

  func send(_ message: WireValue) {
    var bytes = message.frame[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // The command has ended, and with it the migration.
      guard count > 0 else { exit(70) }
      bytes = bytes.dropFirst(count)
    }
  }

  private func receive() -> WireValue {
    let length = WireValue.length(receive(4))
    guard let value = WireValue(receive(length)) else { exit(70) }
    return value
  }

  private func receive(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      while size < count {
        let found = buffer.baseAddress.map { read(input, $0 + size, count - size) } ?? 0
        if found < 0, errno == EINTR { continue }
        guard found > 0 else { exit(70) }
        size += found
      }
    }
  }

  /// Asks for something; an answer is a list, or the text of an error.
  private func answer(_ request: [WireValue]) throws -> [WireValue] {
    send(.list(request))
    return try list(receive())
  }

  private func list(_ answer: WireValue) throws -> [WireValue] {
    if let text = answer.text { throw StoreFailure(description: text) }
    return answer.list ?? []
  }

  func columns(of entity: String) throws -> [String] {
    try answer([.text("columns"), .text(entity)]).map { $0.text ?? "" }
  }

  func forEachRow(of entity: String, _ body: (_ entity: String, _ key: Int64, _ row: [WireValue]) -> Void) throws {
    var rows = try answer([.text("rows"), .text(entity)])
    while !rows.isEmpty {
      for case .list(let row) in rows where row.count >= 2 {
        body(row[0].text ?? "", row[1].number ?? 0, Array(row.dropFirst(2)))
      }
      rows = try list(receive())
    }
  }

  func row(of entity: String, key: Int64) throws -> [WireValue]? {
    try answer([.text("row"), .text(entity), .integer(key)]).first?.list
  }

  func destinations(of entity: String, key: Int64, _ relationship: String) throws -> [(entity: String, key: Int64)] {
    try answer([.text("destinations"), .text(entity), .integer(key), .text(relationship)]).compactMap(Self.reference)
  }

  func insert(_ entities: [String]) throws -> [Int64] {
    try answer([.text("insert"), .list(entities.map { .text($0) })]).map { $0.number ?? 0 }
  }

  func save(_ changes: [StoreChange]) throws {
    let words = changes.map { change -> WireValue in
      switch change {
      case .set(let object, let column, let value): .list([.text("set"), Self.wire(object), .text(column), value])
      case .link(let object, let relationship, let destinations):
        .list([.text("link"), Self.wire(object), .text(relationship), .list(destinations.map(Self.wire))])
      case .delete(let object): .list([.text("delete"), Self.wire(object)])
      }
    }
    _ = try answer([.text("save"), .list(words)])
  }

  private static func wire(_ reference: StoreChange.Reference) -> WireValue {
    .list([.text(reference.entity), .integer(reference.key)])
  }

  private static func reference(_ wire: WireValue) -> StoreChange.Reference? {
    guard let parts = wire.list, parts.count == 2, let entity = parts[0].text, let key = parts[1].number else {
      return nil
    }
    return (entity, key)
  }
}
