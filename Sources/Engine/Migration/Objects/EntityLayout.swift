internal import CoreDataExpressions
internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// An entity with the indexes of its properties, computed once so that instances need no search.
final class EntityLayout {
  let entity: EntityDescription
  /// The index among the layouts of the store.
  let place: Int
  /// `Z_ENT`.
  let number: Int32
  let table: EntityTable
  /// All attributes, including transient ones, in the order of an instance's values.
  let attributes: [Attribute]
  var attributeNames: [String] { attributeTable.names }
  let relationships: [Relationship]
  /// `Z_PK`, `Z_ENT` and the columns of the attributes, in the order of an instance's values.
  let selectedColumns: SQLFragment
  /// The values of a new instance.
  let defaultValues: [AttributeValue?]
  private let attributeTable: NameTable
  private let relationshipTable: NameTable
  /// The numbers of the entity and all its subentities.
  let family: Set<Int32>

  struct Attribute {
    let description: AttributeDescription
    /// The column, or `nil` if the attribute is not stored.
    let column: String?
    let type: AttributeType
    /// Whether the data may be in an external data file.
    let isExternal: Bool
  }

  /// A class, because steps of plans and calls pass it on for every instance.
  final class Relationship {
    let description: RelationshipDescription
    let layout: RelationshipLayout?
    /// The index among the entity's relationships.
    let index: Int
    /// The index of this side among the links of the destination; see `LinkStore`.
    let end: Int?
    /// The numbers of the entities of destinations.
    private let family: Set<Int32>
    /// One of them, nearly always the only one.
    private let likely: Int32?

    init(
      _ description: RelationshipDescription, layout: RelationshipLayout?, index: Int, end: Int?, family: Set<Int32>
    ) {
      self.family = family
      likely = family.min()
      self.description = description
      self.layout = layout
      self.index = index
      self.end = end
    }

    /// Whether instances of an entity can be destinations.
    func accepts(_ entityNumber: Int32) -> Bool { entityNumber == likely || family.contains(entityNumber) }
  }

  init?(
    _ entity: EntityDescription, place: Int, number: Int32, families: [String: Set<Int32>], places: PropertyLayouts,
    ends: [RelationshipKey: Int]
  ) {
    guard let table = places.table(forEntityNamed: entity.name) else { return nil }
    self.entity = entity
    self.place = place
    self.table = table
    self.number = number
    family = families[entity.name] ?? []
    attributes = entity.attributes.map { attribute in
      Attribute(
        description: attribute,
        column: attribute.isTransient
          ? nil : places.column(forAttribute: attribute.name, ofEntityNamed: entity.name)?.name,
        type: attribute.type, isExternal: attribute.allowsExternalBinaryDataStorage)
    }
    attributeTable = NameTable(entity.attributes.map(\.name))
    defaultValues = attributes.map(\.description.defaultValue)
    selectedColumns = attributes.reduce("Z_PK, Z_ENT") { columns, attribute in
      attribute.column.map { "\(columns), t0.\(identifier: $0)" } ?? "\(columns), NULL"
    }
    let lineage = places.lineages[entity.name] ?? [entity.name]
    relationships = entity.relationships.enumerated().map { index, relationship in
      Relationship(
        relationship, layout: places.layout(of: relationship, ofEntityNamed: entity.name), index: index,
        end: lineage.lazy.compactMap { ends[RelationshipKey(entity: $0, name: relationship.name)] }.first,
        family: families[relationship.destinationEntityName] ?? [])
    }
    relationshipTable = NameTable(entity.relationships.map(\.name))
  }

  /// The name of the entity that the table is named after.
  var rootEntityName: String { table.entityNames.first ?? entity.name }

  func attributeIndex(_ name: String) -> Int? { attributeTable.place(of: name) }

  /// The same, for callers that know where the entity is likely to have it.
  func attributeIndex(_ name: String, expectedAt place: Int) -> Int? {
    attributeTable.place(of: name, expectedAt: place)
  }

  /// The index of an attribute that has a column with its values; data may be stored elsewhere.
  func searchableIndex(_ name: String) -> Int? {
    guard let index = attributeIndex(name), attributes[index].column != nil, !attributes[index].isExternal else {
      return nil
    }
    return index
  }

  func relationship(_ name: String) -> Relationship? { relationshipTable.place(of: name).map { relationships[$0] } }
}

/// A relationship, identified by the entity that declares it.
struct RelationshipKey: Hashable {
  let entity: String
  let name: String
}

extension EntityLayout {
  /// `FROM` the table as `t0`, with the condition that rows belong to this entity if the table also holds others.
  func rows(includesSubentities: Bool, where condition: SQLFragment?) -> SQLFragment {
    var parts = condition.map { [$0] } ?? []
    // If the table holds only one entity, all its rows belong to that entity, regardless of their Z_ENT.
    if table.entityNames.count > 1 {
      let numbers = includesSubentities ? family.sorted() : [number]
      let list = numbers.dropFirst().reduce("\(argument: .integer(Int64(number: numbers.first)))" as SQLFragment) {
        "\($0), \(argument: .integer(Int64($1)))"
      }
      parts.append("t0.Z_ENT IN (\(list))")
    }
    let from: SQLFragment = "FROM \(identifier: table.name) AS t0"
    guard let first = parts.first else { return from }
    return "\(from) WHERE \(parts.dropFirst().reduce(first) { "\($0) AND \($1)" })"
  }

  /// The entity of the current row of `selectedColumns`.
  func entityNumber(_ statement: Statement) -> Int32 {
    guard table.entityNames.count > 1 else { return number }
    // Truncated, an invalid number could be mistaken for a valid one.
    return Int32(clamping: statement.integer(1))
  }

  /// The values in the current row of `selectedColumns`.
  func values(_ statement: Statement) -> StoredValues {
    var values = StoredValues()
    values.attributes.reserveCapacity(attributes.count)
    // By index, because copying an attribute with its description costs more than the value.
    for index in attributes.indices {
      if statement.storageClass(index + 2) == .text, let stored = statement.storedText(index + 2) {
        if let bytes = stored.invalidBytes { values.invalidTexts[index] = bytes }
        values.attributes.append(attributes[index].type == .uri ? .uri(stored.text) : .string(stored.text))
        continue
      }
      let value = ColumnValue(statement, index + 2)
      guard attributes[index].isExternal, case .blob(let bytes) = value else {
        values.attributes.append(value.attributeValue(attributes[index].type))
        continue
      }
      switch ExternalValue(bytes) {
      case .file(let name):
        values.externalFileNames[index] = name
        values.attributes.append(nil)
      case .inline(let data): values.attributes.append(.data(data))
      case nil: values.attributes.append(.data(bytes))
      }
    }
    return values
  }

  /// Binds values to the columns of the attributes, starting with the first parameter.
  ///
  /// - Parameters:
  ///   - texts: Those among the values that are bound where they lie.
  ///   - bytes: Their bytes, which must stay in place until the statement is stepped.
  /// - Returns: The parameter after the last one.
  func bind(
    _ values: StoredValues, _ texts: RowTexts, _ bytes: UnsafeRawBufferPointer, to statement: Statement
  ) throws(SQLiteError) -> Int32 {
    var parameter: Int32 = 1
    for index in attributes.indices where attributes[index].column != nil {
      if index < texts.places.count, let place = texts.places[index] {
        try statement.bindBorrowed(text: UnsafeRawBufferPointer(rebasing: bytes[place]), at: parameter)
      } else {
        try bind(values, index, to: statement, at: parameter)
      }
      parameter += 1
    }
    return parameter
  }

  private func bind(
    _ values: StoredValues, _ index: Int, to statement: Statement, at parameter: Int32
  ) throws(SQLiteError) {
    let value = index < values.attributes.count ? values.attributes[index] : nil
    if let bytes = values.invalidTexts[index] {
      try statement.bind(textBytes: bytes, at: parameter)
    } else if !attributes[index].isExternal {
      try ColumnValue(value).bind(to: statement, at: parameter)
    } else if let name = values.externalFileNames[index] {
      try statement.bind(ExternalValue.file(name).bytes, at: parameter)
    } else if case .data(let bytes)? = value {
      try statement.bind(ExternalValue.inline(bytes).bytes, at: parameter)
    } else {
      try ColumnValue(value).bind(to: statement, at: parameter)
    }
  }

  /// The statement that inserts a row; its parameters are the attributes' values, then the key.
  var insertStatement: String {
    let columns = attributes.compactMap(\.column).map(\.quotedIdentifier) + ["Z_PK", "Z_ENT", "Z_OPT"]
    let values = columns.dropLast(2).map { _ in "?" } + ["\(number)", "1"]
    return """
      INSERT INTO \(table.name.quotedIdentifier) (\(columns.joined(separator: ", "))) \
      VALUES (\(values.joined(separator: ", ")))
      """
  }

  /// The statement that updates a row; its parameters are the attributes' values, then the key.
  var updateStatement: String {
    // The last assignment changes nothing; it is needed because there may be no attributes.
    let list = attributes.compactMap(\.column).map { "\($0.quotedIdentifier) = ?" } + ["Z_OPT = Z_OPT"]
    return "UPDATE \(table.name.quotedIdentifier) SET \(list.joined(separator: ", ")) WHERE Z_PK = ?"
  }
}

extension Int64 {
  fileprivate init(number: Int32?) { self = number.map { Int64($0) } ?? 0 }
}

/// The layouts of all entities of a store.
struct EntityLayouts {
  let all: [EntityLayout]
  private let names: NameTable
  private let byNumber: [Int32: EntityLayout]

  init(_ schema: StoreSchema, ends: [RelationshipKey: Int] = [:]) {
    let places = schema.layouts
    let numbers = Dictionary(
      schema.entityNames.map { ($0, Int32(truncatingIfNeeded: schema.entityNumber($0))) },
      uniquingKeysWith: { first, _ in first })
    var families: [String: Set<Int32>] = [:]
    for (name, number) in numbers {
      for ancestor in places.lineages[name] ?? [] { families[ancestor, default: []].insert(number) }
    }
    var layouts: [EntityLayout] = []
    for entity in schema.model.entities {
      let layout = EntityLayout(
        entity, place: layouts.count, number: numbers[entity.name] ?? 0, families: families, places: places, ends: ends)
      if let layout { layouts.append(layout) }
    }
    all = layouts
    names = NameTable(all.map(\.entity.name))
    byNumber = Dictionary(all.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(name: String) -> EntityLayout? { names.place(of: name).map { all[$0] } }

  subscript(number: Int32) -> EntityLayout? { byNumber[number] }
}

extension AttributeType {
  /// The value in the form stored by attributes of this type, or `nil` if it is of another kind.
  ///
  /// As in Core Data, numbers of all kinds and Booleans are interchangeable; any other value must have the attribute's
  /// type. An integer that does not fit the attribute's width is rejected, because it would be read back as a different
  /// number.
  func converted(_ value: AttributeValue) -> AttributeValue? {
    switch self {
    case .integer16: value.wholeNumber.flatMap { Int16(exactly: $0) }.map { .integer(Int64($0)) }
    case .integer32: value.wholeNumber.flatMap { Int32(exactly: $0) }.map { .integer(Int64($0)) }
    case .integer64: value.wholeNumber.map { .integer($0) }
    case .boolean: value.truthValue.map { .boolean($0) }
    case .double: value.realNumber.map { .double($0) }
    // A float stored as a double must still be a float when it is read.
    case .float: value.realNumber.map { .double(Double(Float($0))) }
    case .decimal: decimal(value)
    case .string: if case .string = value { value } else { nil }
    case .date: if case .date = value { value } else { nil }
    case .uri: if case .uri = value { value } else { nil }
    case .uuid: if case .uuid(let bytes) = value, bytes.count == 16 { value } else { nil }
    case .binaryData, .transformable: if case .data = value { value } else { nil }
    case .undefined, .objectID, .composite: value
    }
  }

  /// Core Data stores decimals as SQLite numbers, which are integers or reals.
  private func decimal(_ value: AttributeValue) -> AttributeValue? {
    if case .integer = value { return value }
    if case .string(let digits) = value {
      return Int64(digits).map { .integer($0) } ?? Double(digits).map { .double($0) }
    }
    return value.realNumber.map { .double($0) }
  }
}

extension AttributeValue {
  fileprivate var wholeNumber: Int64? {
    switch self {
    case .integer(let integer): integer
    case .boolean(let boolean): boolean ? 1 : 0
    // Without the fraction, like NSNumber.
    case .double(let double): Int64(exactly: double.rounded(.towardZero))
    default: nil
    }
  }

  fileprivate var realNumber: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .boolean(let boolean): boolean ? 1 : 0
    case .double(let double): double
    default: nil
    }
  }

  fileprivate var truthValue: Bool? {
    switch self {
    case .integer(let integer): integer != 0
    case .boolean(let boolean): boolean
    case .double(let double): double != 0
    default: nil
    }
  }

  /// The kind of the value, for messages.
  var kindName: String {
    switch self {
    case .integer(let integer): "the whole number \(integer)"
    case .double(let double): "the number \(double)"
    case .string: "text"
    case .boolean: "a truth value"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .uri: "a URL"
    }
  }
}

extension RelationshipLayout {
  /// The query for the keys and entities of an instance's destinations, in their order; its argument is the instance's
  /// key.
  ///
  /// A dangling key is treated as no key, as in Core Data.
  ///
  /// - Parameter mirror: The storage of the inverse, which may have a link of a one-to-one pair alone.
  func query(from source: String, to destination: String, mirror: RelationshipLayout?) -> SQLFragment {
    switch self {
    case .own(let key, _, _):
      return """
        SELECT d.Z_PK, d.Z_ENT FROM \(identifier: source) AS s JOIN \(identifier: destination) AS d \
        ON d.Z_PK = \(Self.key(key, of: destination, mirror)) WHERE s.Z_PK = ?1
        """
    case .destination(let table, let key, let order):
      let columns: SQLFragment = order.map { "d.\(identifier: $0), d.Z_PK" } ?? "d.Z_PK"
      return """
        SELECT d.Z_PK, d.Z_ENT FROM \(identifier: table) AS d WHERE d.\(identifier: key) = ?1 ORDER BY \(columns)
        """
    case .join(let links) where links.table.isReflexive:
      // Each link may be there once or both ways. Such a table has no column for the order.
      let (table, one, other) = (links.table, links.destinationColumn, links.sourceColumn)
      return """
        SELECT d.Z_PK, d.Z_ENT FROM \(identifier: destination) AS d WHERE d.Z_PK IN (\
        SELECT \(identifier: one) FROM \(identifier: table.name) WHERE \(identifier: other) = ?1 UNION \
        SELECT \(identifier: other) FROM \(identifier: table.name) WHERE \(identifier: one) = ?1) ORDER BY d.Z_PK
        """
    case .join(let links):
      let columns: SQLFragment = links.orderColumn.map { "j.\(identifier: $0), d.Z_PK" } ?? "d.Z_PK"
      return """
        SELECT d.Z_PK, d.Z_ENT FROM \(identifier: links.table.name) AS j JOIN \(identifier: destination) AS d \
        ON d.Z_PK = j.\(identifier: links.destinationColumn) \
        WHERE j.\(identifier: links.sourceColumn) = ?1 ORDER BY \(columns)
        """
    }
  }

  /// The key of a row `s`, or else that of the row that names it.
  private static func key(_ key: String, of destination: String, _ mirror: RelationshipLayout?) -> SQLFragment {
    guard case .own(let other, _, _) = mirror else { return "s.\(identifier: key)" }
    return
      "coalesce(s.\(identifier: key), (SELECT m.Z_PK FROM \(identifier: destination) AS m WHERE m.\(identifier: other) = s.Z_PK ORDER BY 1 LIMIT 1))"
  }

  /// The query for only the keys, in the same order, of destinations that have a table to themselves.
  func keyQuery(from source: String, to destination: String, mirror: RelationshipLayout?) -> SQLFragment {
    switch self {
    case .own(let key, _, _):
      let key = Self.key(key, of: destination, mirror)
      return "SELECT \(key) AS k, NULL FROM \(identifier: source) AS s WHERE s.Z_PK = ?1 AND k IS NOT NULL"
    case .destination(let table, _, _): return query(from: source, to: table, mirror: nil)
    case .join(let links) where links.table.isReflexive: return query(from: source, to: source, mirror: nil)
    case .join(let links):
      let destination: SQLFragment = "\(identifier: links.destinationColumn)"
      let columns: SQLFragment = links.orderColumn.map { "\(identifier: $0), \(destination)" } ?? destination
      return """
        SELECT \(destination), NULL FROM \(identifier: links.table.name) \
        WHERE \(identifier: links.sourceColumn) = ?1 ORDER BY \(columns)
        """
    }
  }
}
