import DataModel
import Migration
import TestSupport
import Testing

struct RelationshipInferenceTests {
  private typealias Relationship = RelationshipDescription

  private func entity(_ name: String, _ relationships: RelationshipDescription...) -> EntityDescription {
    EntityDescription(name, relationships: relationships)
  }

  /// A one-to-many relationship and its inverse.
  private let oneToMany = [
    EntityDescription("A", relationships: [RelationshipDescription("bs", to: "B", inverse: "a")]),
    EntityDescription("B", relationships: [RelationshipDescription("a", to: "A", inverse: "bs", maxCount: 1)]),
  ]

  @Test func `A to-one relationship becomes to-many, and both ends keep their links`() throws {
    let new = [
      entity("A", Relationship("bs", to: "B", inverse: "a")), entity("B", Relationship("a", to: "A", inverse: "bs")),
    ]
    #expect(
      try Inference.mappings(oneToMany, new)
        == [
          "IEM_Transform_A: A > A", "IEM_Transform_A.bs -> {bs}", "IEM_Transform_B: B > B", "IEM_Transform_B.a -> {a}",
        ].map { $0.replacing("Transform_A", with: "Copy_A") })
    #expect(try Inference.infer(oneToMany, new).findings.isEmpty)
  }

  /// Both ends, each to-one or to-many.
  private func pair(_ names: (String, String) = ("bs", "as"), maxCounts: (Int32, Int32)) -> [EntityDescription] {
    [
      entity("A", Relationship(names.0, to: "B", inverse: names.1, maxCount: maxCounts.0)),
      entity("B", Relationship(names.1, to: "A", inverse: names.0, maxCount: maxCounts.1)),
    ]
  }

  @Test func `A to-many relationship becomes to-one through its inverse, which is reported as a loss`() throws {
    let (oneToMany, oneToOne) = (pair(maxCounts: (0, 1)), pair(maxCounts: (1, 1)))
    #expect(
      try Inference.mappings(oneToMany, oneToOne) == [
        "IEM_Transform_A: A > A", "IEM_Transform_A.bs -> -", "IEM_Copy_B: B > B", "IEM_Copy_B.as -> {as}",
      ])
    let manyToMany = pair(maxCounts: (0, 0))
    for (old, new) in [(oneToMany, oneToOne), (manyToMany, pair(maxCounts: (1, 0)))] {
      let findings = try Inference.infer(old, new).findings
      #expect(findings.map(\.kind) == [.inverseBecomesToOne(inverse: "bs")])
      #expect(findings.map(\.isLoss) == [true])
      #expect(findings.map(\.entity) == ["B"])
    }
  }

  @Test func `A to-many relationship cannot become to-one without an inverse to choose the destination`() {
    #expect(
      Inference.kinds(pair(maxCounts: (0, 0)), pair(maxCounts: (1, 1)))
        == ["A.bs: toManyBecomesToOne", "B.as: toManyBecomesToOne"])
    func alone(_ maxCount: Int32) -> [EntityDescription] {
      [entity("A", Relationship("bs", to: "B", maxCount: maxCount)), entity("B")]
    }
    #expect(Inference.kinds(alone(0), alone(1)) == ["A.bs: toManyBecomesToOne"])
    #expect(
      Inference.kinds(
        [entity("A", Relationship("same", to: "A", inverse: "same"))],
        [entity("A", Relationship("same", to: "A", inverse: "same", maxCount: 1))]) == ["A.same: toManyBecomesToOne"])
  }

  @Test func `A to-many inverse may be replaced by a to-one inverse, which is reported as a loss`() throws {
    let new = pair(("first", "a"), maxCounts: (1, 1))
    #expect(
      try Inference.infer(oneToMany, new).findings.map(\.kind)
        == [.relationshipRemoved(likelyNewName: "first"), .inverseBecomesToOne(inverse: "first")])
  }

  @Test(arguments: [false, true])
  func `A relationship may become ordered or unordered`(wasOrdered: Bool) throws {
    func model(_ isOrdered: Bool) -> [EntityDescription] {
      [
        entity("A", Relationship("bs", to: "B", inverse: "as", isOrdered: isOrdered)),
        entity("B", Relationship("as", to: "A", inverse: "bs")),
      ]
    }
    #expect(
      try Inference.mappings(model(wasOrdered), model(!wasOrdered)) == [
        "IEM_Transform_A: A > A", "IEM_Transform_A.bs -> {bs}", "IEM_Copy_B: B > B", "IEM_Copy_B.as -> {as}",
      ])
  }

  @Test func `A lost order is reported`() throws {
    let ordered = [entity("A", Relationship("as", to: "A", isOrdered: true))]
    let unordered = [entity("A", Relationship("as", to: "A"))]
    #expect(
      try Inference.findings(ordered, unordered)
        == ["'A.as': the relationship is no longer ordered, and the order of its links is lost"])
    #expect(try Inference.findings(unordered, ordered).isEmpty)
  }

  @Test func `Links to an entity that leaves the destination's hierarchy are refused`() {
    func model(_ parent: String?) -> [EntityDescription] {
      [
        entity("Base"), EntityDescription("Leaf", superentityName: parent),
        entity("Holder", Relationship("item", to: "Base", maxCount: 1)),
      ]
    }
    #expect(
      Inference.kinds(model("Base"), model(nil))
        == [#"Holder.item: destinationOutside(entity: "Leaf", destination: "Base")"#])
  }

  @Test func `A new relationship is empty, and a removed one is reported`() throws {
    let old = [entity("A", Relationship("friends", to: "A"))]
    let new = [entity("A", Relationship("boss", to: "A", maxCount: 1))]
    #expect(try Inference.mappings(old, new) == ["IEM_Transform_A: A > A", "IEM_Transform_A.boss -> -"])
    #expect(
      try Inference.infer(old, new).findings.map(\.kind) == [.relationshipRemoved(likelyNewName: "boss")])
  }

  @Test(arguments: [(0, 1), (1, 1), (1, 0)] as [(Int32, Int32)])
  func `A new relationship that requires a destination is refused`(minCount: Int32, maxCount: Int32) {
    let required = Relationship("b", to: "B", minCount: minCount, maxCount: maxCount, isOptional: false)
    #expect(
      Inference.kinds([entity("A"), entity("B")], [entity("A", required), entity("B")])
        == ["A.b: relationshipNeedsDestination"])
    #expect(Inference.kinds([entity("B")], [entity("A", required), entity("B")]).isEmpty, "A is new")
  }

  @Test func `A new required to-many relationship without a minimum may be empty`() throws {
    let required = Relationship("bs", to: "B", isOptional: false)
    let new = [entity("A", required), entity("B")]
    #expect(try Inference.findings([entity("A"), entity("B")], new).isEmpty)
    let optional = [entity("A", Relationship("bs", to: "B")), entity("B")]
    #expect(try Inference.findings(optional, new).isEmpty, "what becomes required may be empty, too")
  }

  @Test func `A new required relationship may get its links from its inverse`() throws {
    let old = [entity("A", Relationship("bs", to: "B")), entity("B")]
    let new = [
      entity("A", Relationship("bs", to: "B", inverse: "a")),
      entity("B", Relationship("a", to: "A", inverse: "bs", maxCount: 1, isOptional: false)),
    ]
    #expect(try Inference.findings(old, new).isEmpty)
  }

  @Test func `A relationship that becomes required is checked by validation and reported`() throws {
    let old = [entity("A", Relationship("a", to: "A", maxCount: 1))]
    let new = [entity("A", Relationship("a", to: "A", maxCount: 1, isOptional: false))]
    #expect(try Inference.infer(old, new).findings.map(\.kind) == [.valueMayBeMissing])
  }

  @Test func `A new to-one inverse is reported because several instances may share a destination`() throws {
    let old = [entity("A"), entity("B", Relationship("a", to: "A", maxCount: 1))]
    let new = [
      entity("A", Relationship("b", to: "B", inverse: "a", maxCount: 1)),
      entity("B", Relationship("a", to: "A", inverse: "b", maxCount: 1)),
    ]
    #expect(try Inference.infer(old, new).findings.map(\.kind) == [.linksMayConflict(inverse: "b")])
  }

  @Test(arguments: [0, 1] as [Int32])
  func `A to-many relationship that loses its inverse keeps one owner per destination, as reported`(
    maxCount: Int32
  ) throws {
    let new = [entity("A", Relationship("bs", to: "B")), entity("B")]
    let shared = [
      entity("A", Relationship("bs", to: "B", inverse: "as", maxCount: maxCount)),
      entity("B", Relationship("as", to: "A", inverse: "bs")),
    ]
    let findings = try Inference.infer(shared, new).findings
    #expect(findings.map(\.kind).contains(.linksMayBeDropped))
    #expect(findings.contains { $0.kind == .linksMayBeDropped && $0.isLoss })
    let owned = [
      entity("A", Relationship("bs", to: "B", inverse: "a")),
      entity("B", Relationship("a", to: "A", inverse: "bs", maxCount: 1)),
    ]
    #expect(try !Inference.infer(owned, new).findings.map(\.kind).contains(.linksMayBeDropped))
  }

  @Test func `A many-to-many relationship of an entity with itself is renamed at both ends at once`() throws {
    func model(_ names: (String, String), _ ids: (String?, String?) = (nil, nil)) -> [EntityDescription] {
      [
        entity(
          "P", Relationship(names.0, to: "P", inverse: names.1, renamingIdentifier: ids.0),
          Relationship(names.1, to: "P", inverse: names.0, renamingIdentifier: ids.1))
      ]
    }
    #expect(
      try Inference.mappings(model(("likes", "likedBy")), model(("a", "z"), ("likes", "likedBy")))
        == ["IEM_Transform_P: P > P", "IEM_Transform_P.a -> {likes}", "IEM_Transform_P.z -> {likedBy}"])
    #expect(
      try Inference.mappings(model(("likes", "likedBy")), model(("likes", "likedBy"), ("likedBy", "likes"))) == [
        "IEM_Transform_P: P > P", "IEM_Transform_P.likedBy -> {likes}", "IEM_Transform_P.likes -> {likedBy}",
      ], "the version hash is the same, but the ends change places")
  }

  @Test func `A relationship of an entity with itself is kept`() throws {
    let model = [
      entity(
        "N", Relationship("children", to: "N", inverse: "parent", isOrdered: true),
        Relationship("parent", to: "N", inverse: "children", maxCount: 1),
        Relationship("same", to: "N", inverse: "same"))
    ]
    #expect(
      try Inference.mappings(model, model) == [
        "IEM_Copy_N: N > N", "IEM_Copy_N.children -> {children}", "IEM_Copy_N.parent -> {parent}",
        "IEM_Copy_N.same -> {same}",
      ])
  }

  @Test func `The destination may become a parent of the old one, but not its child`() {
    func model(_ destination: String) -> [EntityDescription] {
      [
        entity("Base"), EntityDescription("Leaf", superentityName: "Base"),
        entity("Holder", Relationship("item", to: destination, maxCount: 1)),
      ]
    }
    #expect(Inference.kinds(model("Leaf"), model("Base")).isEmpty)
    #expect(
      Inference.kinds(model("Base"), model("Leaf"))
        == [#"Holder.item: destinationOutside(entity: "Base", destination: "Leaf")"#])
  }

  @Test func `A relationship to a removed entity is reported as empty`() throws {
    let old = [entity("A", Relationship("owner", to: "Old", maxCount: 1)), entity("Old"), entity("New")]
    let new = [entity("A", Relationship("owner", to: "New", maxCount: 1)), entity("New")]
    let found = try Inference.infer(old, new).findings
    #expect(
      found.map(\.kind) == [.destinationRemoved(entity: "Old"), .entityRemoved(likelyNewName: nil)])
    #expect(found.map(\.isLoss) == [true, true])
  }

  @Test func `Transient relationships are ignored`() throws {
    func model(_ isTransient: Bool) -> [EntityDescription] {
      [entity("A", Relationship("a", to: "A", maxCount: 1, isTransient: isTransient))]
    }
    #expect(try Inference.mappings(model(true), model(false)).last == "IEM_Transform_A.a -> -")
    #expect(try Inference.mappings(model(false), model(true)) == ["IEM_Transform_A: A > A"])
  }
}
