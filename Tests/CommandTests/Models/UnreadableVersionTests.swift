import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

/// A bundle whose second version cannot be read, and a store of the first.
@Suite("An unreadable model version")
struct UnreadableVersionTests {
  private let folder: TemporaryFolder
  private let model: String
  private let store: String

  private static let versions = [
    // Xcode leaves such defaults behind when an attribute's type changes.
    "v1": entity(#"<attribute name="f" attributeType="Boolean" defaultValueString="0.0"/>"#),
    "v2": entity(#"<attribute name="f" attributeType="Hologram"/>"#),
    "v3": entity(
      #"<attribute name="f" attributeType="Integer 16" defaultValueString="NO"/>"#
        + #"<attribute name="g" attributeType="Integer 32" defaultValueString="NO"/>"#),
  ]

  private static func entity(_ attributes: String) -> String {
    #"<entity name="T"><attribute name="n" optional="YES" attributeType="String"/>\#(attributes)</entity>"#
  }

  init() throws {
    folder = try TemporaryFolder()
    model = try folder.models("App.xcdatamodeld", Self.versions, current: "v3")
    store = folder.file("App.sqlite")
    let v1 = try ModelBundle(path: model).version(named: "v1").model()
    try StoreWriter(path: store, schema: StoreSchema(v1), layout: .coreData).finish(
      metadata: .new(for: v1, uuid: "ID"), modelCache: try v1.modelCache())
    try Database.run(
      "INSERT INTO ZT (Z_PK, Z_ENT, Z_OPT, ZN, ZF) VALUES (1, 1, 1, 'a', 1), (2, 1, 1, 'b', 0);"
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1", in: store)
  }

  private static let fact = "the version 'v2' cannot be read (line 1: attribute 'T.f' has the unknown type 'Hologram'"

  @Test func `A migration that does not need the version succeeds with a warning`() throws {
    let plan = try successfully(store, "--model", model, "--dry-run")
    #expect(plan.stdout.contains("goes from 'v1' to 'v3' in one hop"))
    #expect(plan.stderr.contains("warning: \(Self.fact)"))
    let result = try successfully(store, "--model", model)
    #expect(result.stderr.contains("warning: \(Self.fact)"))
    #expect(try Database.rows("SELECT ZN, ZF, ZG FROM ZT ORDER BY 1", in: store) == ["a|1|0", "b|0|0"])
  }

  @Test func `A migration to the version is refused`() throws {
    let before = try folder.snapshot()
    let result = try tracksMigrate(store, "--model", model, "--to", "v2")
    #expect(result.status == 65)
    #expect(result.stderr.contains("attribute 'T.f' has the unknown type 'Hologram'"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `The version is named if the store's version is unknown`() throws {
    let other = try folder.models(
      "Other.xcdatamodeld", ["v2": Self.versions["v2"] ?? "", "v3": Self.versions["v3"] ?? ""])
    try Database.run("DELETE FROM Z_MODELCACHE", in: store)
    let result = try tracksMigrate(store, "--model", other, "--to", "v3")
    #expect(result.status == 69, "\(result)")
    #expect(result.stderr.contains(Self.fact))
  }

  @Test(arguments: [true, false])
  func `Inference is refused if the version's mapping model may be the intended one`(isKnown: Bool) throws {
    let source = SampleStore.data("Notes/Notes_v2_to_v3.xcmappingmodel/xcmapping.xml")
    _ = try folder.makeFolder("v1_to_v2.xcmappingmodel")
    let xml = String(decoding: try Files.bytes(source), as: UTF8.self)
      .replacing("Notes 2.xcdatamodel", with: "v1.xcdatamodel").replacing("Notes 3.xcdatamodel", with: "v2.xcdatamodel")
    try folder.write(Array(xml.utf8), to: "v1_to_v2.xcmappingmodel/xcmapping.xml")
    // Without the first version in the bundle, the store's own model begins the plan.
    let other = try folder.models(
      "Other.xcdatamodeld", ["v2": Self.versions["v2"] ?? "", "v3": Self.versions["v3"] ?? ""])
    let model = isKnown ? model : other
    let before = try folder.snapshot()
    let result = try tracksMigrate(store, "--model", model, "--to", "v3")
    #expect(result.status == 69, "\(result)")
    #expect(result.stderr.contains(Self.fact))
    #expect(result.stderr.contains("v1_to_v2.xcmappingmodel' may lead from it or to it"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `Other versions can still be inspected`() throws {
    let info = try successfully("info", store, "--model", model)
    #expect(info.stdout.contains("'v1' of '\(model)'"))
    #expect(info.stderr.contains(Self.fact))
    #expect(try successfully("models", "show", model).stdout.contains("v1, v2, v3 (current)"))
    let hashes = try successfully("models", "hash", model, "--all-versions")
    #expect(hashes.stdout.contains("App.xcdatamodeld:v1") && hashes.stdout.contains("App.xcdatamodeld:v3"))
    #expect(hashes.stderr.contains("has the unknown type 'Hologram'"))
    let lint = try tracksMigrate("models", "lint", model)
    #expect(lint.status == 3)
    #expect(lint.stdout.contains("unreadable-version"))
    #expect(try tracksMigrate("models", "diff", model + ":v1", model).status == 3)
    try successfully("models", "explain", store, model)
  }

  @Test func `A model without any readable version is an error`() throws {
    let model = try folder.models("Only.xcdatamodeld", ["v2": Self.versions["v2"] ?? ""])
    #expect(try tracksMigrate(store, "--model", model).status == 65)
    #expect(try tracksMigrate("models", "hash", model, "--all-versions").status == 65)
  }

  @Test func `A version with an odd default is readable, and lint reports it`() throws {
    let model = try folder.models(
      "Odd.xcdatamodeld",
      [
        "v1": Self.versions["v1"] ?? "",
        "v2": Self.entity(
          #"<attribute name="f" attributeType="Boolean"/>"#
            + #"<attribute name="x" optional="YES" attributeType="Integer 16" defaultValueString="many"/>"#),
      ], current: "v2")
    let lint = try tracksMigrate("models", "lint", model)
    #expect(lint.status == 3)
    #expect(lint.stdout.contains("unreadable-default"))
    let result = try successfully(store, "--model", model)
    #expect(result.stderr.contains("'T.x': the default 'many' is not a value of its type; instances get no value"))
    #expect(try Database.rows("SELECT ZN, ZX FROM ZT ORDER BY 1", in: store) == ["a|NULL", "b|NULL"])
  }
}
