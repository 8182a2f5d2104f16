internal import CoreDataExpressions
internal import DataModel
internal import PersistentStore

/// Turns a mapping model into a plan, and collects what cannot be planned.
struct BulkPlanner {
  let mappingModel: MappingModel
  let source: StoreSchema
  let destination: StoreSchema
  private let batchMappings: Set<String>
  /// The mappings that carry rows over.
  private(set) var moves: [BulkEntityMapping] = []
  /// The places of these, by the entities that they lead to.
  private var movePlaces: [String: [Int]] = [:]
  /// The places of the mappings in the mapping model; the first counts where names occur twice.
  private let mappingPlaces: [String: Int]
  /// The relationship mappings, by the entity mapping's place and the relationship's name.
  private(set) var contributions: [Int: [String: BulkRelationshipMapping]] = [:]
  var plan = BulkPlan()
  var reasons: [BulkPlanError.Reason] = []
  /// The attributes with values in files that a mapping copies, as `Entity.attribute`.
  private var copiedExternally: Set<String> = []

  init(_ mappingModel: MappingModel, source: StoreSchema, destination: StoreSchema, batchMappings: Set<String>) {
    self.mappingModel = mappingModel
    self.source = source
    self.destination = destination
    self.batchMappings = batchMappings
    mappingPlaces = Dictionary(
      mappingModel.entityMappings.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (index, mapping) in mappingModel.entityMappings.enumerated() { collect(mapping, index) }
    checkKeys()
    for move in moves { contributions[move.index] = contributions(of: move) }
  }

  /// The mappings that lead to some entities, in their order.
  func moves(to entities: Set<String>) -> [BulkEntityMapping] {
    entities.flatMap { movePlaces[$0] ?? [] }.sorted().map { moves[$0] }
  }

  private mutating func collect(_ mapping: EntityMapping, _ index: Int) {
    if let policy = mapping.entityMigrationPolicyClassName, !batchMappings.contains(mapping.name) {
      reasons.append(.customPolicy(policy, mapping: mapping.name))
    }
    guard mapping.mappingType != .add, mapping.mappingType != .remove, let from = mapping.sourceEntityName,
      let to = mapping.destinationEntityName
    else { return }
    if let move = BulkEntityMapping(index, mapping, source: source, destination: destination) {
      movePlaces[to, default: []].append(moves.count)
      moves.append(move)
    } else {
      let isSourceKnown = source.table(forEntityNamed: from) != nil
      reasons.append(.unknownEntity(isSourceKnown ? to : from, mapping: mapping.name))
    }
  }

  /// Rows keep their keys, so the rows of a destination table must come from different rows of one source table.
  private mutating func checkKeys() {
    var first: [String: BulkEntityMapping] = [:]
    var seen: [String: BulkEntityMapping] = [:]
    for move in moves {
      let table = move.destinationTable.name
      let entity = "\(table)\n\(move.source.name)"
      if let other = first[table], other.sourceTable.name != move.sourceTable.name {
        reasons.append(.sharedKeys(mapping: other.mapping.name, other: move.mapping.name))
      } else if let other = seen[entity] {
        reasons.append(.sharedKeys(mapping: other.mapping.name, other: move.mapping.name))
      }
      if first[table] == nil { first[table] = move }
      seen[entity] = move
    }
  }

  private mutating func contributions(of move: BulkEntityMapping) -> [String: BulkRelationshipMapping] {
    var found: [String: BulkRelationshipMapping] = [:]
    for mapping in move.mapping.relationshipMappings {
      guard let expression = mapping.valueExpression else { continue }
      guard let relationship = move.destination.relationship(named: mapping.name) else {
        reasons.append(.unknownProperty(mapping.name, mapping: move.mapping.name))
        continue
      }
      // What is never stored need not be set.
      if relationship.isTransient { continue }
      // As when they are set one after the other, the last one counts.
      found[mapping.name] = contribution(to: relationship, expression, of: move)
    }
    return found
  }

  private mutating func contribution(
    to relationship: RelationshipDescription, _ expression: Expression, of move: BulkEntityMapping
  ) -> BulkRelationshipMapping? {
    // `nil` takes away what the other side has set.
    if expression == .null {
      return BulkRelationshipMapping(owner: move, relationship: relationship, source: nil, layout: nil, targets: [])
    }
    let refusal = BulkPlanError.Reason.relationshipExpression(
      expression.description, property: relationship.name, mapping: move.mapping.name)
    guard let call = DestinationInstancesCall(expression) else {
      reasons.append(refusal)
      return nil
    }
    let key = call.sourceInstances.copiedSourceKey
    let isPlannable =
      switch call {
      case .entityMapping: key != nil || call.sourceInstances == .source
      case .sourceRelationship(let name, _): key == name
      }
    guard isPlannable else {
      reasons.append(refusal)
      return nil
    }
    var layout: RelationshipLayout?
    var table = move.sourceTable.name
    var followed: RelationshipDescription?
    if let key {
      guard let found = move.source.relationship(named: key),
        let kept = source.layouts.layout(of: found, ofEntityNamed: move.source.name),
        let destinationTable = source.table(forEntityNamed: found.destinationEntityName)
      else {
        reasons.append(refusal)
        return nil
      }
      (layout, table, followed) = (kept, destinationTable.name, found)
    }
    guard let targets = targets(of: call, relationship, followed, move) else { return nil }
    // Rows of another table have other keys, and have become nothing under this mapping.
    return BulkRelationshipMapping(
      owner: move, relationship: relationship, source: followed, layout: layout,
      targets: targets.filter { $0.sourceTable.name == table })
  }

  /// The mappings that may have made the destinations; `nil` where the expression asks for what cannot be.
  private mutating func targets(
    of call: DestinationInstancesCall, _ relationship: RelationshipDescription, _ followed: RelationshipDescription?,
    _ move: BulkEntityMapping
  ) -> [BulkEntityMapping]? {
    let suitable = destination.model.tree(of: relationship.destinationEntityName)
    switch call {
    case .sourceRelationship:
      let sources = source.model.tree(of: followed?.destinationEntityName ?? "")
      return moves(to: suitable).filter { sources.contains($0.source.name) }
    case .entityMapping(let name, _):
      guard let index = mappingPlaces[name] else {
        reasons.append(.unknownMapping(name, property: relationship.name, mapping: move.mapping.name))
        return nil
      }
      let found = moves(to: [mappingModel.entityMappings[index].destinationEntityName ?? ""]).filter {
        $0.index == index
      }
      guard found.allSatisfy({ suitable.contains($0.destination.name) }) else {
        reasons.append(.unsuitableMapping(name, property: relationship.name, mapping: move.mapping.name))
        return nil
      }
      return found
    }
  }
}

extension BulkPlanner {
  /// SQLite's parser does not nest without limit, and the expression engine counts for itself only: it gets the rest.
  private static let ternaryLimit = 4

  /// The value of an attribute for a source row `t0`; `nil` where the attribute stays NULL or cannot be planned.
  mutating func value(of attribute: AttributeDescription, in move: BulkEntityMapping) -> SQLFragment? {
    let standard = attribute.defaultValue.map { value -> SQLFragment in
      "\(argument: attribute.allowsExternalBinaryDataStorage ? .inline(value) : .column(value))"
    }
    guard
      let expression = move.mapping.attributeMappings.last(where: {
        $0.name == attribute.name && $0.valueExpression != nil
      })?.valueExpression
    else { return standard }
    do throws(SQLTranslationError) {
      return try self.value(expression, of: attribute, in: move)
    } catch {
      return refuse(error.description, attribute, in: move)
    }
  }

  /// Returns the value that an expression gives an attribute, in the form of its column; `nil` if it is refused.
  private mutating func value(
    _ expression: Expression, of attribute: AttributeDescription, in move: BulkEntityMapping, depth: Int = 0
  ) throws(SQLTranslationError) -> SQLFragment? {
    if let key = expression.copiedSourceKey, let original = move.source.attribute(named: key),
      let column = source.column(forProperty: key, ofEntityNamed: move.source.name)
    {
      guard original.type.hasSameStorage(as: attribute.type) else {
        return refuse(
          "values of type \(original.type.xmlName) cannot be taken for \(attribute.type.xmlName)", attribute, in: move)
      }
      return copy(original, "t0.\(identifier: column.name)", to: attribute, in: move)
    }
    if expression.isIndependent, let value = try? expression.value(in: EvaluationContext()).attributeValue {
      guard let converted = attribute.type.converted(value) else {
        return refuse("\(value.kindName) cannot be taken for \(attribute.type.xmlName)", attribute, in: move)
      }
      return "\(argument: attribute.allowsExternalBinaryDataStorage ? .inline(converted) : .column(converted))"
    }
    if case .ternary(let condition, let yes, let no) = expression, depth < Self.ternaryLimit {
      let test = try condition.substituting(["source": Expression.evaluatedObject]).sql(
        on: move.table, alias: "t0", naming: BulkSQLSchema(source, findsExternalData: true))
      guard let yes = try value(yes, of: attribute, in: move, depth: depth + 1),
        let no = try value(no, of: attribute, in: move, depth: depth + 1)
      else {
        return nil
      }
      return "CASE WHEN \(test) THEN \(yes) ELSE \(no) END"
    }
    return try computed(expression, attribute, in: move)
  }

  private mutating func refuse(_ text: String, _ attribute: AttributeDescription, in move: BulkEntityMapping)
    -> SQLFragment?
  {
    reasons.append(.value(text, property: attribute.name, mapping: move.mapping.name))
    return nil
  }

  /// The value of an attribute that is copied.
  private mutating func copy(
    _ original: AttributeDescription, _ value: SQLFragment, to attribute: AttributeDescription,
    in move: BulkEntityMapping
  ) -> SQLFragment {
    switch (original.allowsExternalBinaryDataStorage, attribute.allowsExternalBinaryDataStorage) {
    case (false, true): return Self.inline(value)
    case (true, false):
      appendFileCheck(original, value, in: move)
      return "CASE WHEN \(Self.begins(value, with: 1)) THEN substr(\(value), 2) ELSE \(value) END"
    case (true, true):
      // A file belongs to one row. If several mappings copy it, the other rows need the data itself.
      if !copiedExternally.insert("\(move.source.name).\(original.name)").inserted {
        appendFileCheck(original, value, in: move)
      }
      return value
    case (false, false): return value
    }
  }

  private func computed(
    _ expression: Expression, _ attribute: AttributeDescription, in move: BulkEntityMapping
  ) throws(SQLTranslationError) -> SQLFragment {
    let value = try expression.substituting(["source": Expression.evaluatedObject]).attributeSQL(
      of: attribute.type.computedType, on: move.table, alias: "t0",
      naming: BulkSQLSchema(source, findsExternalData: false)
    )
    return attribute.allowsExternalBinaryDataStorage ? Self.inline(value) : value
  }

  /// A value as it is kept in a column whose values may also lie in files: 1 and the bytes.
  ///
  /// What `||` joins is text, of which a UTF-16 database keeps an even number of bytes only; so the sum is made even.
  private static func inline(_ value: SQLFragment) -> SQLFragment {
    "CASE WHEN typeof(\(value)) <> 'blob' THEN \(value) WHEN length(\(value)) % 2 = 0 THEN substr(CAST(x'0001' || \(value) AS BLOB), 2) ELSE CAST(x'01' || \(value) AS BLOB) END"
  }

  private static func begins(_ value: SQLFragment, with byte: UInt8) -> SQLFragment {
    "typeof(\(value)) = 'blob' AND substr(\(value), 1, 1) = \(argument: .blob([byte]))"
  }

  private mutating func appendFileCheck(
    _ attribute: AttributeDescription, _ value: SQLFragment, in move: BulkEntityMapping
  ) {
    let condition: SQLFragment = (try? move.condition("t0")).flatMap { $0 }.map { " AND \($0)" } ?? ""
    plan.fileChecks.append(
      BulkPlan.FileCheck(
        entity: move.source.name, attribute: attribute.name,
        statement:
          "SELECT count(*) FROM \(.sourceTable(move.sourceTable.name)) t0 WHERE \(Self.begins(value, with: 2))\(condition)"
      ))
  }
}

extension SQLArgument {
  /// An attribute's value in a column whose values may also lie in files.
  fileprivate static func inline(_ value: AttributeValue) -> SQLArgument {
    guard case .blob(let bytes) = column(value) else { return column(value) }
    return .blob([1] + bytes)
  }
}

extension BulkPlanner {
  /// Plans the statements that carry rows over, with their attributes and to-one relationships.
  mutating func planCopies() {
    for move in moves {
      var columns: [(name: String, value: SQLFragment)] = []
      for attribute in move.destination.attributes where !attribute.isTransient {
        if let column = destination.column(forProperty: attribute.name, ofEntityNamed: move.destination.name),
          let value = value(of: attribute, in: move)
        {
          columns.append((column.name, value))
        }
      }
      checkNames(of: move)
      for relationship in move.destination.relationships where !relationship.isToMany && !relationship.isTransient {
        columns += keyColumns(of: relationship, in: move)
      }
      do throws(SQLTranslationError) {
        append(move, columns, try rows(of: move))
      } catch {
        reasons.append(.filter(error.description, mapping: move.mapping.name))
      }
    }
  }

  private mutating func append(
    _ move: BulkEntityMapping, _ columns: [(name: String, value: SQLFragment)], _ rows: SQLFragment
  ) {
    let table = SQLFragment.destinationTable(move.destinationTable.name)
    let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map { "\(identifier: $0.name)" } as [SQLFragment])
    let values: [SQLFragment] = ["t0.Z_PK", .number(move.destinationNumber), "t0.Z_OPT"] + columns.map(\.value)
    let entity: SQLFragment = move.sourceNumber.map { " WHERE t0.Z_ENT = \(.number($0))" } ?? ""
    let insertion: SQLFragment =
      "INSERT INTO \(table) (\(names.joined(by: ", "))) SELECT \(values.joined(by: ", "))\(rows)"
    let statement: SQLFragment = "\(insertion) ORDER BY t0.Z_PK"
    let conjunction: SQLFragment = move.sourceNumber == nil && move.filter == nil ? "WHERE" : "AND"
    guard !isTooLarge(statement) else {
      return reasons.append(.tooLarge(mapping: move.mapping.name))
    }
    plan.copies.append(
      BulkPlan.Copy(
        mappingName: move.mapping.name, sourceEntity: move.source.name, destinationEntity: move.destination.name,
        destinationTable: move.destinationTable.name,
        statement: statement,
        slice: "\(insertion) \(conjunction) t0.Z_PK BETWEEN \(.number(0)) AND \(.number(0)) ORDER BY t0.Z_PK",
        sourceTable: move.sourceTable.name,
        count: move.filter == nil
          ? nil : "SELECT count(*) FROM \(.sourceTable(move.sourceTable.name)) t0\(entity)",
        sharedKeys: "SELECT t0.Z_PK FROM \(table) d CROSS JOIN (SELECT t0.Z_PK\(rows)) t0 ON t0.Z_PK = d.Z_PK",
        plainColumns: move.filter == nil && move.sourceNumber == nil ? plainColumns(columns, of: move) : nil))
    if let root = move.destinationTable.entityNames.first, let sourceRoot = move.sourceTable.entityNames.first {
      plan.keySources[root, default: []].insert(source.entityNumber(sourceRoot))
    }
  }

  /// The source's columns by the destination's; `nil` if a value is computed.
  private func plainColumns(
    _ columns: [(name: String, value: SQLFragment)], of move: BulkEntityMapping
  ) -> [String: String]? {
    let names = move.sourceTable.columns.map(\.name)
    let sources = Dictionary(names.map { ("t0.\(identifier: $0)" as SQLFragment, $0) }, uniquingKeysWith: { $1 })
    var plain: [String: String] = [:]
    for column in columns {
      guard let source = sources[column.value] else { return nil }
      plain[column.name] = source
    }
    return plain
  }

  /// `FROM` and `WHERE` of the source rows `t0`.
  private func rows(of move: BulkEntityMapping) throws(SQLTranslationError) -> SQLFragment {
    let condition: SQLFragment = try move.condition("t0").map { " WHERE \($0)" } ?? ""
    return " FROM \(.sourceTable(move.sourceTable.name)) t0\(condition)"
  }

  private mutating func checkNames(of move: BulkEntityMapping) {
    for mapping in move.mapping.attributeMappings where move.destination.attribute(named: mapping.name) == nil {
      reasons.append(.unknownProperty(mapping.name, mapping: move.mapping.name))
    }
  }

  /// The columns of a to-one relationship that the mapping itself gives a destination.
  private mutating func keyColumns(
    of relationship: RelationshipDescription, in move: BulkEntityMapping
  ) -> [(name: String, value: SQLFragment)] {
    guard let contribution = contributions[move.index]?[relationship.name] else { return [] }
    guard let key = destination.column(forProperty: relationship.name, ofEntityNamed: move.destination.name) else {
      reasons.append(.notStored(property: relationship.name, entity: move.destination.name))
      return []
    }
    guard !isTooLarge([contribution]) else {
      reasons.append(.tooManyMappings(property: relationship.name, entity: move.destination.name))
      return []
    }
    // A filter of another mapping is refused where that one is planned.
    guard let target = try? contribution.target() else {
      if contribution.leadsToSeveral {
        reasons.append(.severalDestinations(property: relationship.name, mapping: move.mapping.name))
      }
      return []
    }
    var columns = [(name: key.name, value: target.key)]
    if let entity = move.destinationTable.companion(of: key, .destinationEntity) {
      columns.append((entity, target.entity))
    }
    if let order = move.destinationTable.companion(of: key, .order), let place = target.place {
      columns.append((order, place))
    }
    return columns
  }
}

extension BulkRelationshipMapping {
  fileprivate var leadsToSeveral: Bool {
    switch layout {
    case .own, nil: false
    case .destination, .join: true
    }
  }
}

extension BulkPlanner {
  /// Whether what is given to one side may be taken away again by what is given to the other.
  ///
  /// Instances are connected one after the other, and each sets all that its relationship leads to. So both sides have to
  /// say the same wherever both say something.
  func contradict(_ own: [BulkRelationshipMapping], _ inverse: [BulkRelationshipMapping]) -> Bool {
    for (some, others) in [(own, inverse), (inverse, own)] {
      let byOwner = Dictionary(grouping: others, by: \.owner.index)
      for contribution in some {
        for target in contribution.targets {
          if byOwner[target.index, default: []].contains(where: { !$0.mirrors(contribution) }) { return true }
        }
      }
    }
    return false
  }
}

/// The names of the attached source's tables.
///
/// Values of attributes that may lie in files are not what their columns hold, so these cannot be computed with.
struct BulkSQLSchema: SQLSchema {
  private let naming: StoreSQLSchema
  private let findsExternalData: Bool

  let databaseName: String? = StoreWriter.sourceDatabaseName

  /// Creates the names.
  ///
  /// - Parameters:
  ///   - schema: How the source is laid out.
  ///   - findsExternalData: Whether attributes that may lie in files can at least be compared with nil.
  init(_ schema: StoreSchema, findsExternalData: Bool) {
    naming = StoreSQLSchema(schema)
    self.findsExternalData = findsExternalData
  }

  var keepsTextAsUTF8: Bool { naming.keepsTextAsUTF8 }

  func property(_ key: String, of entity: String) -> SQLProperty? {
    guard let found = naming.property(key, of: entity) else { return nil }
    guard case .attribute(let column, _) = found,
      naming.schema.model.entity(named: entity)?.attribute(named: key)?.allowsExternalBinaryDataStorage == true
    else { return found }
    return findsExternalData ? .attribute(column: column, type: .other) : nil
  }
}

extension AttributeType {
  /// Whether values that are copied from column to column become what instances would make of them.
  ///
  /// SQLite turns whole numbers into real ones by the type of the column, and takes everything else as it is: text in a
  /// column of numbers stays text.
  func hasSameStorage(as other: AttributeType) -> Bool {
    switch (self, other) {
    case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): true
    case (.boolean, .float), (.integer16, .float): true
    case (.boolean, .double), (.integer16, .double), (.integer32, .double), (.integer64, .double): true
    case (.boolean, .decimal), (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): true
    case (.float, .double), (.float, .decimal), (.double, .decimal), (.decimal, .double): true
    case (.binaryData, .transformable), (.transformable, .binaryData): true
    default: isImplicitlyConvertible(to: other)
    }
  }

  /// The type of values that may be computed for such attributes so that their columns keep them as instances would.
  ///
  /// What is computed for a float would have to be rounded first.
  var computedType: SQLValueType {
    self == .float ? .integer16 : self == .decimal ? .real : sqlValueType
  }
}
