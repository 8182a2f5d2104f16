import Foundation
import TestSupport
import Testing

@Suite("Checks of derived attributes")
struct DerivationLintTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func model(_ expression: String, _ type: String = "String") throws -> String {
    try folder.models(
      "M.xcdatamodeld",
      [
        "v1": """
        <entity name="P"><attribute name="n" optional="YES" attributeType="String"/>
        <attribute name="x" optional="YES" attributeType="\(type)" derived="YES" derivationExpression="\(expression)"/>
        <attribute name="i" optional="YES" attributeType="Integer 16"/>
        <attribute name="u" optional="YES" attributeType="UUID"/>
        <attribute name="own" optional="YES" attributeType="\(type)" derived="YES" derivationExpression="x"/>
        <attribute name="pos" optional="YES" attributeType="Composite" composite="Pos"/>
        <relationship name="kids" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="C"
         inverseName="par" inverseEntity="C"/></entity>
        <entity name="C"><attribute name="v" optional="YES" attributeType="Double"/>
        <attribute name="t" optional="YES" attributeType="String"/>
        <attribute name="d" optional="YES" attributeType="Date"/>
        <attribute name="up" optional="YES" attributeType="\(type)" derived="YES" derivationExpression="par.x"/>
        <relationship name="par" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="P"
         inverseName="kids" inverseEntity="P"/></entity>
        <composite name="Pos"><attribute name="x" optional="YES" attributeType="Double"/></composite>
        """
      ])
  }

  @Test(arguments: [
    ("kids.@count", "Integer 64"), ("count:(kids)", "Integer 16"), ("sum:(kids.v)", "Double"),
    ("sum:(kids.v)", "Integer 32"), ("kids.@max.v", "Float"), ("average:(kids.v)", "Decimal"), ("now()", "Date"),
    ("n", "String"), ("i", "Integer 64"), ("u", "UUID"), ("uppercase:(n)", "String"), ("pos.x", "Double"),
    ("max:(kids.par.kids.v)", "Double"), ("max:(kids.t)", "String"), ("kids.@min.d", "Date"),
  ])
  func `An expression that Core Data derives is not reported`(expression: String, type: String) throws {
    #expect(try successfully("models", "lint", model(expression, type)).stdout == "Nothing found.\n")
  }

  @Test(arguments: [
    ("lowercase:(i)", "String", "the function needs a text, and 'i' is of type Integer 16"),
    ("lowercase:(n)", "Integer 16", "it gives a text, and the attribute is of type Integer 16"),
    ("sum:(kids.t)", "String", "the function needs a number, and 't' is of type String"),
    ("kids.@avg.d", "Date", "the function needs a number, and 'd' is of type Date"),
    ("now()", "String", "it gives a date, and the attribute is of type String"),
    ("kids.@count", "String", "it gives a number, and the attribute is of type String"),
    ("count:(kids)", "Boolean", "it gives a number, and the attribute is of type Boolean"),
    ("max:(kids.v)", "Date", "it gives a number, and the attribute is of type Date"),
    ("n", "Double", "it gives a text, and the attribute is of type Double"),
    ("u", "String", "it gives a value of type UUID, and the attribute is of type String"),
    ("x", "String", "the attribute is derived from itself; derive"),
    ("own", "String", "the attribute is derived from itself, by way of 'P.own'"),
    ("max:(kids.up)", "Double", "the attribute is derived from itself, by way of 'C.up'"),
  ])
  func `An expression whose value cannot be is an error of its attribute`(
    expression: String, type: String, message: String
  ) throws {
    let result = try CommandRunner(["models", "lint", try model(expression, type)]).run()
    #expect(result.status == 3, "\(result)")
    #expect(
      result.lines.contains {
        $0.contains("error: P.x: ") && $0.contains(message) && $0.contains("[unusable-derivation]")
      },
      "\(result)")
  }

  @Test func `An attribute of a subentity that the parent's derived one leads to is not itself`() throws {
    let text = { (name: String, more: String) in
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\" \(more)/>"
    }
    let derived = { (from: String) in "derived=\"YES\" derivationExpression=\"\(from)\"" }
    let versions = { (parent: String) in
      [
        "v1": "<entity name=\"P\">\(text("a", ""))\(text("x", derived(parent)))</entity>"
          + "<entity name=\"Q\" parentEntity=\"P\">\(text("y", derived("x")))</entity>"
      ]
    }
    let model = try folder.models("H.xcdatamodeld", versions("a"))
    #expect(try successfully("models", "lint", model).stdout == "Nothing found.\n")
    _ = try folder.models("H.xcdatamodeld", versions("x"))
    let result = try CommandRunner(["models", "lint", model]).run()
    #expect(result.lines.count { $0.contains("P.x") && $0.contains("derived from itself") } == 1, "\(result)")
    #expect(!result.stdout.contains("Q.y"), "\(result)")
  }

  @Test(
    arguments: [
      ("nope.foo", "'P' has no property 'nope'"), ("kids.@", "cannot be derived"),
      ("canonical:(nope)", "'P' has no property 'nope'"), ("kid.@count", "the nearest is 'kids'"),
      ("n.length", "'n' is an attribute"), ("kids", "'kids' is a relationship"), ("kids.v", "'kids.v' has many values"),
      ("uppercase:(kids.par.n)", "has many values"), ("sum:(n)", "the function needs a to-many relationship"),
      ("n.@count", "the function needs a to-many relationship"), ("sum:(kids)", "'kids' is a relationship"),
      ("n + n", "Core Data does not derive values in this way"), ("exit:(n)", "does not derive"),
      ("pos.y", "no property"),
      ("kids.@count + 1", "does not derive"),
    ])
  func `An expression that cannot be derived is an error with its attribute`(
    _ expression: String, _ message: String
  ) throws {
    let result = try CommandRunner(["models", "lint", try model(expression), "--format", "csv"]).run()
    #expect(result.status == 3 && result.stdout.contains("error,v1,P,x,unusable-derivation"), "\(result)")
    #expect(result.stdout.contains(message), "\(result)")
  }

  @Test(arguments: ["n + n", "kids.@count + 1", "kids.@", "exit:(n)"])
  func `A migration refuses an expression that no model can be compiled with, as the compiler does`(
    expression: String
  ) throws {
    let attribute = "<attribute name=\"n\" optional=\"YES\" attributeType=\"String\"/>"
    let model = try folder.writeAppModel(
      entity: "P",
      versions: [
        attribute,
        attribute
          + "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\" derived=\"YES\" derivationExpression=\"\(expression)\"/>",
      ])
    let store = folder.file("S.sqlite")
    try successfully("fixture", "new", "--model", "\(model):App", "--rows", "2", store)
    let before = try Files.bytes(store)
    let commands = [
      [store, "--model", model], [store, "--model", model, "--dry-run"], ["rehearse", "--model", model],
      ["models", "compile", model, "--output", folder.file("App.momd")],
    ]
    for command in commands {
      let result = try CommandRunner(command).run()
      #expect(result.status == 65 && result.stderr.contains("'P.x'"), "\(command): \(result)")
      #expect(result.stderr.contains("the expression '\(expression)'"), "\(command): \(result)")
    }
    #expect(try Files.bytes(store) == before)
  }

  @Test func `A store with derived attributes keeps its model, and its counts are computed`() throws {
    let parts = { (derived: String) in
      """
      <entity name="P"><attribute name="n" optional="YES" attributeType="String"/>\(derived)
      <relationship name="kids" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="C"/></entity>
      <entity name="C"><attribute name="v" optional="YES" attributeType="Double"/></entity>
      """
    }
    let derived = """
      <attribute name="c" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="kids.@count"/>
      <attribute name="t" optional="YES" attributeType="Date" derived="YES" derivationExpression="now()"/>
      """
    let model = try folder.models("D.xcdatamodeld", ["v1": parts(""), "v2": parts(derived)], current: "v2")
    let store = folder.file("D.sqlite")
    try successfully("fixture", "new", "--rows", "4", "--model", "\(model):v1", store)
    try Database.run("UPDATE ZC SET Z2KIDS = iif(Z_PK < 4, 2, NULL)", in: store)
    try successfully(store, "--model", model, "--verify")
    let rows = try successfully("query", store, "P", "--fields", "key,c", "--format", "csv").stdout
    #expect(rows.split(whereSeparator: \.isNewline).map(String.init) == ["key,c", "1,0", "2,3", "3,0", "4,0"])
    #expect(try Database.value("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'", in: store) == "5")
  }
}
