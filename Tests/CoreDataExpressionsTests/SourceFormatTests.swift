import CoreDataExpressions
import Testing

@Suite("Formats of the articles, of the format notes and of real mapping models")
struct SourceFormatTests {
  static let destinationInstances = "destinationInstancesForEntityMappingNamed:sourceInstances:"

  @Test(
    arguments: [
      "$source", "$destination", "$manager", "$entityMapping", "$propertyMapping", "$entityPolicy",
      "$source.body", "$source.title", "$source.image", "$source.dateCreated", "$source.attachments", "$source.status",
      "$source.countries.@distinctUnionOfSets.moods", "$source.continent.numericISO3166Code", "$manager.sourceContext",
      "FUNCTION($manager, \"\(destinationInstances)\", \"NoteToNote\", $source)",
      "FUNCTION($manager, \"\(destinationInstances)\", \"CarToCar\", $source.cars)",
      "FUNCTION($manager, \"\(destinationInstances)\", \"MoodToMood\", $source.countries.@distinctUnionOfSets.moods)",
      "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"note\", $source.note)",
      "FUNCTION($entityPolicy, \"captionFor:\", $source.note.body)",
      "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Note\", \"image != nil\"), $manager.sourceContext, NO)",
      "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Author\", \"TRUEPREDICATE\"), $manager.sourceContext, NO)",
      "count:(pages)", "pages.@count", "additionalAttributes.cameraCaptureDevice", "primaryLabel.code", "YES", "now()",
    ])
  func `Published expressions print as they are written`(_ format: String) throws {
    #expect(try Expression(format: format).description == format)
  }

  @Test(
    arguments: [
      (
        """
        FUNCTION($manager,
          "destinationInstancesForEntityMappingNamed:sourceInstances:",
          "NoteToNote", $source)
        """,
        "FUNCTION($manager, \"\(destinationInstances)\", \"NoteToNote\", $source)"
      ),
      (
        "FUNCTION($manager ,\"\(destinationInstances)\" , \"PersonToPerson\", $source.friends)",
        "FUNCTION($manager, \"\(destinationInstances)\", \"PersonToPerson\", $source.friends)"
      ),
      (
        "FETCH(FUNCTION($manager,\"fetchRequestForSourceEntityNamed:predicateString:\",\"Note\",\"image != nil\"),$manager.sourceContext,NO)",
        "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Note\", \"image != nil\"), $manager.sourceContext, NO)"
      ),
      ("true", "YES"), ("count(pages)", "count:(pages)"),
    ])
  func `Expressions written in variant forms print in canonical form`(_ format: String, _ printed: String) throws {
    #expect(try Expression(format: format).description == printed)
  }

  @Test(
    arguments: [
      ("image != nil", [], "image != nil"),
      ("image == nil", [], "image == nil"),
      ("TRUEPREDICATE", [], "TRUEPREDICATE"),
      ("name == %@", ["Bob"], "name == \"Bob\""),
      ("userId = %d", [7], "userId == 7"),
    ] as [(String, [FormatArgument], String)])
  func `Published predicates print in canonical form`(
    _ format: String, _ arguments: [FormatArgument], _ printed: String
  ) throws {
    #expect(try Predicate(format: format, arguments: arguments).description == printed)
  }

  @Test func `An attribute mapping names the source key that it copies`() throws {
    #expect(try Expression(format: "$source.body").copiedSourceKey == "body")
    for other in ["$source", "$source.note.body", "body", "$manager.body", "$source.@count"] {
      #expect(try Expression(format: other).copiedSourceKey == nil)
    }
  }

  @Test func `The relationship expression of the Notes article is evaluated by an invoker`() throws {
    let expression = try Expression(
      format: "FUNCTION($manager, \"\(Self.destinationInstances)\", \"NoteToNote\", $source)")
    let (manager, note, copy) = (TestObject(), TestObject(), TestObject())
    let context = EvaluationContext(
      variables: ["manager": .object(manager), "source": .object(note)],
      invoker: { target, selector, arguments in
        #expect(target == .object(manager))
        #expect(selector == Self.destinationInstances)
        #expect(arguments == ["NoteToNote", .object(note)])
        return [.object(copy)]
      })
    #expect(try expression.value(in: context) == [.object(copy)])
  }

  @Test func `The source expression of an entity mapping is evaluated by a fetcher`() throws {
    let expression = try Expression(format: "FETCH($request, $manager.sourceContext, NO)")
    let manager = TestObject(["sourceContext": "context"])
    var context = EvaluationContext(variables: ["request": "request", "manager": .object(manager)])
    #expect(throws: EvaluationError.noFetcher) { try expression.value(in: context) }
    context.fetcher = { request, source, countOnly in [request, source, .boolean(countOnly)] }
    #expect(try expression.value(in: context) == ["request", "context", false])
  }
}
