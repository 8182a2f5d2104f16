import CoreDataExpressions
import DataModel
import MigrationDiagnostics
import PersistentStore
import TestSupport

@testable import Migration

/// A source store that is filled with SQL, and what becomes of it in bulk.
struct BulkFixture {
  let folder: TemporaryFolder
  let source: ManagedObjectModel
  let destination: ManagedObjectModel
  var mappings: [EntityMapping] = []
  var sourceSchema: StoreSchema

  init(
    _ source: [EntityDescription], _ destination: [EntityDescription], rows: String = "", encoding: String = "UTF-8"
  ) throws {
    folder = try TemporaryFolder()
    self.source = TrackModels.model(source)
    self.destination = TrackModels.model(destination)
    sourceSchema = StoreSchema(self.source)
    try writeSource(rows, encoding)
  }

  /// Writes the source as `StoreWriter` would, without waiting for the disk.
  private func writeSource(_ rows: String, _ encoding: String) throws {
    let entities = sourceSchema.entityNames.enumerated().map { index, name in
      let parent = source.entity(named: name)?.superentityName.map { sourceSchema.entityNumber($0) } ?? 0
      return "INSERT INTO Z_PRIMARYKEY VALUES (\(index + 1), '\(name.replacing("'", with: "''"))', \(parent), 0)"
    }
    let statements =
      ["PRAGMA encoding = '\(encoding)'", "PRAGMA synchronous = OFF", "PRAGMA journal_mode = OFF", "BEGIN"]
      + sourceSchema.tableStatements + sourceSchema.indexStatements + StoreSchema.fixedTableStatements + entities
      + ["INSERT INTO Z_METADATA VALUES (1, 'ID', x'\(try Self.metadata.get())')", rows, "COMMIT"]
    try Database.run(statements.joined(separator: ";\n"), in: path("Old"))
  }

  /// The metadata of a store, in hexadecimal digits; the reader wants some, and any will do.
  private static let metadata = Result {
    let folder = try TemporaryFolder()
    let model = TrackModels.model([])
    try StoreWriter(path: folder.file("Any"), schema: StoreSchema(model), layout: .coreData)
      .finish(metadata: .new(for: model, uuid: "ID"))
    return try Database.rows("SELECT hex(Z_PLIST) FROM Z_METADATA", in: folder.file("Any")).joined()
  }

  func path(_ name: String) -> String { folder.file("\(name).sqlite") }

  func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: path("New")) }

  /// Adds a mapping; attributes of the same name are copied, and relationships as the pairs say.
  ///
  /// - Parameter relationships: The destination's relationships with their expressions, as formats.
  mutating func map(
    _ from: String, _ to: String, _ relationships: [(String, String)] = [], attributes: [(String, String)]? = nil,
    filter: String? = nil, policy: String? = nil
  ) throws {
    var mapping = EntityMapping.suggested(
      from: MigrationFixture.entity(from, in: source), to: MigrationFixture.entity(to, in: destination),
      policy: policy)
    if let attributes {
      mapping.attributeMappings = try attributes.map {
        PropertyMapping(name: $0, valueExpression: try Expression(format: $1))
      }
    }
    mapping.relationshipMappings = try relationships.map {
      PropertyMapping(name: $0, valueExpression: try Expression(format: Self.expanded($1)))
    }
    mapping.filterPredicate = try filter.map { try Predicate(format: $0) }
    mappings.append(mapping)
  }

  /// `AToB($source.x)` and `$source.x` in the words of mapping models.
  private static func expanded(_ text: String) -> String {
    if text.hasPrefix("$source.") {
      let name = text.dropFirst("$source.".count)
      return
        "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', '\(name)', \(text))"
    }
    guard let open = text.firstIndex(of: "("), text.hasSuffix(")"), !text.hasPrefix("FUNCTION") else { return text }
    let argument = text[text.index(after: open)...].dropLast()
    return
      "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', '\(text[..<open])', \(argument))"
  }

  func plan(batches: Set<String> = []) throws -> BulkPlan {
    try BulkPlan(
      MappingModel(entityMappings: mappings), source: sourceSchema, destination: StoreSchema(destination),
      batchMappings: batches)
  }

  /// The reasons why no plan can be made.
  func refusals() throws -> [BulkPlanError.Reason] {
    do {
      _ = try plan()
      return []
    } catch let error as BulkPlanError {
      return error.reasons
    }
  }

  /// Runs the plan, validates the result, and completes it.
  ///
  /// - Parameter inspect: Looks at the result instead of completing it, which waits for the disk.
  @discardableResult
  func migrate(inspect: ((StoreWriter) throws -> Void)? = nil) throws -> (
    result: Counts, failures: [ValidationFailure]
  ) {
    let plan = try plan()
    let reader = try StoreReader(path: path("Old"))
    let writer = try StoreWriter(path: path("New"), schema: StoreSchema(destination), layout: reader.layout)
    try writer.attach(reader)
    let result = try Self.run(plan, writer)
    let failures = try StoreValidator(writer).failures()
    if let inspect {
      try inspect(writer)
    } else {
      try writer.finish(
        metadata: .new(for: destination, uuid: "ID"), greatestKeys: plan.greatestKeys(reader.primaryKeys))
    }
    return (result, failures)
  }

  /// What a plan has read and written.
  struct Counts {
    var mappings: [(read: Int, written: Int)] = []
    var joinTableRows: [String: Int] = [:]
  }

  /// Runs a plan with the attached source.
  static func run(_ plan: BulkPlan, _ writer: StoreWriter) throws -> Counts {
    var counts = Counts()
    for copy in plan.copies {
      var rows = try RowCopy(copy, to: writer)
      try rows.run()
      counts.mappings.append((try rows.readCount, rows.writtenCount))
    }
    counts.joinTableRows = try writer.completeLinks(of: plan)
    return counts
  }

  /// Makes the relationships of an entity short to write.
  static func one(_ name: String, _ destination: String, _ inverse: String? = nil, isOptional: Bool = true)
    -> RelationshipDescription
  {
    RelationshipDescription(name, to: destination, inverse: inverse, maxCount: 1, isOptional: isOptional)
  }

  static func many(
    _ name: String, _ destination: String, _ inverse: String? = nil, isOrdered: Bool = false, minCount: Int32 = 0,
    maxCount: Int32 = 0, isOptional: Bool = true
  ) -> RelationshipDescription {
    RelationshipDescription(
      name, to: destination, inverse: inverse, minCount: minCount, maxCount: maxCount, isOrdered: isOrdered,
      isOptional: isOptional)
  }
}
