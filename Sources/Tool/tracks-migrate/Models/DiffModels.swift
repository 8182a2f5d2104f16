import CommandLineArguments
import DataModel
import MappingModels
import Migration
import MigrationDiagnostics
import ModelInspection
import TerminalOutput

/// Compares two models.
struct DiffModels: ParsableCommand {
  /// The forms in which a difference is shown as a whole.
  enum PictureForm: String, CaseIterable, ExpressibleByArgument {
    case xcmappingmodel, mermaid, dot, svg, markdown
  }

  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show how two models differ, and which changes alter the version hash.",
    discussion: """
      Matches entities and properties by renaming identifier and name. Models from stores and compiled bundles have no \
      validation rules, so those are not compared. Also shows whether stores can be migrated without a mapping model \
      (lightweight migration) and what that would lose, or why they cannot.

      With --as, shows both models in one diagram with what was added, removed and changed, or describes it as Markdown, \
      which can be posted below a pull request.

      With --as xcmappingmodel, drafts the mapping model between the two: what can be inferred is filled in, and what you \
      must decide is a warning and stands in the user info of its entity mapping, under "decide". Xcode, mapc and \
      --mapping take the file.

      The exit status is 0 if the models are equal and 3 if they differ; it is 0 for a draft.

      EXAMPLES
        tracks-migrate models diff 'Model.xcdatamodeld:Model' 'Model.xcdatamodeld:Model 2'
        tracks-migrate models diff Library.sqlite Model.xcdatamodeld --format json
        tracks-migrate models diff Old.xcdatamodel New.xcdatamodel --as markdown
        tracks-migrate models diff V1.xcdatamodel V2.xcdatamodel --as xcmappingmodel --output V1toV2.xcmappingmodel
      """)

  @Argument(
    help: "The old model, or a store with a cached model; see 'tracks-migrate help models'.",
    completion: .modelVersion)
  var old: String

  @Argument(help: "The new model, or a store with a cached model.", completion: .modelVersion)
  var new: String

  @Option(help: "The output format.")
  var format: OutputFormat = .table

  @OptionGroup var csv: CSVOptions

  @Option(name: .customLong("as"), help: "Draw or describe the difference in this form instead.")
  var form: PictureForm?

  @Option(
    help: ArgumentHelp("Write the mapping model to this new folder. (default: standard output)", valueName: "folder"),
    completion: .directory(.creates))
  var output: String?

  mutating func validate() throws {
    try csv.check(isCSV: format == .csv)
    guard let output else { return }
    if form != .xcmappingmodel { throw ValidationError("'--output' requires '--as xcmappingmodel'.") }
    guard output.hasSuffix(".xcmappingmodel"), output != ".xcmappingmodel", !output.hasSuffix("/.xcmappingmodel") else {
      throw ValidationError(
        "'--output' requires a name that ends in '.xcmappingmodel', or Xcode will not recognize it.")
    }
  }

  mutating func run() throws {
    let (old, new, format, form, folder) = (old, new, format, form, output)
    let guardsFormulas = csv.guardsFormulas
    try reportingErrors {
      let (oldSource, newSource) = (try ModelSource(old), try ModelSource(new))
      let oldModel = try oldSource.load()
      let newModel = try newSource.load()
      if form == .xcmappingmodel {
        let draft = MappingDraft(from: oldModel, to: newModel)
        if let folder {
          try draft.write(toNewFolder: folder, from: oldModel, to: newModel, sources: [oldSource.path, newSource.path])
        } else {
          let output = StandardOutput()
          try output.write(try draft.xml(from: oldModel, to: newModel))
          try output.flush()
        }
        return draft.decisions.forEach { StandardError.warning("\($0).") }
      }
      let difference = newModel.difference(from: oldModel)
      let verdict = InferenceVerdict(from: oldModel.model, to: newModel.model)
      let records = ChangeRecord.all(difference, from: oldModel.model, to: newModel.model)
      let output = StandardOutput()
      if let form {
        try output.write(
          form == .markdown
            ? ModelMarkdown.text(of: difference, verdict, from: oldModel, to: newModel)
            : PictureFormat(rawValue: form.rawValue)?.text(difference.diagram(from: oldModel, to: newModel)) ?? "")
        try output.flush()
        if !difference.isEmpty { throw foundSomething }
        return
      }
      switch format {
      case .table:
        try output.writeLine(difference.summary)
        for line in InferenceWording.lines(verdict) { try output.writeLine(line.visible) }
        if !difference.isEmpty {
          try output.writeLine()
          try Self.write(records, .table, guardsFormulas: false, to: output)
        }
      case .json:
        try output.writeLine(Self.json(records, verdict, from: oldModel, to: newModel))
      case .ndjson, .csv: try Self.write(records, format, guardsFormulas: guardsFormulas, to: output)
      }
      try output.flush()
      if !difference.isEmpty { throw foundSomething }
    }
  }

  private static func write(
    _ records: [ChangeRecord], _ format: OutputFormat, guardsFormulas: Bool, to output: StandardOutput
  ) throws {
    let writer = format.makeWriter(
      to: output, terminal: .standardOutput, guardsFormulas: guardsFormulas, styledColumn: "change")
    try writer.begin(columns: ChangeRecord.columns(for: format))
    for record in records { try writer.write(record.values(for: format)) }
    try writer.end()
  }

  private static func json(
    _ records: [ChangeRecord], _ verdict: InferenceVerdict, from old: NamedModel, to new: NamedModel
  ) -> String {
    JSONObject {
      $0.add("format_version", .integer(1))
      $0.add("old", .path(old.name))
      $0.add("new", .path(new.name))
      $0.add("migration", object: InferenceWording.object(verdict))
      $0.add("differences", objects: records.map(\.object))
    }.text
  }
}

/// One change as a row of a table.
struct ChangeRecord {
  /// The columns for a format.
  static func columns(for format: OutputFormat) -> [String] {
    ["entity", "kind", "name", "change", "from", "to", format.isForMachines ? "version_hash" : "version hash"]
  }

  private var entity: String?
  private var kind: String
  private var name: String?
  private var change: String
  private var changeText: String
  private var from: String?
  private var to: String?
  private var hash: String

  /// The rows of a difference.
  ///
  /// - Parameters:
  ///   - difference: The difference.
  ///   - old: The old model, which describes what was removed.
  ///   - new: The new model, which describes what was added.
  static func all(
    _ difference: ModelDifference, from old: ManagedObjectModel, to new: ManagedObjectModel
  ) -> [ChangeRecord] {
    difference.modelChanges.map { ChangeRecord($0, old, new) }
      + difference.entities.flatMap { entity in
        entity.changes.map { change in
          // The old model knows a renamed entity by its old name.
          ChangeRecord(change, old, new, oldEntityName: entity.oldName)
        } + (entity.isInherited ? [ChangeRecord(inheritedBy: entity.name)] : [])
      }
  }

  init(
    _ change: ModelChange, _ old: ManagedObjectModel?, _ new: ManagedObjectModel?, oldEntityName: String? = nil
  ) {
    entity = change.entityName
    kind = change.subject.kindName
    name = change.subject.name
    self.change = change.kind.name
    changeText = change.kind.text
    hash = change.affectsVersionHash ? "changes" : "same"
    switch change.kind {
    case .added: to = new.flatMap { Self.summary(change.subject, change.entityName, in: $0) }
    case .removed: from = old.flatMap { Self.summary(change.subject, oldEntityName ?? change.entityName, in: $0) }
    case .renamed(let name): (from, to) = (name, change.subject.name ?? change.entityName)
    case .changed(_, let before, let after): (from, to) = (before, after)
    }
    if change.followsRenaming { changeText += " (renamed)" }
  }

  /// An entity whose version hash differs only because an ancestor changed.
  init(inheritedBy entity: String) {
    self.entity = entity
    kind = "entity"
    change = "inherited"
    changeText = "inherits from a changed entity"
    hash = "changes"
  }

  /// The values for a format; programs get stable names instead of words.
  func values(for format: OutputFormat) -> [FieldValue] {
    [
      FieldValue(entity), .string(kind), FieldValue(name), .string(format.isForMachines ? change : changeText),
      FieldValue(from), FieldValue(to), .string(hash),
    ]
  }

  var object: JSONObject {
    JSONObject { object in
      for (column, value) in zip(Self.columns(for: .json), values(for: .json)) { object.add(column, value) }
    }
  }

  /// A short description of a property.
  private static func summary(
    _ subject: ModelChange.Subject, _ entityName: String?, in model: ManagedObjectModel
  ) -> String? {
    guard let entity = entityName.flatMap({ model.entity(named: $0) }) else { return nil }
    guard let name = subject.name else {
      return (entity.attributes.count + entity.relationships.count).counting("property", plural: "properties")
    }
    let record: PropertyRecord? =
      switch subject {
      case .attribute:
        entity.ownAttributes.first { $0.name == name }.map { PropertyRecord($0, of: entity.name) }
      case .relationship:
        entity.ownRelationships.first { $0.name == name }.map { PropertyRecord($0, of: entity.name) }
      case .fetchedProperty:
        entity.ownFetchedProperties.first { $0.name == name }.map { PropertyRecord($0, of: entity.name) }
      case .model, .configuration, .fetchRequest, .entity, .fetchIndex: nil
      }
    guard let record else { return nil }
    let words = [record.type, record.isOptional == false ? "required" : nil] + record.details
    return words.compactMap(\.self).joined(separator: ", ")
  }
}

/// The differences of entities from those that a compiled mapping model was made for, as rows of a table.
enum MappingDifferences {
  private typealias Row = (side: MappingModelFinding.Side, record: ExplanationRecord)

  static func write(_ explanation: MappingExplanation, to output: any TextOutput, terminal: Terminal) throws {
    let rows = rows(explanation)
    guard !rows.isEmpty else { return }
    try output.writeLine()
    try output.writeLine("By the version hashes, \"from\" being what the mapping model was made for:")
    try output.writeLine()
    let writer = OutputFormat.table.makeWriter(to: output, terminal: terminal)
    try writer.begin(columns: ["as"] + ChangeRecord.columns(for: .table))
    for row in rows { try writer.write([.string(row.side.rawValue)] + row.record.values(for: .table)) }
    try writer.end()
  }

  static func objects(_ explanation: MappingExplanation) -> [JSONObject] {
    rows(explanation).map { row in
      JSONObject { object in
        object.add("side", .string(row.side.rawValue))
        for (column, value) in zip(ChangeRecord.columns(for: .json), row.record.values(for: .json)) {
          object.add(column, value)
        }
      }
    }
  }

  private static func rows(_ explanation: MappingExplanation) -> [Row] {
    guard explanation.file.isCompiled else { return [] }
    return explanation.differences().flatMap { difference -> [Row] in
      let model = difference.side == .source ? explanation.source.model : explanation.destination.model
      switch difference.finding {
      case .changes(let changes): return changes.map { (difference.side, .change(ChangeRecord($0, nil, model))) }
      case .inherited: return [(difference.side, .change(ChangeRecord(inheritedBy: difference.entityName)))]
      case .unknown: return [(difference.side, .unknown(difference.entityName))]
      }
    }
  }
}
