internal import DataModel
internal import MigrationDiagnostics
internal import Verification

/// Answers what an app's objects ask of the instances of a store: those that a hop has made, or those of a file.
package struct StageServer {
  let context: ManagedObjectContext

  package init(context: ManagedObjectContext) { self.context = context }

  /// Answers a request of this process, both as the bytes of a frame.
  package func answer(_ request: [UInt8], _ send: ([UInt8]) throws -> Void) throws {
    guard let message = WireValue(Array(request.dropFirst(4)))?.list else { throw Misunderstanding() }
    try answer(message) { try send($0.frame) }
  }

  /// A request that no program of ours makes.
  struct Misunderstanding: Error, CustomStringConvertible {
    var description: String { "the request is not understood" }
  }

  /// The number of rows that are sent at once.
  private static let batchSize = 500

  /// The approximate number of bytes that are sent at once.
  private static let batchByteCount = 1 << 20

  /// Answers a request.
  ///
  /// - Parameter send: Takes the answer, which may have several parts.
  func answer(_ request: [WireValue], _ send: (WireValue) throws -> Void) throws {
    switch (request.first?.text, request.dropFirst().first) {
    case ("columns", .text(let entity)):
      try send(.list(context.layout(named: entity).attributeNames.map { .text($0) }))
    case ("rows", .text(let entity)):
      var (rows, size) = ([WireValue](), 0)
      for object in try context.fetch(FetchRequest(entityName: entity)) {
        rows.append(.list([.text(object.entityName), .integer(object.objectID.primaryKey)] + row(of: object)))
        size += object.attributeValues.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        guard rows.count >= Self.batchSize || size >= Self.batchByteCount else { continue }
        try send(.list(rows))
        (rows, size) = ([], 0)
      }
      try context.rethrow()
      if !rows.isEmpty { try send(.list(rows)) }
      try send(.list([]))
    case ("row", .text(let entity)):
      let key = request.dropFirst(2).first?.number
      let object = key.flatMap { context.object(ofEntityNamed: entity, primaryKey: $0) }
      let answer = WireValue.list(object.map { [.list(row(of: $0))] } ?? [])
      try context.rethrow()
      try send(answer)
    case ("destinations", .text(let entity)):
      guard request.count == 4, let key = request[2].number, let name = request[3].text,
        let object = context.object(ofEntityNamed: entity, primaryKey: key)
      else { throw Misunderstanding() }
      let destinations = object.instances(forKey: name).map(Self.reference)
      try context.rethrow()
      try send(.list(destinations))
    case ("insert", .list(let entities)):
      let keys = try entities.map { entity in
        let object = try context.insertNewObject(forEntityName: entity.text ?? "")
        context.stageChanges?.entities.insert(object.entityName)
        return WireValue.integer(object.objectID.primaryKey)
      }
      try finishChanges()
      try send(.list(keys))
    case ("save", .list(let changes)):
      try save(changes)
      try finishChanges()
      try send(.list([]))
    default: throw Misunderstanding()
    }
  }

  private func row(of object: ManagedObject) -> [WireValue] {
    object.layout.attributes.indices.map { WireValue(object.value(at: $0)) }
  }

  private static func reference(_ object: ManagedObject) -> WireValue {
    .list([.text(object.entityName), .integer(object.objectID.primaryKey)])
  }

  private func save(_ changes: [WireValue]) throws {
    for change in changes {
      guard let words = change.list, let reference = words.dropFirst().first?.list else { throw Misunderstanding() }
      // The deletion of another one may have reached it, where two relationships cascade in both directions.
      if words.count == 2, words[0].text == "delete", try existingObject(reference) == nil { continue }
      let (object, name) = (try object(reference), words.dropFirst(2).first?.text ?? "")
      let property = StageChanges.Property(entity: object.entityName, name: name)
      switch (words[0].text, words.dropFirst(3).first) {
      case ("set", let value?):
        context.stageChanges?.properties.insert(property)
        object.setValue(value.attributeValue, forKey: name)
      case ("link", .list(let destinations)):
        context.stageChanges?.properties.insert(property)
        object.setInstances(try destinations.map { try self.object($0.list ?? []) }, forKey: name)
      case ("delete", nil):
        context.stageChanges?.entities.insert(object.entityName)
        context.delete(object)
      default: throw Misunderstanding()
      }
    }
  }

  private func object(_ reference: [WireValue]) throws -> ManagedObject {
    guard let object = try existingObject(reference) else { throw Misunderstanding() }
    return object
  }

  /// The instance that a reference names; `nil` if it was deleted.
  private func existingObject(_ reference: [WireValue]) throws -> ManagedObject? {
    guard reference.count == 2, let entity = reference[0].text, let key = reference[1].number else {
      throw Misunderstanding()
    }
    return context.object(ofEntityNamed: entity, primaryKey: key)
  }

  /// Reports the first error in changes, and writes them if there are many.
  private func finishChanges() throws {
    try context.rethrow()
    try (context.instances as? DestinationInstances)?.flushIfNeeded()
  }
}

extension WireValue {
  fileprivate init(_ value: AttributeValue?) {
    self =
      switch value {
      case nil: .none
      case .integer(let number): .integer(number)
      case .double(let number): .double(number)
      case .string(let text): .text(text)
      case .boolean(let flag): .boolean(flag)
      case .date(let seconds): .date(seconds)
      case .data(let bytes): .data(bytes)
      case .uuid(let bytes): .uuid(bytes)
      case .uri(let text): .url(text)
      }
  }

  fileprivate var attributeValue: AttributeValue? {
    switch self {
    case .none, .list: nil
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .text(let text): .string(text)
    case .boolean(let flag): .boolean(flag)
    case .date(let seconds): .date(seconds)
    case .data(let bytes): .data(bytes)
    case .uuid(let bytes): .uuid(bytes)
    case .url(let text): .uri(text)
    }
  }
}
