import CoreDataExpressions
import Testing

@Suite("Formats of the articles, of the format notes and of real mapping models")
struct SourceFormatTests {
  static let destinationInstances = "destinationInstancesForEntityMappingNamed:sourceInstances:"

  @Test(
    "Expressions print as they are written",
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
  func expressions(_ format: String) throws {
    #expect(try Expression(format: format).description == format)
  }

  @Test(
    "Expressions written in another way",
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
  func variants(_ format: String, _ printed: String) throws {
    #expect(try Expression(format: format).description == printed)
  }

  @Test(
    "Predicates",
    arguments: [
      ("image != nil", [], "image != nil"),
      ("image == nil", [], "image == nil"),
      ("TRUEPREDICATE", [], "TRUEPREDICATE"),
      ("name == %@", ["Bob"], "name == \"Bob\""),
      ("userId = %d", [7], "userId == 7"),
    ] as [(String, [FormatArgument], String)])
  func predicates(_ format: String, _ arguments: [FormatArgument], _ printed: String) throws {
    #expect(try Predicate(format: format, arguments: arguments).description == printed)
  }

  @Test("The copied key of an attribute mapping")
  func copiedKey() throws {
    #expect(try Expression(format: "$source.body").copiedSourceKey == "body")
    for other in ["$source", "$source.note.body", "body", "$manager.body", "$source.@count"] {
      #expect(try Expression(format: other).copiedSourceKey == nil)
    }
  }

  @Test("The relationship of the Notes article, evaluated with an invoker")
  func relationship() throws {
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

  @Test("The source of an entity mapping, evaluated with something to fetch from")
  func fetch() throws {
    let expression = try Expression(format: "FETCH($request, $manager.sourceContext, NO)")
    let manager = TestObject(["sourceContext": "context"])
    var context = EvaluationContext(variables: ["request": "request", "manager": .object(manager)])
    #expect(throws: EvaluationError.noFetcher) { try expression.value(in: context) }
    context.fetcher = { request, source, countOnly in [request, source, .boolean(countOnly)] }
    #expect(try expression.value(in: context) == ["request", "context", false])
  }
}
