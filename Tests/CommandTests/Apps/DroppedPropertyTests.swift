import Foundation
import TestSupport
import Testing

/// A property that is still there, or that seems to have another name, and whose values or links do not go on.
@Suite("Values and links that an inferred hop drops")
struct DroppedPropertyTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("App.sqlite")
  }

  // MARK: - Models

  private static func text(_ name: String, was old: String? = nil, _ more: String = "") -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"\(identifier(old)) \(more)/>"
  }

  private static func link(
    _ name: String, to entity: String, _ inverse: String, isToMany: Bool = true, was old: String? = nil
  ) -> String {
    "<relationship name=\"\(name)\" optional=\"YES\" \(isToMany ? "toMany=\"YES\"" : "maxCount=\"1\"") "
      + "destinationEntity=\"\(entity)\" inverseName=\"\(inverse)\" inverseEntity=\"\(entity)\"\(identifier(old))/>"
  }

  private static func toOne(_ more: String) -> String {
    "<relationship name=\"f\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"F\" \(more)/>"
  }

  private static func entity(_ name: String, _ properties: String, was old: String? = nil) -> String {
    "<entity name=\"\(name)\"\(identifier(old))>\(properties)</entity>"
  }

  private static func identifier(_ name: String?) -> String { name.map { " elementID=\"\($0)\"" } ?? "" }

  private static func pair(_ left: String, _ right: String) -> String {
    entity("E", text("name") + left) + entity("F", text("x") + right)
  }

  private static let oneToMany = pair(link("fs", to: "F", "e"), link("e", to: "E", "fs", isToMany: false))
  private static let manyToMany = pair(link("fs", to: "F", "es"), link("es", to: "E", "fs"))

  private static func subentity(_ name: String, _ properties: String) -> String {
    "<entity name=\"\(name)\" parentEntity=\"P\">\(properties)</entity>"
  }

  /// Two versions, and what the second one drops.
  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    let versions: [String]
    /// What fills a store of 6 rows of each entity.
    var fill: [String] = []
    /// What the warning says.
    let words: String
    /// What `models lint` and `models guard` say, and the id.
    let finding: String
    var id = "drops-values"
    /// The key of the statistics and the value there.
    var figure: (key: String, name: String, count: Int)?
    /// What the migrated store has.
    let query: String
    let rows: [String]

    var testDescription: String { name }
  }

  static let changes: [Change] = [
    Change(
      name: "becomes derived",
      versions: [
        entity("E", text("name") + text("k")),
        entity("E", text("name", "derived=\"YES\" derivationExpression=\"canonical:(k)\"") + text("k")),
      ],
      fill: ["UPDATE ZE SET ZNAME = CASE WHEN Z_PK < 4 THEN 'typed' END"],
      words: "3 rows have a value of 'E.name', which becomes derived from 'App 1' to 'App 2'",
      finding: "'E.name' becomes derived", figure: ("dropped_values_count_by_attribute", "E.name", 3),
      query: "SELECT count(ZNAME) FROM ZE", rows: ["0"]),
    Change(
      name: "becomes transient",
      versions: [
        entity("E", text("name") + text("k")), entity("E", text("name", "transient=\"YES\"") + text("k")),
      ],
      fill: ["UPDATE ZE SET ZNAME = CASE WHEN Z_PK < 3 THEN 'typed' END"],
      words: "2 rows have a value of 'E.name', which becomes transient from 'App 1' to 'App 2'",
      finding: "'E.name' becomes transient", figure: ("dropped_values_count_by_attribute", "E.name", 2),
      query: "SELECT count(*) FROM ZE", rows: ["6"]),
    Change(
      name: "relationship becomes transient",
      versions: [pair(toOne(""), ""), pair(toOne("transient=\"YES\""), "")],
      fill: ["UPDATE ZE SET ZF = CASE WHEN Z_PK < 3 THEN 1 END"],
      words:
        "2 links belong to 'E.f', which becomes transient from 'App 1' to 'App 2'; keep them in another relationship",
      finding: "'E.f' becomes transient", figure: ("dropped_links_count_by_relationship", "E.f", 2),
      query: "SELECT count(*) FROM ZE", rows: ["6"]),
    Change(
      name: "many-to-many relationship loses its inverse",
      versions: [
        manyToMany,
        pair("<relationship name=\"fs\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"F\"/>", ""),
      ],
      fill: ["DELETE FROM Z_1FS", "INSERT INTO Z_1FS VALUES (1, 1), (1, 2), (1, 3), (2, 1)"],
      words:
        "'E.fs' has 1 link too many: it loses links from 'App 1' to 'App 2', since it is to-many and has no inverse",
      finding: "'E.fs' loses links", figure: ("dropped_links_count_by_relationship", "E.fs", 1),
      query: "SELECT count(*) FROM ZF", rows: ["6"]),
    Change(
      name: "new inverse is to-one",
      versions: [
        pair(toOne(""), ""),
        pair(link("f", to: "F", "e", isToMany: false), link("e", to: "E", "f", isToMany: false)),
      ],
      fill: ["UPDATE ZE SET ZF = CASE WHEN Z_PK < 4 THEN 1 END"],
      words: "'E.f' has 2 links too many: it loses links from 'App 1' to 'App 2', since its inverse 'e' is to-one",
      finding: "'E.f' loses links", figure: ("dropped_links_count_by_relationship", "E.f", 2),
      query: "SELECT count(ZF) FROM ZE", rows: ["1"]),
    Change(
      name: "misspelt identifier of a relationship",
      versions: [
        oneToMany,
        pair(link("gs", to: "F", "g", was: "ff"), link("g", to: "E", "gs", isToMany: false, was: "ee")),
      ],
      fill: ["UPDATE ZF SET ZE = CASE WHEN Z_PK < 5 THEN 1 END"],
      words: "4 links belong to 'E.fs', which is removed from 'App 1' to 'App 2'", finding: "'E.fs' is removed",
      figure: ("dropped_links_count_by_relationship", "E.fs", 4), query: "SELECT count(ZG) FROM ZF", rows: ["0"]),
    Change(
      name: "dropped many-to-many relationship",
      versions: [manyToMany, pair("", "")],
      fill: ["DELETE FROM Z_1FS", "INSERT INTO Z_1FS VALUES (1, 1), (1, 2), (2, 1)"],
      words: "3 links belong to 'E.fs', which is removed from 'App 1' to 'App 2'", finding: "'E.fs' is removed",
      figure: ("dropped_links_count_by_relationship", "F.es", 3), query: "SELECT count(*) FROM ZF", rows: ["6"]),
    Change(
      name: "to-many becomes to-one",
      versions: [
        manyToMany,
        pair(link("fs", to: "F", "es", isToMany: false), link("es", to: "E", "fs")),
      ],
      fill: ["DELETE FROM Z_1FS", "INSERT INTO Z_1FS VALUES (1, 1), (1, 2), (1, 3), (2, 1)"],
      words: "'F.es' has 2 links too many: it loses links from 'App 1' to 'App 2', since its inverse 'fs' is to-one",
      finding: "'F.es' loses links", figure: ("dropped_links_count_by_relationship", "F.es", 2),
      query: "SELECT count(ZFS) FROM ZE", rows: ["2"]),
    Change(
      name: "claimed attribute",
      versions: [entity("E", text("x")), entity("E", text("x") + text("y", was: "x"))],
      fill: ["UPDATE ZE SET ZX = CASE WHEN Z_PK < 3 THEN 'x' END"],
      words: "2 rows have a value of 'E.x', which begins empty", finding: "E.x", id: "claimed-by-renaming",
      figure: ("dropped_values_count_by_attribute", "E.x", 2), query: "SELECT count(ZX), count(ZY) FROM ZE",
      rows: ["0|2"]),
    Change(
      name: "claimed relationship",
      versions: [
        oneToMany,
        pair(
          link("gs", to: "F", "e", was: "fs") + link("fs", to: "F", "e2"),
          link("e", to: "E", "gs", isToMany: false) + link("e2", to: "E", "fs", isToMany: false)),
      ],
      fill: ["UPDATE ZF SET ZE = CASE WHEN Z_PK < 5 THEN 1 END"],
      words: "4 links belong to 'E.fs', which begins empty from 'App 1' to 'App 2': its links go to 'gs'",
      finding: "E.fs", id: "claimed-by-renaming", figure: ("dropped_links_count_by_relationship", "E.fs", 4),
      query: "SELECT count(ZE), count(ZE2) FROM ZF", rows: ["4|0"]),
    Change(
      name: "claimed entity",
      versions: [entity("E", text("x")), entity("E", text("z")) + entity("G", text("x"), was: "E")],
      words: "6 rows belong to 'E', which begins empty from 'App 1' to 'App 2': its rows go to 'G'", finding: "E",
      id: "claimed-by-renaming", query: "SELECT count(*) FROM ZG", rows: ["6"]),
  ]

  private func prepare(_ versions: [String], _ fill: [String] = []) throws -> String {
    let names = Dictionary(uniqueKeysWithValues: versions.enumerated().map { ("App \($0 + 1)", $1) })
    let model = try folder.models("App.xcdatamodeld", names, current: "App \(versions.count)")
    try successfully("fixture", "new", "--model", "\(model):App 1", "--rows", "6", store)
    for statement in fill { try Database.run(statement, in: store) }
    return model
  }

  private func run(_ arguments: String...) throws -> CommandResult {
    try CommandRunner(arguments, folder: folder.path).run()
  }

  // MARK: - Tests

  @Test(arguments: changes)
  func `What a hop drops is counted in a warning and in the statistics`(change: Change) throws {
    let model = try prepare(change.versions, change.fill)
    let plan = try run(store, "--model", model, "--dry-run")
    #expect(plan.status == 0 && plan.stdout.contains("warning: \(change.words)"), "\(plan)")
    let result = try run(store, "--model", model, "--stats", folder.file("stats.json"))
    #expect(result.status == 0 && result.stderr.contains("warning: \(change.words)"), "\(result)")
    #expect(try Database.rows(change.query, in: store) == change.rows)
    guard let figure = change.figure else { return }
    let json = try JSONSerialization.jsonObject(with: Data(Files.bytes(folder.file("stats.json")))) as? [String: Any]
    let hop = try #require((json?["hops"] as? [[String: Any]])?.first)
    #expect((hop[figure.key] as? [String: Int])?[figure.name] == figure.count, "\(hop)")
  }

  @Test(arguments: changes)
  func `A strict migration and a rehearsal refuse what a hop drops`(change: Change) throws {
    let model = try prepare(change.versions, change.fill)
    let before = try Files.bytes(store)
    let strict = try run(store, "--model", model, "--strict")
    #expect(strict.status == 65 && strict.stderr.contains("because of --strict"), "\(strict)")
    #expect(try Files.bytes(store) == before)
    let rehearsal = try run("rehearse", "--model", model)
    #expect(rehearsal.status == 3 && rehearsal.stdout.contains("1 of 1 migration failed"), "\(rehearsal)")
    #expect(try run("rehearse", "--model", model, "--allow-loss").status == 0)
  }

  @Test(arguments: changes)
  func `Lint and guard name what a hop drops`(change: Change) throws {
    let model = try prepare(change.versions)
    let parts = change.finding.replacing("'", with: "").split(separator: " ", maxSplits: 1)
    for command in ["lint", "guard"] {
      let result = try run("models", command, model)
      // What is claimed is gone from where it was, which breaks stores.
      let severity = command == "guard" && change.id == "claimed-by-renaming" ? "error:" : "warning:"
      #expect(
        result.lines.contains {
          line in parts.allSatisfy(line.contains) && line.contains(severity) && line.contains("[\(change.id)]")
        },
        "\(command): \(result)")
      #expect(!result.stdout.contains("Nothing found"), "\(command): \(result)")
    }
  }

  @Test(arguments: changes.prefix(2))
  func `The difference between two models names values that are lost`(change: Change) throws {
    let model = try prepare(change.versions)
    let result = try run("models", "diff", "\(model):App 1", model)
    #expect(result.stdout.contains("but this is lost:\n  'E.name': the "), "\(result)")
  }

  @Test func `Links that the other end keeps are not dropped`() throws {
    let model = try prepare([
      Self.oneToMany,
      Self.pair(Self.link("gs", to: "F", "e"), Self.link("e", to: "E", "gs", isToMany: false)),
    ])
    let count = try Database.rows("SELECT count(ZE) FROM ZF", in: store)
    #expect(try run("rehearse", "--model", model).status == 0)
    #expect(try run("models", "lint", model).stdout == "Nothing found.\n")
    let result = try run(store, "--model", model)
    #expect(result.status == 0 && !result.stderr.contains("links belong"), "\(result)")
    #expect(try Database.rows("SELECT count(ZE) FROM ZF", in: store) == count)
  }

  /// Two versions, of which the second one keeps all that stores have, and what counts it in both.
  struct Move: Sendable, CustomTestStringConvertible {
    let name: String
    let versions: [String]
    var fill: [String] = []
    let before: String
    let after: String

    var testDescription: String { name }
  }

  static let moves: [Move] = [
    Move(
      name: "end of a renamed relationship",
      versions: [
        oneToMany, pair(link("gs", to: "F", "owner"), link("owner", to: "E", "gs", isToMany: false, was: "e")),
      ], before: "SELECT count(ZE) FROM ZF", after: "SELECT count(ZOWNER) FROM ZF"),
    Move(
      name: "end of a renamed many-to-many relationship",
      versions: [manyToMany, pair(link("gs", to: "F", "owners"), link("owners", to: "E", "gs", was: "es"))],
      before: "SELECT count(*) FROM Z_1FS", after: "SELECT count(*) FROM Z_1GS"),
    Move(
      name: "end that is gone",
      versions: [
        oneToMany, pair("", "<relationship name=\"e\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"E\"/>"),
      ], before: "SELECT count(ZE) FROM ZF", after: "SELECT count(ZE) FROM ZF"),
    Move(
      name: "attribute that moves to the parent",
      versions: [
        entity("P", text("p")) + subentity("C", text("v")), entity("P", text("p") + text("v")) + subentity("C", ""),
      ], before: "SELECT count(ZV) FROM ZP", after: "SELECT count(ZV) FROM ZP"),
    Move(
      name: "attribute that moves to the subentity with all values",
      versions: [
        entity("P", text("p") + text("v")) + subentity("C", text("c")),
        entity("P", text("p")) + subentity("C", text("c") + text("v")),
      ],
      fill: ["UPDATE ZP SET ZV = CASE WHEN Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'C') THEN 'v' END"],
      before: "SELECT count(ZV) FROM ZP", after: "SELECT count(ZV) FROM ZP"),
    Move(
      name: "name of an attribute that has become free",
      versions: [entity("E", text("x")), entity("E", text("x", was: "fresh") + text("y", was: "x"))],
      before: "SELECT count(ZX) FROM ZE", after: "SELECT count(ZY) FROM ZE"),
    Move(
      name: "name of an entity that has become free",
      versions: [entity("E", text("x")), entity("F", text("x"), was: "E") + entity("E", text("q"), was: "fresh")],
      before: "SELECT count(ZX) FROM ZE", after: "SELECT count(ZX) FROM ZF"),
    Move(
      name: "ordered relationship without an order to lose",
      versions: [
        pair(
          link("fs", to: "F", "e").replacing("toMany", with: "ordered=\"YES\" toMany"),
          link("e", to: "E", "fs", isToMany: false)), oneToMany,
      ], fill: ["UPDATE ZF SET ZE = CASE WHEN Z_PK = 1 THEN 1 END"], before: "SELECT count(ZE) FROM ZF",
      after: "SELECT count(ZE) FROM ZF"),
    Move(
      name: "whole numbers that a real number holds",
      versions: [
        entity("E", "<attribute name=\"n\" optional=\"YES\" attributeType=\"Integer 64\"/>"),
        entity("E", "<attribute name=\"n\" optional=\"YES\" attributeType=\"Double\"/>"),
      ], fill: ["UPDATE ZE SET ZN = Z_PK"], before: "SELECT count(ZN) FROM ZE", after: "SELECT count(ZN) FROM ZE"),
  ]

  @Test(arguments: moves)
  func `A strict migration accepts what goes on elsewhere, and keeps it`(move: Move) throws {
    let model = try prepare(move.versions, move.fill)
    let count = try Database.rows(move.before, in: store)
    #expect(count != ["0"])
    let plan = try run(store, "--model", model, "--dry-run")
    #expect(!plan.stdout.contains("removed with all its links"), "\(plan)")
    let result = try run(store, "--model", model, "--strict", "--verify")
    #expect(result.status == 0, "\(result)")
    #expect(try Database.rows(move.after, in: store) == count)
  }

  @Test(arguments: changes)
  func `A strict migration accepts a drop of what no row has`(change: Change) throws {
    let model = try prepare(change.versions)
    let own = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
    for table in try Database.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'", in: store)
    where !own.contains(table) {
      try Database.run("DELETE FROM \(table)", in: store)
    }
    let result = try run(store, "--model", model, "--strict")
    #expect(result.status == 0, "\(result)")
  }

  @Test(arguments: [
    ("ordered", "UPDATE ZF SET ZE = 1", "no longer ordered"),
    ("long", "UPDATE ZE SET ZN = 9007199254740993", "as Double"),
  ])
  func `A strict migration refuses the loss of an order and of last digits`(
    kind: String, fill: String, words: String
  ) throws {
    let move = try #require(Self.moves.suffix(2).first { ($0.name.hasPrefix("ordered")) == (kind == "ordered") })
    let model = try prepare(move.versions, [fill])
    let result = try run(store, "--model", model, "--strict")
    #expect(result.status == 65 && result.stderr.contains(words), "\(result)")
  }

  @Test func `A misspelt identifier under a name that has become free is found`() throws {
    let model = try prepare([
      Self.entity("E", Self.text("x") + Self.text("old")),
      Self.entity("E", Self.text("x", was: "odl") + Self.text("y", was: "x")),
    ])
    let lint = try run("models", "lint", model)
    #expect(lint.status == 3 && lint.stdout.contains("[unmatched-renaming-identifier]"), "\(lint)")
  }

  @Test func `Links of subentities that share a table are counted for those that lose them`() throws {
    let base = { (own: String, other: String) in
      Self.entity("Base", Self.text("name")) + "<entity name=\"One\" parentEntity=\"Base\">\(own)</entity>"
        + "<entity name=\"Two\" parentEntity=\"Base\">\(other)</entity>" + Self.entity("F", Self.text("x"))
    }
    let link = "<relationship name=\"f\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"F\"/>"
    let model = try prepare([base(link, link), base("", link)])
    let one = try Database.rows(
      "SELECT count(ZF) + count(ZF1) FROM ZBASE WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'One')",
      in: store)
    let result = try run(store, "--model", model)
    #expect(result.stderr.contains("warning: \(one[0]) links belong to 'One.f'"), "\(result)")
    #expect(!result.stderr.contains("'Two.f'"), "\(result)")
  }

  @Test func `Verification does not say of a derived attribute that the store derives it where nothing does`() throws {
    for expression in ["canonical:(name)", "now()"] {
      let type = expression == "now()" ? "Date" : "String"
      let derived =
        "<attribute name=\"d\" optional=\"YES\" attributeType=\"\(type)\" derived=\"YES\" derivationExpression=\"\(expression)\"/>"
      Files.remove(store)
      let model = try prepare([Self.entity("E", Self.text("name")), Self.entity("E", Self.text("name") + derived)])
      let result = try run(store, "--model", model, "--verify")
      #expect(result.stderr.contains("E.d: its values, since they are empty until Core Data derives them"), "\(result)")
      try FileManager.default.removeItem(atPath: model)
    }
  }

  @Test func `Guard says that nothing was found only where it has found nothing`() throws {
    let model = try prepare([Self.entity("E", Self.text("x")), Self.entity("E", Self.text("x") + Self.text("y"))])
    let first = try run("models", "guard", model)
    #expect(first.status == 0 && first.stdout.contains("[not-locked]"), "\(first)")
    #expect(
      first.stdout.contains("Nothing is broken: 2 versions") && !first.stdout.contains("Nothing found"), "\(first)")
    #expect(try run("models", "guard", model, "--update").status == 0)
    #expect(try run("models", "guard", model).stdout.hasPrefix("Nothing found: 2 versions"))
  }
}
