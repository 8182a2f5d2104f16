import DataModel
import Testing

@Suite struct ModelErrorTests {
  private static let wrong: [(body: String, error: String)] = [
    (
      #"<entity name="E"><attribute name="a" attributeType="Strng"/></entity>"#,
      "contents:3: Attribute 'E.a' has the unknown type 'Strng'. Choose one of Xcode's types, for example String."
    ),
    (
      #"<entity name="E"><attribute name="a" attributeType="Composite"/></entity>"#,
      "contents:3: Attribute 'E.a' has no 'composite'. Add it, or save the model again in Xcode."
    ),
    (
      #"<entity name="E"><attribute name="a"/></entity>"#,
      "contents: Attribute 'E.a' is stored but has no type. Choose a type for it, or make it transient."
    ),
    (
      #"<entity name="E"><attribute attributeType="String"/></entity>"#,
      "contents:3: Attribute 'E.' has no 'name'. Add it, or save the model again in Xcode."
    ),
    (
      "<entity/>", "contents:3: Entity '' has no 'name'. Add it, or save the model again in Xcode."
    ),
    (
      #"<entity name="E"><attribute name="a" attributeType="String" optional="maybe"/></entity>"#,
      "contents:3: Attribute 'E.a' says optional=\"maybe\", but YES or NO is expected there. Correct the value in Xcode's model editor."
    ),
    (
      #"<entity name="E"><attribute name="a" attributeType="String" derived="YES"/></entity>"#,
      "contents:3: Attribute 'E.a' has no 'derivationExpression'. Add it, or save the model again in Xcode."
    ),
    (
      #"<entity name="E"><relationship name="r"/></entity>"#,
      "contents:3: Relationship 'E.r' has no 'destinationEntity'. Add it, or save the model again in Xcode."
    ),
    (
      #"<entity name="E"><relationship name="r" destinationEntity="E" maxCount="many"/></entity>"#,
      "contents:3: Relationship 'E.r' says maxCount=\"many\", but a whole number is expected there. Correct the value in Xcode's model editor."
    ),
    (
      #"<entity name="E"><relationship name="r" destinationEntity="E" deletionRule="Never"/></entity>"#,
      "contents:3: Relationship 'E.r' says deletionRule=\"Never\", but one of No Action, Nullify, Cascade, Deny is expected there. Correct the value in Xcode's model editor."
    ),
    (
      #"<entity name="E"><relationship name="r" destinationEntity="F"/></entity>"#,
      "contents: Relationship 'E.r' leads to 'F', which the model does not have. Choose a destination that exists, or add the entity."
    ),
    (
      #"<entity name="E"><relationship name="r" destinationEntity="E" inverseName="q"/></entity>"#,
      "contents: Relationship 'E.r' names the inverse 'q', which its destination does not have. Choose an inverse that exists, or none."
    ),
    (
      #"<entity name="E"/><entity name="E"/>"#,
      "contents: The model has two entities named 'E'. Rename one of them."
    ),
    (
      #"<entity name="E"><attribute name="a" attributeType="Date"/><relationship name="a" destinationEntity="E"/></entity>"#,
      "contents: Entity 'E' has two properties named 'a'. Rename one of them."
    ),
    (
      #"<entity name="E" parentEntity="F"/>"#,
      "contents: Entity 'E' names the parent 'F', which the model does not have. Choose a parent that exists, or none."
    ),
    (
      #"<entity name="E" parentEntity="F"/><entity name="F" parentEntity="E"/>"#,
      "contents: Entity 'E' is its own ancestor. Choose another parent for it."
    ),
    (
      #"<entity name="E"><uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints></entity>"#,
      "contents: A uniqueness constraint of entity 'E' names the property 'x', which the entity does not have. Correct the constraint or add the property."
    ),
    (
      #"<entity name="E"><fetchIndex name="i"><fetchIndexElement property="x"/></fetchIndex></entity>"#,
      "contents: Index 'i' of entity 'E' names the property 'x', which the entity does not have. Correct the index or add the property."
    ),
    (
      #"<entity name="E"><fetchIndex name="i"><fetchIndexElement/></fetchIndex></entity>"#,
      "contents:3: An element of index 'E.i' has no 'property'. Add it, or save the model again in Xcode."
    ),
    (
      #"<entity name="E"><fetchIndex name="i"><fetchIndexElement property="x" order="up"/></fetchIndex></entity>"#,
      "contents:3: An element of index 'E.i' says order=\"up\", but ascending or descending is expected there. Correct the value in Xcode's model editor."
    ),
    (
      #"<entity name="E"><fetchedProperty name="f"/></entity>"#,
      "contents:3: Fetched property 'E.f' has no 'fetchRequest'. Add it, or save the model again in Xcode."
    ),
    (
      #"<entity name="E">"#,
      "contents:4: The XML is not well-formed. Restore the file, or save the model again in Xcode."
    ),
  ]

  @Test(arguments: wrong)
  func `Each mistake in a model is named with advice`(body: String, error: String) {
    #expect {
      try readModel(body)
    } throws: { "\($0)" == error }
  }

  @Test func `Properties without names are refused in code too`() {
    #expect(throws: ModelError.namelessEntity) { try ManagedObjectModel(entities: [EntityDescription("")]) }
    #expect(throws: ModelError.namelessProperty(entity: "E")) {
      try ManagedObjectModel(entities: [EntityDescription("E", attributes: [optional("", .string)])])
    }
  }

  @Test func `Unbounded multiplication of properties by inheritance is refused`() {
    let chain = (0..<20_000).map { index in
      EntityDescription(
        "E\(index)", superentityName: index == 0 ? nil : "E\(index - 1)", attributes: [optional("a\(index)", .string)])
    }
    #expect(throws: ModelError.tooManyInheritedProperties(limit: 200_000)) { try ManagedObjectModel(entities: chain) }
  }
}
