internal import CoreDataExpressions
internal import DataModel
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// An attribute whose values no inferred hop takes further.
package struct DroppedValues: Sendable, Hashable {
  /// The entity, as the version before names it.
  package let entity: String
  /// The attribute.
  package let attribute: String
  /// The number of rows with a value.
  package let count: Int
  /// The version before.
  package let sourceVersion: String
  /// The version after.
  package let destinationVersion: String
  /// The attribute that has the values now, if the renaming identifier of another one has claimed them.
  package let claimant: String?
}

extension DroppedValues: CustomStringConvertible {
  /// What happened to the values, and what to do if it was not meant.
  package var description: String {
    let place = "\(count.counting("row")) \(count == 1 ? "has" : "have") a value of '\(entity).\(attribute)'"
    guard let claimant else {
      return
        "\(place), which is removed from '\(sourceVersion)' to '\(destinationVersion)'; if it has a new name, set its "
        + "old one as the renaming identifier, or write a mapping model"
    }
    return
      "\(place), which begins empty from '\(sourceVersion)' to '\(destinationVersion)': its values go to '\(claimant)', "
      + "whose renaming identifier claims them; write a mapping model if both are to have them"
  }
}

extension DroppedValues {
  /// Counts the values that hops drop of a store, as far as that can be told before.
  ///
  /// What a hop by mapping models leaves for the next is known only when it is done.
  ///
  /// - Parameter steps: The hops, of which the first begins at the store's version.
  package static func all(
    in steps: [MigrationStep], of store: StoreReader, _ schema: StoreSchema
  ) throws(MigrationError) -> [DroppedValues] {
    guard let first = steps.first, steps.contains(where: { !$0.emptiedAttributes.isEmpty }) else { return [] }
    var lineage = PropertyLineage(first.source.model)
    var found: [(step: MigrationStep, entity: String, attribute: String, claimant: String?, origins: [PropertyName])] =
      []
    for step in steps {
      let tree = EntityTree(step.source.model)
      for (entity, attribute, claimant) in step.emptiedAttributes {
        let origins = tree.concreteFamily(of: entity).compactMap { lineage.origin(of: attribute, in: $0.name) }
        found.append((step, entity, attribute, claimant, origins))
      }
      lineage = lineage.following(step)
    }
    let counts = try reporting(path: store.file.path) {
      try ValueCensus(store.connection, schema, of: found.flatMap(\.origins)).counts
    }
    return found.compactMap { step, entity, attribute, claimant, origins in
      let count = origins.reduce(0) { $0 + (counts[$1] ?? 0) }
      guard count > 0 else { return nil }
      return DroppedValues(
        entity: entity, attribute: attribute, count: count, sourceVersion: step.source.name,
        destinationVersion: step.destination.name, claimant: claimant)
    }
  }
}

extension MigrationStep {
  /// The attributes of the source whose values are not in an attribute of that name afterwards, nor renamed.
  fileprivate var emptiedAttributes: [(entity: String, attribute: String, claimant: String?)] {
    guard case .inferred(let inferred) = method else { return [] }
    return inferred.findings.compactMap { finding in
      guard let attribute = finding.property else { return nil }
      switch finding.kind {
      case .attributeRemoved: return (finding.entity, attribute, nil)
      case .claimedByRenaming(let claimant):
        let mapping = inferred.mappingModel.entityMappings.first { $0.destinationEntityName == finding.entity }
        let entity = mapping?.sourceEntityName ?? finding.entity
        return source.model.entity(named: entity)?.attribute(named: attribute) == nil
          ? nil : (entity, attribute, claimant)
      default: return nil
      }
    }
  }
}

/// The number of rows with a value, by entity and attribute.
private struct ValueCensus {
  private(set) var counts: [PropertyName: Int] = [:]

  /// Counts in one pass through each table.
  init(_ connection: Connection, _ schema: StoreSchema, of names: [PropertyName]) throws(SQLiteError) {
    let byTable = Dictionary(grouping: Set(names)) { schema.table(forEntityNamed: $0.entity)?.name ?? "" }
    for (table, names) in byTable {
      let cells = names.compactMap { name -> (name: PropertyName, column: String)? in
        schema.layouts.column(forAttribute: name.property ?? "", ofEntityNamed: name.entity).map { (name, $0.name) }
      }
      let isShared = (schema.table(forEntityNamed: cells.first?.name.entity ?? "")?.entityNames.count ?? 0) > 1
      // A statement has 2000 columns at most.
      for start in stride(from: 0, to: cells.count, by: 500) {
        let part = cells[start..<min(start + 500, cells.count)]
        let columns = part.map { cell -> SQLFragment in
          isShared
            ? "count(CASE WHEN Z_ENT = \(.number(schema.entityNumber(cell.name.entity))) THEN \(identifier: cell.column) END)"
            : "count(\(identifier: cell.column))"
        }
        let statement = try connection.prepare(
          fragment: "SELECT \(columns.joined(by: ", ")) FROM main.\(identifier: table) NOT INDEXED")
        guard try statement.step() else { continue }
        for (index, cell) in part.enumerated() { counts[cell.name] = Int(clamping: statement.integer(index)) }
      }
    }
  }
}
