import Foundation
import TestSupport
import Testing

/// The page for people with a damaged library: each of its commands is run on the damage that it is for.
@Suite("The page about damaged libraries")
struct DamagedPageTests {
  /// A command of the page, in the folder where it is run.
  struct Step: Sendable, CustomTestStringConvertible {
    let line: String
    let status: Int32
    let prepare: @Sendable (TemporaryFolder) throws -> Void
    var testDescription: String { line }

    init(_ line: String, status: Int32 = 0, _ prepare: @escaping @Sendable (TemporaryFolder) throws -> Void) {
      (self.line, self.status, self.prepare) = (line, status, prepare)
    }
  }

  /// A track library, with other values or without some of its pages.
  private static func library(_ folder: TemporaryFolder, _ change: String = "", zeroing pages: [Int] = []) throws {
    let library = folder.file("Library.sqlite")
    try successfully("sample", "300", library)
    if !change.isEmpty { try Database.run(change, in: library) }
    try zero(pages, in: library)
  }

  /// The store of an app, with its model.
  private static func app(_ folder: TemporaryFolder, _ change: String = "", zeroing table: String? = nil) throws {
    let store = folder.file("App.sqlite")
    try Files.copy(SampleStore.data("Notes/library-v2.sqlite"), to: store)
    try Files.link(folder.file("App.xcdatamodeld"), to: SampleStore.data("Notes/Notes.xcdatamodeld"))
    if !change.isEmpty { try Database.run(change, in: store) }
    guard let table else { return }
    let root = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: store)
    try zero([try #require(root.flatMap { Int($0) })], in: store)
  }

  private static func zero(_ pages: [Int], in path: String) throws {
    var bytes = try Files.bytes(path)
    for page in pages {
      bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: repeatElement(0, count: 4096))
    }
    try Files.write(bytes, to: path)
  }

  private static let steps = [
    Step("cp -a Library.sqlite* /somewhere/else/") { try library($0) },
    Step("cp -a .Library_SUPPORT /somewhere/else/     # if there is one") {
      try library($0)
      _ = try $0.makeFolder(".Library_SUPPORT")
    },
    Step("tracks-migrate doctor Library.sqlite", status: 3) { try library($0, "UPDATE Z_PRIMARYKEY SET Z_MAX = 1") },
    Step("tracks-migrate doctor App.sqlite --model App.xcdatamodeld --format json", status: 3) {
      try app($0, "UPDATE ZNOTE SET ZTITLE = x'41' WHERE Z_PK = 1")
    },
    Step("tracks-migrate doctor Library.sqlite --repair") { try library($0, "UPDATE Z_PRIMARYKEY SET Z_MAX = 1") },
    Step("tracks-migrate salvage Library.sqlite --output Salvaged.sqlite") { try library($0, zeroing: [3, 20, 21]) },
    Step("tracks-migrate salvage App.sqlite --output SalvagedApp.sqlite --model App.xcdatamodeld") {
      try app($0, zeroing: "ZNOTE")
    },
    Step("tracks-migrate doctor Salvaged.sqlite") { try salvaged($0) },
    Step("tracks-migrate Salvaged.sqlite --dry-run") { try salvaged($0) },
    Step("tracks-migrate restore Library.sqlite --dry-run") { try migrated($0) },
    Step("tracks-migrate restore Library.sqlite") { try migrated($0) },
    Step("tracks-migrate redact Library.sqlite --output Shown.sqlite") {
      try library($0, "UPDATE ZTRACK SET ZTITLE = CAST(x'FF' AS TEXT) WHERE Z_PK = 8")
    },
    Step(
      "tracks-migrate redact App.sqlite --output ShownApp.sqlite --model App.xcdatamodeld --keep Note.displayIndex"
    ) { try app($0) },
  ]

  private static func salvaged(_ folder: TemporaryFolder) throws {
    try library(folder, zeroing: [3, 20, 21])
    try successfully("salvage", folder.file("Library.sqlite"), "--output", folder.file("Salvaged.sqlite"))
  }

  /// A library that was damaged after its migration.
  private static func migrated(_ folder: TemporaryFolder) throws {
    try library(folder)
    try successfully(folder.file("Library.sqlite"), "--quiet")
    try zero([3, 4, 5], in: folder.file("Library.sqlite"))
  }

  @Test(arguments: steps) func `A command of the page does what it is for`(step: Step) throws {
    let folder = try TemporaryFolder()
    try step.prepare(folder)
    _ = try folder.makeFolder("else")
    let line = step.line.replacing("tracks-migrate ", with: "$TOOL ").replacing("/somewhere/else/", with: "else/")
    let result = try CommandRunner.shell(line, in: folder.path).run()
    #expect(result.status == step.status, "\(step) \(result)")
  }

  @Test func `All commands of the page are tried`() throws {
    let page = try Files.text(Readme.root + "/docs/damaged.md")
    let blocks = page.components(separatedBy: "```sh\n").dropFirst()
    let lines = blocks.flatMap { block in
      (block.components(separatedBy: "```").first ?? "").split(separator: "\n").map(String.init)
    }
    #expect(lines == Self.steps.map(\.line))
  }
}
