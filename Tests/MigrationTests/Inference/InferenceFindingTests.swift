import DataModel
import Migration
import TestSupport
import Testing

struct InferenceFindingTests {
  private func text(_ names: String...) -> [AttributeDescription] { names.map { AttributeDescription($0, .string) } }

  private func entity(_ name: String, _ attributes: [AttributeDescription] = [], unique: [[String]] = [])
    -> EntityDescription
  {
    EntityDescription(name, uniquenessConstraints: unique, attributes: attributes)
  }

  @Test func `Everything that is dropped is named with its likely replacement`() throws {
    let old = [entity("Track", text("colour", "notes")), entity("Genre", text("name"))]
    let new = [entity("Track", text("color")), entity("Genres", text("name"))]
    let found = try Inference.infer(old, new).findings
    #expect(
      found.map(\.description) == [
        "'Genre': the entity is removed with all its instances; if it became 'Genres', set the renaming identifier "
          + "of that, or they are lost",
        "'Track.colour': the attribute is removed with all its values; if it became 'color', set the renaming "
          + "identifier of that, or they are lost",
        "'Track.notes': the attribute is removed with all its values",
      ])
    #expect(found.map(\.isLoss) == [true, true, true])
  }

  @Test func `The only new attribute of the same type is suggested regardless of its name`() throws {
    func guess(_ old: [AttributeDescription], _ new: [AttributeDescription]) throws -> [InferenceFinding.Kind] {
      try Inference.infer([entity("E", old)], [entity("E", new)]).findings.map(\.kind)
    }
    #expect(try guess(text("a"), text("zzzzzz")) == [.attributeRemoved(likelyNewName: "zzzzzz")])
    #expect(try guess(text("name"), text("name2", "names")) == [.attributeRemoved(likelyNewName: "name2")])
    #expect(try guess(text("a"), text("y", "z")) == [.attributeRemoved(likelyNewName: nil)])
    #expect(
      try guess(text("a"), [AttributeDescription("zzzzzz", .date)]) == [.attributeRemoved(likelyNewName: nil)])
  }

  @Test func `Each new name is suggested for the closest old one`() throws {
    let found = try Inference.infer(
      [entity("E", text("imageURL", "imageurls"))], [entity("E", text("imageUrl", "other", "imageUrls"))]
    ).findings
    #expect(
      found.map(\.kind)
        == [.attributeRemoved(likelyNewName: "imageUrl"), .attributeRemoved(likelyNewName: "imageUrls")])
  }

  @Test func `An entity with mostly the same attributes is suggested regardless of its name`() throws {
    func guess(_ attributes: [AttributeDescription]) throws -> [InferenceFinding.Kind] {
      try Inference.infer([entity("Old", text("a", "b", "c"))], [entity("New", attributes)]).findings.map(\.kind)
    }
    #expect(try guess(text("a", "b", "d")) == [.entityRemoved(likelyNewName: "New")])
    #expect(try guess(text("a", "d", "e")) == [.entityRemoved(likelyNewName: nil)])
    #expect(try guess([]) == [.entityRemoved(likelyNewName: nil)])
  }

  @Test func `No suggestions are made where there is too much to compare`() throws {
    let names = (0..<200).map { "name\($0)" }
    let old = names.map { AttributeDescription("\($0)old", .string) }
    let new = names.map { AttributeDescription("\($0)new", .string) }
    let found = try Inference.infer([entity("E", old)], [entity("E", new)]).findings
    #expect(found.count == 200)
    #expect(Set(found.map(\.kind)) == [.attributeRemoved(likelyNewName: nil)])
  }

  @Test func `A new uniqueness constraint is reported because rows may violate it`() throws {
    let plain = entity("E", text("a", "b"))
    let unique = entity("E", text("a", "b"), unique: [["b", "a"]])
    #expect(
      try Inference.findings([plain], [unique])
        == ["'E': instances must now differ in 'b', 'a'; others cannot be migrated"])
    #expect(try Inference.findings([unique], [entity("E", text("a", "b"), unique: [["a", "b"]])]).isEmpty)
    #expect(try Inference.findings([unique], [plain]).isEmpty)
    #expect(try Inference.findings([entity("F", text("a"))], [unique, entity("F", text("a"))]).isEmpty, "E is new")
  }

  @Test func `A uniqueness constraint follows a renamed property`() throws {
    let renamed = entity(
      "E", [AttributeDescription("z", .string, renamingIdentifier: "a")], unique: [["z"]])
    #expect(try Inference.findings([entity("E", text("a"), unique: [["a"]])], [renamed]).isEmpty)
  }

  @Test func `A uniqueness constraint that moves up is reported if it covers more instances`() throws {
    func model(_ base: [[String]], _ leaf: [[String]], isAbstract: Bool = false) -> [EntityDescription] {
      [
        EntityDescription("Base", isAbstract: isAbstract, uniquenessConstraints: base, attributes: text("a")),
        EntityDescription("Leaf", superentityName: "Base", uniquenessConstraints: leaf),
        EntityDescription("Other", superentityName: "Base", uniquenessConstraints: leaf),
      ]
    }
    let (apart, together) = (model([], [["a"]], isAbstract: true), model([["a"]], [], isAbstract: true))
    #expect(try Inference.infer(apart, together).findings.map(\.entity) == ["Base"])
    #expect(try Inference.findings(together, apart).isEmpty)
    #expect(try Inference.infer(model([], [["a"]]), model([["a"]], [])).findings.map(\.entity) == ["Base"])
    #expect(try Inference.findings(model([["a"]], []), model([], [["a"]])).isEmpty)
  }
}
