package import DataModel
package import MigrationDiagnostics
package import PersistentStore
internal import SQLiteDatabase

/// The reasons why a store and a model do not fit together, entity by entity and, where the store lets one know,
/// property by property.
package struct StoreExplanation: Sendable {
  /// The kinds of evidence for an explanation.
  package enum Evidence: Sendable, Hashable {
    /// The model that the store keeps of itself: nothing is guessed.
    case modelCache
    /// Version hashes and the columns of tables: the store keeps no model.
    case versionHashes
    /// The same: the store keeps a model, but another one than it was written with.
    case versionHashesDespiteModelCache
  }

  /// An entity whose version hashes differ, or that only one side has.
  package struct Entity: Sendable {
    /// The name in the model, or else in the store.
    package let name: String
    /// The version hash in the store's metadata.
    package let storeHash: VersionHash?
    /// The version hash in the model.
    package let modelHash: VersionHash?
    /// The result of a search for its version hash; `nil` if there was none.
    package let finding: VersionHashSearch.Finding?
  }

  /// The store, as the user named it.
  package let storePath: String
  /// The model.
  package let model: NamedModel
  /// Whether the store can be opened with the model as it is, or with one of its configurations.
  package let fits: Bool
  /// The configuration that the store fits, where it does not fit the model as a whole.
  package let configurationName: String?
  /// The evidence for the explanation.
  package let evidence: Evidence
  /// The entities that differ, by name.
  package let entities: [Entity]
  /// The model that the store keeps, if that is the one that it was written with.
  package let storeModel: ManagedObjectModel?
  /// The differences of the model from the one that the store keeps, if that is the one that it was written with.
  package let difference: ModelDifference?
  /// The facts that may be in the app's way in a store that fits, and what makes the model's hashes uncertain if it does not,
  /// as sentences.
  package let remarks: [String]
  /// The differences of the tables from the model; only when the store keeps no model.
  package let columns: [ColumnFinding]

  /// Compares a store with a model.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - model: The model that it is to be opened with.
  ///   - otherModels: Other versions of the model, which may help to guess.
  /// - Throws: `MigrationError`, with `damaged` if the store has the model's version hashes, but not its tables.
  package init(
    of store: StoreReader, comparedWith model: NamedModel, otherModels: [ManagedObjectModel] = []
  ) throws(MigrationError) {
    storePath = store.file.path
    self.model = model
    let storeHashes = store.metadata.versionHashes
    let isCompatible = model.model.isCompatible(withVersionHashes: storeHashes)
    configurationName =
      isCompatible ? nil : model.model.configurationName(compatibleWithVersionHashes: storeHashes)
    fits = isCompatible || configurationName != nil
    if fits {
      let restricted = configurationName.flatMap { model.model.restricted(toConfiguration: $0) }
      remarks = try store.requireLayout(of: restricted ?? model.model)
    } else {
      remarks = model.model.entities.filter { storeHashes[$0.name] != $0.versionHash }.flatMap(\.uncertainties)
    }
    let cached = try? store.cachedModel()
    if let cached, cached.isCompatible(withVersionHashes: storeHashes) {
      evidence = .modelCache
      storeModel = cached
      difference = model.difference(
        from: NamedModel(model: cached, name: store.file.path, precision: .compiled))
      columns = []
    } else {
      evidence = cached == nil ? .versionHashes : .versionHashesDespiteModelCache
      storeModel = nil
      difference = nil
      // How the tables of a configuration are laid out is not known.
      columns =
        configurationName == nil ? try ColumnFinding.all(in: store, comparedWith: StoreSchema(model.model)) : []
    }
    guard !fits else {
      entities = []
      return
    }
    let findings =
      storeModel == nil
      ? VersionHashSearch(
        model: model.model, storeHashes: storeHashes,
        hints: VersionHashHints(
          columns: columns, schema: StoreSchema(model.model), otherModels: otherModels)
      ).findings() : [:]
    entities = Self.entities(storeHashes, model.model.entityVersionHashesByName, findings)
  }

  private static func entities(
    _ storeHashes: [String: VersionHash], _ modelHashes: [String: VersionHash],
    _ findings: [String: VersionHashSearch.Finding]
  ) -> [Entity] {
    // What the store has under an old name is told once, under the new one.
    let oldNames = Set(findings.values.compactMap(\.oldName))
    return Set(storeHashes.keys).union(modelHashes.keys).sorted { $0.precedesByBytes($1) }.compactMap { name in
      let finding = findings[name]
      let storeHash = storeHashes[name] ?? finding?.oldName.flatMap { storeHashes[$0] }
      guard storeHash != modelHashes[name], !oldNames.contains(name) else { return nil }
      return Entity(name: name, storeHash: storeHash, modelHash: modelHashes[name], finding: finding)
    }
  }
}

extension EntityDescription {
  /// The parts of an entity of SwiftData's of which it is not known how Apple's framework stores them.
  fileprivate var uncertainties: [String] {
    // The program that reads Swift source leaves its reasons here.
    let key = "tracks-migrate.uncertain"
    let parts =
      [(name, userInfo)] + ownDeclaredAttributes.map { ("\(name).\($0.name)", $0.userInfo) }
      + ownRelationships.map { ("\(name).\($0.name)", $0.userInfo) }
    return parts.compactMap { part, userInfo in
      userInfo[key].map { "The version hash of '\(name)' may differ from SwiftData's because of '\(part)': \($0)." }
    }
  }
}

extension VersionHashSearch.Finding {
  /// The name that the store has for the entity, if it is another one.
  fileprivate var oldName: String? {
    guard case .changes(let changes) = self, let first = changes.first, first.subject == .entity,
      case .renamed(let name) = first.kind
    else { return nil }
    return name
  }
}

/// The match of one version of a bundle with a store.
package struct VersionFit: Sendable {
  /// The name of the version.
  package let versionName: String
  /// The model; `nil` when it cannot be read.
  package let model: NamedModel?
  /// The error of reading the model.
  package let error: MigrationError?
  /// The number of entities with the same version hash on both sides.
  package let equalCount: Int
  /// The entities whose version hashes differ.
  package let differing: [String]
  /// The entities that only the store has.
  package let onlyInStore: [String]
  /// The entities that only the model has.
  package let onlyInModel: [String]
  /// The number of single changes from the store's own model to this one; 0 if it keeps none.
  let changeCount: Int

  /// The configuration that the store fits, where it does not fit the version as a whole.
  package let configurationName: String?

  /// Whether the store can be opened with this version, or with one of its configurations.
  package var fits: Bool { model != nil && (distance == 0 || configurationName != nil) }

  /// The number of entities that differ.
  package var distance: Int { differing.count + onlyInStore.count + onlyInModel.count }

  /// Tries every version of a bundle, in its order.
  package static func all(_ bundle: ModelBundle, for store: StoreReader) -> [VersionFit] {
    let cached = (try? store.writtenModel()).flatMap(\.self)
      .map { NamedModel(model: $0, name: store.file.path, precision: .compiled) }
    return bundle.loadVersions().map { VersionFit($0.name, $0.model, store.metadata.versionHashes, cached) }
  }

  /// The version that differs least from the store; of several the last.
  package static func nearest(of fits: [VersionFit]) -> VersionFit? {
    fits.filter { $0.model != nil }.reversed()
      .min { ($0.fits ? 0 : 1, $0.distance, $0.changeCount) < ($1.fits ? 0 : 1, $1.distance, $1.changeCount) }
  }

  private init(
    _ name: String, _ loaded: Result<NamedModel, MigrationError>, _ storeHashes: [String: VersionHash],
    _ cached: NamedModel?
  ) {
    (versionName, model, error) = (name, try? loaded.get(), loaded.failure)
    guard let model else {
      (equalCount, changeCount, configurationName) = (0, 0, nil)
      (differing, onlyInStore, onlyInModel) = ([], [], [])
      return
    }
    let modelHashes = model.model.entityVersionHashesByName
    let common = modelHashes.keys.filter { storeHashes[$0] != nil }
    differing = common.filter { modelHashes[$0] != storeHashes[$0] }.sorted { $0.precedesByBytes($1) }
    equalCount = common.count - differing.count
    onlyInStore = storeHashes.keys.filter { modelHashes[$0] == nil }.sorted { $0.precedesByBytes($1) }
    onlyInModel = modelHashes.keys.filter { storeHashes[$0] == nil }.sorted { $0.precedesByBytes($1) }
    configurationName =
      modelHashes == storeHashes
      ? nil : model.model.configurationName(compatibleWithVersionHashes: storeHashes)
    changeCount = cached.map { model.difference(from: $0).changes.count } ?? 0
  }
}

extension VersionHashHints {
  /// Derives hints about a store's earlier attributes from its columns that no property explains.
  init(columns findings: [ColumnFinding], schema: StoreSchema, otherModels: [ManagedObjectModel]) {
    var names: [String: Set<String>] = [:]
    for entity in ([schema.model] + otherModels).flatMap(\.entities) {
      for name in entity.ownAttributes.map(\.elementName) { names[name.uppercased(), default: []].insert(name) }
    }
    var columns: [String: [Column]] = [:]
    for finding in findings {
      guard case .unexplainedColumn(let column, let declaredType) = finding.kind else { continue }
      let capitals = String(column.uppercased().dropFirst())
      let known = names[capitals]?.sorted { $0.precedesByBytes($1) } ?? []
      // Most names of one word have no capitals.
      let guessed = known + [capitals.lowercased()].filter { !known.contains($0) }
      let types = AttributeType.allCases.filter { type in
        ![.undefined, .objectID, .composite].contains(type) && type.columnType.rawValue == declaredType.uppercased()
      }
      let table = schema.tables.first { $0.name == finding.tableName }
      for entity in table?.entityNames ?? [] {
        columns[entity, default: []].append(Column(names: guessed, types: types))
      }
    }
    var missing: [String: Set<String>] = [:]
    for finding in findings where finding.isMissingColumn {
      if let property = finding.propertyName { missing[finding.entityName, default: []].insert(property) }
    }
    self.init(otherModels: otherModels, columns: columns, propertiesWithoutColumn: missing)
  }
}

extension ColumnFinding {
  fileprivate var isMissingColumn: Bool { if case .missingColumn = kind { true } else { false } }
}

/// A difference of a store's tables from a model.
package struct ColumnFinding: Sendable, Hashable {
  /// The kinds of differences.
  package enum Kind: Sendable, Hashable {
    /// There is no table for the entity and its subentities.
    case missingTable
    /// There is no column for the property.
    case missingColumn(String)
    /// No property explains the column; its type is as the table declares it.
    case unexplainedColumn(String, type: String)
  }

  /// The table.
  package let tableName: String
  /// The entity that declares the property, or else the root entity of the table.
  package let entityName: String
  /// The property without a column.
  package let propertyName: String?
  /// The kind of the difference.
  package let kind: Kind

  /// Compares the tables of a store with those that a model asks for.
  package static func all(in store: StoreReader, comparedWith schema: StoreSchema) throws(MigrationError) -> [Self] {
    try reporting(path: store.file.path) {
      try schema.tables.flatMap { table in
        let found = try columns(of: table.name, in: store.connection)
        return findings(table, found)
      }
    }
  }

  private static func findings(_ table: EntityTable, _ found: [(name: String, type: String)]) -> [Self] {
    guard let root = table.entityNames.first else { return [] }
    guard !found.isEmpty else {
      return [Self(tableName: table.name, entityName: root, propertyName: nil, kind: .missingTable)]
    }
    let foundNames = Set(found.map { $0.name.uppercased() })
    let missing = table.columns.filter { $0.isNamedAfterProperty && !foundNames.contains($0.name) }.map { column in
      Self(
        tableName: table.name, entityName: column.entityName, propertyName: column.propertyName,
        kind: .missingColumn(column.name))
    }
    let known = Set(table.columns.map(\.name) + ["Z_PK", "Z_ENT", "Z_OPT"])
    let unexplained = found.filter { !known.contains($0.name.uppercased()) && !isNumbered($0.name) }
    return missing
      + unexplained.map { column in
        Self(
          tableName: table.name, entityName: root, propertyName: nil,
          kind: .unexplainedColumn(column.name, type: column.type))
      }
  }

  /// Columns of orders and of entities have numbers in their names, which change from version to version.
  private static func isNumbered(_ name: String) -> Bool {
    let rest = name.uppercased().dropFirst()
    return rest.hasPrefix("_FOK_") || rest.first?.isNumber == true
  }

  /// The columns of a real table; none of a view, which would run SQL of the file's author.
  private static func columns(of table: String, in connection: Connection) throws -> [(name: String, type: String)] {
    guard try connection.hasPlainTable(table) else { return [] }
    // The pragma itself, not the function of its name: a table could bear that.
    let statement = try connection.prepare("PRAGMA main.table_info(\(table.quotedIdentifier))")
    var columns: [(name: String, type: String)] = []
    while try statement.step() {
      if let name = statement.text(1) { columns.append((name, statement.text(2) ?? "")) }
    }
    return columns
  }
}

extension EntityTable.Column {
  fileprivate var isNamedAfterProperty: Bool {
    switch content {
    case .attribute, .foreignKey: true
    case .destinationEntity, .order: false
    }
  }
}
