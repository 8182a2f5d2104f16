import DataModel
import Testing

/// Nothing is guessed: what no archive of Apple's shows is not archived.
@Suite struct ArchiveRefusalTests {
  private static func entity(
    _ attributes: AttributeDescription..., fetched: FetchRequestDescription? = nil, index: FetchIndexDescription? = nil
  ) -> EntityDescription {
    EntityDescription(
      "E", attributes: [optional("n", .integer16)] + attributes,
      fetchedProperties: fetched.map { [FetchedPropertyDescription("f", fetchRequest: $0)] } ?? [],
      fetchIndexes: index.map { [$0] } ?? [])
  }

  private static func derived(_ expression: String, filter: String? = nil) -> EntityDescription {
    var attribute = AttributeDescription("a", .string, derivationExpression: expression)
    attribute.derivationFilterPredicate = filter
    return entity(attribute)
  }

  private static func index(_ subject: FetchIndexSubject, _ predicate: String? = nil) -> EntityDescription {
    let elements = [FetchIndexElementDescription(subject)]
    return entity(index: FetchIndexDescription("i", elements: elements, partialIndexPredicate: predicate))
  }

  private static let refused: [(entity: EntityDescription, subject: String, part: String)] = [
    (entity(optional("a", .objectID)), "Attribute 'E.a'", "the type ObjectID"),
    (derived("a + b"), "Attribute 'E.a'", "the expression 'a + b'"),
    (derived("count:( n )"), "Attribute 'E.a'", "the expression 'count:( n )'"),
    (derived("nonsense ("), "Attribute 'E.a'", "the expression 'nonsense ('"),
    (derived("exit:(n)"), "Attribute 'E.a'", "the expression 'exit:(n)'"),
    (derived("$x.@count"), "Attribute 'E.a'", "the expression '$x.@count'"),
    (derived("n", filter: "n = 1"), "Attribute 'E.a'", "the predicate 'n = 1'"),
    (derived("n", filter: "n LIKE \"x\""), "Attribute 'E.a'", "the predicate 'n LIKE \"x\"'"),
    (index(.instance), "Index 'E.i'", "an element that is not a property"),
    (index(.entity), "Index 'E.i'", "an element that is not a property"),
    (index(.expression("n + 1")), "Index 'E.i'", "an element that is not a property"),
    (index(.property("n"), "n != 1"), "Index 'E.i'", "the predicate 'n != 1'"),
    (index(.property("n"), "ANY n == 1"), "Index 'E.i'", "the predicate 'ANY n == 1'"),
    (index(.property("n"), "n CONTAINS[n] 1"), "Index 'E.i'", "the predicate 'n CONTAINS[n] 1'"),
    (index(.property("n"), "n == 1.5"), "Index 'E.i'", "the expression '1.5'"),
    (index(.property("n"), "TRUEPREDICATE"), "Index 'E.i'", "the predicate 'TRUEPREDICATE'"),
    (index(.property("n"), "("), "Index 'E.i'", "the predicate '('"),
    (entity(index: FetchIndexDescription("", properties: ["n"])), "Entity 'E'", "an index without a name"),
    (
      entity(fetched: FetchRequestDescription("r", entityName: "None")), "Fetched property 'E.f'",
      "a fetch of the unknown entity 'None'"
    ),
    (
      entity(fetched: FetchRequestDescription("r", entityName: "E", editorAttributes: ["resultType": "2"])),
      "Fetched property 'E.f'", "a fetch with resultType=\"2\""
    ),
    (
      entity(fetched: FetchRequestDescription("r", entityName: "E", editorAttributes: ["fetchLimit": "-1"])),
      "Fetched property 'E.f'", "a fetch with fetchLimit=\"-1\""
    ),
  ]

  @Test(arguments: refused.indices)
  func `Parts whose archived form is unknown are refused by name`(index: Int) throws {
    let (entity, subject, part) = Self.refused[index]
    let model = try ManagedObjectModel(entities: [entity])
    let problem = ModelFileProblem.unarchivable(subject: subject, part: part)
    #expect(throws: problem) { try model.archive() }
    #expect(throws: problem) { try model.modelCache() }
  }

  @Test(arguments: [
    (AttributeType.string, AttributeValue.integer(1)), (.integer16, .double(1)), (.double, .double(.nan)),
    (.decimal, .double(.infinity)), (.decimal, .double(.nan)), (.decimal, .double(1e300)), (.decimal, .double(1e-300)),
    (.uuid, .uuid([1])), (.date, .double(1)), (.transformable, .data([])), (.boolean, .integer(1)),
  ])
  func `Default values of another type are refused`(type: AttributeType, value: AttributeValue) throws {
    let model = try ManagedObjectModel(
      entities: [Self.entity(AttributeDescription("a", type, defaultValue: value))])
    #expect(
      throws: ModelFileProblem.unarchivable(
        subject: "Attribute 'E.a'", part: "a default value that is none of its type")
    ) { try model.archive() }
  }

  @Test func `Fetch request templates are refused`() throws {
    var model = try ManagedObjectModel(entities: [Self.entity()])
    model.fetchRequestTemplates = [FetchRequestDescription("t", entityName: "E")]
    let problem = ModelFileProblem.unarchivable(subject: "The model", part: "fetch request templates")
    #expect(throws: problem) { try model.modelCache() }
    #expect(
      "\(problem)" == """
        The model has fetch request templates, which cannot be archived. \
        Remove it, or go without the archive; a store is complete without one.
        """)
  }

  @Test func `A property that is both declared and inherited is refused`() throws {
    let child = EntityDescription("C", superentityName: "E", attributes: [optional("n", .string)])
    let model = try ManagedObjectModel(entities: [Self.entity(), child])
    #expect(
      throws: ModelFileProblem.unarchivable(subject: "Entity 'C'", part: "a property 'n' that it inherits too")
    ) { try model.modelCache() }
  }

  @Test func `Inherited fetched properties do not multiply without limit`() throws {
    let request = FetchRequestDescription("r", entityName: "E0")
    let entities = (0..<700).map { index in
      EntityDescription(
        "E\(index)", superentityName: index == 0 ? nil : "E\(index - 1)",
        fetchedProperties: [FetchedPropertyDescription("f\(index)", fetchRequest: request)])
    }
    let model = try ManagedObjectModel(entities: entities)
    #expect(throws: ModelFileProblem.model(.tooManyInheritedProperties(limit: 200_000))) { try model.modelCache() }
  }
}
