internal import DataModel
internal import Diagnostics
internal import PersistentStore
internal import SQLite

extension MigrationManager {
  /// Reads the instances of a source entity one by one and hands each to the policy.
  func runPerInstance(_ policy: EntityMigrationPolicy, _ mapping: EntityMapping, sourceEntity: String) throws {
    guard let entity = sourceModel.entity(named: sourceEntity),
      let table = sourceSchema.table(forEntityNamed: sourceEntity), let root = table.entityNames.first
    else {
      throw MigrationError(.invalidMappingModel, detail: "the source model has no entity '\(sourceEntity)'")
    }
    let attributes = entity.attributes.compactMap { attribute in
      sourceSchema.column(forProperty: attribute.name, ofEntityNamed: sourceEntity).map {
        (attribute: attribute, column: $0.name.quotedIdentifier)
      }
    }
    let columns = (["Z_PK"] + attributes.map(\.column)).joined(separator: ", ")
    let filter = table.entityNames.count > 1 ? " WHERE Z_ENT = \(sourceSchema.entityNumber(sourceEntity))" : ""
    let sql = "FROM \(table.name.quotedIdentifier)\(filter)"
    let total = Int(try source.connection.integer("SELECT count(*) \(sql)") ?? 0)
    let statement = try source.connection.prepare("SELECT \(columns) \(sql) ORDER BY Z_PK")
    var completed = 0
    while try statement.step() {
      var values: [String: AttributeValue] = [:]
      for (index, item) in attributes.enumerated() {
        values[item.attribute.name] = ColumnValue(statement, index + 1).attributeValue(item.attribute.type)
      }
      let id = ManagedObjectID(rootEntityName: root, primaryKey: statement.integer(0))
      try policy.createDestinationInstances(
        forSource: ManagedObject(entity, id, values: values), in: mapping, manager: self)
      try checkCancellation()
      completed += 1
      report(completed, of: total, entity: sourceEntity)
    }
    statistics.sourceInstanceCounts[sourceEntity, default: 0] += completed
  }

  /// Writes what policies inserted into the destination context.
  func writeInsertedObjects() throws {
    var inserters: [String: (inserter: InstanceInserter, attributes: [AttributeDescription])] = [:]
    for object in destinationContext.insertedObjects {
      if !associations.contains(object) {
        statistics.count(Self.unassociatedCounter)
        statistics.addExample("\(object.entity.name) \(object.objectID.primaryKey)", to: Self.unassociatedCounter)
      }
      let name = object.entity.name
      if inserters[name] == nil {
        let attributes = object.entity.attributes.filter { !$0.isTransient }
        inserters[name] = (
          try destinationStore.inserter(forEntityNamed: name, properties: attributes.map(\.name)), attributes
        )
      }
      guard let (inserter, attributes) = inserters[name] else { continue }
      try inserter.insert(
        primaryKey: object.objectID.primaryKey,
        values: attributes.map { ColumnValue(object.value(forKey: $0.name)) })
      statistics.destinationInstanceCounts[name, default: 0] += 1
      try collectLinks(of: object)
    }
  }

  private func collectLinks(of object: ManagedObject) throws {
    for relationship in object.entity.relationships {
      let instances = object.instances(forKey: relationship.name)
      guard !instances.isEmpty else { continue }
      guard
        let table = destinationStore.schema.joinTable(
          forRelationship: relationship.name, ofEntityNamed: object.entity.name)
      else {
        throw MigrationError(
          .policyFailed, MigrationError.Subject(entity: object.entity.name, property: relationship.name),
          detail: "only many-to-many relationships can be written yet")
      }
      let links = try destinationStore.links(
        forRelationship: relationship.name, ofEntityNamed: object.entity.name)
      let isNaming = destinationStore.schema.isNaming(relationship.name, ofEntityNamed: object.entity.name, in: table)
      for instance in instances {
        let (here, there) = (object.objectID.primaryKey, instance.objectID.primaryKey)
        links.append(namingInstance: isNaming ? here : there, inverseInstance: isNaming ? there : here)
      }
    }
  }
}
