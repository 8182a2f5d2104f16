import Foundation
import TestSupport
import Testing

/// Models become Swift source, which has the same version hashes when it is read again.
@Suite("Models as Swift source, and read again", .enabled(if: SwiftSource.hasToolchain, "needs a Swift toolchain"))
struct SwiftRoundTripTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The entities of all versions.
  private func entities(_ model: String) throws -> [(version: String, name: String, hash: String)] {
    let result = try SwiftSource.run(["models", "hash", model, "--all-versions", "--format", "csv"], in: folder)
    try #require(result.status == 0, "\(result)")
    return result.lines.compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count > 3, fields[1] == "entity" else { return nil }
      return ("\(fields[0].split(separator: ":").last ?? "")", fields[2], fields[3])
    }
  }

  /// Writes a model as Swift and looks for the hash of each entity, unless a warning says that it differs.
  ///
  /// - Returns: The number of entities that were compared, and those that differ.
  private func compare(_ model: String) throws -> (count: Int, differences: [String]) {
    let written = try SwiftSource.run(["models", "show", model, "--as", "swift"], in: folder)
    try #require(written.status == 0, "\(written)")
    let source = try folder.source("Source\(UUID().uuidString.prefix(8))", ["Models.swift": written.stdout])
    let warnings = written.stderr.split(separator: "\n").filter { $0.contains("; the version hash ") }
    try addStubs(to: source)
    let (before, after) = (try entities(model), try entities(source))
    #expect(before.count == after.count, "\(model)")
    let known = before.filter { entity in
      !warnings.contains { line in
        (!line.contains("version '") || line.contains("version '\(entity.version)'"))
          && ["'\(entity.name)'", "'\(entity.name)."].contains { line.contains($0) }
      }
    }
    let differing = known.filter { entity in !after.contains { $0.name == entity.name && $0.hash == entity.hash } }
    return (known.count, differing.map { "\(model) \($0.version) \($0.name)" })
  }

  /// Declares the app's own classes of values, whose form does not matter for a transformable attribute.
  private func addStubs(to source: String) throws {
    let message = try SwiftSource.run(["models", "hash", source], in: folder).stderr
    let names = message.matches(of: /'(\w+)' \([^)]*Models\.swift:/).map { String($0.1) }
    guard !names.isEmpty else { return }
    let stubs = Set(names).sorted().map { "struct \($0): Codable {}\n" }.joined()
    try Files.write(stubs, to: "\(folder.file(source))/Stubs.swift")
  }

  // MARK: - Random models

  private static let seeds = Rounds.seeds(40)
  /// The number of models that are compiled at once: the compiler takes some seconds to start.
  private static let batch = 50

  @Test func `Random models have the same version hashes as the Swift source that is made of them`() throws {
    var (total, differences) = (0, [String]())
    for first in stride(from: Self.seeds.lowerBound, to: Self.seeds.upperBound, by: Self.batch) {
      var versions: [String: String] = [:]
      for seed in first..<min(first + UInt64(Self.batch), Self.seeds.upperBound) {
        var sketch = SwiftDataSketch(seed: seed)
        versions["RandomV\(seed)"] = sketch.model()
      }
      let model = try folder.models("Random\(first).xcdatamodeld", versions, current: "RandomV\(first)")
      let result = try compare(model)
      total += result.count
      differences += result.differences
    }
    print("differential: models as Swift: \(total) cases, \(differences.count) differences")
    #expect(differences.isEmpty)
    #expect(total > Self.seeds.count)
  }

  // MARK: - Models and stores of Apple's tools

  /// The bundles, single models and stores of the corpus.
  private static let corpus: [String] = {
    let paths = ModelFixture.corpusModels.map { path in
      let parent = (path as NSString).deletingLastPathComponent
      return [".xcdatamodeld", ".momd"].contains(where: parent.hasSuffix) ? parent : path
    }
    return Set(paths).sorted()
  }()

  @Test(.enabled(if: !corpus.isEmpty, "needs ../shared/corpus"), arguments: corpus)
  func `A model or store of the corpus has the same version hashes as the Swift source that is made of it`(
    original: String
  ) throws {
    #expect(try compare(try folder.copyIfStore(original)).differences.isEmpty)
  }
}

/// Makes random models of what SwiftData can express, as Xcode's XML.
private struct SwiftDataSketch {
  private var generator: SeededGenerator
  private var relationships: [String: String] = [:]

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func model() -> String {
    let names = (0...generator.number(0...3)).map { "E\($0)" }
    for index in 0..<generator.number(0...3) {
      link(names[generator.number(0..<names.count)], names[generator.number(0..<names.count)], index)
    }
    let entities = names.map { entity($0) }
    return entities.joined()
      + """
      <composite name="Place"><attribute name="x" optional="YES" attributeType="Double"/>
      <attribute name="label" optional="YES" attributeType="String"/></composite>
      <composite name="Kind"><attribute name="kind" optional="YES" attributeType="String"/></composite>
      """
  }

  private mutating func entity(_ name: String) -> String {
    let count = generator.number(1...6)
    var text = #"<entity name="\#(name)" representedClassName="\#(name)">"#
    text += (0..<count).map { attribute("a\($0)") }.joined()
    if generator.chance(oneIn: 3) { text += property("kind", "Composite", #" composite="Kind""#) }
    if generator.chance(oneIn: 3) { text += property("place", "Composite", #" composite="Place""#) }
    text += relationships[name] ?? ""
    if generator.chance(oneIn: 3) {
      text += "<uniquenessConstraints><uniquenessConstraint>"
      text += (0...generator.number(0...min(1, count - 1))).map { #"<constraint value="a\#($0)"/>"# }.joined()
      text += "</uniquenessConstraint></uniquenessConstraints>"
    }
    return text + "</entity>"
  }

  private mutating func attribute(_ name: String) -> String {
    let type = generator.pick(
      from: [
        "Integer 16", "Integer 32", "Integer 64", "Boolean", "Double", "Float", "Decimal", "String", "Date", "Binary",
        "UUID", "Transformable",
      ], or: "String")
    let settings = [
      "Transformable": #" valueTransformerName="NSSecureUnarchiveFromData""#,
      "Integer 64": generator.chance(oneIn: 2) ? #" defaultValueString="7""# : "",
      "String": generator.chance(oneIn: 2) ? #" defaultValueString="a &quot;b&quot;""# : "",
      "Binary": generator.chance(oneIn: 2) ? #" allowsExternalBinaryDataStorage="YES""# : "",
      "Date": generator.chance(oneIn: 2) ? #" versionHashModifier="m""# : "",
      "Double": generator.chance(oneIn: 2) ? #" elementID="old""# : "",
    ]
    return property(name, type, settings[type] ?? "")
  }

  private mutating func property(_ name: String, _ type: String, _ settings: String) -> String {
    let optional = generator.chance(oneIn: 2) ? #" optional="YES""# : ""
    return #"<attribute name="\#(name)"\#(optional) attributeType="\#(type)"\#(settings)/>"#
  }

  /// Adds a relationship and its inverse.
  private mutating func link(_ first: String, _ second: String, _ index: Int) {
    add("r\(index)", of: first, to: second, inverse: "s\(index)")
    add("s\(index)", of: second, to: first, inverse: "r\(index)")
  }

  private mutating func add(_ name: String, of entity: String, to destination: String, inverse: String) {
    let kind =
      generator.chance(oneIn: 2)
      ? #" toMany="YES"\#(generator.chance(oneIn: 2) ? #" optional="YES""# : "")"# : #" optional="YES" maxCount="1""#
    let rule = generator.pick("Nullify", "Cascade")
    relationships[entity, default: ""] +=
      #"<relationship name="\#(name)"\#(kind) deletionRule="\#(rule)" destinationEntity="\#(destination)" "#
      + #"inverseName="\#(inverse)" inverseEntity="\#(destination)"/>"#
  }
}
