import Foundation
import TestSupport
import Testing

@Suite("Models that are Swift source", .enabled(if: SwiftSource.hasToolchain))
struct SwiftSourceModelTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String...) throws -> CommandResult { try SwiftSource.run(words, in: folder) }

  // MARK: - The rules

  /// Classes whose hashes follow from the rules that Apple's own stores gave (shared/swiftdata.md, section 7).
  private static let vectors = """
    import SwiftData
    @Model final class Vec1 {
      var id: UUID; var name: String; var note: String?; var n: Int; var n32: Int32; var n16: UInt16; var ok: Bool
      var d: Double; var f: Float; var at: Date?; var raw: Data?; var price: Decimal
      init() { fatalError() }
    }
    @Model final class Vec2 {
      @Attribute(.unique) var code: String = "c"; var tags: [String] = []; @Transient var scratch = 1
      init() {}
    }
    @Model final class Vec3 {
      #Unique<Vec3>([\\.a, \\.b])
      #Index<Vec3>([\\.a])
      var a = ""; var b = 0
      init() {}
    }
    @Model class Vec4 {
      var title = ""
      @Relationship(deleteRule: .cascade, inverse: \\Vec5.owner) var items = [Vec5]()
      init() {}
    }
    @Model class Vec5 { private var title: String = ""; var owner: Vec4?; init() {} }
    enum Kind: String, Codable { case a, b }
    enum Level: Int, Codable { case low, high }
    @Model class Vec6 { var kind = Kind.a; var level: Level?; init() {} }
    @Model class Vec7 { var label = ""; @Relationship(deleteRule: .nullify) var other: Vec2?; init() {} }
    struct Position: Codable { var x: Double; var y: Double; var label: String }
    @Model class Vec8 { var name: String; var pos: Position; init() { fatalError() } }
    enum State: Codable { case on, off }
    @Model class Vec9 { var name = ""; var state = State.on; init() {} }
    struct Point: Codable { var x, y: Double }
    struct Quad: Codable { var a: Int; var p: Point }
    @Model class Vec10 { var q: Quad; init() { fatalError() } }
    """

  @Test func `Version hashes are those that the rules of Apple's stores give`() throws {
    let model = try folder.source("Models", ["Vectors.swift": Self.vectors])
    #expect(
      try SwiftSource.hashes(of: model, in: folder) == [
        "Vec1": "ab6aaca2994e82ad1c3a83af3711e0aa6f0821039170e0fdc0aa89141a5c2a66",
        "Vec2": "c9eb4642b8644c22c6c43b4d21017ff0a98f178a5c7f012ac49ab2ad61c58f83",
        "Vec3": "2a340d9ecc9408d9789213eafa241e3cfa53965488c0d674bcabdd5d9e666069",
        "Vec4": "a3a53c41ed488484617a41b162a460d85d3afa390723c68a69da10057711848f",
        "Vec5": "349922a161f15c1ed1b6befe14fc33bf2c96174b5aff256451668a7a7ace2c51",
        "Vec6": "ad120ecf5c3d1f2097ff4e6b3302ebd1baa0c265cf9635352b3be87405243786",
        "Vec7": "9a25d60fcc376c984ced4c808428afa1294350cec0c2c385228a2b760d0a1eba",
        "Vec8": "999567a8e11b17a96b4ba6f0a8b7eeff17efbdf1e55f0e3a3c7a5f3f8688cddd",
        "Vec9": "4219cd6632f27d8fc15ec8d9a3a211af2ab883123ed9c962b2e87f12a6717323",
        "Vec10": "487b48b9a2e5ccdcaae08a6f224f48aa5ab35d515aefc7f1a154455db3e6ba17",
      ])
  }

  /// Three versions, as an app has them: nested classes, an extension, a plan, and files that import what is not here.
  private static let app = [
    "Schemas/V1.swift": """
    import SwiftUI
    import SwiftData
    enum AppSchemaV1: VersionedSchema {
      static var versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self] }
      @Model final class Trip {
        var name: String
        @Relationship(deleteRule: .cascade) var legs: [Leg] = []
        init(name: String) { self.name = name }
      }
      @Model final class Leg { var n = 0; var trip: Trip?; init() {} }
    }
    """,
    "Schemas/V2.swift": """
    import SwiftData
    enum AppSchemaV2: VersionedSchema {
      static let versionIdentifier: Schema.Version = .init(2, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self, Leg.self] }
      @Model final class Trip {
        @Attribute(.unique, originalName: "name") private(set) var title: String { didSet { print(title) } }
        var kind: Kind? = Kind.work
        var upper: String { title.uppercased() }
        static let shared = 1
        typealias Score = Int32
        var score: Score = 0
        var `default`: Bool = false
        var plain: Int?
        lazy var cache = [Int]()
        #if os(Linux)
          var here = 1
        #else
          var elsewhere = 1
        #endif
        @Relationship(deleteRule: .cascade, inverse: \\Leg.trip) var legs: [Leg] = []
        init(title: String) { self.title = title }
      }
      @Model final class Leg { var n = 0; var trip: Trip?; init() {} }
      enum Kind: String, Codable, CaseIterable { case work, play }
    }
    """,
    "Schemas/Current.swift": """
    import SwiftData
    typealias Trip = AppSchemaV3.Trip
    enum AppSchemaV3: VersionedSchema {
      static let versionIdentifier: Schema.Version = .init(3, 0, 0)
      static var models: [any PersistentModel.Type] { [Trip.self, Leg.self, Base.self, Sub.self] }
    }
    extension AppSchemaV3 {
      @Model final class Trip {
        #Index<Trip>([\\.title], [\\.title, \\.start])
        var title: String = ""
        var start: Date = Date.now
        @Attribute(.externalStorage) var photo: Data?
        @Relationship(deleteRule: .cascade, inverse: \\Leg.trip) var legs: [Leg]? = []
        init() {}
      }
      @Model final class Leg { var n = 0; var trip: Trip?; init() {} }
      @Model class Base { var id: UUID = UUID(); init() {} }
      @available(iOS 26, *)
      @Model class Sub: Base { var extra: Int = 4; override init() { super.init() } }
    }
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [AppSchemaV1.self, AppSchemaV2.self, AppSchemaV3.self] }
      static var stages: [MigrationStage] { [first, second] }
      static let first = MigrationStage.custom(
        fromVersion: AppSchemaV1.self, toVersion: AppSchemaV2.self,
        willMigrate: { context in
          let named = FetchDescriptor<AppSchemaV1.Trip>(
            predicate: #Predicate { $0.name == "x" }, sortBy: [SortDescriptor(\\.name)])
          for trip in try context.fetch(named) { trip.name += " 2" }
          try context.save()
        }, didMigrate: nil)
      static let second = MigrationStage.lightweight(fromVersion: AppSchemaV2.self, toVersion: AppSchemaV3.self)
    }
    @ModelActor actor Importer {
      func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Trip>()) }
    }
    """,
  ]

  @Test func `Each version of an app is a version of the model`() throws {
    let model = try folder.source("Sources", Self.app)
    let result = try run("models", "show", model)
    #expect(result.status == 0, "\(result)")
    for line in [
      "model        Sources:AppSchemaV3", "versions     AppSchemaV1, AppSchemaV2, AppSchemaV3 (current)",
      #"identifiers  "3.0.0""#, "  parent        Base",
      "  index         SwiftDataIndexOnBinarytitlestart (title, start)",
      "  legs      relationship  to-many Leg  optional ",
    ] {
      #expect(result.stdout.contains("\n\(line)") || result.stdout.hasPrefix(line), "\(line)\nin\n\(result)")
    }
    let first = try run("models", "show", "\(model):AppSchemaV1", "--format", "csv").stdout
    // A class that only a relationship leads to belongs to the version, and its inverse is found.
    #expect(first.contains("\nLeg,trip,relationship,to-one Trip,optional,"), "\(first)")
    #expect(first.contains("\nTrip,legs,relationship,to-many Leg,required,,inverse trip;"), "\(first)")
    let second = try run("models", "show", "\(model):AppSchemaV2", "--format", "csv").stdout
    for line in [
      "Trip,title,attribute,String,required,,renamed from name", "Trip,score,attribute,Integer 32,required,0",
      "Trip,default,attribute,Boolean,required,", "Trip,kind.kind,element,String,optional",
      "Trip,plain,attribute,Integer 64,optional", "Trip,here,attribute,Integer 64,required,1",
    ] {
      #expect(second.contains("\n\(line)"), "\(line)\nin\n\(second)")
    }
    let others = ["shared", "upper", "cache", "elsewhere"]
    #expect(others.allSatisfy { !second.contains("Trip,\($0),") }, "\(second)")
  }

  @Test func `A store is made of one version and migrated to the current one`() throws {
    let model = try folder.source("Sources", Self.app)
    let made = try run("fixture", "new", "--model", "\(model):AppSchemaV1", "App.store", "--rows", "5")
    #expect(made.status == 0, "\(made)")
    let result = try run("App.store", "--model", model)
    let text = result.stdout + result.stderr
    #expect(result.status == 0 && text.contains("from 'AppSchemaV1' to 'AppSchemaV3'"), "\(result)")
    let explained = try run("models", "explain", "App.store", model)
    #expect(explained.status == 0 && explained.stdout.contains("it can be opened without a migration"), "\(explained)")
  }

  @Test func `Inverses follow the rules, and doubts are said`() throws {
    let model = try folder.source(
      "Models",
      [
        "Models.swift": """
        import SwiftData
        @Model class A { @Relationship(deleteRule: .cascade) var bs: [B] = []; init() {} }
        @Model class B { var a: A?; init() {} }
        @Model class C { @Relationship var ds: [D] = []; init() {} }
        @Model class D { @Relationship var c: C?; init() {} }
        @Model class E { @Relationship var fs: [F] = []; init() {} }
        @Model class F { init() {} }
        @Model class G { @Relationship(inverse: \\H.gs) var hs: [H] = []; init() {} }
        @Model class H { var gs: [G] = []; init() {} }
        @Model class Node { var parent: Node?; var children: [Node] = []; var site: URL?; init() {} }
        enum Kind: String, Codable { case work }
        struct Part: Codable { var size = 1 }
        @Model class Lists {
          var letters: [Character] = []; var gaps: [Int?] = []; var kinds: [Kind: Part]?
          var words: [String] = []; var parts: [String: Part]?
          init() {}
        }
        """
      ])
    let text = try run("models", "show", model, "--format", "csv").stdout
    for line in [
      "A,bs,relationship,to-many B,required,,inverse a; on delete cascade",
      "B,a,relationship,to-one A,optional,,inverse bs",
      "C,ds,relationship,to-many D,required,,no inverse", "D,c,relationship,to-one C,optional,,no inverse",
      "E,fs,relationship,to-many F,required,,no inverse", "G,hs,relationship,to-many H,required,,inverse gs",
      "H,gs,relationship,to-many G,required,,inverse hs",
    ] {
      #expect(text.contains("\n\(line)"), "\(line)\nin\n\(text)")
    }
    let doubts = text.split(separator: "\n").filter { $0.contains("tracks-migrate.uncertain") }
    let names = doubts.map { $0.split(separator: ",")[1] }.sorted()
    #expect(names == ["children", "gaps", "kinds", "letters", "parent", "site"], "\(doubts)")
  }

  @Test func `A type within a class is found wherever it is declared`() throws {
    let model = try folder.source(
      "Models",
      [
        "Trip.swift": """
        import SwiftData
        enum Status: String, Codable { case on }
        enum Kind: String, Codable { case on }
        typealias Grade = Int
        @SwiftData.Model class Trip { var status: Status?; var kind: Kind?; var grade: Grade?; init() {} }
        extension Trip: UIThing { enum Kind: Int, Codable { case on }; func paint() -> UIColor { .red } }
        """,
        // Alone in its file, and by the module's name.
        "Leg.swift": """
        import SwiftData
        @SwiftData.Model final class Leg { var length: Length?; init() {} }
        struct Length: Codable { var value = 1; lazy var twice = value * 2 }
        """,
        "Trip+Status.swift": """
        import SwiftUI
        extension Trip { enum Status: Int, Codable { case on }; typealias Grade = Double; var color: Color { .red } }
        """,
      ])
    try Files.link(folder.file("Models/Gone.swift"), to: "None.swift")
    let result = try run("models", "show", model, "--format", "csv")
    #expect(result.status == 0, "\(result)")
    for line in [
      "Trip,status.status,element,Integer 64,", "Trip,kind.kind,element,Integer 64,", "Trip,grade,attribute,Double,",
      "Leg,length.value,element,Integer 64,",
    ] {
      #expect(result.stdout.contains("\n\(line)"), "\(line)\nin\n\(result)")
    }
    #expect(!result.stdout.contains("lazy"), "\(result)")
  }

  @Test func `A relationship with another version's class says so`() throws {
    let model = try folder.source(
      "Models",
      [
        "Schemas.swift": """
        import SwiftData
        enum One: VersionedSchema {
          static let versionIdentifier = Schema.Version(1, 0, 0)
          static let models: [any PersistentModel.Type] = [Leg.self]
          @Model class Leg { var n = 0; init() {} }
        }
        enum Two: VersionedSchema {
          static let versionIdentifier = Schema.Version(2, 0, 0)
          static let models: [any PersistentModel.Type] = [Trip.self, Leg.self]
          @Model class Trip { var legs: [One.Leg] = []; init() {} }
          @Model class Leg { var n = 0; var more = 0; init() {} }
        }
        """
      ])
    let result = try run("models", "show", model)
    #expect(result.stdout.contains("it refers to 'One.Leg', and 'Two.Leg' is taken"), "\(result)")
    #expect(!(try run("models", "show", "\(model):One").stdout.contains("is taken")))
  }

  @Test func `Two versions of one checksum are found`() throws {
    let model = try folder.source(
      "Models",
      [
        "Schemas.swift": """
        import SwiftData
        enum One: VersionedSchema {
          static let versionIdentifier = Schema.Version(1, 0, 0)
          static let models: [any PersistentModel.Type] = [Trip.self]
          @Model class Trip { var n = 0; init() {} }
        }
        enum Two: VersionedSchema {
          static let versionIdentifier = Schema.Version(2, 0, 0)
          static let models: [any PersistentModel.Type] = [Trip.self]
          @Model class Trip { var n = 1; init() {} }
        }
        """
      ])
    let result = try run("models", "guard", model)
    #expect(result.status == 3, "\(result)")
    #expect(result.stdout.contains("error: Two: it has the same version hashes as 'One'"), "\(result)")
  }
}
