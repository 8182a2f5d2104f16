public import DataModel
public import Diagnostics

extension StoreSchema {
  /// The layout that a store really has, for reading it.
  ///
  /// A store that was migrated in place, or that an old framework wrote, differs from a fresh one: entities have other
  /// numbers or old names, join tables are named from the other side, columns carry other numbers. Whatever of the
  /// model is stored is found here under the name that it has in the file. Indexes are not looked at.
  ///
  /// The entity column of a to-one relationship, which only repeats what the destination says, may be missing; then the
  /// schema has none.
  ///
  /// - Throws: `MigrationError` with `damaged` when something of the model has no place in the file: the file is
  ///   damaged, or the model is not its own.
  public init(_ model: ManagedObjectModel, asFoundIn store: StoreReader) throws(MigrationError) {
    let numbering = try EntityNumbering(model, asFoundIn: store)
    let found = try FoundTables(store)
    let expectedTables = EntityTable.all(in: model, numbering: numbering)
    let expectedJoinTables = JoinTable.all(in: model, numbering: numbering).map(\.table)
    let names = EntityTableNames(
      store: store, model: model, numbering: numbering,
      reserved: Set((expectedTables.map(\.name) + expectedJoinTables.map(\.name)).map(\.sqlNameKey)))
    var tables: [EntityTable] = []
    for expected in expectedTables {
      let name = try names.name(of: expected, in: found)
      if let other = tables.first(where: { $0.name == name }) {
        throw LayoutFault.error(
          store, entity: expected.entityNames.first ?? "",
          "its table '\(name)' would be that of both '\(other.entityNames.first ?? "")' and "
            + "'\(expected.entityNames.first ?? "")'")
      }
      let columns = FoundColumns(
        store: store, model: model, numbering: numbering, expected: expected, tableName: name,
        names: found.columns(of: name))
      tables.append(try columns.table())
    }
    var finder = JoinTableFinder(store: store, model: model, numbering: numbering, found: found, tables: tables)
    self.init(model, numbering: numbering, tables: tables, joinTables: try finder.tables(expectedJoinTables))
    keepsTextAsUTF8 = store.layout.encoding == "UTF-8"
  }
}

/// What is wrong when a model's part has no place in a store.
enum LayoutFault {
  static func error(
    _ store: StoreReader, entity: String, property: String? = nil, _ fact: String
  ) -> MigrationError {
    MigrationError(
      .damaged, MigrationError.Subject(path: store.file.path, entity: entity, property: property),
      detail: "\(fact); or this model is not its own")
  }
}
