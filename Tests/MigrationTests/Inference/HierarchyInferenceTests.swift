import DataModel
import Migration
import TestSupport
import Testing

struct HierarchyInferenceTests {
  private func entity(
    _ name: String, in parent: String? = nil, isAbstract: Bool = false, id: String? = nil, _ attributes: String...
  ) -> EntityDescription {
    EntityDescription(
      name, isAbstract: isAbstract, superentityName: parent, renamingIdentifier: id,
      attributes: attributes.map { AttributeDescription($0, .string) })
  }

  @Test func `An entity may get a new parent, and its attributes may move up to it`() throws {
    let new = [entity("Item", isAbstract: true, "x"), entity("A", in: "Item", "y")]
    #expect(
      try Inference.mappings([entity("A", "x", "y")], new)
        == ["IEM_Transform_A: A > A", "IEM_Transform_A.x = $source.x", "IEM_Transform_A.y = $source.y"])
    #expect(try Inference.findings([entity("A", "x", "y")], new).isEmpty)
  }

  @Test func `Attributes may move down, and siblings that do not get them lose their values`() throws {
    let old = [entity("Base", "x"), entity("A", in: "Base"), entity("B", in: "Base")]
    let new = [entity("Base"), entity("A", in: "Base", "x"), entity("B", in: "Base")]
    let inferred = try Inference.infer(old, new)
    #expect(
      Inference.lines(inferred.mappingModel) == [
        "IEM_Transform_A: A > A", "IEM_Transform_A.x = $source.x", "IEM_Transform_B: B > B",
        "IEM_Transform_Base: Base > Base",
      ])
    #expect(inferred.findings.map { "\($0.entity).\($0.property ?? "")" } == ["Base.x"], "B inherits the loss")
  }

  @Test func `An entity may leave its hierarchy, move within it and gain children`() throws {
    let old = [entity("Base", "x"), entity("A", in: "Base", "y"), entity("B", in: "Base")]
    let moved = [entity("Base", "x"), entity("A", "x", "y"), entity("B", in: "Base"), entity("C", in: "B")]
    #expect(
      try Inference.mappings(old, moved).filter { $0.contains("_Transform_A") }
        == ["IEM_Transform_A: A > A", "IEM_Transform_A.x = $source.x", "IEM_Transform_A.y = $source.y"])
    #expect(try Inference.names(old, moved).contains("IEM_Add_C"))
    let deeper = [entity("Base", "x"), entity("B", in: "Base"), entity("A", in: "B", "y")]
    #expect(try Inference.names(old, deeper).contains("IEM_Transform_A"))
  }

  @Test func `Entities without a common parent cannot be given one`() {
    let old = [entity("A"), entity("B")]
    #expect(
      Inference.kinds(old, [entity("Base", isAbstract: true), entity("A", in: "Base"), entity("B", in: "Base")])
        == [#"Base: mergedHierarchies(sourceRoots: ["A", "B"])"#])
    #expect(
      Inference.kinds(old, [entity("A"), entity("B", in: "A")]) == [#"A: mergedHierarchies(sourceRoots: ["A", "B"])"#])
    #expect(Inference.kinds(old, [entity("Base"), entity("A", in: "Base"), entity("B")]).isEmpty)
    #expect(Inference.kinds([entity("A")], [entity("A"), entity("B", in: "A")]).isEmpty, "B is new")
  }

  @Test func `Entities of one hierarchy may get a different common parent`() {
    let old = [entity("Base"), entity("A", in: "Base"), entity("B", in: "Base")]
    let new = [entity("Other", isAbstract: true), entity("A", in: "Other"), entity("B", in: "Other")]
    #expect(Inference.kinds(old, new).isEmpty)
  }

  @Test func `Abstract entities have no mapping, and one that becomes concrete is new`() throws {
    let old = [entity("Base", isAbstract: true, "x"), entity("A", in: "Base")]
    let new = [entity("Base", "x"), entity("A", in: "Base")]
    #expect(
      try Inference.mappings(old, new) == [
        "IEM_Transform_A: A > A", "IEM_Transform_A.x = $source.x", "IEM_Add_Base: - > Base", "IEM_Add_Base.x = -",
      ])
    #expect(try Inference.names(old, []) == ["IEM_Remove_A"])
  }

  @Test func `An entity that becomes abstract loses its instances unless another entity takes them`() throws {
    let inferred = try Inference.infer([entity("A")], [entity("A", isAbstract: true)])
    #expect(Inference.lines(inferred.mappingModel) == ["IEM_Remove_A: A > -"])
    #expect(inferred.findings.map(\.kind) == [.becomesAbstract] && inferred.findings[0].isLoss)
    let new = [entity("A", isAbstract: true, "x"), entity("Plain", in: "A", id: "A")]
    #expect(
      try Inference.mappings([entity("A", "x")], new)
        == ["IEM_Transform_Plain: A > Plain", "IEM_Transform_Plain.x = $source.x"])
  }

  @Test func `Changes are inherited through five generations`() throws {
    let names = ["A", "B", "C", "D", "E"]
    func model(_ id: (String) -> String?, _ name: (String) -> String) -> [EntityDescription] {
      names.enumerated().map { index, entity in
        EntityDescription(
          entity, superentityName: index > 0 ? names[index - 1] : nil,
          attributes: [AttributeDescription(name(entity), .string, renamingIdentifier: id(entity))])
      }
    }
    let old = model({ _ in nil }, { "of\($0)" })
    let new = model({ "of\($0)" }, { "from\($0)" })
    #expect(
      try Inference.mappings(old, new).suffix(6) == [
        "IEM_Transform_E: E > E", "IEM_Transform_E.fromA = $source.ofA", "IEM_Transform_E.fromB = $source.ofB",
        "IEM_Transform_E.fromC = $source.ofC", "IEM_Transform_E.fromD = $source.ofD",
        "IEM_Transform_E.fromE = $source.ofE",
      ])
  }

  @Test func `A reason shared by five generations is reported once`() {
    func model(_ attributes: AttributeDescription...) -> [EntityDescription] {
      [EntityDescription("A", attributes: attributes)]
        + zip(["A", "B", "C", "D"], ["B", "C", "D", "E"]).map { EntityDescription($1, superentityName: $0) }
    }
    let required = AttributeDescription("x", .string, isOptional: false)
    #expect(Inference.kinds(model(), model(required)) == ["A.x: attributeNeedsDefault"])
  }

  @Test func `An addition to an abstract parent is reported for each entity that has instances`() {
    let required = AttributeDescription("x", .string, isOptional: false)
    let old = [entity("Base", isAbstract: true), entity("A", in: "Base"), entity("B", in: "Base")]
    let new = [EntityDescription("Base", isAbstract: true, attributes: [required])] + old.dropFirst()
    #expect(Inference.kinds(old, new) == ["A.x: attributeNeedsDefault", "B.x: attributeNeedsDefault"])
    #expect(Inference.kinds([old[0]], [new[0]]).isEmpty, "nobody has it")
  }

  @Test func `Inference handles 2000 levels of inheritance`() throws {
    let deep = (0..<2000).map { entity("E\($0)", in: $0 > 0 ? "E\($0 - 1)" : nil) }
    #expect(try Inference.names(deep, deep).allSatisfy { $0.hasPrefix("IEM_Copy_") })
  }
}
