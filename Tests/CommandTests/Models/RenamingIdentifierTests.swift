import Foundation
import TestSupport
import Testing

/// Renaming identifiers with which Core Data loses values on a device, although each version follows from the one before.
@Suite("Renaming identifiers that lose values")
struct RenamingIdentifierTests {
  private let folder: TemporaryFolder
  private var model: String { folder.file("App.xcdatamodeld") }

  init() throws { folder = try TemporaryFolder() }

  private func write(_ versions: [String]) throws {
    let names = Dictionary(
      uniqueKeysWithValues: versions.enumerated().map { ("App \($0 + 1)", $1) })
    _ = try folder.models("App.xcdatamodeld", names, current: "App \(versions.count)")
  }

  private func entity(_ name: String, _ properties: String, was identifier: String? = nil) -> String {
    "<entity name=\"\(name)\"\(Self.identifier(identifier))>\(properties)</entity>"
  }

  private func text(_ name: String, was identifier: String? = nil) -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(Self.identifier(identifier))/>"
  }

  private func link(_ name: String, _ inverse: String, was identifier: String? = nil) -> String {
    "<relationship name=\"\(name)\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"Item\" inverseName=\"\(inverse)\" inverseEntity=\"Item\"\(Self.identifier(identifier))/>"
  }

  private static func identifier(_ name: String?) -> String { name.map { " elementID=\"\($0)\"" } ?? "" }

  private func run(_ command: String...) throws -> CommandResult {
    try CommandRunner(command + [model], folder: folder.path).run()
  }

  /// Requires that both commands find something with these words.
  private func expect(_ id: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for command in ["lint", "guard"] {
      let result = try run("models", command)
      #expect(result.status == 3, "\(command): \(result)", sourceLocation: sourceLocation)
      #expect(
        result.lines.contains { $0.contains("[\(id)]") && $0.contains(words) }, "\(command): \(result)",
        sourceLocation: sourceLocation)
    }
  }

  private func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try run("models", "lint").stdout == "Nothing found.\n", sourceLocation: sourceLocation)
    let result = try run("models", "guard")
    #expect(
      result.status == 0 && !result.stdout.contains("error:") && !result.stdout.contains("warning:"), "\(result)",
      sourceLocation: sourceLocation)
  }

  @Test func `An attribute that was renamed twice is lost in one hop unless the oldest name is its identifier`() throws
  {
    let (first, second) = (entity("Item", text("name")), entity("Item", text("firstName", was: "name")))
    try write([first, second, entity("Item", text("givenName", was: "firstName"))])
    try expect("lost-in-one-hop", "loses 'Item.name': it became 'Item.givenName'")
    try write([first, second, entity("Item", text("givenName", was: "name"))])
    try expectNothing()
  }

  @Test func `An entity and a relationship that were renamed twice are lost in one hop, too`() throws {
    try write([
      entity("Item", text("a")), entity("Thing", text("a"), was: "Item"), entity("Object", text("a"), was: "Thing"),
    ])
    try expect("lost-in-one-hop", "loses 'Item': it became 'Object'")
    try write([
      entity("Item", link("one", "two") + link("two", "one")),
      entity("Item", link("uno", "due", was: "one") + link("due", "uno", was: "two")),
      entity("Item", link("eins", "zwei", was: "uno") + link("zwei", "eins", was: "due")),
    ])
    try expect("lost-in-one-hop", "loses 'Item.one': it became 'Item.eins'")
    // The other end brings the links.
    try write([
      entity("Item", link("one", "two") + link("two", "one")),
      entity("Item", link("uno", "two", was: "one") + link("two", "uno")),
      entity("Item", link("eins", "two", was: "uno") + link("two", "eins")),
    ])
    #expect(try !run("models", "guard").stdout.contains("lost-in-one-hop"))
  }

  @Test func `A mapping model for the two versions keeps what one inferred hop would lose`() throws {
    try write([
      entity("Item", text("name")), entity("Item", text("firstName", was: "name")),
      entity("Item", text("givenName", was: "firstName")),
    ])
    _ = try folder.mappingModel(
      "Maps/1to3.xcmappingmodel", entities: ["Item"], from: "App 1", to: "App 3", of: "App")
    #expect(try !run("models", "guard").stdout.contains("lost-in-one-hop"))
    #expect(try !run("models", "lint").stdout.contains("lost-in-one-hop"))
  }

  @Test func `A misspelt identifier of an attribute, a relationship or an entity matches nothing`() throws {
    try write([entity("Item", text("name")), entity("Item", text("title", was: "nmae"))])
    try expect("unmatched-renaming-identifier", "the renaming identifier 'nmae' matches nothing in 'App 1'")
    try write([
      entity("Item", link("one", "two") + link("two", "one")),
      entity("Item", link("uno", "dos", was: "oen") + link("dos", "uno")),
    ])
    try expect("unmatched-renaming-identifier", "the renaming identifier 'oen' matches nothing in 'App 1'")
    // The other end keeps the links.
    try write([
      entity("Item", link("one", "two") + link("two", "one")),
      entity("Item", link("uno", "two", was: "oen") + link("two", "uno")),
    ])
    let kept = try run("models", "guard")
    #expect(kept.status == 0 && kept.stdout.contains("warning: 'Item.uno'"), "\(kept)")
    #expect(!kept.stdout.contains("begins empty") && kept.stdout.contains("'oen' matches nothing"), "\(kept)")
    try write([entity("Item", text("a")), entity("Thing", text("a"), was: "Itme")])
    try expect("unmatched-renaming-identifier", "the renaming identifier 'Itme' matches nothing in 'App 1'")
    try write([entity("Item", text("a")), entity("Thing", text("a"), was: "Item")])
    try expectNothing()
  }

  @Test func `An identifier of what moves to a parent matches what a subentity had`() throws {
    let child = { (properties: String) in "<entity name=\"Child\" parentEntity=\"Item\">\(properties)</entity>" }
    try write([
      entity("Item", text("a")) + child(text("s")), entity("Item", text("a") + text("t", was: "s")) + child(""),
    ])
    try expectNothing()
    let abstract = "<entity name=\"Item\" isAbstract=\"YES\">"
    let other = "<entity name=\"Other\" parentEntity=\"Item\"/>"
    try write([
      abstract + text("a") + "</entity>" + child(text("s")) + other,
      abstract + text("a") + text("t", was: "s") + "</entity>" + child("") + other,
    ])
    try expectNothing()
    try write([
      entity("Item", text("a")) + child(text("s")), entity("Item", text("a") + text("t", was: "r")) + child(""),
    ])
    try expect("unmatched-renaming-identifier", "the renaming identifier 'r' matches nothing in 'App 1'")
  }

  @Test func `An identifier matches what only an earlier version has, whose stores are migrated in one hop`() throws {
    let gap = [entity("Item", text("a") + text("s")), entity("Item", text("a"))]
    try write(gap + [entity("Item", text("a") + text("t", was: "s"))])
    try expectNothing()
    try write(gap + [entity("Item", text("a") + text("t", was: "r"))])
    let lint = try run("models", "lint")
    #expect(
      lint.status == 3 && lint.stdout.contains("the renaming identifier 'r' matches nothing in 'App 2'"), "\(lint)")
  }

  @Test func `An identifier that claims what another attribute has the name of is found`() throws {
    try write([entity("Item", text("x")), entity("Item", text("x") + text("y", was: "x"))])
    let lint = try run("models", "lint")
    #expect(lint.status == 3 && lint.stdout.contains("Item.x: it begins empty"), "\(lint)")
    #expect(lint.stdout.contains("goes to 'y'") && lint.stdout.contains("[claimed-by-renaming]"), "\(lint)")
    let check = try run("models", "guard")
    #expect(check.status == 3 && check.stdout.contains("[claimed-by-renaming]"), "\(check)")
    try write([entity("P", text("x")), entity("P", text("x")) + entity("Q", text("x"), was: "P")])
    #expect(try run("models", "guard").status == 3)
  }

  /// Requires that lint fails, and that both commands name a claim in one hop between two versions.
  private func expectClaim(
    _ words: String, from source: String, to destination: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let hop = "stores of '\(source)' to '\(destination)' in one hop, in which \(words)"
    for command in ["lint", "guard"] {
      let result = try run("models", command)
      #expect(result.status == 3, "\(command): \(result)", sourceLocation: sourceLocation)
      #expect(
        result.lines.count { $0.contains("[claimed-by-renaming]") && $0.contains(hop) } == 1, "\(command): \(result)",
        sourceLocation: sourceLocation)
    }
    let rehearsal = try CommandRunner(["rehearse", "--model", model, "--rows", "8"], folder: folder.path).run()
    #expect(rehearsal.status == 3, "\(rehearsal)", sourceLocation: sourceLocation)
  }

  @Test func `A second claim that shows only over several hops is found, of attributes, relationships and entities`()
    throws
  {
    let renamed = text("b", was: "a")
    try write([entity("P", text("a")), entity("P", renamed), entity("P", renamed + text("a"))])
    try expectClaim(
      "'P.a' begins empty: what these stores have under this name goes to 'P.b'", from: "App 1", to: "App 3")
    try write([
      entity("P", text("a")), entity("P", renamed), entity("P", renamed + text("x")), entity("P", renamed + text("a")),
    ])
    try expectClaim("'P.a' begins empty", from: "App 1", to: "App 4")
    try write([
      entity("Item", link("a", "i") + link("i", "a")), entity("Item", link("b", "i", was: "a") + link("i", "b")),
      entity("Item", link("b", "i", was: "a") + link("i", "b") + link("a", "j") + link("j", "a")),
      entity("Item", link("b", "i", was: "a") + link("i", "b") + link("a", "j") + link("j", "a") + text("x")),
    ])
    try expectClaim("'Item.a' begins empty", from: "App 1", to: "App 4")
    let thing = entity("Q", text("a"), was: "P")
    try write([
      entity("P", text("a")), thing, thing + entity("P", text("a")), thing + entity("P", text("a") + text("x")),
    ])
    try expectClaim("'P' begins empty: what these stores have under this name goes to 'Q'", from: "App 1", to: "App 4")
  }

  @Test func `A claim between neighbours is told once by lint, and guard names the older stores that it concerns`()
    throws
  {
    let claimed = text("a") + text("b", was: "a")
    try write([entity("P", text("a")), entity("P", claimed), entity("P", claimed + text("x"))])
    let lint = try run("models", "lint")
    #expect(lint.status == 3 && lint.lines.count { $0.contains("[claimed-by-renaming]") } == 1, "\(lint)")
    let check = try run("models", "guard")
    #expect(check.stdout.contains("stores of 'App 1' to 'App 3' in one hop, in which 'P.a' begins empty"), "\(check)")
  }

  @Test func `Two claims that only stores of an older version meet are named, since no hop can be inferred`() throws {
    let renamed = text("b", was: "a")
    try write([entity("P", text("a")), entity("P", renamed), entity("P", renamed + text("c", was: "a"))])
    for command in ["lint", "guard"] {
      let result = try run("models", command)
      #expect(
        result.lines.contains {
          $0.contains("[ambiguous-renaming]")
            && $0.contains("stores of 'App 1' to 'App 3' in one hop, because of 'P.b'")
        }, "\(command): \(result)")
    }
  }

  @Test func `A name that became free without a claim, or that a mapping model leads to, is not reported`() throws {
    try write([entity("P", text("a")), entity("P", text("b")), entity("P", text("b") + text("a"))])
    #expect(try !run("models", "lint").stdout.contains("claimed"))
    let renamed = text("b", was: "a")
    try write([entity("P", text("a")), entity("P", renamed), entity("P", renamed + text("a"))])
    _ = try folder.mappingModel(
      "Maps/1to3.xcmappingmodel", entities: ["P"], from: "App 1", to: "App 3", of: "App")
    for command in ["lint", "guard"] {
      let result = try run("models", command)
      #expect(!result.stdout.contains("claimed"), "\(command): \(result)")
    }
  }

  /// Versions of which Core Data's one hop takes values of the first elsewhere than the hops in between, and the words.
  private static let diversions: [(versions: [[(name: String, was: String?)]], words: String)] = [
    (
      [[("name", nil)], [("full", "name")], [("full", nil), ("name", nil)]],
      "puts what they have of 'P.name' into 'P.name' instead of 'P.full'"
    ),
    (
      [
        [("first", nil), ("last", nil)], [("last", "first"), ("first", "last"), ("x", nil)],
        [("first", nil), ("last", nil), ("x", nil), ("y", nil)],
      ], "puts what they have of 'P.first' into 'P.first' instead of 'P.last'"
    ),
    (
      [[("name", nil), ("title", nil)], [("title", "name")], [("title", nil), ("x", nil)]],
      "loses 'P.name': it became 'P.title' by way of the versions in between, but gets something else"
    ),
  ]

  @Test(arguments: diversions.indices)
  func `What one hop takes elsewhere than the versions in between is found, and refused if that is wanted`(
    place: Int
  ) throws {
    let (versions, words) = Self.diversions[place]
    try write(versions.map { names in entity("P", names.map { text($0.name, was: $0.was) }.joined()) })
    try expect("lost-in-one-hop", words)
    let store = folder.file("App.sqlite")
    try successfully("fixture", "new", "--model", "\(model):App 1", "--rows", "5", store)
    func migrate(_ options: String...) throws -> CommandResult {
      try CommandRunner([store, "--model", model] + options, folder: folder.path).run()
    }
    #expect(try migrate("--strict", "--output", folder.file("strict.sqlite")).status == 65)
    let result = try migrate("--output", folder.file("new.sqlite"))
    #expect(result.status == 0 && result.stderr.contains("warning: "), "\(result)")
    // The identifiers of the version in between are those that all later ones need.
    guard place < 2 else { return }
    let identifiers = Dictionary(uniqueKeysWithValues: versions[1].map { ($0.name, $0.was) })
    let last = versions[2].map { text($0.name, was: identifiers[$0.name] ?? nil) }
    try write(
      versions.prefix(2).map { names in entity("P", names.map { text($0.name, was: $0.was) }.joined()) }
        + [entity("P", last.joined())])
    for command in ["lint", "guard"] {
      #expect(try !run("models", command).stdout.contains("lost-in-one-hop"))
    }
  }

  @Test func `A subentity that is lost in one hop takes nothing from its parent`() throws {
    let child = { (name: String, old: String?) in
      "<entity name=\"\(name)\" parentEntity=\"P\"\(Self.identifier(old))>\(self.text("b"))</entity>"
    }
    try write([
      entity("P", text("a")) + child("C", nil), entity("P", text("a")) + child("D", "C"),
      entity("P", text("a")) + child("F", "D"),
    ])
    try expect("lost-in-one-hop", "loses 'C': it became 'F'")
    #expect(try !run("models", "guard").stdout.contains("'P.a'"))
  }

  @Test func `The advice for a renamed part of a composite names the part and its own identifier`() throws {
    let composite = { (attribute: String, element: String, others: [String]) in
      "<entity name=\"P\"><attribute name=\"\(attribute)\" attributeType=\"Composite\" composite=\"K\" "
        + "optional=\"YES\"/>\(others.map { self.text($0) }.joined())</entity><composite name=\"K\">\(element)</composite>"
    }
    let pos = { (id: String) in "pos\" elementID=\"\(id)" }
    try write([
      composite("pos", text("x"), []), composite("pos", text("x1", was: "x"), []),
      composite("pos", text("x2", was: "x1"), []),
    ])
    try expect("lost-in-one-hop", "set the renaming identifier of 'P.pos.x2' to 'x' in every version since")
    // The name of a composite is not part of the hash, so that each version needs something of its own.
    try write([
      composite("place", text("x"), []), composite(pos("place"), text("x"), ["y"]),
      composite("spot\" elementID=\"pos", text("x"), ["y", "z"]),
    ])
    try expect("lost-in-one-hop", "set the renaming identifier of 'P.spot' to 'place' in every version since")
  }

  @Test func `Old versions are checked only if they have shipped`() throws {
    try write([
      entity("Item", text("name")), entity("Item", text("firstName", was: "name")),
      entity("Item", text("givenName", was: "firstName")),
    ])
    let shipped = try folder.models(
      "Lock/App.xcdatamodeld", ["App 2": entity("Item", text("firstName", was: "name"))])
    let lock = try CommandRunner(["models", "guard", shipped, "--update"], folder: folder.path).run()
    #expect(lock.status == 0, "\(lock)")
    let result = try CommandRunner(
      ["models", "guard", model, "--against", folder.file("Lock/models.lock")], folder: folder.path
    ).run()
    #expect(result.status == 0 && !result.stdout.contains("lost-in-one-hop"), "\(result)")
  }
}
