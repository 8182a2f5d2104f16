import Foundation
import TestSupport
import Testing

/// Ways of several hops, which Core Data does not go by itself.
@Suite("Versions from which an app has to migrate step by step")
struct NeedsHopsTests {
  private let folder: TemporaryFolder
  private var model: String { folder.file("App.xcdatamodeld") }

  init() throws { folder = try TemporaryFolder() }

  private static func attribute(_ name: String, _ more: String = "optional=\"YES\"", type: String = "String") -> String
  {
    "<attribute name=\"\(name)\" attributeType=\"\(type)\" \(more)/>"
  }

  private func write(_ versions: [String], mappings: [(Int, Int)] = []) throws {
    let names = Dictionary(
      uniqueKeysWithValues: versions.enumerated().map { ("App \($0 + 1)", "<entity name=\"E\">\($1)</entity>") })
    _ = try folder.models("App.xcdatamodeld", names, current: "App \(versions.count)")
    for (source, destination) in mappings {
      _ = try folder.mappingModel(
        "\(source)to\(destination).xcmappingmodel", entities: ["E"], from: "App \(source)", to: "App \(destination)",
        of: "App")
    }
  }

  private func run(_ words: String...) throws -> CommandResult {
    try CommandRunner(words, folder: folder.path).run()
  }

  private static let chain = [attribute("a"), attribute("a") + attribute("b"), attribute("c")]
  private static let words =
    "in one inferred hop, which bypasses the mapping models on the way and drops what stores have of 'E.a'"

  @Test func `Guard, lint and rehearse warn where one hop bypasses the mapping models, and name what it drops`() throws
  {
    try write(Self.chain, mappings: [(1, 2), (2, 3)])
    for command in ["guard", "lint"] {
      let result = try run("models", command, model)
      let line = result.lines.first { $0.contains("[needs-hops]") } ?? ""
      #expect(result.status == 0 && line.contains("warning:") && line.contains(Self.words), "\(command): \(result)")
      #expect(line.contains("migrate step by step in the app"), "\(line)")
      #expect(!result.stdout.contains("Nothing found"), "\(result)")
      for format in ["sarif", "json", "github", "csv"] {
        let text = try run("models", command, model, "--format", format).stdout
        #expect(
          text.contains("needs-hops") && text.contains("bypasses the mapping models"), "\(command) \(format): \(text)")
      }
    }
    #expect(try run("models", "guard", model).stdout.contains("Nothing is broken if the app migrates step by step"))
    #expect(try run("models", "guard", model, "--format", "markdown").stdout.contains("| ⚠️ | App 1 | Core Data itself"))
    let rehearsal = try run(
      "rehearse", "--model", model, "--junit", folder.file("r.xml"), "--markdown", folder.file("r.md"))
    #expect(rehearsal.status == 0 && rehearsal.stdout.contains("note: Core Data itself migrates"), "\(rehearsal)")
    for text in [rehearsal.stdout, try Files.text(folder.file("r.xml")), try Files.text(folder.file("r.md"))] {
      #expect(text.contains("which bypasses the mapping models"), "\(text)")
    }
  }

  @Test func `Guard, lint and rehearse warn where Core Data cannot open a store in one hop`() throws {
    try write([Self.attribute("a"), Self.attribute("b"), Self.attribute("a", type: "Date")], mappings: [(1, 2)])
    for command in ["guard", "lint"] {
      let result = try run("models", command, model)
      #expect(
        result.lines.contains {
          $0.contains("[needs-hops]") && $0.contains("Core Data itself cannot open stores of 'App 1' with 'App 3'")
        }, "\(command): \(result)")
    }
    let rehearsal = try run("rehearse", "--model", model, "--allow-loss")
    #expect(rehearsal.stdout.contains("note: Core Data itself cannot open stores of 'App 1'"), "\(rehearsal)")
  }

  @Test func `A mapping model for the two versions needs no hops`() throws {
    try write(Self.chain, mappings: [(1, 2), (2, 3), (1, 3)])
    for command in ["guard", "lint"] {
      #expect(try !run("models", command, model).stdout.contains("needs-hops"))
    }
  }

  // MARK: - Required attributes

  private func guardLines() throws -> (status: Int32?, lines: [String]) {
    let result = try run("models", "guard", model)
    return (result.status, result.lines.filter { $0.contains("[newly-required]") })
  }

  @Test func `Guard finds an attribute that becomes required in a later hop without any value`() throws {
    let optional = Self.attribute("a") + Self.attribute("z")
    let required = Self.attribute("a") + Self.attribute("z", "")
    for versions in [
      [Self.attribute("a"), optional, required],
      [Self.attribute("a"), optional, optional + Self.attribute("y"), required + Self.attribute("y")],
    ] {
      try write(versions)
      let (status, lines) = try guardLines()
      #expect(status == 3 && lines.contains { $0.contains("/App 1.") && $0.contains("error: on the way") }, "\(lines)")
      #expect(lines.contains { $0.contains("'E.z' is required") }, "\(lines)")
      #expect(try run("rehearse", "--model", model).status == 3)
    }
  }

  @Test func `Guard warns of an attribute that becomes required where stores may have values`() throws {
    try write([Self.attribute("z"), Self.attribute("z", "")])
    var (status, lines) = try guardLines()
    #expect(status == 0 && lines.count == 1 && lines[0].contains("warning: on the way"), "\(lines)")
    try write([
      Self.attribute("a"), Self.attribute("a") + Self.attribute("z", "optional=\"YES\" defaultValueString=\"d\""),
      Self.attribute("a") + Self.attribute("z", ""),
    ])
    (status, lines) = try guardLines()
    #expect(status == 0 && !lines.contains { $0.contains("error:") }, "\(lines)")
  }

  @Test func `Guard finds a required attribute that a mapping model of a later hop gives nothing`() throws {
    try write(
      [Self.attribute("a"), Self.attribute("a") + Self.attribute("b"), Self.attribute("a") + Self.attribute("z", "")],
      mappings: [(2, 3)])
    let (status, lines) = try guardLines()
    #expect(status == 3 && lines.count == 2, "\(lines)")
    #expect(try run("rehearse", "--model", model).status == 3)
  }

  @Test func `A required attribute of an entity that only a version in between has rows of breaks nothing`() throws {
    let entity = { (name: String, properties: String) in "<entity name=\"\(name)\">\(properties)</entity>" }
    let item = entity("E", Self.attribute("a"))
    _ = try folder.models(
      "App.xcdatamodeld",
      [
        "App 1": item, "App 2": item + entity("F", Self.attribute("b")),
        "App 3": item + entity("F", Self.attribute("b") + Self.attribute("c")),
        "App 4": item + entity("F", Self.attribute("b") + Self.attribute("c", "")),
      ], current: "App 4")
    var (_, lines) = try guardLines()
    #expect(!lines.contains { $0.contains("/App 1.") } && lines.contains { $0.contains("/App 2.") }, "\(lines)")
    _ = try folder.models(
      "App.xcdatamodeld",
      [
        "App 3": item + entity("F", Self.attribute("b") + Self.attribute("c", "")),
        "App 4": item + entity("F", Self.attribute("b") + Self.attribute("c", "") + Self.attribute("d")),
      ], current: "App 4")
    _ = try folder.mappingModel(
      "2to3.xcmappingmodel", entities: ["E", "F"], from: "App 2", to: "App 3", of: "App")
    (_, lines) = try guardLines()
    #expect(!lines.contains { $0.contains("/App 1.") } && lines.contains { $0.contains("/App 2.") }, "\(lines)")
  }
}
