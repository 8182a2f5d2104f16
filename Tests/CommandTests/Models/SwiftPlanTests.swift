import Foundation
import TestSupport
import Testing

/// An app's `SchemaMigrationPlan`, followed by the command.
@Suite("Migration plans that are Swift source", .enabled(if: SwiftSource.hasToolchain), .serialized)
struct SwiftPlanTests {
  private let folder: TemporaryFolder
  private var store: String { folder.file("App.store") }

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String..., environment: [String: String] = [:]) throws -> CommandResult {
    try SwiftSource.run(words, in: folder, environment: environment)
  }

  private func rows(_ sql: String) throws -> [String] { try Database.rows(sql, in: store) }

  // MARK: - The app

  /// Two versions of trips with legs; the closures of the stage between them are given.
  private static func source(willMigrate: String = "nil", didMigrate: String = "nil", more: String = "") -> String {
    """
    import Foundation
    import SwiftData
    enum V1: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self, Leg.self] }
      @Model final class Trip {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \\Leg.trip) var legs: [Leg] = []
        init(name: String) { self.name = name }
      }
      @Model final class Leg { var n = 0; var trip: Trip?; init(n: Int) { self.n = n } }
    }
    enum Kind: String, Codable { case short, long }
    struct Place: Codable, Equatable { var x: Double; var name: String? }
    enum V2: VersionedSchema {
      static let versionIdentifier = Schema.Version(2, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self, Leg.self, Stop.self] }
      @Model final class Trip {
        var name: String
        var kind: Kind?
        var place: Place?
        var tags: [String]?
        var price: Decimal?
        var start: Date?
        var code: UUID?
        var site: URL?
        var raw: Data?
        @Relationship(deleteRule: .cascade, inverse: \\Leg.trip) var legs: [Leg] = []
        @Relationship(inverse: \\Stop.trips) var stops: [Stop] = []
        init(name: String) { self.name = name }
      }
      @Model final class Leg { var n = 0; var trip: Trip?; init(n: Int) { self.n = n } }
      @Model final class Stop { var title: String; var trips: [Trip] = []; init(title: String) { self.title = title } }
    }
    enum AppPlan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
      static var stages: [MigrationStage] { [stage] }
      static let stage = MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self, willMigrate: \(willMigrate), didMigrate: \(didMigrate))
    }
    \(more)
    """
  }

  /// A store of the first version with three trips, of which the first has two legs.
  private func makeStore(_ source: String) throws -> String {
    let model = try folder.source("Models", ["Models.swift": source])
    let made = try run("fixture", "new", "--model", "\(model):V1", "--rows", "3", "App.store")
    try #require(made.status == 0, "\(made)")
    for sql in [
      "UPDATE ZTRIP SET ZNAME = 'Trip ' || Z_PK", "UPDATE ZLEG SET ZN = Z_PK, ZTRIP = CASE WHEN Z_PK < 3 THEN 1 END",
      "DELETE FROM ZTRIP WHERE Z_PK > 3", "DELETE FROM ZLEG WHERE Z_PK > 3",
    ] { try Database.run(sql, in: store) }
    #expect(try rows("SELECT ZNAME FROM ZTRIP ORDER BY Z_PK") == ["Trip 1", "Trip 2", "Trip 3"])
    return model
  }

  /// Migrates a store whose plan has these closures.
  private func migrate(
    willMigrate: String = "nil", didMigrate: String = "nil", more: String = "", _ options: String...,
    environment: [String: String] = [:]
  ) throws -> CommandResult {
    let model = try makeStore(Self.source(willMigrate: willMigrate, didMigrate: didMigrate, more: more))
    return try SwiftSource.run(["App.store", "--model", model] + options, in: folder, environment: environment)
  }

  // MARK: - Closures

  @Test func `A custom stage changes the new version's objects, and the result is verified`() throws {
    let result = try migrate(
      didMigrate: """
        { context in
          for trip in try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\\.name)])) {
            trip.kind = trip.legs.count > 1 ? .long : .short
            trip.name += "!"
            trip.place = Place(x: 1.5, name: trip.name)
            trip.tags = ["a", trip.name]
            trip.price = Decimal(string: "12.25")
            trip.start = Date(timeIntervalSinceReferenceDate: 86400)
            trip.code = UUID(uuidString: "00000000-0000-0000-0000-0000000000FF")
            trip.site = URL(string: "https://example.org/a")
            trip.raw = Data([1, 2])
          }
          try context.save()
        }
        """, "--verify")
    #expect(result.status == 0, "\(result)")
    #expect(
      try rows("SELECT ZNAME, ZKIND, ZX, ZNAME1, ZPRICE, ZSTART, hex(ZCODE), ZSITE, hex(ZRAW) FROM ZTRIP ORDER BY Z_PK")
        .first == "Trip 1!|long|1.5|Trip 1!|12.25|86400|000000000000000000000000000000FF|https://example.org/a|0102")
    #expect(try rows("SELECT ZKIND FROM ZTRIP ORDER BY Z_PK") == ["long", "short", "short"])
    #expect(try rows("SELECT Z_PK, ZN, ZTRIP FROM ZLEG ORDER BY Z_PK") == ["1|1|1", "2|2|1", "3|3|NULL"])
    #expect(result.stderr.contains("Verified"), "\(result)")
    #expect(try folder.listing().contains { $0.hasPrefix("App.store.") || $0.contains("backup") })
  }

  @Test func `Both closures of a stage run, each with the objects of its version`() throws {
    let result = try migrate(
      willMigrate: """
        { context in
          let named = FetchDescriptor<V1.Trip>(predicate: #Predicate { $0.name != "Trip 2" })
          for trip in try context.fetch(named) { trip.name = "old " + trip.name }
          let leg = V1.Leg(n: 7)
          context.insert(leg)
          leg.trip = try context.fetch(FetchDescriptor<V1.Trip>()).last
          try context.save()
        }
        """,
      didMigrate: """
        { context in
          let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\\.name, order: .reverse)]))
          context.insert(V2.Trip(name: trips.map { "\\($0.name) \\($0.legs.count)" }.joined(separator: ", ")))
          try context.save()
        }
        """)
    #expect(result.status == 0, "\(result)")
    #expect(
      try rows("SELECT ZNAME FROM ZTRIP ORDER BY Z_PK") == [
        "old Trip 1", "Trip 2", "old Trip 3", "Trip 2 0, old Trip 3 1, old Trip 1 2",
      ])
    #expect(try rows("SELECT ZN, ZTRIP FROM ZLEG ORDER BY Z_PK") == ["1|1", "2|1", "3|NULL", "7|3"])
  }

  @Test func `A closure finds what an earlier one has left in the app's variables`() throws {
    let result = try migrate(
      willMigrate: """
        { context in
          for trip in try context.fetch(FetchDescriptor<V1.Trip>()) { names[trip.name] = trip.name.count }
        }
        """,
      didMigrate: """
        { context in
          for trip in try context.fetch(FetchDescriptor<V2.Trip>()) {
            trip.name = "\\(trip.name) \\(names[trip.name] ?? 0)"
          }
          try context.save()
        }
        """, more: "nonisolated(unsafe) private var names: [String: Int] = [:]")
    #expect(result.status == 0, "\(result)")
    #expect(try rows("SELECT ZNAME FROM ZTRIP ORDER BY Z_PK") == ["Trip 1 6", "Trip 2 6", "Trip 3 6"])
  }

  @Test func `Both sides of a relationship follow each other before and after they are saved`() throws {
    let result = try migrate(
      didMigrate: """
        { context in
          func check(_ condition: Bool, _ line: Int = #line) { if !condition { fatalError("line \\(line)") } }
          let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\\.name)]))
          let first = trips[0], second = trips[1], leg = first.legs[0]
          check(leg.trip === first && leg.modelContext === context && !context.hasChanges)
          second.legs.append(leg)
          check(leg.trip === second && first.legs.count == 1 && context.hasChanges)
          context.rollback()
          check(leg.trip === first && second.legs.isEmpty && first.legs.count == 2 && !context.hasChanges)
          leg.trip = second
          let stop = V2.Stop(title: "new")
          check(stop.modelContext == nil)
          stop.trips = [first, second]
          check(stop.modelContext === context && first.stops.first === stop)
          second.stops = []
          check(stop.trips.count == 1 && stop.trips[0] === first)
          let identifier = stop.persistentModelID
          try context.save()
          check(!context.hasChanges && identifier != stop.persistentModelID)
          check(context.model(for: stop.persistentModelID) === stop)
          let third: V2.Trip? = context.registeredModel(for: trips[2].persistentModelID)
          check(third === trips[2])
          second.stops.append(stop)
          context.delete(first)
          check(first.isDeleted && stop.trips.count == 1 && stop.trips[0] === second)
          check(try context.fetchCount(FetchDescriptor<V2.Leg>()) == 2)
          try context.save()
        }
        """, "--verify")
    #expect(result.status == 0, "\(result)")
    #expect(try rows("SELECT ZNAME FROM ZTRIP ORDER BY Z_PK") == ["Trip 2", "Trip 3"])
    #expect(try rows("SELECT ZN, ZTRIP FROM ZLEG ORDER BY Z_PK") == ["1|2", "3|NULL"])
    #expect(
      try rows("SELECT t.ZNAME FROM ZSTOP JOIN Z_2TRIPS ON Z_2STOPS = ZSTOP.Z_PK JOIN ZTRIP t ON t.Z_PK = Z_3TRIPS")
        == ["Trip 2"])
  }

  @Test func `Fetches, counts and deletions heed predicates, orders and limits`() throws {
    let result = try migrate(
      didMigrate: """
        { context in
          var texts: [String] = []
          for number in 1...5 { context.insert(V2.Stop(title: "stop \\(number)")) }
          var some = FetchDescriptor<V2.Stop>(
            predicate: #Predicate { $0.title > "stop 1" }, sortBy: [SortDescriptor(\\.title, order: .reverse)])
          (some.fetchOffset, some.fetchLimit) = (1, 2)
          texts += try context.fetch(some).map(\\.title)
          texts.append("\\(try context.fetchCount(some))")
          try context.delete(model: V2.Stop.self, where: #Predicate { $0.title == "stop 3" })
          try context.enumerate(FetchDescriptor<V2.Stop>()) { texts.append(String($0.title.last!)) }
          let linked = FetchDescriptor<V2.Trip>(predicate: #Predicate { trip in trip.legs.contains { $0.n == 2 } })
          texts += try context.fetch(linked).map(\\.name)
          texts.append("\\(try context.fetchIdentifiers(FetchDescriptor<V2.Stop>()).count)")
          try context.delete(model: V2.Stop.self)
          context.insert(V2.Stop(title: texts.joined(separator: ",")))
          try context.save()
        }
        """)
    #expect(result.status == 0, "\(result)")
    #expect(try rows("SELECT ZTITLE FROM ZSTOP") == ["stop 4,stop 3,2,1,2,4,5,Trip 1,4"])
  }

  @Test func `What is undone by a rollback is not saved later`() throws {
    let result = try migrate(
      didMigrate: """
        { context in
          let trips = try context.fetch(FetchDescriptor<V2.Trip>(sortBy: [SortDescriptor(\\.name)]))
          trips[0].name = "CHANGED"
          context.delete(trips[0])
          trips[0].name = "CHANGED AGAIN"
          context.rollback()
          trips[0].kind = .long
          try context.save()
        }
        """, "--verify")
    #expect(result.status == 0, "\(result)")
    #expect(
      try rows("SELECT ZNAME, ZKIND FROM ZTRIP ORDER BY Z_PK") == ["Trip 1|long", "Trip 2|NULL", "Trip 3|NULL"])
  }

  @Test func `Objects that delete each other are deleted once`() throws {
    let source = Self.source(
      didMigrate: """
        { context in
          for trip in try context.fetch(FetchDescriptor<V2.Trip>()) { context.delete(trip) }
          try context.save()
        }
        """
    ).replacing("var trip: Trip?", with: "@Relationship(deleteRule: .cascade) var trip: Trip?")
    let result = try run("App.store", "--model", try makeStore(source), "--verify")
    #expect(result.status == 0, "\(result)")
    #expect(try rows("SELECT count(*) FROM ZTRIP") == ["0"])
    #expect(try rows("SELECT ZN FROM ZLEG") == ["3"])
  }

  @Test func `Texts are ordered and searched as SwiftData does`() throws {
    let result = try migrate(
      didMigrate: """
        { context in
          for title in ["item 10", "B", "a", "item 9"] { context.insert(V2.Stop(title: title)) }
          let all = try context.fetch(FetchDescriptor<V2.Stop>(sortBy: [SortDescriptor(\\.title)]))
          let back = try context.fetch(FetchDescriptor<V2.Stop>(sortBy: [SortDescriptor(\\.title, order: .reverse)]))
          let found = try context.fetch(
            FetchDescriptor<V2.Stop>(predicate: #Predicate { $0.title.localizedStandardContains("A") }))
          let texts = (all + back + found).map(\\.title)
          try context.delete(model: V2.Stop.self)
          context.insert(V2.Stop(title: texts.joined(separator: ",")))
          try context.save()
        }
        """)
    #expect(result.status == 0, "\(result)")
    #expect(try rows("SELECT ZTITLE FROM ZSTOP") == ["a,B,item 9,item 10,item 10,item 9,B,a,a"])
  }

  @Test func `Numbers that are not finite are kept in structs, too`() throws {
    let result = try migrate(
      didMigrate: """
        { context in
          for trip in try context.fetch(FetchDescriptor<V2.Trip>()) { trip.place = Place(x: -.infinity, name: "far") }
          try context.save()
        }
        """)
    #expect(result.status == 0, "\(result)")
    #expect(try rows("SELECT ZX < -1e308, ZNAME1 FROM ZTRIP WHERE Z_PK = 1") == ["1|far"])
  }

  @Test(arguments: [
    "for title in [\"new\", \"new\"] { context.insert(V2.Mark(title: title)) }",
    "context.insert(V2.Mark(title: \"old\")); try context.save(); context.insert(V2.Mark(title: \"old\"))",
  ])
  func `Two objects with one unique value are not saved`(code: String) throws {
    let source = Self.source(
      didMigrate: "{ context in \(code); try context.save() }",
      more: "extension V2 { @Model final class Mark { @Attribute(.unique) var title = \"\"; "
        + "init(title: String) { self.title = title } } }"
    ).replacing("[Trip.self, Leg.self, Stop.self]", with: "[Trip.self, Leg.self, Stop.self, Mark.self]")
    let model = try makeStore(source)
    let result = try run("App.store", "--model", model)
    #expect(result.status == 65 && result.stderr.contains("'Mark.title', which is unique"), "\(result)")
  }

  @Test func `Values of every kind are read as they were written`() throws {
    let model = try makeStore(
      Self.source(
        didMigrate: """
          { context in
            for trip in try context.fetch(FetchDescriptor<V2.Trip>()) {
              trip.kind = .long
              trip.place = Place(x: 0.1, name: nil)
              trip.tags = ["x", "y"]
              trip.price = Decimal(string: "0.1")
              trip.code = UUID()
            }
            try context.save()
          }
          """,
        more: """
          enum V3: VersionedSchema {
            static let versionIdentifier = Schema.Version(3, 0, 0)
            static var models: [any PersistentModel.Type] { [Trip.self] }
            @Model final class Trip {
              var name: String
              var kind: Kind?
              var place: Place?
              var tags: [String]?
              var price: Decimal?
              var code: UUID?
              var summary: String?
              init(name: String) { self.name = name }
            }
          }
          enum Longer: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [V2.self, V3.self] }
            static var stages: [MigrationStage] {
              [.custom(fromVersion: V2.self, toVersion: V3.self, willMigrate: nil, didMigrate: { context in
                for trip in try context.fetch(FetchDescriptor<V3.Trip>()) where trip.code != nil {
                  trip.summary = "\\(trip.kind == .long) \\(trip.place!) \\(trip.tags!) \\(trip.price!)"
                }
                try context.save()
              })]
            }
          }
          """))
    #expect(try run("App.store", "--model", "\(model):V2").status == 0)
    let result = try run("App.store", "--model", model, "--allow-loss")
    #expect(result.status == 0, "\(result)")
    #expect(
      try rows("SELECT ZSUMMARY FROM ZTRIP").first == "true Place(x: 0.1, name: nil) [\"x\", \"y\"] 0.1")
  }

  @Test func `The same store and the same code give the same bytes`() throws {
    let model = try makeStore(
      Self.source(
        didMigrate: """
          { context in
            for name in Set(["a", "b", "c", "d", "e"]) { context.insert(V2.Trip(name: name)) }
            for trip in try context.fetch(FetchDescriptor<V2.Trip>()) { trip.tags = [trip.name, "x"] }
            try context.save()
          }
          """))
    for output in ["1.store", "2.store"] {
      let result = try run("App.store", "--model", model, "--output", output)
      #expect(result.status == 0, "\(result)")
    }
    #expect(try Files.bytes(folder.file("1.store")) == Files.bytes(folder.file("2.store")))
  }

  // MARK: - Ends

  @Test(arguments: [
    ("throw Refusal()", "not like this"), ("fatalError(\"no leg at all\")", "no leg at all"),
    ("let none: Int? = nil; _ = none!", "Unexpectedly found nil"), ("exit(3)", "exit status 3"),
    ("while true { usleep(1000) }", "seems to hang"),
    ("while true { FileHandle.standardError.write(Data(count: 60_000)) }", "seems to hang"),
    (
      "var p: pid_t = 0; posix_spawn(&p, \"/bin/sleep\", nil, nil, [strdup(\"sleep\"), strdup(\"60\"), nil], nil); exit(3)",
      "exit status 3"
    ), ("_ = try context.fetch(FetchDescriptor<V1.Trip>())", "V1.Trip"),
    ("context.insert(V1.Leg(n: 1))", "V1.Leg"),
  ])
  func `A closure that fails ends the migration, with the app's own message`(code: String, text: String) throws {
    let model = try makeStore(
      Self.source(
        didMigrate: """
          { context in
            for trip in try context.fetch(FetchDescriptor<V2.Trip>()) { trip.name = "changed" }
            try context.save()
            \(code)
          }
          """, more: "struct Refusal: LocalizedError { var errorDescription: String? { \"not like this\" } }"))
    let (before, files) = (try Files.bytes(store), try folder.listing())
    let result = try run("App.store", "--model", model, environment: ["TRACKS_MIGRATE_STAGE_LIMIT": "2"])
    #expect(result.status == 65 && result.stderr.contains(text), "\(result)")
    #expect(result.stderr.contains("'didMigrate' of the stage from 'V1' to 'V2'"), "\(result)")
    #expect(try Files.bytes(store) == before)
    #expect(try folder.listing() == files)
  }

  @Test func `A stage whose code does not compile here says why it cannot run`() throws {
    let result = try migrate(didMigrate: "{ context in try Missing.work(context) }")
    #expect(result.status == 65 && result.stderr.contains("cannot find 'Missing' in scope"), "\(result)")
  }

  @Test func `A stage runs from a cache whose path has an equals sign`() throws {
    let model = try makeStore(Self.source(didMigrate: "{ context in }"))
    // With the usual path first, so that nothing is compiled under the other one.
    #expect(try run("App.store", "--model", model, "--output", "1.store").status == 0)
    let path = folder.file("a=b")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: SwiftSource.cache)
    let result = try run(
      "App.store", "--model", model, "--output", "2.store", environment: ["XDG_CACHE_HOME": path])
    #expect(result.status == 0, "\(result)")
  }

  // MARK: - Plans

  @Test func `A plan shows its closures apart from its hops, and advises no mapping model`() throws {
    let source = Self.source(willMigrate: "{ context in }", didMigrate: "{ context in }")
      .replacing("var n = 0;", with: "var n = 0; var gone = 1;", maxReplacements: 1)
    let result = try run("App.store", "--model", try makeStore(source), "--dry-run")
    #expect(result.status == 0, "\(result)")
    let text = result.stdout + result.stderr
    #expect(text.contains("to 'V2' in one hop:\n  1. 'willMigrate' runs on 'V1'\n  2. 'V1'"))
    #expect(text.split(separator: "rows have a value of 'Leg.gone'").count == 2, "\(text)")
    #expect(text.contains("'originalName'") && !text.contains("mapping model"), "\(text)")
  }

  @Test func `A stage that the plan does not list is not inferred`() throws {
    let source = Self.source().replacing("{ [stage] }", with: "{ [] }")
    let model = try makeStore(source)
    let before = try Files.bytes(store)
    let result = try run("App.store", "--model", model)
    #expect(result.status == 69 && result.stderr.contains("no stage from 'V1' to 'V2'"), "\(result)")
    #expect(try Files.bytes(store) == before)
  }

  @Test func `A store of no version is refused with SwiftData's code and the nearest version`() throws {
    let model = try makeStore(Self.source())
    let other = try folder.source(
      "Other", ["Models.swift": Self.source().replacing("var n = 0", with: "var n = 0; var m = 1")])
    let result = try run("App.store", "--model", other)
    #expect(
      result.status == 69 && result.stderr.contains("134504")
        && result.stderr.contains("nearest version is 'V1'"),
      "\(result)")
    #expect(model == "Models")
  }

  @Test func `Versions of one checksum are refused`() throws {
    let source = Self.source(
      more: """
        enum V2b: VersionedSchema {
          static let versionIdentifier = Schema.Version(2, 1, 0)
          static var models: [any PersistentModel.Type] { V2.models }
        }
        """
    ).replacing("[V1.self, V2.self]", with: "[V1.self, V2.self, V2b.self]")
    let result = try run("App.store", "--model", try makeStore(source))
    #expect(result.status == 69 && result.stderr.contains("duplicate version checksums"), "\(result)")
  }

  @Test func `Several plans for one version are named`() throws {
    let source = Self.source(
      more: """
        enum OtherPlan: SchemaMigrationPlan {
          static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
          static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }
        }
        """)
    let result = try run("App.store", "--model", try makeStore(source))
    #expect(result.status == 69 && result.stderr.contains("'AppPlan', 'OtherPlan'"), "\(result)")
  }
}
