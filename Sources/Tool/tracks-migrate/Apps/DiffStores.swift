import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TerminalOutput

/// Compares the rows of two stores of one model.
struct DiffStores: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare the rows of two stores of one model.",
    discussion: """
      Rows are compared by their keys, or with --by by the value of an attribute, which each row must have and no two \
      share. What rows are linked with is compared by key, and with --by only counted.

      The exit status is 0 if the stores hold the same and 3 if they do not.

      EXAMPLES
        tracks-migrate diff Before.sqlite After.sqlite
        tracks-migrate diff Phone.sqlite Pad.sqlite --entity Note --by uuid --format json
      """,
    otherNames: ["changes", "difference"])

  @Argument(help: "A store.", completion: .file(.readsStore, extensions: ["sqlite", "db", "store"]))
  var old: String

  @Argument(help: "The other store.", completion: .file(.readsStore, extensions: ["sqlite", "db", "store"]))
  var new: String

  @Option(help: ArgumentHelp("Only this entity; repeat for more. (default: all)", valueName: "entity"))
  var entity: [String] = []

  @Option(help: ArgumentHelp("Tell rows apart by this attribute instead of their keys.", valueName: "attribute"))
  var by: String?

  @Option(
    help: ArgumentHelp("The stores' model. (default: the stores' own copies)", valueName: "model"), completion: .model)
  var model: String?

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @OptionGroup var table: TableOptions

  @OptionGroup var csv: CSVOptions

  mutating func validate() throws { try csv.check(isCSV: format == .csv) }

  mutating func run() throws {
    let options = self
    SignalCancellation.listen()
    try reportingErrors {
      let contexts = try [options.old, options.new].map { try StoreRows.context(ofStoreAt: $0, model: options.model) }
      let (model, other) = (contexts[0].managedObjectModel, contexts[1].managedObjectModel)
      guard model.entityVersionHashesByName == other.entityVersionHashesByName else {
        throw ValidationError(
          "'\(options.old)' and '\(options.new)' are not of one model. Migrate one of them first; 'tracks-migrate models "
            + "diff' shows how the models differ.")
      }
      let names = options.entity.isEmpty ? model.entities.filter { !$0.isAbstract }.map(\.name) : options.entity
      // Rows of a damaged store may seem to share a value.
      let found = try StoreRows.reading(storesAt: [options.old, options.new]) {
        do {
          let differing = try options.differingRows(model)
          return Result<[RowChange], ValidationError>.success(
            try names.flatMap { try options.changes(of: $0, among: differing) })
        } catch let error as ValidationError {
          return .failure(error)
        }
      }
      let changes = try found.get()
      if options.format == .table, changes.isEmpty {
        try StandardOutput.print(["The stores hold the same."])
      } else {
        let writer = options.format.makeWriter(
          to: StandardOutput(), terminal: options.table.terminal, guardsFormulas: options.csv.guardsFormulas)
        try writer.begin(columns: ["change", "entity", "row", "field", "old", "new"])
        for change in changes {
          try writer.write([
            .string(change.kind), .string(change.entity), .string(change.row), FieldValue(change.field), change.old,
            change.new,
          ])
        }
        try writer.end()
      }
      if !changes.isEmpty { throw foundSomething }
    }
  }

  /// The rows that may differ; `nil` if all are to be looked at.
  private func differingRows(_ model: ManagedObjectModel) throws -> DifferingRows? {
    guard by == nil else { return nil }
    let readers = try [old, new].map { try StoreReader(path: $0) }
    return try DifferingRows(readers[0], readers[1], model)
  }

  private func changes(of entity: String, among differing: DifferingRows?) throws -> [RowChange] {
    guard let differing else { return try changes(of: entity) }
    let (before, after) = (try openRows(old, entity), try openRows(new, entity))
    let fields = before.comparedFields
    var changes: [RowChange] = []
    var added: [RowChange] = []
    try differing.forEach(ofEntityNamed: entity) { key, isInOld, isInNew in
      guard isInOld, isInNew else {
        let change = RowChange(kind: isInOld ? "removed" : "added", entity: entity, row: "\(key)")
        if isInOld { changes.append(change) } else { added.append(change) }
        return
      }
      let (values, others) = (try values(fields, of: key, before), try values(fields, of: key, after))
      changes += Self.changes(of: fields.map(\.name), from: values, to: others, in: "\(key)", entity)
    }
    return changes + added
  }

  private func values(_ fields: [StoreRows.Field], of key: Int64, _ rows: StoreRows) throws -> [FieldValue] {
    guard let object = rows.context.object(ofEntityNamed: rows.entity.name, primaryKey: key) else { return [] }
    let values = values(fields, of: object, rows)
    try rows.context.requireNoFailure()
    return values
  }

  private func changes(of entity: String) throws -> [RowChange] {
    let (before, after) = (try rows(old, entity), try rows(new, entity))
    let fields = before.fields
    var changes: [RowChange] = []
    for (row, values) in before.rows.sorted(by: { Self.precedes($0.key, $1.key) }) {
      guard let others = after.rows[row] else {
        changes.append(RowChange(kind: "removed", entity: entity, row: row))
        continue
      }
      changes += Self.changes(of: fields, from: values, to: others, in: row, entity)
    }
    for row in after.rows.keys.filter({ before.rows[$0] == nil }).sorted(by: Self.precedes) {
      changes.append(RowChange(kind: "added", entity: entity, row: row))
    }
    return changes
  }

  private static func changes(
    of fields: [String], from values: [FieldValue], to others: [FieldValue], in row: String, _ entity: String
  ) -> [RowChange] {
    zip(fields, zip(values, others)).filter { $1.0 != $1.1 }.map { field, values in
      RowChange(kind: "changed", entity: entity, row: row, field: field, old: values.0, new: values.1)
    }
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    if let left = Int64(left), let right = Int64(right) { return left < right }
    return left < right
  }

  private func openRows(_ store: String, _ entity: String) throws -> StoreRows {
    let rows = try StoreRows(storeAt: store, model: model, entity: entity)
    if let by, !rows.allFields.contains(.attribute(by)) {
      throw ValidationError("'\(entity)' has no attribute '\(by)'. Name entities that have it with '--entity'.")
    }
    return rows
  }

  /// The rows of exactly an entity, by what tells them apart.
  private func rows(_ store: String, _ entity: String) throws -> (fields: [String], rows: [String: [FieldValue]]) {
    let rows = try openRows(store, entity)
    let fields = rows.comparedFields
    var found: [String: [FieldValue]] = [:]
    try rows.forEach { object in
      guard object.entity.name == entity else { return }
      let row =
        by.map { rows.value(.attribute($0), of: object, isForMachines: true).text } ?? "\(object.objectID.primaryKey)"
      guard found.updateValue(values(fields, of: object, rows), forKey: row) == nil else {
        guard by != nil else {
          throw MigrationError(.damaged, path: store, detail: "two rows of '\(entity)' have the key \(row)")
        }
        throw ValidationError(
          "two rows of '\(entity)' in '\(store)' have the \(by ?? "") '\(row)'. Name another attribute with '--by'.")
      }
    }
    return (fields.map(\.name), found)
  }

  private func values(_ fields: [StoreRows.Field], of object: ManagedObject, _ rows: StoreRows) -> [FieldValue] {
    fields.map { field in
      let value = comparable(rows.value(field, of: object, isForMachines: true), field, rows.entity)
      // What looks like a date may be text that another program has stored.
      guard case .attribute(let name) = field, rows.entity.attribute(named: name)?.type == .date else { return value }
      return switch object.value(forKey: name) {
      case .string: .string("\(value.text) (text)")
      case .data: .string("\(value.text) (data)")
      default: value
      }
    }
  }

  /// A value that does not depend on keys, where rows are not told apart by these.
  private func comparable(_ value: FieldValue, _ field: StoreRows.Field, _ entity: EntityDescription) -> FieldValue {
    switch (field, value) {
    case (.toMany(let name), .strings(let keys)):
      if by != nil { return .integer(Int64(keys.count)) }
      // Only an ordered relationship has an order.
      return .strings(entity.relationship(named: name)?.isOrdered == true ? keys : keys.sorted())
    case (.toOne, .integer): return by != nil ? .integer(1) : value
    default: return value
    }
  }
}

/// A difference between two stores.
private struct RowChange {
  let kind: String
  let entity: String
  let row: String
  var field: String?
  var old: FieldValue = .null
  var new: FieldValue = .null
}

extension StoreRows {
  /// The fields that are compared.
  fileprivate var comparedFields: [Field] { allFields.filter { $0 != .key && $0 != .entity } }
}

extension FieldValue {
  /// The value as text, to tell rows apart.
  fileprivate var text: String {
    switch self {
    case .null: "NULL"
    case .string(let text): text
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .boolean(let boolean): "\(boolean)"
    case .strings(let texts): texts.joined(separator: "; ")
    }
  }
}
