import DataModel
import PropertyListFormat
import Testing

@Suite struct ArchivedExpressionTests {
  private static let texts: [(expression: TestExpression, text: String)] = [
    (.call("count:", .property("pages")), "count:(pages)"),
    (.property("primaryLabel.code"), "primaryLabel.code"), (.property("pages.@count"), "pages.@count"),
    (.property("file.size"), "file.#size"), (.instance, "SELF"), (.variable("source"), "$source"),
    (.keyPath(.variable("source"), "artist.name"), "$source.artist.name"),
    (.keyPath(.call("max:", .property("a")), "b"), "max:(a).b"), (.call("now"), "now()"),
    (.call("add:to:", .property("a"), .constant(.integer(1))), "add:to:(a, 1)"),
    (.list([.constant(.integer(1)), .constant(.string("x"))]), "{1, \"x\"}"), (.list([]), "{}"),
    (.constant(.string("a\"\\\n\r\tb")), #""a\"\\\n\r\tb""#), (.constant(.real(2)), "2"),
    (.constant(.real(0.5)), "0.5"), (.constant(.boolean(true)), "1"), (.constant(.boolean(false)), "0"),
    (.constant(.null), "nil"), (.classNamed("NSDate"), "CAST(\"NSDate\", \"Class\")"),
    (
      .function(
        .variable("manager"), "destinationInstancesForEntityMappingNamed:sourceInstances:",
        [.constant(.string("AToB")), .keyPath(.variable("source"), "items")]),
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"AToB\", $source.items)"
    ),
    (
      .fetch(.variable("request"), .keyPath(.variable("manager"), "sourceContext"), onlyCounts: false),
      "FETCH($request, $manager.sourceContext, NO)"
    ),
    (.fetch(.variable("request"), .variable("context"), onlyCounts: true), "FETCH($request, $context, YES)"),
    (
      .ternary(.comparison(.property("a"), 4, .constant(.integer(1))), .property("b"), .constant(.string("x"))),
      "TERNARY(a == 1, b, \"x\")"
    ),
  ]

  private func derived(_ expression: TestExpression, where filter: TestPredicate? = nil) -> SmallArchive {
    SmallArchive(attributeClass: "NSDerivedAttributeDescription") { archiver in
      var fields: PropertyListDictionary = ["NSDerivationExpression": expression.archived(by: &archiver)]
      fields["NSFilteringPredicate"] = filter?.archived(by: &archiver)
      return fields
    }
  }

  @Test(arguments: texts.indices)
  func `Expressions are written in the form in which they are hashed`(index: Int) throws {
    let (expression, text) = Self.texts[index]
    #expect(try derived(expression).model().entities[0].attribute(named: "a")?.derivationExpression == text)
  }

  private static let a = TestExpression.property("a")
  private static let isOne = TestPredicate.comparison(a, 4, .constant(.integer(1)))

  private static let predicates: [(predicate: TestPredicate, text: String)] = [
    (.always, "TRUEPREDICATE"), (.never, "FALSEPREDICATE"), (isOne, "a == 1"),
    (.comparison(a, 0, a), "a < a"), (.comparison(a, 1, a), "a <= a"), (.comparison(a, 2, a), "a > a"),
    (.comparison(a, 3, a), "a >= a"), (.comparison(a, 5, .constant(.null)), "a != nil"),
    (.comparison(a, 6, .constant(.string("x+"))), "a MATCHES \"x+\""),
    (.comparison(a, 7, a, options: 1), "a LIKE[c] a"),
    (.comparison(a, 8, a, options: 2), "a BEGINSWITH[d] a"), (.comparison(a, 9, a, options: 3), "a ENDSWITH[cd] a"),
    (.comparison(a, 10, .list([]), modifier: 2), "ANY a IN {}"), (.comparison(a, 99, a, options: 4), "a CONTAINS[n] a"),
    (.comparison(a, 100, .list([a, a]), modifier: 1), "ALL a BETWEEN {a, a}"), (.compound(0, [isOne]), "NOT a == 1"),
    (.compound(1, [isOne, isOne]), "a == 1 AND a == 1"), (.compound(2, [isOne]), "a == 1"),
    (.compound(1, []), "TRUEPREDICATE"), (.compound(2, []), "FALSEPREDICATE"),
    (.compound(1, [isOne, .compound(2, [isOne, isOne])]), "a == 1 AND (a == 1 OR a == 1)"),
    (.compound(0, [.compound(1, [isOne, isOne])]), "NOT (a == 1 AND a == 1)"),
  ]

  @Test(arguments: predicates.indices)
  func `Predicates are written in the form in which they are hashed`(index: Int) throws {
    let (predicate, text) = Self.predicates[index]
    let attribute = try derived(Self.a, where: predicate).model().entities[0].attribute(named: "a")
    #expect(attribute?.derivationFilterPredicate == text)
  }

  @Test func `An expression that is not understood is never hashed`() {
    let unknown = ModelFileProblem.unsupportedExpression(subject: "Property 'E.a'", className: "NSBlockExpression")
    #expect(derived(.other("NSBlockExpression")).problem == unknown)
    #expect(derived(.call("count:", .other("NSBlockExpression"))).problem == unknown)
    #expect(derived(Self.a, where: .comparison(.other("NSBlockExpression"), 4, Self.a)).problem == unknown)
    #expect(
      derived(Self.a, where: .other("NSBlockPredicate")).problem
        == .unsupportedExpression(subject: "Property 'E.a'", className: "NSBlockPredicate"))
    // A selector of the app's own.
    #expect(
      derived(Self.a, where: .comparison(Self.a, 11, Self.a)).problem
        == .unsupportedExpression(subject: "Property 'E.a'", className: "NSComparisonPredicateOperator"))
  }

  @Test func `An unknown predicate outside the hash is named without an error`() throws {
    let model = try SmallArchive(
      attributeClass: "NSFetchedPropertyDescription",
      attribute: { archiver in
        let predicate = TestPredicate.compound(1, [Self.isOne, .other("NSBlockPredicate")]).archived(by: &archiver)
        let name = archiver.add("E")
        return [
          "_NSFetchRequestEntityName": name,
          "NSFetchRequest": archiver.add("NSFetchRequest", ["NSPredicate": predicate]),
        ]
      }
    ).model()
    #expect(model.entities[0].ownFetchedProperties[0].fetchRequest.predicate == "<NSBlockPredicate>")
  }
}
