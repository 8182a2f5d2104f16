import CoreDataExpressions
import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

struct CustomPolicyTests {
  @Test func `A registry finds policies by name, by module-qualified name and by alias`() {
    var registry = PolicyRegistry()
    registry.register("Known") { EntityMigrationPolicy() }
    let known = (registry.alias("Mine", for: "Known"), registry.alias("Theirs", for: "App.Known"))
    #expect(known == (true, true))
    let isLostKnown = registry.alias("Lost", for: "Unknown")
    #expect(!isLostKnown)
    #expect(registry.classNames == ["Known", "Mine", "Theirs"])
    for name in ["Known", "Mine", "App.Theirs"] { #expect(registry.makePolicy(named: name) != nil) }
    for name in ["Lost", "Unknown", "App.Lost", "Known.App"] { #expect(registry.makePolicy(named: name) == nil) }
    var other = PolicyRegistry()
    other.register("Known") { ArtistPolicy() }
    #expect(registry.merging(other).makePolicy(named: "Known") is ArtistPolicy)
    #expect(other.merging(registry).makePolicy(named: "Known") is ArtistPolicy == false)
    #expect(other.merging(registry).classNames == registry.classNames)
  }

  /// A policy written as in Apple's documentation: one artist for each name, created once.
  private final class ArtistPolicy: EntityMigrationPolicy {
    private var artists: [String: ManagedObject] = [:]

    override func createDestinationInstances(
      forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
      try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
      let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
      guard let track = made.first, case .string(let names)? = sInstance.value(forKey: "artistName") else { return }
      let artists = try names.split(separator: ",").map { try artist(String($0), manager) }
      track.setInstances(artists, forKey: "artists")
    }

    private func artist(_ name: String, _ manager: MigrationManager) throws -> ManagedObject {
      if let artist = artists[name] { return artist }
      let artist = try manager.destinationContext.insertNewObject(forEntityName: "Artist")
      artist.setValue(.string(name), forKey: "name")
      artists[name] = artist
      return artist
    }
  }

  private func fixture(_ names: CellValue...) throws -> MigrationFixture {
    var fixture = try MigrationFixture(
      zip(Int64(1)..., names).map { TrackRow($0, title: .text("T\($0)"), artistName: $1, json: nil) })
    fixture.use { ArtistPolicy() }
    return fixture
  }

  @Test func `A policy creates artists and links them with their tracks`() throws {
    let fixture = try fixture("X,Y", "Y,Y,Z", nil, "X")
    let statistics = try fixture.migrate()
    #expect(
      try fixture.rows("SELECT Z_PK, Z_ENT, ZNAME, ZID FROM ZARTIST ORDER BY 1")
        == ["1|1|X|NULL", "2|1|Y|NULL", "3|1|Z|NULL"])
    #expect(
      try fixture.rows("SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY 1, 2")
        == ["1|1", "1|4", "2|1", "2|2", "3|2"])
    #expect(statistics.linkCounts == ["Z_1TRACKS": 5])
    #expect(statistics.destinationInstanceCounts == ["Artist": 3, "Track": 4])
    // The artists were created without being associated with a source.
    #expect(statistics[MigrationManager.unassociatedCounter] == 3)
    #expect(statistics.examples[MigrationManager.unassociatedCounter] == ["Artist 1", "Artist 2", "Artist 3"])
    #expect(try fixture.rows("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY") == ["Artist|3", "Track|4"])
  }

  @Test func `A relationship can be set from either side`() throws {
    var fixture = try MigrationFixture([TrackRow(1, json: nil)])
    final class Policy: EntityMigrationPolicy {
      override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
        let artist = try manager.destinationContext.insertNewObject(forEntityName: "Artist")
        let tracks = manager.destinationInstances(forEntityMappingName: mapping.name)
        artist.setInstances(tracks, forKey: "tracks")
        tracks.first?.setInstances([artist], forKey: "artists")
      }
    }
    fixture.use { Policy() }
    #expect(try fixture.migrate().linkCounts == ["Z_1TRACKS": 1])
    #expect(try fixture.rows("SELECT * FROM Z_1TRACKS") == ["1|1"])
  }

  @Test func `Only a limited number of examples is kept`() throws {
    let fixture = try fixture(.text((1...50).map(String.init).joined(separator: ",")))
    let statistics = try fixture.migrate()
    #expect(statistics[MigrationManager.unassociatedCounter] == 50)
    #expect(statistics.examples[MigrationManager.unassociatedCounter]?.count == MigrationStatistics.exampleLimit)
  }

  @Test func `Instances are found by their sources and vice versa`() throws {
    final class Policy: EntityMigrationPolicy {
      override func createDestinationInstances(
        forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
      ) throws {
        for _ in 1...2 {
          try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        }
      }

      override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
        let sources = manager.sourceInstances(forEntityMappingName: mapping.name)
        #expect(sources.map(\.objectID.primaryKey) == [5, 9])
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sources[1]])
        #expect(made.map(\.objectID.primaryKey) == [3, 4])
        let back = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: made)
        #expect(back.map(\.objectID.primaryKey) == [9, 9])
        #expect(manager.destinationInstances(forEntityMappingName: mapping.name).count == 4)
        #expect(manager.destinationInstances(forEntityMappingName: "other").isEmpty)
        #expect(manager.sourceInstances(forEntityMappingName: "other").isEmpty)
        manager.statistics.count("validated")
      }
    }
    var fixture = try MigrationFixture([TrackRow(5, json: nil), TrackRow(9, json: nil)])
    fixture.use { Policy() }
    #expect(try fixture.migrate()["validated"] == 1)
  }

  @Test func `An instance of several sources is linked once`() throws {
    final class Policy: EntityMigrationPolicy {
      var shared: ManagedObject?
      override func createDestinationInstances(
        forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
      ) throws {
        let track = try shared ?? manager.destinationContext.insertNewObject(forEntityName: "Track")
        shared = track
        manager.associate(sourceInstance: sInstance, withDestinationInstance: track, for: mapping)
      }

      override func createRelationships(
        forDestination dInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
      ) throws {
        manager.statistics.count("related")
      }
    }
    var fixture = try MigrationFixture([TrackRow(5, json: nil), TrackRow(9, json: nil)])
    fixture.use { Policy() }
    #expect(try fixture.migrate()["related"] == 1)
  }

  @Test func `An entity that the model lacks throws an error`() throws {
    final class Policy: EntityMigrationPolicy {
      override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {
        _ = try manager.destinationContext.insertNewObject(forEntityName: "Album")
      }
    }
    var fixture = try MigrationFixture([])
    fixture.use { Policy() }
    #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .invalidMappingModel)
  }

  @Test func `A batch policy may add instances of the copied entity after the greatest key`() throws {
    final class Policy: EmptyBatchPolicy {
      override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
        let key = try manager.destinationStore.nextPrimaryKey(forEntityNamed: "Track")
        manager.statistics.addExample("\(key)", to: "key")
      }
    }
    // Z_MAX is below the greatest key: another program added rows.
    var builder = TrackLibraryBuilder([TrackRow(1, json: nil), TrackRow(70, json: nil)])
    builder.greatestKey = 1
    var fixture = try MigrationFixture(builder)
    fixture.use { Policy() }
    #expect(try fixture.migrate().examples["key"] == ["71"])
    #expect(try fixture.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Track'") == ["70"])
    // The rows with the keys from 71 to 90 were deleted.
    builder.greatestKey = 90
    var later = try MigrationFixture(builder)
    later.use { Policy() }
    #expect(try later.migrate().examples["key"] == ["91"])
  }

  @Test func `Running out of primary keys throws an error and does not trap`() throws {
    final class Policy: EmptyBatchPolicy {
      override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
        _ = try manager.destinationStore.nextPrimaryKey(forEntityNamed: "Track")
      }
    }
    var builder = TrackLibraryBuilder([TrackRow(1, json: nil)])
    builder.greatestKey = .max
    var fixture = try MigrationFixture(builder)
    fixture.use { Policy() }
    #expect(try #require(throws: MigrationError.self) { try fixture.migrate() }.code == .migrationFailed)
  }

  @Test func `A batch ends early when its rows are large`() throws {
    var fixture = try MigrationFixture((1...5).map { TrackRow($0, json: nil) })
    fixture.use { LargeRowPolicy() }
    #expect(try fixture.migrate()["batches"] == 5)
  }

  @Test func `Progress counts the rows that a batch policy is done with, and never goes back`() throws {
    // The keys are too far apart to be copied at once.
    var fixture = try MigrationFixture([1, 5000, 10_000].map { TrackRow($0, json: nil) })
    fixture.use { EmptyBatchPolicy() }
    var counts: [[Int]] = []
    try fixture.migrate { counts.append([$0.completedCount, $0.totalCount]) }
    #expect(counts == [[1, 3], [2, 3], [3, 3]])
  }

  @Test func `Invalid text that a statement on a whole table reads is named by what it says`() throws {
    var fixture = try MigrationFixture([TrackRow(1, title: "x", json: nil), TrackRow(2, title: "y", json: nil)])
    try Database.run("UPDATE ZTRACK SET ZTITLE = CAST(x'41FF42' AS TEXT) WHERE Z_PK = 2", in: fixture.source)
    fixture.use { EmptyBatchPolicy() }
    fixture.mappings[0].filterPredicate = try Predicate(format: "title !=[c] 'Z'")
    let statistics = try fixture.migrate()
    #expect(statistics.examples[MigrationManager.repairedTextCounter] == ["'A\u{FFFD}B'"])
    #expect(try fixture.rows("SELECT hex(ZTITLE) FROM ZTRACK ORDER BY Z_PK") == ["78", "41FF42"])
  }

  @Test func `A batch policy is refused where SQL does not give what an expression asks for`() throws {
    var fixture = try MigrationFixture([TrackRow(1, json: nil)])
    fixture.use { EmptyBatchPolicy() }
    fixture.mappings[0].attributeMappings = [
      PropertyMapping(
        name: "title", valueExpression: try Expression(format: #"FUNCTION($entityPolicy, "f:", $source)"#))
    ]
    let error = try #require(throws: MigrationError.self) { try fixture.migrate() }
    #expect(error.code == .invalidMappingModel)
    #expect(error.subject.property == "title")
    #expect(error.detail?.contains("the policy 'Custom' works in batches, beside statements on whole tables") == true)
  }
}

/// Takes every row for a large one.
private final class LargeRowPolicy: EntityMigrationPolicy, BatchMigrationPolicy {
  struct Preparer: RowPreparer {
    private(set) var byteCount = 0

    mutating func prepare(_ row: SourceRow) { byteCount += 5 << 20 }

    mutating func takeBatch() -> Int {
      defer { byteCount = 0 }
      return byteCount
    }
  }

  let preparedAttributes = ["title"]

  func makePreparer(for mapping: EntityMapping, manager: MigrationManager) -> Preparer { Preparer() }

  func apply(_ batch: Int, in mapping: EntityMapping, manager: MigrationManager) {
    manager.statistics.count("batches")
  }
}
