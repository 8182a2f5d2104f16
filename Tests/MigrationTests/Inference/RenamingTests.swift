import DataModel
import Migration
import TestSupport
import Testing

struct RenamingTests {
  private func entity(_ name: String, id: String? = nil, _ attributes: [AttributeDescription] = []) -> EntityDescription
  {
    EntityDescription(name, renamingIdentifier: id, attributes: attributes)
  }

  private func text(_ name: String, id: String? = nil) -> AttributeDescription {
    AttributeDescription(name, .string, renamingIdentifier: id)
  }

  /// The pairs that are found, as `Old > New`.
  private func pairs(_ old: [EntityDescription], _ new: [EntityDescription]) throws -> [String] {
    try Inference.mappings(old, new).map { String($0.drop { $0 != " " }.dropFirst()) }
  }

  @Test func `Entities, attributes and relationships are renamed by their identifiers`() throws {
    let old = [
      EntityDescription(
        "Track", attributes: [text("title"), text("url")],
        relationships: [RelationshipDescription("artists", to: "Artist", inverse: "tracks")]),
      EntityDescription(
        "Artist", attributes: [text("name")],
        relationships: [RelationshipDescription("tracks", to: "Track", inverse: "artists")]),
    ]
    let new = [
      EntityDescription(
        "Song", renamingIdentifier: "Track", attributes: [text("name", id: "title"), text("url")],
        relationships: [
          RelationshipDescription("performers", to: "Person", inverse: "songs", renamingIdentifier: "artists")
        ]),
      EntityDescription(
        "Person", renamingIdentifier: "Artist", attributes: [text("name")],
        relationships: [
          RelationshipDescription("songs", to: "Song", inverse: "performers", renamingIdentifier: "tracks")
        ]),
    ]
    #expect(
      try Inference.mappings(old, new) == [
        "IEM_Transform_Person: Artist > Person",
        "IEM_Transform_Person.name = $source.name",
        "IEM_Transform_Person.songs -> {tracks}",
        "IEM_Transform_Song: Track > Song",
        "IEM_Transform_Song.name = $source.title",
        "IEM_Transform_Song.url = $source.url",
        "IEM_Transform_Song.performers -> {artists}",
      ])
    #expect(try Inference.infer(old, new).findings.isEmpty)
  }

  @Test func `A renamed entity without an identifier is treated as a new entity`() throws {
    #expect(try Inference.names([entity("A")], [entity("B")]) == ["IEM_Add_B", "IEM_Remove_A"])
  }

  @Test func `Versions that keep the same identifier can be skipped`() throws {
    let v1 = [entity("A", [text("x")])]
    let v2 = [entity("B", id: "A", [text("y", id: "x")])]
    let v3 = [entity("C", id: "A", [text("z", id: "x")])]
    #expect(try Inference.mappings(v1, v2).last == "IEM_Transform_B.y = $source.x")
    #expect(try Inference.mappings(v2, v3).last == "IEM_Transform_C.z = $source.y")
    #expect(try Inference.mappings(v1, v3).last == "IEM_Transform_C.z = $source.x")
    #expect(try pairs(v3, v1).first == "C > A")
    // An identifier that follows the last version only leads back to that one.
    let v3OfV2 = [entity("C", id: "B")]
    #expect(try Inference.names(v2, v3OfV2) == ["IEM_Transform_C"])
    #expect(try Inference.names(v1, v3OfV2) == ["IEM_Add_C", "IEM_Remove_A"])
  }

  @Test func `A renaming identifier takes precedence over an equal entity name`() throws {
    #expect(
      try Inference.mappings([entity("A")], [entity("A"), entity("B", id: "A")])
        == ["IEM_Add_A: - > A", "IEM_Transform_B: A > B"])
  }

  @Test func `Two entities can exchange names`() throws {
    #expect(
      try pairs([entity("A"), entity("B")], [entity("A", id: "B"), entity("B", id: "A")]) == ["B > A", "A > B"])
  }

  @Test func `An unchanged entity with an old renaming identifier is kept even if its old name is reused`() throws {
    let model = [entity("A"), entity("B", id: "A")]
    #expect(try Inference.names(model, model) == ["IEM_Copy_A", "IEM_Copy_B"])
  }

  @Test func `A shared renaming identifier takes precedence over a match with a name`() throws {
    #expect(
      try pairs([entity("A"), entity("B", id: "A")], [entity("A"), entity("C", id: "A")]) == ["A > A", "B > C"])
  }

  @Test func `An unmatched identifier is reported, and the name is used instead`() throws {
    let new = [entity("A", id: "Stray", [text("x", id: "astray")])]
    #expect(
      try Inference.mappings([entity("A", [text("x")])], new) == ["IEM_Copy_A: A > A", "IEM_Copy_A.x = $source.x"])
    #expect(
      try Inference.infer([entity("A", [text("x")])], new).findings.map(\.kind)
        == [.unknownIdentifier("Stray"), .unknownIdentifier("astray")])
  }

  @Test func `Two entities with the same identifier are ambiguous`() {
    let reasons = Inference.reasons([entity("A")], [entity("B", id: "A"), entity("C", id: "A")])
    #expect(reasons.map(\.kind) == [.ambiguousRenaming(sources: ["A"], destinations: ["B", "C"])])
    #expect(
      reasons.first?.description
        == "'B': names and renaming identifiers do not say which of 'A' becomes which of 'B', 'C'; give each another "
        + "renaming identifier")
  }

  @Test func `An identifier that two old entities share is ambiguous`() {
    #expect(
      Inference.reasons([entity("A", id: "X"), entity("B", id: "X")], [entity("C", id: "X")]).map(\.kind)
        == [.ambiguousRenaming(sources: ["A", "B"], destinations: ["C"])])
  }

  @Test func `Ambiguous attributes are refused without follow-up reasons`() {
    let new = ["y", "z"].map { AttributeDescription($0, .string, isOptional: false, renamingIdentifier: "x") }
    #expect(
      Inference.kinds([entity("A", [text("x")])], [entity("A", new)])
        == [#"A.y: ambiguousRenaming(sources: ["x"], destinations: ["y", "z"])"#])
  }

  @Test func `Names may contain any characters`() throws {
    let name = "It's \"a\" tráck"
    #expect(
      try Inference.mappings([entity(name, [text("a b")])], [entity("B", id: name, [text("ü", id: "a b")])])
        == ["IEM_Transform_B: \(name) > B", "IEM_Transform_B.ü = $source.a b"])
  }

  @Test func `An attribute and a relationship of the same name are unrelated`() throws {
    let other = RelationshipDescription("x", to: "A", maxCount: 1)
    let new = [EntityDescription("A", relationships: [other])]
    #expect(
      try Inference.mappings([entity("A", [text("x")])], new)
        == ["IEM_Transform_A: A > A", "IEM_Transform_A.x -> -"])
    #expect(try Inference.infer([entity("A", [text("x")])], new).findings.map(\.property) == ["x"])
  }
}
