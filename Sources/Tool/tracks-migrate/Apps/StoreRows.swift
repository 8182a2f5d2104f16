import CommandLineArguments
import CoreDataExpressions
import DataModel
import Foundation
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import TerminalOutput
import TrackLibrary

/// The rows of an entity of any store, as a command writes them.
struct StoreRows {
  /// A part of a row that is written.
  enum Field: Hashable {
    case key
    case entity
    case attribute(String)
    case toOne(String)
    case toMany(String)

    var name: String {
      switch self {
      case .key: "key"
      case .entity: "entity"
      case .attribute(let name), .toOne(let name), .toMany(let name): name
      }
    }
  }

  private let path: String
  let context: ManagedObjectContext
  let entity: EntityDescription
  /// All fields, in the order of the model.
  let allFields: [Field]
  private(set) var fields: [Field]
  private var request: FetchRequest
  private var limit: Int?

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - model: The model; without it, the store's own copy.
  ///   - entity: The name of the entity.
  ///   - names: The fields; without them, all.
  ///   - condition: A predicate.
  ///   - sort: The fields to sort by, each with `-` before it for descending order.
  init(
    storeAt path: String, model: String?, entity name: String, fields names: [String]? = nil,
    where condition: CoreDataExpressions.Predicate? = nil, sort: [String] = [], limit: Int64? = nil
  ) throws {
    self.path = path
    context = try Self.context(ofStoreAt: path, model: model)
    entity = try Self.entity(named: name, in: context.managedObjectModel, path)
    allFields = Self.fields(of: entity)
    fields = allFields
    request = FetchRequest(
      entityName: name,
      predicate: try condition.map { [entity, context] in try Self.fitted($0, entity, context.managedObjectModel, path)
      })
    request.sortDescriptors = []
    self.limit = limit.map { Int(clamping: $0) }
    if let names { fields = try names.map { try field(named: $0) } }
    request.sortDescriptors = try sort.map { word in
      let isDescending = word.hasPrefix("-")
      let field = try field(named: isDescending || word.hasPrefix("+") ? String(word.dropFirst()) : word)
      return FetchRequest.SortDescriptor(
        try CoreDataExpressions.Expression(format: "%K", .string(field.name)), isAscending: !isDescending)
    }
  }

  /// A condition with dates where text is compared with them.
  private static func fitted(
    _ condition: CoreDataExpressions.Predicate, _ entity: EntityDescription, _ model: ManagedObjectModel, _ path: String
  ) throws -> CoreDataExpressions.Predicate {
    do throws(MigrationError) {
      let now = Date.now.timeIntervalSinceReferenceDate
      return try AskedCondition(condition, onEntityNamed: entity.name, of: model, now: now).predicate
    } catch {
      throw error.about(path)
    }
  }

  /// The instances of a store, which can only be read.
  static func context(ofStoreAt path: String, model: String?) throws -> ManagedObjectContext {
    let (reader, model) = try store(at: path, model: model)
    return try ManagedObjectContext(reading: reader, model)
  }

  /// A store as a plain database.
  static func database(ofStoreAt path: String, model: String?) throws -> BrowsableDatabase {
    let (reader, model) = try store(at: path, model: model)
    return try BrowsableDatabase(of: reader, model)
  }

  private static func store(at path: String, model: String?) throws -> (StoreReader, ManagedObjectModel) {
    let reader = try StoreReader(path: path)
    if let model {
      let versions = try AppVersions(modelAt: model).all
      guard let version = versions.version(withHashes: reader.metadata.versionHashes) else {
        throw MigrationError(.unknownVersion, path: path, detail: "no version of '\(model)' has its version hashes")
      }
      return (reader, version.model)
    }
    guard let model = try reader.writtenModel() else {
      var error = MigrationError(.noModelCache, path: path)
      error.advice = "Name its model with \(.model): an .xcdatamodeld, .xcdatamodel, .momd or .mom."
      throw error
    }
    return (reader, model)
  }

  /// Reads rows of stores, and makes sure that none are missing because a store is damaged.
  ///
  /// - Throws: What the work throws, or `MigrationError`, with `damaged`, after it.
  static func reading<Result>(storesAt paths: [String], _ work: () throws -> Result) throws -> Result {
    guard let path = paths.first else { return try work() }
    let store = try StoreReader(path: path)
    let result = try store.checkingPages(for: .tablesAndIndexes) {
      try reading(storesAt: Array(paths.dropFirst()), work)
    }
    try DanglingLinks.all(in: store)?.warn(path)
    try store.close()
    return result
  }

  /// The entity of this name.
  static func entity(named name: String, in model: ManagedObjectModel, _ path: String) throws -> EntityDescription {
    if let entity = model.entity(named: name) { return entity }
    if name.lowercased().hasPrefix("select ") {
      throw ValidationError("'\(name)' is SQL. \(Query.noSQL)")
    }
    let names = model.entities.map(\.name)
    let hint = nearest(to: name, in: names).map { " Did you mean '\($0)'?" } ?? ""
    throw ValidationError(
      "'\(path)' has no entity '\(name)'.\(hint) Its entities are \(names.joined(separator: ", ")).")
  }

  private static func fields(of entity: EntityDescription) -> [Field] {
    let names = entity.attributes.filter { !$0.isTransient }.map { Field.attribute($0.name) }
    let relationships = entity.relationships.filter { !$0.isTransient }
    return [.key] + (entity.subentityNames.isEmpty ? [] : [.entity]) + names
      + relationships.filter { !$0.isToMany }.map { .toOne($0.name) }
      + relationships.filter(\.isToMany).map { .toMany($0.name) }
  }

  private func field(named name: String) throws -> Field {
    if let field = allFields.first(where: { $0.name == name }) { return field }
    let names = allFields.map(\.name)
    let hint = nearest(to: name, in: names).map { " Did you mean '\($0)'?" } ?? ""
    throw ValidationError(
      "'\(entity.name)' has no field '\(name)'.\(hint) The fields are \(names.joined(separator: ", ")).")
  }

  /// Writes the rows.
  func write(
    _ format: OutputFormat, to output: any TextOutput, terminal: Terminal = .standardOutput,
    guardsFormulas: Bool = false
  ) throws {
    let writer = format.makeWriter(to: output, terminal: terminal, guardsFormulas: guardsFormulas)
    try writer.begin(columns: fields.map(\.name))
    try forEach { object in
      try writer.write(fields.map { value($0, of: object, isForMachines: format.isForMachines) })
    }
    try writer.end()
    try output.flush()
  }

  /// The way in which the rows are found, as SQL with comments.
  func explanation() throws -> [String] {
    guard let found = try context.explanation(of: request) else { return [] }
    let evaluated = found.evaluated.map { ["-- Evaluated on each of these rows: \($0)"] } ?? []
    let order = request.sortDescriptors.map { "\($0.isAscending ? "" : "-")\($0.keyPath)" }
    let sorted = order.isEmpty ? [] : ["-- Then sorted by: \(order.joined(separator: ", "))"]
    return ["\(found.sql);"] + evaluated + found.obstacles.map { "-- It \($0)" } + sorted
  }

  /// Calls a closure with each row.
  func forEach(_ body: (ManagedObject) throws -> Void) throws {
    struct Enough: Error {}
    var count = 0
    func handOut(_ object: ManagedObject) throws {
      if let limit, count >= limit { throw Enough() }
      count += 1
      try body(object)
      try context.requireNoFailure()
    }
    do {
      if request.sortDescriptors.isEmpty {
        try context.forEach(request, handOut)
      } else {
        try context.fetch(request).forEach(handOut)
      }
    } catch is Enough {
    } catch let error as MigrationError {
      throw conditionFailure(error) ?? error
    }
  }

  /// Returns the error of a condition that cannot be evaluated: for the engine it is one of a mapping model.
  private func conditionFailure(_ error: MigrationError) -> MigrationError? {
    guard request.predicate != nil, error.code == .invalidMappingModel else { return nil }
    let entity = error.subject.entity.flatMap(context.managedObjectModel.entity(named:)) ?? entity
    let names = (entity.attributes.map(\.name) + entity.relationships.map(\.name)).sorted()
    let unknown = error.subject.property
    var failure = MigrationError(
      .invalidCondition, error.subject,
      detail: unknown.map { "the entity '\(entity.name)' has no attribute '\($0)'" } ?? error.detail)
    failure.subject.path = path
    failure.advice =
      unknown.flatMap { nearest(to: $0, in: names) }.map { "Did you mean '\($0)'?" }
      ?? "The attributes and relationships of '\(entity.name)' are \(names.joined(separator: ", "))."
    return failure
  }

  /// The value of a field.
  func value(_ field: Field, of object: ManagedObject, isForMachines: Bool) -> FieldValue {
    switch field {
    case .key: .integer(object.objectID.primaryKey)
    case .entity: .string(object.entity.name)
    case .attribute(let name): object.value(forKey: name).map { Self.value($0, isForMachines) } ?? .null
    case .toOne(let name): FieldValue(object.instances(forKey: name).first?.objectID.primaryKey)
    case .toMany(let name): .strings(object.instances(forKey: name).map { "\($0.objectID.primaryKey)" })
    }
  }

  private static func value(_ value: AttributeValue, _ isForMachines: Bool) -> FieldValue {
    switch value {
    case .integer(let integer): .integer(integer)
    case .double(let real): .real(real)
    case .string(let text), .uri(let text): .string(text)
    case .boolean(let boolean): .boolean(boolean)
    case .date(let seconds): .string(ReferenceDate.exact(seconds) ?? "\(seconds)")
    case .data(let bytes): .string(isForMachines ? bytes.base64 : NumberFormat.bytes(Int64(bytes.count)))
    case .uuid(let bytes): .string(BrowsableDatabase.uuid(bytes))
    }
  }
}
