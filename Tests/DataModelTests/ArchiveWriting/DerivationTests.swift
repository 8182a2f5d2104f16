import DataModel
import Testing

@Suite("Expressions of derived attributes")
struct DerivationTests {
  private func model(_ expression: String) throws -> ManagedObjectModel {
    try readModel(
      """
      <entity name="P"><attribute name="n" optional="YES" attributeType="String"/>
      <attribute name="x" optional="YES" attributeType="String" derived="YES" derivationExpression="\(expression)"/>
      <relationship name="kids" optional="YES" toMany="YES" destinationEntity="P" inverseName="par" inverseEntity="P"/>
      <relationship name="par" optional="YES" maxCount="1" destinationEntity="P" inverseName="kids" inverseEntity="P"/>
      </entity>
      """)
  }

  @Test(
    arguments: [
      ("kids.@count", "kids.@count"), ("now()", "now()"), ("par.n", "par.n"), ("par.par.n", "par.par.n"),
      ("sum:(kids.n)", "sum:(kids.n)"), ("canonical:(n)", "canonical:(n)"), ("uppercase:( n )", "uppercase:(n)"),
      ("lowercase(par.n)", "lowercase:(par.n)"), ("kids.@sum.n", "kids.@sum.n"), ("max(kids.n)", "max:(kids.n)"),
    ])
  func `A spelling of Apple's documentation is archived and read as the text that is hashed`(
    _ written: String, _ printed: String
  ) throws {
    let model = try model(written)
    #expect(model.entity(named: "P")?.attribute(named: "x")?.derivationExpression == printed)
    for archived in [
      try ManagedObjectModel(archive: model.archive()), try ManagedObjectModel(modelCache: model.modelCache()),
    ] {
      #expect(archived.entity(named: "P")?.attribute(named: "x")?.derivationExpression == printed)
      #expect(archived.entityVersionHashesByName == model.entityVersionHashesByName)
    }
  }

  @Test func `An expression that cannot be read keeps its text and cannot be archived`() throws {
    let model = try model("kids.@")
    #expect(model.entity(named: "P")?.attribute(named: "x")?.derivationExpression == "kids.@")
    #expect(throws: ModelFileProblem.self) { try model.archive() }
  }
}
