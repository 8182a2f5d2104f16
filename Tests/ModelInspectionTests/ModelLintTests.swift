import DataModel
import Foundation
import ModelInspection
import TestSupport
import Testing

@Suite struct ModelLintTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes versions and returns the findings in them: "version entity.property name".
  private func lint(
    _ versions: [(name: String, model: ManagedObjectModel?)], current: String? = nil, version: String? = nil,
    suggests: Bool = false
  ) throws -> [String] {
    let bundle = try folder.makeFolder("M.xcdatamodeld")
    for (name, model) in versions {
      let path = try folder.makeFolder("M.xcdatamodeld/\(name).xcdatamodel")
      try Files.write(try model?.xml() ?? "no XML", to: "\(path)/contents")
    }
    if let current {
      try Files.write(
        "<plist><dict><key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string></dict></plist>",
        to: "\(bundle)/.xccurrentversion")
    }
    return try ModelBundle(path: bundle).lint(versionNamed: version, suggests: suggests).map { finding in
      let place = [finding.entityName, finding.propertyName].compactMap(\.self).joined(separator: ".")
      return [finding.severity.rawValue, finding.versionName, place.isEmpty ? nil : place, finding.id]
        .compactMap(\.self).joined(separator: " ")
    }
  }

  private func lint(_ entities: [EntityDescription], suggests: Bool = false) throws -> [String] {
    try lint([("M", TrackModels.model(entities))], suggests: suggests)
  }

  private let plain = TrackModels.model([EntityDescription("A", attributes: [AttributeDescription("a", .string)])])

  @Test func `A sound model has no findings and one suggestion`() throws {
    #expect(try lint([("M", TrackModels.v1), ("M 2", TrackModels.v2)], current: "M 2") == [])
    #expect(
      try lint([("M", TrackModels.v1), ("M 2", TrackModels.v2)], current: "M 2", suggests: true)
        == ["suggestion M 2 spare-room"])
  }

  @Test func `Versions that cannot be distinguished are found`() throws {
    var indexed = EntityDescription("A", attributes: [AttributeDescription("a", .string)])
    indexed.fetchIndexes = [FetchIndexDescription("i", properties: ["a"])]
    let findings = try lint(
      [("M", plain), ("M 2", plain), ("M 3", TrackModels.model([indexed]))], current: "M 3")
    #expect(findings == ["warning M 2 identical-versions", "warning M 3 same-hashes"])
    let finding = try ModelBundle(path: folder.file("M.xcdatamodeld")).lint().last
    #expect(
      finding?.problem == "the version hashes are those of 'M 2', though it differs: A.i (added)")
    #expect(finding?.advice == "set a version hash modifier where stores must be migrated for that")
  }

  @Test func `A current version that is unset, missing or not the newest is found`() throws {
    let two = [("M", plain), ("M 2", TrackModels.v1)]
    #expect(try lint(two) == ["error current-version-unknown"])
    #expect(try lint(two, current: "M 3") == ["error current-version-unknown"])
    #expect(try lint(two, current: "M") == ["warning M current-version-not-newest"])
    #expect(try lint(two, version: "M") == [])
    #expect(throws: ModelFileError.self) { try lint(two, version: "M 9") }
  }

  @Test func `An unreadable version is found, and the other versions are still checked`() throws {
    let invalid: [(String, ManagedObjectModel?)] = [("M", nil), ("M 2", plain), ("M 3", plain)]
    #expect(
      try lint(invalid, current: "M 3") == ["error M unreadable-version", "warning M 3 identical-versions"])
  }

  @Test func `Attributes without a value for existing instances are found`() throws {
    let old = TrackModels.model([
      EntityDescription(
        "A", attributes: [AttributeDescription("a", .string), AttributeDescription("b", .string)]),
      EntityDescription("P", attributes: [AttributeDescription("moved", .string, isOptional: false)]),
      EntityDescription("C", superentityName: "P"),
    ])
    let new = TrackModels.model([
      EntityDescription(
        "B", renamingIdentifier: "A",
        attributes: [
          AttributeDescription("a", .string, isOptional: false),
          AttributeDescription("b", .string, isOptional: false, defaultValue: .string("")),
          AttributeDescription("c", .string, isOptional: false),
          AttributeDescription("d", .string, isOptional: false, isTransient: true),
        ]),
      EntityDescription("P"),
      EntityDescription(
        "C", superentityName: "P", attributes: [AttributeDescription("moved", .string, isOptional: false)]),
      EntityDescription("New", attributes: [AttributeDescription("x", .string, isOptional: false)]),
    ])
    #expect(
      try lint([("M", old), ("M 2", new)], current: "M 2")
        == ["warning M 2 B.c newly-required", "warning M 2 B.a newly-required"])
  }

  @Test func `Contradictory relationships are found`() throws {
    let findings = try lint([
      EntityDescription(
        "A",
        relationships: [
          RelationshipDescription("alone", to: "B"),
          RelationshipDescription("count", to: "B", inverse: "count", minCount: 3, maxCount: 2),
          RelationshipDescription("loose", to: "B", inverse: "other", deleteRule: .noAction),
          RelationshipDescription("minimum", to: "B", inverse: "minimum", minCount: 1),
          RelationshipDescription("order", to: "B", inverse: "order", maxCount: 1, isOrdered: true),
          RelationshipDescription("whole", to: "B", inverse: "part", deleteRule: .cascade),
          RelationshipDescription(
            "unbounded", to: "B", inverse: "unbounded", minCount: 1, maxCount: -1, isOptional: false),
        ]),
      EntityDescription(
        "B",
        relationships: [
          RelationshipDescription("count", to: "A", inverse: "count"),
          RelationshipDescription("minimum", to: "A", inverse: "minimum", minCount: 1, maxCount: 1),
          RelationshipDescription("order", to: "A", inverse: "order"),
          RelationshipDescription("other", to: "A", inverse: "whole"),
          RelationshipDescription("part", to: "A", inverse: "whole", deleteRule: .cascade),
          RelationshipDescription("unbounded", to: "A", inverse: "unbounded", maxCount: 1),
        ]),
    ])
    #expect(
      findings == [
        "warning M A.alone no-inverse", "error M A.count contradictory-counts", "warning M A.loose no-action-on-delete",
        "warning M A.loose inverse-disagrees", "warning M A.minimum optional-with-minimum",
        "warning M A.order ordered-to-one", "warning M B.other inverse-disagrees",
        "warning M B.part cascade-from-both-sides",
      ])
  }

  @Test func `Questionable entities are found`() throws {
    let wide = EntityDescription(
      "Wide", attributes: (0...100).map { AttributeDescription("a\($0)", .string) })
    let narrow = EntityDescription(
      "Narrow",
      attributes: (0..<100).map { AttributeDescription("a\($0)", .string) } + [
        AttributeDescription("t", .undefined, isTransient: true)
      ])
    let clash = EntityDescription(
      "Clash", attributes: [AttributeDescription("ID", .string), AttributeDescription("id", .string)])
    let empty = EntityDescription("Empty", isAbstract: true)
    #expect(
      try lint([wide, narrow, clash, empty]) == [
        "warning M Clash.id differs-in-case-only", "warning M Wide many-columns",
      ])
    let parent = EntityDescription(
      "Parent", isAbstract: true, attributes: [AttributeDescription("a", .string)])
    let child = EntityDescription("Child", superentityName: "Parent")
    #expect(try lint([parent, child], suggests: true) == ["suggestion M spare-room"])
    #expect(
      try lint([empty], suggests: true) == [
        "suggestion M Empty abstract-without-subentities", "suggestion M Empty without-properties",
        "suggestion M spare-room",
      ])
  }
}
