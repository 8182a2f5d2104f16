internal import Expressions
public import PersistentStore

/// A migration as a few statements, each of which works on all rows of a table.
///
/// Every source row becomes one destination row with the same primary key. The plan is made of the mapping model and the
/// two layouts alone; `StoreWriter.run(_:)` carries it out.
///
/// Where both sides of a pair of inverse relationships are given destinations, they must be given the same ones: those of
/// a source's own pair. Otherwise it depends on the order of instances what is left, and there is no plan. A one-to-one
/// pair whose two sides contradict each other in the source comes over as it is.
public struct BulkPlan: Sendable {
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
  }

  /// The column of a relationship's keys, which are counted as links.
  struct Key: Sendable, Hashable {
    let entity: String
    let relationship: String
    let table: String
    let column: String
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
  var keys: [Key] = []
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
  /// - Throws: `BulkRefusal` when statements cannot do what instances could.
  public init(
    _ mappingModel: MappingModel, source: StoreSchema, destination: StoreSchema, batchMappings: Set<String> = []
  ) throws(BulkRefusal) {
    var planner = BulkPlanner(mappingModel, source: source, destination: destination, batchMappings: batchMappings)
    planner.planCopies()
    planner.planLinks()
    guard planner.reasons.isEmpty else { throw BulkRefusal(reasons: planner.reasons) }
    self = planner.plan
  }

  init() {}

  /// The greatest primary keys that the destination must count as used, by root entity, for `StoreWriter.finish`.
  ///
  /// A key of a row that was deleted from the source is not given to another in the destination.
  public func greatestKeys(_ sourceKeys: [PrimaryKeyRow]) -> [String: Int64] {
    keySources.compactMapValues { numbers in
      sourceKeys.filter { numbers.contains(Int(clamping: $0.entityNumber)) }.map(\.greatestKey).max()
    }
  }

  /// The statements in their order, for a log.
  public var statements: [String] {
    copies.map(\.statement.sql) + steps.map(\.statement.sql) + joins.map(\.statement.sql)
  }
}
