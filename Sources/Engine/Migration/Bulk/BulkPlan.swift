internal import CoreDataExpressions
internal import DataModel
package import PersistentStore

/// A migration as a few statements, each of which works on all rows of a table.
///
/// Every source row becomes one destination row with the same primary key. The plan is made of the mapping model and the
/// two layouts alone; `MigrationManager.runBulk` carries it out.
///
/// Where both sides of a pair of inverse relationships are given destinations, they must be given the same ones: those of
/// a source's own pair. Otherwise it depends on the order of instances what is left, and there is no plan. A one-to-one
/// pair whose two sides contradict each other in the source comes over as it is.
package struct BulkPlan: Sendable {
  /// The rows of one mapping, copied by one statement.
  struct Copy: Sendable {
    let mappingName: String
    let sourceEntity: String
    let destinationEntity: String
    let destinationTable: String
    let statement: SQLFragment
    /// Copies the rows of some keys only: its last two arguments are the least and the greatest.
    let slice: SQLFragment
    let sourceTable: String
    /// Counts the source rows; `nil` where all of them are carried over.
    let count: SQLFragment?
    /// Gives the keys that source rows have in common with rows that are in the destination's table already.
    let sharedKeys: SQLFragment
    /// The source's columns by the destination's, where all rows are carried over and no value is computed.
    let plainColumns: [String: String]?
  }

  /// A statement that completes the links of a relationship.
  struct Step: Sendable {
    /// Tells whether there is anything to do.
    var condition: SQLFragment?
    let statement: SQLFragment
  }

  /// The links of a join table, inserted by one statement.
  struct Join: Sendable {
    let table: String
    let statement: SQLFragment
    /// Gives the links as the table's two keys, in any order and perhaps several times; `nil` if rows have places.
    let pairs: SQLFragment?
  }

  /// Values that lie in files and would have to be read into a column.
  struct FileCheck: Sendable {
    let entity: String
    let attribute: String
    /// Counts them.
    let statement: SQLFragment
  }

  var copies: [Copy] = []
  var steps: [Step] = []
  var joins: [Join] = []
  var fileChecks: [FileCheck] = []
  /// For each root entity of the destination, the numbers of the source's root entities whose keys it takes over.
  var keySources: [String: Set<Int>] = [:]

  /// Plans a mapping model.
  ///
  /// - Parameters:
  ///   - mappingModel: What is to be done.
  ///   - source: How the source is laid out; it may have been read from the file.
  ///   - destination: How the result is laid out.
  ///   - batchMappings: The names of the mappings whose policies only add to a plain copy.
  /// - Throws: `BulkPlanError` when statements cannot do what instances could.
  package init(
    _ mappingModel: MappingModel, source: StoreSchema, destination: StoreSchema, batchMappings: Set<String> = []
  ) throws(BulkPlanError) {
    var planner = BulkPlanner(mappingModel, source: source, destination: destination, batchMappings: batchMappings)
    planner.planCopies()
    planner.planLinks()
    guard planner.reasons.isEmpty else { throw BulkPlanError(reasons: planner.reasons) }
    self = planner.plan
  }

  init() {}

  /// The greatest primary keys that the destination must count as used, by root entity, for `StoreWriter.finish`.
  ///
  /// A key of a row that was deleted from the source is not given to another in the destination.
  package func greatestKeys(_ sourceKeys: [PrimaryKeyRow]) -> [String: Int64] {
    let greatest = Dictionary(
      sourceKeys.map { (Int(clamping: $0.entityNumber), $0.greatestKey) }, uniquingKeysWith: max)
    return keySources.compactMapValues { numbers in numbers.compactMap { greatest[$0] }.max() }
  }

  /// The statements in their order, for a log.
  package var statements: [String] {
    copies.map(\.statement.sql) + steps.map(\.statement.sql) + joins.map(\.statement.sql)
  }
}

/// The source rows that one entity mapping carries over, and the destination rows that they become.
///
/// A row keeps its primary key. So what a source row has become under a mapping needs no table to look it up in: it is
/// the row of the same key, if the source row is one of the mapping's.
struct BulkEntityMapping {
  /// The place of the mapping in its model: names may occur twice.
  let index: Int
  let mapping: EntityMapping
  let source: EntityDescription
  let destination: EntityDescription
  let sourceTable: EntityTable
  let destinationTable: EntityTable
  /// `Z_ENT` of the source rows; `nil` where the table holds one entity only.
  ///
  /// All rows of such a table are that entity's, whatever their `Z_ENT` says: rows that another program added without
  /// it would be lost otherwise.
  let sourceNumber: Int?
  let destinationNumber: Int
  /// The filter, about SELF; `nil` where all rows are carried over.
  let filter: Predicate?
  let naming: BulkSQLSchema

  init?(_ index: Int, _ mapping: EntityMapping, source schema: StoreSchema, destination destinationSchema: StoreSchema)
  {
    guard let sourceName = mapping.sourceEntityName, let destinationName = mapping.destinationEntityName,
      let source = schema.model.entity(named: sourceName),
      let destination = destinationSchema.model.entity(named: destinationName),
      let sourceTable = schema.table(forEntityNamed: sourceName),
      let destinationTable = destinationSchema.table(forEntityNamed: destinationName)
    else { return nil }
    self.index = index
    self.mapping = mapping
    self.source = source
    self.destination = destination
    self.sourceTable = sourceTable
    self.destinationTable = destinationTable
    sourceNumber = sourceTable.entityNames.count > 1 ? schema.entityNumber(sourceName) : nil
    destinationNumber = destinationSchema.entityNumber(destinationName)
    let filter = mapping.filterPredicate?.substituting(["source": Expression.evaluatedObject])
    self.filter = filter == .everything ? nil : filter
    naming = BulkSQLSchema(schema, findsExternalData: true)
  }

  /// The table of the source rows, as expressions see it.
  var table: SQLTable { SQLTable(entity: source.name, name: sourceTable.name) }

  /// Returns the condition that separates the mapping's rows from the others of their table; `nil` if all are its own.
  func condition(_ alias: String) throws(SQLTranslationError) -> SQLFragment? {
    var parts: [SQLFragment] = []
    if let sourceNumber { parts.append("\(identifier: alias).Z_ENT = \(.number(sourceNumber))") }
    if let filter { parts.append(try filter.sql(on: table, alias: alias, naming: naming)) }
    return parts.isEmpty ? nil : parts.joined(by: " AND ")
  }
}

/// The links that one relationship mapping gives.
struct BulkRelationshipMapping {
  /// The rows whose relationship it is.
  let owner: BulkEntityMapping
  /// The destination's relationship.
  let relationship: RelationshipDescription
  /// The source's relationship that is followed; `nil` for `$source` itself.
  let source: RelationshipDescription?
  /// The storage of the source links that are followed; `nil` for `$source` itself.
  let layout: RelationshipLayout?
  /// The mappings that may have made the destinations, of one source table.
  let targets: [BulkEntityMapping]
  /// Whether the rows are the destinations: the links are read on the other side.
  var isTurned = false

  /// Whether this gives the same links as another mapping does for the inverse relationship.
  func mirrors(_ other: BulkRelationshipMapping) -> Bool {
    guard targets.contains(where: { $0.index == other.owner.index }) else { return false }
    guard let source, let otherSource = other.source else { return source == nil && other.source == nil }
    return source.inverseName == otherSource.name && otherSource.inverseName == source.name
  }

  /// Returns the condition of the rows `r` that are carried over; `nil` if all are.
  private func targetCondition() throws(SQLTranslationError) -> SQLFragment? {
    var numbers: [SQLFragment] = []
    var parts: [SQLFragment] = []
    for target in targets {
      if target.filter == nil, let number = target.sourceNumber {
        numbers.append(.number(number))
      } else if let condition = try target.condition("r") {
        parts.append("(\(condition))")
      } else {
        return nil
      }
    }
    if !numbers.isEmpty { parts.append("r.Z_ENT IN (\(numbers.joined(by: ", ")))") }
    return "(\(parts.joined(by: " OR ")))"
  }

  /// The destination's number of what a row `r` has become.
  private var targetNumber: SQLFragment {
    let numbers = targets.map(\.destinationNumber)
    if let first = numbers.first, numbers.allSatisfy({ $0 == first }) { return .number(first) }
    let cases = targets.map { target -> SQLFragment in
      "WHEN \(.number(target.sourceNumber ?? 0)) THEN \(.number(target.destinationNumber))"
    }
    return "CASE r.Z_ENT \(cases.joined(by: " ")) END"
  }

  /// The query of all links: `owner`, `target`, the place of the mapping that has its `turn`, the owner's entity number and
  /// the places on both sides.
  func pairs() throws(SQLTranslationError) -> SQLFragment {
    let conditions = [try owner.condition("o"), try targetCondition()].compactMap { $0 }
    let filter: SQLFragment = conditions.isEmpty ? "" : " WHERE \(conditions.joined(by: " AND "))"
    guard let target = targets.first else {
      return "SELECT 0 AS owner, 0 AS target, 0 AS turn, 0 AS ownerEntity, 0 AS place, 0 AS inversePlace WHERE 0"
    }
    if isTurned {
      return
        "SELECT r.Z_PK AS owner, o.Z_PK AS target, \(.number(target.index)) AS turn, \(targetNumber) AS ownerEntity, NULL AS place, NULL AS inversePlace FROM \(rows(from: owner.sourceTable.name, to: target.sourceTable.name))\(filter)"
    }
    return
      "SELECT o.Z_PK AS owner, r.Z_PK AS target, \(.number(owner.index)) AS turn, \(.number(owner.destinationNumber)) AS ownerEntity, \(place) AS place, \(inversePlace) AS inversePlace FROM \(rows(from: owner.sourceTable.name, to: target.sourceTable.name))\(filter)"
  }

  /// The destination of a row `t0` and its entity's number, for a relationship that leads to one; `nil` if this leads
  /// to several.
  func target() throws(SQLTranslationError) -> (key: SQLFragment, entity: SQLFragment, place: SQLFragment?)? {
    let column: SQLFragment
    var place: SQLFragment?
    switch layout {
    case nil: column = "t0.Z_PK"
    case .own(let name, _, let inverseOrder):
      column = "t0.\(identifier: name)"
      place = inverseOrder.map { "t0.\(identifier: $0)" }
    case .destination, .join: return nil
    }
    guard let table = targets.first?.sourceTable.name else { return ("NULL", "NULL", nil) }
    let condition: SQLFragment = try targetCondition().map { " AND \($0)" } ?? ""
    let rows: SQLFragment = " FROM \(.sourceTable(table)) r WHERE r.Z_PK = \(column)\(condition)"
    let key: SQLFragment = "(SELECT r.Z_PK\(rows))"
    return (
      key, "(SELECT \(targetNumber)\(rows))", place.map { "CASE WHEN \(key) IS NOT NULL THEN \($0) END" }
    )
  }
}

/// The reasons why a mapping model cannot be carried out by statements on whole tables.
///
/// This is not a fault of the mapping model: it is carried out instance by instance instead.
public struct BulkPlanError: Error, Sendable, Hashable {
  /// The obstacles, in the order of the mappings.
  public let reasons: [Reason]

  /// An obstacle.
  public enum Reason: Sendable, Hashable {
    /// A policy decides for each instance.
    case customPolicy(String, mapping: String)
    /// There is no such entity in its model.
    case unknownEntity(String, mapping: String)
    /// The destination entity has no such property that is stored.
    case unknownProperty(String, mapping: String)
    /// SQL does not give the value of an attribute; the text says why.
    case value(String, property: String, mapping: String)
    /// SQL cannot choose the instances; the text says why.
    case filter(String, mapping: String)
    /// Instances of two mappings would have the same primary keys in one table.
    case sharedKeys(mapping: String, other: String)
    /// The expression of a relationship has none of the forms that mapping models are generated with.
    case relationshipExpression(String, property: String, mapping: String)
    /// The expression of a relationship names a mapping that is not there.
    case unknownMapping(String, property: String, mapping: String)
    /// The mapping makes instances of an entity that the relationship cannot point to.
    case unsuitableMapping(String, property: String, mapping: String)
    /// A to-one relationship is given the destinations of a to-many one.
    case severalDestinations(property: String, mapping: String)
    /// Both sides of a relationship are given destinations, and not by the two sides of another.
    case bothSides(property: String, entity: String)
    /// The store has no column or table for a relationship.
    case notStored(property: String, entity: String)
    /// A relationship is given destinations by more mappings than one statement can have.
    case tooManyMappings(property: String, entity: String)
    /// The expressions and filters have more values than one statement can have.
    case tooLarge(mapping: String)
  }
}

extension BulkPlanError.Reason {
  /// The property that is the obstacle, if it is one.
  var property: String? {
    switch self {
    case .unknownProperty(let name, _): name
    case .value(_, let property, _), .relationshipExpression(_, let property, _), .unknownMapping(_, let property, _),
      .unsuitableMapping(_, let property, _), .severalDestinations(let property, _), .bothSides(let property, _),
      .notStored(let property, _), .tooManyMappings(let property, _):
      property
    case .customPolicy, .unknownEntity, .filter, .sharedKeys, .tooLarge: nil
    }
  }
}

extension BulkPlanError: CustomStringConvertible {
  /// One line for each reason.
  public var description: String { reasons.map(\.description).joined(separator: "\n") }
}

extension BulkPlanError.Reason: CustomStringConvertible {
  /// A sentence without a full stop.
  public var description: String {
    switch self {
    case .customPolicy(let name, let mapping): "mapping '\(mapping)' has the policy '\(name)'"
    case .unknownEntity(let name, let mapping): "mapping '\(mapping)': there is no entity '\(name)'"
    case .unknownProperty(let name, let mapping): "mapping '\(mapping)': there is no stored property '\(name)'"
    case .value(let text, let property, let mapping): "mapping '\(mapping)', \(property): \(text)"
    case .filter(let text, let mapping): "the filter of mapping '\(mapping)' \(text)"
    case .sharedKeys(let mapping, let other):
      "mappings '\(mapping)' and '\(other)' would give instances in one table the same primary keys"
    case .relationshipExpression(let format, let property, let mapping):
      "mapping '\(mapping)', \(property): '\(format)' is none of the known forms"
    case .unknownMapping(let name, let property, let mapping):
      "mapping '\(mapping)', \(property): there is no mapping '\(name)'"
    case .unsuitableMapping(let name, let property, let mapping):
      "mapping '\(mapping)', \(property): the relationship cannot lead to what mapping '\(name)' makes"
    case .severalDestinations(let property, let mapping):
      "mapping '\(mapping)', \(property): a to-one relationship is given several destinations"
    case .bothSides(let property, let entity):
      "\(entity).\(property): both sides of the relationship are given destinations, which may contradict each other"
    case .notStored(let property, let entity): "\(entity).\(property) is not stored"
    case .tooManyMappings(let property, let entity): "\(entity).\(property) is given destinations by too many mappings"
    case .tooLarge(let mapping): "mapping '\(mapping)' has more values than one statement can have"
    }
  }
}
