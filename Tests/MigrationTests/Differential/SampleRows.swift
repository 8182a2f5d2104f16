import DataModel
import PersistentStore
import TestSupport

/// Random rows for a model, some of which are malformed.
struct SampleRows {
  let schema: StoreSchema
  private(set) var statements: [String] = []
  /// The instances by table.
  private var keys: [String: [(key: Int, entity: String)]] = [:]

  init(_ model: ManagedObjectModel, hasFaults: Bool, _ random: inout SeededGenerator) {
    schema = StoreSchema(model)
    var identity = 0
    for table in schema.tables {
      var key = 0
      for _ in 0..<random.number(0..<7) {
        let concrete = table.entityNames.filter { model.entity(named: $0)?.isAbstract == false }
        guard let entity = concrete.randomElement(using: &random) else { continue }
        key += random.number(1..<4)
        identity += 1
        keys[table.name, default: []].append((key, entity))
        insert(entity, in: table, key, identity, &random)
      }
    }
    for entity in model.entities {
      for relationship in entity.ownRelationships { link(relationship, entity.name, hasFaults, &random) }
    }
    for table in schema.joinTables { fill(table, hasFaults, &random) }
    if hasFaults, random.chance(50) { stray(&random) }
  }

  /// Makes rows instances of no entity, or of one that has none or another table.
  private mutating func stray(_ random: inout SeededGenerator) {
    for table in schema.tables where table.entityNames.count > 1 {
      for row in keys[table.name] ?? [] where random.chance(15) {
        let number = ["NULL", "77", "'x'", "1e300", "-1", "1", "2"].randomElement(using: &random) ?? "NULL"
        statements.append("UPDATE \(table.name) SET Z_ENT = \(number) WHERE Z_PK = \(row.key)")
      }
    }
  }

  private mutating func insert(
    _ name: String, in table: EntityTable, _ key: Int, _ identity: Int, _ random: inout SeededGenerator
  ) {
    var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
    var values = ["\(key)", "\(schema.entityNumber(name))", "2"]
    for attribute in schema.model.entity(named: name)?.attributes ?? [] {
      guard let column = schema.column(forProperty: attribute.name, ofEntityNamed: name) else { continue }
      columns.append(column.name)
      values.append(
        attribute.name == "uid"
          ? "\(identity)"
          : SampleValue.literal(attribute.type, isExternal: attribute.allowsExternalBinaryDataStorage, &random))
    }
    statements.append(
      "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))")
  }

  private func family(_ entity: String) -> [(key: Int, entity: String)] {
    (schema.table(forEntityNamed: entity).flatMap { keys[$0.name] } ?? []).filter { row in
      sequence(first: row.entity) { schema.model.entity(named: $0)?.superentityName }.contains(entity)
    }
  }

  /// Fills the key of a to-one relationship, or the hidden one of a to-many relationship without inverse.
  private mutating func link(
    _ relationship: RelationshipDescription, _ entity: String, _ hasFaults: Bool, _ random: inout SeededGenerator
  ) {
    let isHidden = relationship.isToMany && relationship.inverseName == nil
    guard !relationship.isToMany || isHidden else { return }
    let holder = isHidden ? relationship.destinationEntityName : entity
    let other = isHidden ? entity : relationship.destinationEntityName
    guard let table = schema.table(forEntityNamed: holder) else { return }
    func column(_ content: EntityTable.Column.Content) -> String? {
      table.columns.first {
        $0.content == content && $0.propertyName == relationship.name && $0.entityName == entity
      }?.name
    }
    guard let key = column(.foreignKey) else { return }
    let inverse = relationship.inverseName.flatMap {
      schema.model.entity(named: relationship.destinationEntityName)?.relationship(named: $0)
    }
    if let inverse, !inverse.isToMany {
      return pair(relationship, entity, with: inverse, &random)
    }
    let others = family(other)
    for row in family(holder) where random.chance(70) {
      guard var (target, name) = others.randomElement(using: &random) else { continue }
      if hasFaults, random.chance(7) { (target, name) = (99, other) }
      if hasFaults, random.chance(7) { target = random.number(1..<12) }
      var settings = ["\(key) = \(target)"]
      if let place = column(.order) { settings.append("\(place) = \(statements.count * 37 % 1009)") }
      if let number = column(.destinationEntity) {
        let isWrong = hasFaults && random.chance(10)
        settings.append("\(number) = \(isWrong ? 77 : schema.entityNumber(name))")
      }
      statements.append("UPDATE \(table.name) SET \(settings.joined(separator: ", ")) WHERE Z_PK = \(row.key)")
    }
  }

  /// Fills both sides of a one-to-one relationship, so that they agree: where they do not, statements keep what is
  /// there, and instances believe the side that was set last.
  private mutating func pair(
    _ relationship: RelationshipDescription, _ entity: String, with inverse: RelationshipDescription,
    _ random: inout SeededGenerator
  ) {
    let isItself = inverse.name == relationship.name && relationship.destinationEntityName == entity
    guard isItself || relationship.name.count < inverse.name.count else { return }
    var (owners, targets) = (family(entity), family(relationship.destinationEntityName))
    while let owner = owners.popLast() {
      guard random.chance(70), let target = targets.randomElement(using: &random) else { continue }
      targets.removeAll { $0.key == target.key || isItself && $0.key == owner.key }
      if isItself { owners.removeAll { $0.key == target.key } }
      set(relationship.name, owner, target)
      set(inverse.name, target, owner)
    }
  }

  private mutating func set(
    _ property: String, _ owner: (key: Int, entity: String), _ target: (key: Int, entity: String)
  ) {
    guard let table = schema.table(forEntityNamed: owner.entity),
      let column = schema.column(forProperty: property, ofEntityNamed: owner.entity)
    else { return }
    let number = table.columns.first {
      $0.content == .destinationEntity && $0.propertyName == property && $0.entityName == column.entityName
    }
    let entity = number.map { ", \($0.name) = \(schema.entityNumber(target.entity))" } ?? ""
    statements.append("UPDATE \(table.name) SET \(column.name) = \(target.key)\(entity) WHERE Z_PK = \(owner.key)")
  }

  private mutating func fill(_ table: JoinTable, _ hasFaults: Bool, _ random: inout SeededGenerator) {
    for _ in 0..<random.number(0..<9) {
      // A column is named after the relationship whose destinations it holds.
      guard let owner = family(table.naming.entityName).randomElement(using: &random)?.key,
        let target = family(table.inverse.entityName).randomElement(using: &random)?.key
      else { return }
      var columns = [table.inverse.destinationColumn, table.naming.destinationColumn]
      var values = ["\(owner)", hasFaults && random.chance(7) ? "98" : "\(target)"]
      for side in [table.naming, table.inverse] {
        guard let order = side.orderColumn else { continue }
        columns.append(order)
        values.append("\((statements.count + columns.count * 7) * 37 % 1009)")
      }
      statements.append(
        "INSERT OR IGNORE INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
      )
    }
  }
}
