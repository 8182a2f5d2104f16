import DataModel
import Foundation
import MappingModels
import TestSupport
import Testing

@Suite("Compiled models")
struct CompileModelTests {
  private let folder: TemporaryFolder
  private let notes = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld").path

  init() throws { folder = try TemporaryFolder() }

  @Test func `A compiled bundle has the versions, hashes and current version of its source`() throws {
    let output = folder.file("Notes.momd")
    try successfully("models", "compile", notes, "--output", output)
    #expect(
      try Files.listing(output)
        == ["Notes 2.mom", "Notes 3.mom", "Notes 4.mom", "Notes.mom", "VersionInfo.plist"])
    let (source, compiled) = (try ModelBundle(path: notes), try ModelBundle(path: output))
    #expect(try compiled.currentVersion().name == source.currentVersion().name)
    for version in source.versions {
      let (old, new) = (try version.model(), try compiled.version(named: version.name).model())
      #expect(old.entityVersionHashesByName == new.entityVersionHashesByName)
    }
    let info = try #require(
      try PropertyListSerialization.propertyList(
        from: Data(Files.bytes("\(output)/VersionInfo.plist")), format: nil) as? [String: Any])
    let hashes = try #require(info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
    #expect(Set(hashes.keys) == Set(source.versions.map(\.name)) && hashes["Notes"]?["Note"]?.count == 32)
    // A second one is not written over it.
    let again = try CommandRunner(["models", "compile", notes, "--output", output], folder: folder.path).run()
    #expect(again.status == 73, "\(again)")
    #expect(try folder.listing() == ["Notes.momd"])
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"), arguments: ["N.momd", "N.mom"])
  func `What a killed run leaves is removed by the next one`(output: String) throws {
    let source = output.hasSuffix("d") ? notes : "\(notes)/Notes 2.xcdatamodel"
    let calls = try forEachCall { call in
      let folder = try TemporaryFolder()
      var runner = CommandRunner(["models", "compile", source, "--output", folder.file(output)])
      runner.environment = try #require(FaultInjector.shared).environment(
        root: folder.path, ["KINDS": "write,name", "CALL": "\(call)", "ACTION": "kill"])
      let result = try runner.run()
      guard result.end == .signalled(SIGKILL) else { return nil }
      // What the killed run had published by then is not written over.
      let isThere = try folder.listing().contains(output)
      let again = try tracksMigrate("models", "compile", source, "--output", folder.file(output))
      #expect(again.status == (isThere ? 73 : 0), "\(again)")
      #expect(try folder.listing() == [output])
      return result
    }
    #expect(calls > 1)
  }

  @Test func `One version becomes a file, and another ending is refused`() throws {
    try successfully("models", "compile", "\(notes)/Notes 2.xcdatamodel", "--output", folder.file("N.mom"))
    #expect(try successfully("models", "diff", folder.file("N.mom"), "\(notes):Notes 2").stdout.isEmpty == false)
    let wrong = try CommandRunner(["models", "compile", notes, "--output", folder.file("N.mom2")], folder: folder.path)
      .run()
    #expect(wrong.status == 64 && wrong.stderr.contains("'.momd'"), "\(wrong)")
  }

  @Test func `A compiled mapping model says what its source says`() throws {
    for (name, source, destination) in [
      ("Notes_v2_to_v3", "Notes 2", "Notes 3"), ("Notes_v3_to_v4", "Notes 3", "Notes 4"),
    ] {
      let (xml, cdm) = ("\(notes)/../\(name).xcmappingmodel", folder.file("\(name).cdm"))
      try successfully("models", "compile", xml, "--model", notes, "--output", cdm)
      let bundle = try ModelBundle(path: notes)
      let (old, new) = (try bundle.version(named: source).model(), try bundle.version(named: destination).model())
      #expect(
        try MappingModelFile(path: cdm).mappingModel(source: old, destination: new)
          == MappingModelFile(path: xml).mappingModel(source: old, destination: new))
    }
    let other = Checkout.root.appending(path: "SampleData/Books/Books.xcdatamodeld").path
    let wrong = try CommandRunner(
      [
        "models", "compile", "\(notes)/../Notes_v2_to_v3.xcmappingmodel", "--model", other, "--output",
        folder.file("x.cdm"),
      ],
      folder: folder.path
    ).run()
    #expect(wrong.status == 78 && wrong.stderr.contains("it fits no two versions"), "\(wrong)")
  }

  @Test func `The compilers take the arguments of Apple's, and replace what an earlier build has made`() throws {
    func run(_ tool: String, _ words: String...) throws -> (status: Int32, errors: String) {
      let process = Process()
      let errors = Pipe()
      process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: tool)
      process.arguments = words
      (process.standardOutput, process.standardError) = (Pipe(), errors)
      try process.run()
      let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, text)
    }
    for _ in 1...2 {
      let result = try run(
        "momc", "--sdkroot", "/x", "--macosx-deployment-target", "14.0", "--no-warnings", notes, folder.path)
      #expect(result.status == 0, "\(result)")
    }
    #expect(try Files.listing(folder.file("Notes.momd")).count == 5)
    let mapping = try run(
      "mapc", "--module", "App", "--model", notes, "\(notes)/../Notes_v2_to_v3.xcmappingmodel", folder.file("M.cdm"))
    #expect(mapping.status == 0 && Files.exists(folder.file("M.cdm")), "\(mapping)")
    try Files.write("mine", to: folder.file("Notes.momd/mine.txt"))
    let refused = try run("momc", notes, folder.path)
    #expect(refused.status == 1 && refused.errors.contains("Notes.momd: error: "), "\(refused)")
    // Neither a mistake nor a wrong destination costs what is there.
    try Files.write("thesis", to: folder.file("thesis.txt"))
    for source in ["nosuch.xcdatamodeld", notes] {
      #expect(try run("momc", source, folder.file("thesis.txt")).status == 1)
      #expect(try run("mapc", "--model", notes, source, folder.file("thesis.txt")).status == 1)
    }
    #expect(try Files.text(folder.file("thesis.txt")) == "thesis")
    let compiled = try Files.bytes(folder.file("M.cdm"))
    #expect(try run("mapc", "nosuch.xcmappingmodel", folder.file("M.cdm")).status == 1)
    #expect(try Files.bytes(folder.file("M.cdm")) == compiled)
    #expect(try run("momc", "nosuch.xcdatamodeld", folder.path).errors.hasPrefix("nosuch.xcdatamodeld: error: "))
    #expect(try run("momc", "--nope", notes, folder.path).status == 1)
  }

  @Test func `Validation rules are not left out without a word`() throws {
    let model = try folder.makeFolder("V.xcdatamodel")
    try Files.write(
      """
      <?xml version="1.0" encoding="UTF-8"?><model><entity name="A"><attribute name="n" optional="YES" \
      attributeType="Integer 16" minValueString="1" maxValueString="9"/></entity></model>
      """, to: "\(model)/contents")
    let refused = try CommandRunner(
      ["models", "compile", model, "--output", folder.file("V.mom")], folder: folder.path
    ).run()
    #expect(refused.status == 69 || refused.status == 65 || refused.status == 66, "\(refused)")
    #expect(refused.stderr.contains("'A.n' has validation rules") && refused.stderr.contains("--without-validation"))
    #expect(try folder.listing() == ["V.xcdatamodel"])
    try successfully("models", "compile", model, "--output", folder.file("V.mom"), "--without-validation")
    #expect(try ModelBundle(path: folder.file("V.mom")).versions.count == 1)
  }
}
