import DataModel
import Foundation
import MappingModels
import TestSupport
import Testing

@Suite("Models as classes, and drafts of mapping models")
struct ModelClassTests {
  private let folder: TemporaryFolder
  private let notes = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld").path

  init() throws { folder = try TemporaryFolder() }

  private static let compiler = Program.find("swiftc")

  /// Whether the compiler reads a source without an error.
  private func parses(_ source: String) throws -> Bool {
    try Files.write(source, to: folder.file("Models.swift"))
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.compiler))
    process.arguments = ["-frontend", "-parse", folder.file("Models.swift")]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  private static let odd = """
    <entity name="class" isAbstract="YES"><attribute name="default" optional="YES" attributeType="Date"/>
    <attribute name="a b" optional="YES" attributeType="String" defaultValueString="&quot;\\(x)"/>
    <attribute name="`&#10;}" optional="YES" attributeType="String"/>
    <attribute name="at" optional="YES" attributeType="Composite" composite="in"/></entity>
    <entity name="1 *" parentEntity="class"/>
    <composite name="in"><attribute name="in" optional="YES" attributeType="String"/></composite>
    """

  @Test(.enabled(if: Self.compiler != nil, "needs a Swift compiler"), arguments: ["swift", "nsmanagedobject"])
  func `The source of any model is Swift`(form: String) throws {
    let odd = try folder.models(
      "Odd.xcdatamodeld", ["1": Self.odd, "2": Self.odd.replacing("Date", with: "UUID")], current: "2")
    for model in [notes, odd, "\(odd):1"] {
      #expect(try parses(try successfully("models", "show", model, "--as", form).stdout), "\(model)")
    }
  }

  @Test func `A store becomes classes, and what they cannot express is a warning each`() throws {
    let store = folder.file("Notes.sqlite")
    try successfully("fixture", "new", "--model", notes, store)
    let result = try successfully("models", "show", store, "--as", "swift")
    #expect(result.stdout.contains("final class ImageAttachment: Attachment {\n    var caption: String\n"))
    #expect(
      result.stderr.contains(
        "warning: 'ImageAttachment': it is not known how SwiftData hashes subclasses; the version hash may differ.\n"),
      "\(result)")
    let classes = try successfully("models", "show", store, "--as", "nsmanagedobject")
    #expect(classes.stdout.contains("    @NSManaged public var attachments: NSSet?\n") && classes.stderr.isEmpty)
  }

  // MARK: - Swift source read again

  /// The hashes of the entities of a model, as the command prints them.
  private func hashes(_ model: String) throws -> [String] {
    try successfully("models", "hash", model, "--format", "csv").lines.filter { $0.contains(",entity,") }
      .map { $0.split(separator: ",").dropFirst(2).prefix(2).joined(separator: " ") }.sorted()
  }

  @Test(.enabled(if: Self.compiler != nil, "needs a Swift compiler"), arguments: ["Notes", "Books", "Tracks"])
  func `Classes of all versions have the version hashes of the model that they are made from`(name: String) throws {
    let model = Checkout.root.appending(path: "SampleData/\(name)/\(name).xcdatamodeld").path
    let source = try folder.makeFolder("Models")
    try Files.write(try successfully("models", "show", model, "--as", "swift").stdout, to: "\(source)/Models.swift")
    for version in try ModelBundle(path: model).versions.map(\.name) {
      let number = version.split(separator: " ").dropFirst().first ?? "1"
      #expect(try hashes("\(source):\(name)V\(number)") == hashes("\(model):\(version)"), "\(version)")
    }
  }

  // MARK: - Drafts

  @Test func `A draft of a mapping model has what can be inferred, and marks what must be decided`() throws {
    let model = try folder.models(
      "M.xcdatamodeld",
      [
        "1": """
        <entity name="Note"><attribute name="text" optional="YES" attributeType="String"/>
        <attribute name="size" optional="YES" attributeType="String"/>
        <relationship name="files" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="File"
         inverseName="note" inverseEntity="File"/></entity>
        <entity name="File"><relationship name="note" optional="YES" maxCount="1" deletionRule="Nullify"
         destinationEntity="Note" inverseName="files" inverseEntity="Note"/></entity>
        """,
        "2": """
        <entity name="Note"><attribute name="body" optional="YES" attributeType="String" elementID="text"/>
        <attribute name="size" attributeType="Integer 64"/>
        <relationship name="files" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="File"
         inverseName="note" inverseEntity="File"/></entity>
        <entity name="File"><relationship name="note" optional="YES" maxCount="1" deletionRule="Nullify"
         destinationEntity="Note" inverseName="files" inverseEntity="Note"/></entity>
        <entity name="Tag"/>
        """,
      ])
    let output = folder.file("1to2.xcmappingmodel")
    let words = ["models", "diff", "\(model):1", "\(model):2", "--as", "xcmappingmodel", "--output", output]
    let result = try CommandRunner(words).run()
    #expect(result.status == 0 && result.stdout.isEmpty)
    #expect(
      result.stderr.split(separator: "\n") == [
        "tracks-migrate: warning: 'Note.size': source and destination attribute types are incompatible (String and "
          + "Integer 64).",
        "tracks-migrate: warning: 'Tag': the entity is new, and has no instances unless its mapping gets a source entity "
          + "or a policy.",
      ], "\(result)")
    let bundle = try ModelBundle(path: model)
    let (old, new) = (try bundle.version(named: "1").model(), try bundle.version(named: "2").model())
    let file = try MappingModelFile(path: output)
    #expect(file.sourceModelPath == "\(model)/1.xcdatamodel")
    let mappings = try file.mappingModel(source: old, destination: new).entityMappings
    #expect(mappings.map(\.name) == ["FileToFile", "NoteToNote", "Tag"])
    // The file leaves out what has no expression.
    #expect(
      mappings[1].attributeMappings.map { "\($0.name) \($0.valueExpression.map { "\($0)" } ?? "-")" }
        == ["body $source.text"])
    #expect(
      mappings[1].userInfo
        == ["decide: size": "source and destination attribute types are incompatible (String and Integer 64)"])
    #expect(
      mappings[1].relationshipMappings.compactMap { $0.valueExpression.map { "\($0)" } } == [
        #"FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "FileToFile", $source.files)"#
      ])
    // The compiler and the checks take it, and a second draft is not written over it.
    try successfully("models", "compile", output, "--model", model, "--output", folder.file("1to2.cdm"))
    let again = try CommandRunner(words).run()
    #expect(again.status == 73 && again.stderr.contains("already exists"), "\(again)")
  }

  @Test(arguments: [
    (["--output", "x.xcmappingmodel"], "'--output' requires '--as xcmappingmodel'."),
    (["--as", "xcmappingmodel", "--output", "x"], "requires a name that ends in '.xcmappingmodel'"),
  ])
  func `A draft has a name that Xcode recognizes`(words: [String], message: String) throws {
    let result = try CommandRunner(["models", "diff", notes, notes] + words).run()
    #expect(result.status == 64 && result.stderr.contains(message), "\(result)")
  }
}
