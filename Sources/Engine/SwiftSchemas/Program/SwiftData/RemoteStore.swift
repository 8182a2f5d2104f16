/// A way to the engine that has a store: what is sent is a request, and what is received is its answer.
protocol StoreConnection: AnyObject {
  func send(_ message: WireValue) throws
  func receive() throws -> WireValue
}

/// A store that the engine has, which answers requests.
final class RemoteStore: ObjectStore, @unchecked Sendable {
  let identifier: String
  private let connection: any StoreConnection
  private(set) var saveCount = 0
  /// Contexts of several threads ask one after the other.
  private let lock = NSRecursiveLock()

  init(_ connection: any StoreConnection, identifier: String) {
    (self.connection, self.identifier) = (connection, identifier)
  }

  /// Asks for something; an answer is a list, or the text of an error.
  private func answer(_ request: [WireValue]) throws -> [WireValue] {
    lock.lock()
    defer { lock.unlock() }
    try connection.send(.list(request))
    return try list(connection.receive())
  }

  private func list(_ answer: WireValue) throws -> [WireValue] {
    if let text = answer.text { throw StoreFailure(description: text) }
    return answer.list ?? []
  }

  func columns(of entity: String) throws -> [String] {
    try answer([.text("columns"), .text(entity)]).map { $0.text ?? "" }
  }

  func forEachRow(of entity: String, _ body: (_ entity: String, _ key: Int64, _ row: [WireValue]) -> Void) throws {
    lock.lock()
    defer { lock.unlock() }
    var rows = try answer([.text("rows"), .text(entity)])
    while !rows.isEmpty {
      for case .list(let row) in rows where row.count >= 2 {
        body(row[0].text ?? "", row[1].number ?? 0, Array(row.dropFirst(2)))
      }
      rows = try list(connection.receive())
    }
  }

  func row(of entity: String, key: Int64) throws -> [WireValue]? {
    try answer([.text("row"), .text(entity), .integer(key)]).first?.list
  }

  func destinations(of entity: String, key: Int64, _ relationship: String) throws -> [(entity: String, key: Int64)] {
    try answer([.text("destinations"), .text(entity), .integer(key), .text(relationship)]).compactMap(Self.reference)
  }

  func saving(_ body: () throws -> Void) throws {
    lock.lock()
    defer { lock.unlock() }
    try body()
    saveCount += 1
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
