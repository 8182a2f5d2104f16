import Foundation
import TestSupport
import Testing

/// Two mapping models in different folders of a project that fit one hop.
@Suite("Mapping models that are passed over for nearer ones")
struct RivalMappingTests {
  private static let notes = Readme.root + "/SampleData/Notes"

  private let folder: TemporaryFolder
  private let store: String
  private let model: String
  private let far: String
  private let near: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("s.sqlite")
    model = try folder.makeFolder("App") + "/Notes.xcdatamodeld"
    near = folder.file("Z.xcmappingmodel")
    far = try folder.makeFolder("A") + "/Notes_v2_to_v3.xcmappingmodel"
    try Files.write("", to: folder.file("Package.swift"))
    try Files.copy(Self.notes + "/library-v2.sqlite", to: store)
    try Files.copy(Self.notes + "/Notes.xcdatamodeld", to: model)
    try Files.copy(
      Self.notes + "/Notes_v3_to_v4.xcmappingmodel", to: folder.file("App/Notes_v3_to_v4.xcmappingmodel"))
    try Files.copy(Self.notes + "/Notes_v2_to_v3.xcmappingmodel", to: far)
    try Files.copy(far, to: near)
  }

  private func run(_ arguments: String...) throws -> CommandResult {
    try CommandRunner(arguments, folder: folder.path).run()
  }

  private func change(_ mapping: String) throws {
    let file = mapping + "/xcmapping.xml"
    let text = try Files.text(file)
    let changed = text.replacing("image != nil", with: "image != nil AND title == \"x\"")
    try #require(changed != text)
    try Files.write(changed, to: file)
  }

  @Test func `One that does something else is a warning, and refused by a strict migration and a rehearsal`() throws {
    try change(near)
    let result = try run(store, "--model", model, "--output", folder.file("o.sqlite"))
    let line = result.stderr.split(separator: "\n").first { $0.contains("does something else") } ?? ""
    #expect(result.status == 0 && line.contains(far) && line.contains(near), "\(result)")
    let strict = try run(store, "--model", model, "--output", folder.file("p.sqlite"), "--strict")
    #expect(strict.status == 65 && strict.stderr.contains("does something else"), "\(strict)")
    let rehearsal = try run("rehearse", "--model", model, "--rows", "4")
    #expect(rehearsal.status == 3 && rehearsal.stdout.contains("does something else"), "\(rehearsal)")
    let named = try run(
      store, "--model", model, "--output", folder.file("q.sqlite"), "--strict", "--mapping", far, "--mapping",
      folder.file("App"))
    #expect(named.status == 0, "\(named)")
  }

  @Test func `A copy is only told as unused`() throws {
    let result = try run(store, "--model", model, "--output", folder.file("o.sqlite"), "--strict")
    #expect(result.status == 0 && !result.stderr.contains("does something else"), "\(result)")
    #expect(try run(store, "--model", model, "--dry-run").stdout.contains("not used: the mapping model '\(far)'"))
  }

  @Test func `Equally near ones are refused, as in one folder`() throws {
    try Files.copy(near, to: folder.makeFolder("B") + "/Other.xcmappingmodel")
    Files.remove(near)
    try change(folder.file("B/Other.xcmappingmodel"))
    let result = try run(store, "--model", model, "--output", folder.file("o.sqlite"))
    #expect(result.status == 78, "\(result)")
  }
}
