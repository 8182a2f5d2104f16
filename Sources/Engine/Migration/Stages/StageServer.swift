internal import DataModel
internal import MigrationDiagnostics
internal import Verification

/// Answers what the code of a stage asks of the instances that a hop has made.
struct StageServer {
  let context: ManagedObjectContext

  /// A request that no program of ours makes.
  private struct Misunderstanding: Error, CustomStringConvertible {
    var description: String { "the request is not understood" }
  }

  /// The number of rows that are sent at once.
  private static let batchSize = 500

  /// Answers a request.
  ///
  /// - Parameter send: Takes the answer, which may have several parts.
  func answer(_ request: [WireValue], _ send: (WireValue) throws -> Void) throws {
    switch (request.first?.text, request.dropFirst().first) {
    case ("columns", .text(let entity)):
      try send(.list(context.layout(named: entity).attributeNames.map { .text($0) }))
    case ("rows", .text(let entity)):
      var rows: [WireValue] = []
      for object in try context.fetch(FetchRequest(entityName: entity)) {
        rows.append(.list([.text(object.entityName), .integer(object.objectID.primaryKey)] + row(of: object)))
        guard rows.count == Self.batchSize else { continue }
        try send(.list(rows))
        rows = []
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
    case ("save", .list(let changes)):
      try send(.list(try save(changes).map { .integer($0) }))
    default: throw Misunderstanding()
    }
  }

  private func row(of object: ManagedObject) -> [WireValue] {
    object.layout.attributes.indices.map { WireValue(object.value(at: $0)) }
  }

  private static func reference(_ object: ManagedObject) -> WireValue {
    .list([.text(object.entityName), .integer(object.objectID.primaryKey)])
  }

  /// Saves changes.
  ///
  /// - Returns: The keys of the inserted instances.
  private func save(_ changes: [WireValue]) throws -> [Int64] {
    var inserted: [Int64: ManagedObject] = [:]
    var keys: [Int64] = []
    func object(_ reference: WireValue?) throws -> ManagedObject {
      guard let parts = reference?.list, parts.count == 2, let entity = parts[0].text, let key = parts[1].number,
        let object = inserted[key] ?? context.object(ofEntityNamed: entity, primaryKey: key)
      else { throw Misunderstanding() }
      return object
    }
    var noted = context.stageChanges ?? .none
    for change in changes {
      let words = change.list ?? []
      guard words.count >= 2 else { throw Misunderstanding() }
      switch words[0].text {
      case "insert":
        guard let parts = words[1].list, parts.count == 2, let entity = parts[0].text, let key = parts[1].number
        else { throw Misunderstanding() }
        let object = try context.insertNewObject(forEntityName: entity)
        noted.entities.insert(entity)
        inserted[key] = object
        keys.append(object.objectID.primaryKey)
      case "set" where words.count == 4:
        let (object, name) = (try object(words[1]), words[2].text ?? "")
        object.setValue(words[3].attributeValue, forKey: name)
        noted.properties.insert(StageChanges.Property(entity: object.entityName, name: name))
      case "link" where words.count == 4:
        let (owner, name) = (try object(words[1]), words[2].text ?? "")
        owner.setInstances(try (words[3].list ?? []).map(object), forKey: name)
        noted.properties.insert(StageChanges.Property(entity: owner.entityName, name: name))
      case "delete":
        let object = try object(words[1])
        noted.entities.insert(object.entityName)
        context.delete(object)
      default: throw Misunderstanding()
      }
    }
    context.stageChanges = noted
    try context.rethrow()
    try context.flushIfNeeded()
    return keys
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

extension ManagedObjectContext {
  /// Writes changes if there are many.
  fileprivate func flushIfNeeded() throws { try (instances as? DestinationInstances)?.flushIfNeeded() }
}
