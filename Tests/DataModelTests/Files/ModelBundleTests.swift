import DataModel
import Foundation
import Testing

/// Every test has a folder of its own, which goes when the test ends.
@Suite final class ModelBundleTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID())")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ text: String, to path: String) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  private func currentVersion(_ name: String) -> String {
    "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict></plist>"
  }

  private let model = "<model><entity name=\"E\"/></model>"

  @Test func `Versions are sorted in natural number order`() throws {
    for name in ["M 10", "M 2", "M", "v2.24.1"] { try write(model, to: "M.xcdatamodeld/\(name).xcdatamodel/contents") }
    try write(currentVersion("M 2.xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
    try write("", to: "M.xcdatamodeld/notes.txt")
    let bundle = try ModelBundle(path: path("M.xcdatamodeld/"))
    #expect(bundle.versions.map(\.name) == ["M", "M 2", "M 10", "v2.24.1"])
    #expect(try bundle.currentVersion().name == "M 2")
    #expect(try bundle.version(named: "v2.24.1.xcdatamodel").model().entities.map(\.name) == ["E"])
  }

  @Test func `The only version of a bundle is current`() throws {
    try write(model, to: "M.xcdatamodeld/M.xcdatamodel/contents")
    #expect(try ModelBundle(path: path("M.xcdatamodeld")).currentVersion().name == "M")
    let single = try ModelBundle(path: path("M.xcdatamodeld/M.xcdatamodel"))
    #expect(try single.currentVersion().model().entities.map(\.name) == ["E"])
    #expect(try ManagedObjectModel(contentsOfFile: path("M.xcdatamodeld/M.xcdatamodel")).entities.count == 1)
    #expect(try ManagedObjectModel(contentsOfFile: path("M.xcdatamodeld/M.xcdatamodel/contents")).entities.count == 1)
  }

  @Test func `Missing versions are named`() throws {
    try write(model, to: "M.xcdatamodeld/A.xcdatamodel/contents")
    try write(model, to: "M.xcdatamodeld/B.xcdatamodel/contents")
    let bundle = try ModelBundle(path: path("M.xcdatamodeld"))
    expectProblem(.currentVersionUnset(versions: ["A", "B"])) { () throws(ModelFileError) in try bundle.currentVersion()
    }
    expectProblem(.unknownVersion("C", versions: ["A", "B"])) { () throws(ModelFileError) in
      try bundle.version(named: "C")
    }
    try write(currentVersion("C.xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
    expectProblem(.unknownVersion("C", versions: ["A", "B"])) { () throws(ModelFileError) in
      try bundle.currentVersion()
    }
    try write("<plist><array/></plist>", to: "M.xcdatamodeld/.xccurrentversion")
    expectProblem(.currentVersionUnreadable) { () throws(ModelFileError) in try bundle.currentVersion() }
  }

  /// The encodings in which an editor may save XML, with the name that it declares.
  private static let encodings: [(name: String, encoding: String.Encoding)] = [
    ("UTF-16", .utf16), ("UTF-16", .utf16LittleEndian), ("UTF-16", .utf16BigEndian), ("ISO-8859-1", .isoLatin1),
  ]

  @Test(arguments: encodings.indices)
  func `A bundle whose XML is in UTF-16 or Latin-1 is read`(place: Int) throws {
    let (name, encoding) = Self.encodings[place]
    let files = [
      ("M.xcdatamodeld/Ä 1.xcdatamodel/contents", model),
      ("M.xcdatamodeld/Ä 2.xcdatamodel/contents", "<model><entity name=\"Größe\"/></model>"),
      ("M.xcdatamodeld/.xccurrentversion", currentVersion("Ä 2.xcdatamodel")),
    ]
    for (file, text) in files {
      try write("", to: file)
      let data = try #require("<?xml version=\"1.0\" encoding=\"\(name)\"?>\(text)".data(using: encoding))
      try data.write(to: folder.appending(path: file))
    }
    let bundle = try ModelBundle(path: path("M.xcdatamodeld"))
    #expect(try bundle.currentVersion().name == "Ä 2")
    #expect(try bundle.currentVersion().model().entities.map(\.name) == ["Größe"])
  }

  @Test(arguments: [
    "<dict><key>_XCCurrentVersionName</key><string>B.xcdatamodel</string></dict>",
    """
    <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>A.xcdatamodel</string>
    <key>_XCCurrentVersionName</key><string>B.xcdatamodel</string></dict></plist>
    """,
  ])
  func `The current version is read from a list without plist and from the last of equal keys`(text: String) throws {
    for name in ["A", "B"] { try write(model, to: "M.xcdatamodeld/\(name).xcdatamodel/contents") }
    try write(text, to: "M.xcdatamodeld/.xccurrentversion")
    #expect(try ModelBundle(path: path("M.xcdatamodeld")).currentVersion().name == "B")
  }

  @Test func `Other files are not opened as bundles`() throws {
    try write("", to: "Empty.xcdatamodeld/notes.txt")
    try write("", to: "Old.xcdatamodel/elements")
    try write("", to: "None.xcdatamodel/layout")
    try write("", to: "file.sqlite")
    expectProblem(.notFound) { () throws(ModelFileError) in try ModelBundle(path: self.path("Nowhere")) }
    expectProblem(.noVersions) { () throws(ModelFileError) in try ModelBundle(path: self.path("Empty.xcdatamodeld")) }
    expectProblem(.notABundle) { () throws(ModelFileError) in try ModelBundle(path: self.path("file.sqlite")) }
    expectProblem(.outdatedFormat) { () throws(ModelFileError) in
      try ManagedObjectModel(contentsOfFile: self.path("Old.xcdatamodel"))
    }
    expectProblem(.noContents) { () throws(ModelFileError) in
      try ManagedObjectModel(contentsOfFile: self.path("None.xcdatamodel"))
    }
    expectProblem(.notFound) { () throws(ModelFileError) in try ManagedObjectModel(contentsOfFile: self.path("Nowhere"))
    }
  }

  @Test func `A file of exactly the size limit is read, and a larger one is refused`() throws {
    for size in [0, 3, 4] {
      let text = String(repeating: "x", count: size)
      try write(text, to: "contents")
      #expect(try ModelFiles.read(path("contents"), limit: 4) == Array(text.utf8))
    }
    for size in [5, 6, 70_000] {
      try write(String(repeating: "x", count: size), to: "contents")
      expectProblem(.tooLarge(limit: 4)) { () throws(ModelFileError) in
        try ModelFiles.read(self.path("contents"), limit: 4)
      }
    }
  }

  private func expectProblem<Value>(_ problem: ModelFileProblem, _ body: () throws(ModelFileError) -> Value) {
    do {
      _ = try body()
      Issue.record("expected: \(problem)")
    } catch {
      #expect(error.problem == problem)
      #expect("\(error)".hasPrefix(folder.path(percentEncoded: false)))
    }
  }
}
