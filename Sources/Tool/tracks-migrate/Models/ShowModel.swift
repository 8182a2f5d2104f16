import CommandLineArguments
import DataModel
import Migration
import ModelInspection
import PersistentStore
import TerminalOutput

/// Shows a model.
struct ShowModel: ParsableCommand {
  /// The formats that a model can be exported in.
  enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
    case xcdatamodel, swift, nsmanagedobject, mermaid, dot, svg, markdown
  }

  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a model: its entities, properties, indexes and version hashes.",
    discussion: """
      With --as xcdatamodel, writes the model as XML that Xcode can open. This works with compiled models and stores \
      too, so a lost model can be recovered. Existing files are never overwritten.

      With --as swift, writes @Model classes of SwiftData that have the same version hashes; a bundle of several versions \
      becomes versioned schemas with their migration plan. With --as nsmanagedobject, writes the classes that Xcode \
      generates for Core Data. What SwiftData cannot express has a comment in the source and a warning.

      The other forms are pictures: a diagram of the entities as Mermaid, as DOT for Graphviz or as SVG, and a \
      description as Markdown.

      EXAMPLES
        tracks-migrate models show Model.xcdatamodeld
        tracks-migrate models show 'Model.xcdatamodeld:Model 2' --format json
        tracks-migrate models show Library.sqlite --as xcdatamodel --output Model.xcdatamodel
        tracks-migrate models show App.store --as swift > Models.swift
        tracks-migrate models show Model.xcdatamodeld --as svg > Model.svg
      """,
    otherNames: ["list", "print", "generate", "entities", "export"])

  @Argument(
    help: "The model, or a store with a cached model; see 'tracks-migrate help models'.",
    completion: .modelVersion)
  var model: String

  @Option(help: "The output format; csv and ndjson have one record for each entity and property.")
  var format: OutputFormat = .table

  @OptionGroup var csv: CSVOptions

  @Option(name: .customLong("as"), help: "Write the model itself, in this form.")
  var exportFormat: ExportFormat?

  @Option(
    help: ArgumentHelp("Write the model to this new folder. (default: standard output)", valueName: "folder"),
    completion: .directory(.creates))
  var output: String?

  mutating func validate() throws {
    try csv.check(isCSV: format == .csv)
    guard let output else { return }
    if exportFormat != .xcdatamodel { throw ValidationError("'--output' requires '--as xcdatamodel'.") }
    guard output.hasSuffix(".xcdatamodel"), output != ".xcdatamodel", !output.hasSuffix("/.xcdatamodel") else {
      throw ValidationError("'--output' requires a name that ends in '.xcdatamodel', or Xcode will not recognize it.")
    }
  }

  mutating func run() throws {
    let (word, format, exportFormat, output) = (model, format, exportFormat, output)
    let guardsFormulas = csv.guardsFormulas
    try reportingErrors {
      let source = try ModelSource(word)
      let standardOutput = StandardOutput()
      // It takes all versions of a bundle, none of which has to be the current one.
      if exportFormat == .swift { return try Self.write(try source.swiftDataSource(), to: standardOutput) }
      let model = try source.load()
      if let output { return try model.write(toNewFolder: output, from: source.path) }
      switch exportFormat {
      case .swift: break
      case .nsmanagedobject: try Self.write(model.managedObjectSource, to: standardOutput)
      case .xcdatamodel: try standardOutput.write(try model.xml())
      case .mermaid: try standardOutput.write(model.diagram.mermaid)
      case .dot: try standardOutput.write(model.diagram.dot)
      case .svg: try standardOutput.write(model.diagram.svg)
      case .markdown: try standardOutput.write(ModelMarkdown.text(of: model))
      case nil: try Self.write(model, try ModelVersionList(source), format, guardsFormulas, to: standardOutput)
      }
      try standardOutput.flush()
    }
  }

  private static func write(_ source: ClassSource, to output: StandardOutput) throws {
    try output.write(source.text)
    try output.flush()
    for remark in source.remarks { StandardError.warning("\(remark.place): \(remark.text).") }
  }

  private static func write(
    _ model: NamedModel, _ versions: ModelVersionList, _ format: OutputFormat, _ guardsFormulas: Bool,
    to output: StandardOutput
  ) throws {
    switch format {
    case .table: try output.write(try ModelText.text(of: model, versions))
    case .json: try output.writeLine(ModelJSON.text(of: model, versions))
    case .ndjson, .csv: try PropertyRecord.write(model.model, format, guardsFormulas: guardsFormulas, to: output)
    }
  }
}

/// A model as text for people.
enum ModelText {
  static func text(of model: NamedModel, _ versions: ModelVersionList) throws -> String {
    let output = MemoryOutput()
    try IndentedText.write(facts(of: model, versions), indent: "", to: output)
    for entity in model.model.entities {
      try output.writeLine()
      try output.writeLine(entity.name.visible)
      try IndentedText.write(EntityFacts.all(of: entity), indent: "  ", to: output)
      let records = PropertyRecord.all(of: entity)
      if !records.isEmpty {
        let rows = records.map { [FieldValue($0.property)] + $0.values }
        try IndentedText.write(["property"] + PropertyRecord.columns, rows, to: output)
      }
    }
    return output.text
  }

  private static func facts(of model: NamedModel, _ versions: ModelVersionList) -> [EntityFacts.Fact] {
    var facts: [EntityFacts.Fact] = [("model", model.name)]
    if !versions.names.isEmpty {
      let names = versions.names.map { $0 == versions.current ? "\($0) (current)" : $0 }
      facts.append(("versions", names.joined(separator: ", ")))
    }
    let identifiers = model.model.versionIdentifiers.map { "\"\($0)\"" }
    facts.append(("identifiers", identifiers.isEmpty ? "none" : identifiers.joined(separator: ", ")))
    facts.append(("checksum", model.model.versionChecksum.base64))
    facts.append(("entities", NumberFormat.grouped(model.model.entities.count)))
    for (name, members) in model.model.configurations.sorted(by: { $0.key < $1.key }) {
      facts.append(("configuration", "\(name) (\(members.joined(separator: ", ")))"))
    }
    for request in model.model.fetchRequestTemplates {
      let condition = request.predicate.map { " where \($0)" } ?? ""
      facts.append(("fetch request", "\(request.name) (\(request.entityName)\(condition))"))
    }
    return facts
  }
}
