import Foundation
import TestSupport
import Testing

@Suite("Swift source that is compiled", .enabled(if: SwiftSource.hasToolchain))
struct SwiftSourceErrorTests {
  private let folder: TemporaryFolder
  private let plain = "import SwiftData\n@Model class Trip { var name = \"\"; init() {} }\n"

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String..., environment: [String: String] = [:]) throws -> CommandResult {
    try SwiftSource.run(words, in: folder, environment: environment)
  }

  /// A cache of this test's own, which takes the compiled library over.
  private func ownCache() throws -> [String: String] {
    _ = try SwiftSource.hashes(of: try folder.source("Any", ["Any.swift": plain]), in: folder)
    let path = folder.file("cache/tracks-migrate")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let shared = "\(SwiftSource.cache)/tracks-migrate"
    for name in try Files.listing(shared) where name.hasPrefix("library-") {
      try Files.copy("\(shared)/\(name)", to: "\(path)/\(name)")
    }
    return ["XDG_CACHE_HOME": folder.file("cache")]
  }

  private func models(in cache: [String: String]) throws -> [String] {
    try Files.listing(folder.file("cache/tracks-migrate")).filter { $0.hasPrefix("models-") }
  }

  // MARK: - What does not compile

  @Test func `An error of the compiler has the app's own file and line`() throws {
    let model = try folder.source(
      "Models",
      [
        "Trip.swift": """
        import SwiftData
        func later() -> String { "" }
        @Model class Trip {
          var n: Int = later()
          init() {}
        }
        """
      ])
    let result = try run("models", "show", model)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.hasPrefix("Models/Trip.swift:4: error: cannot convert"), "\(result)")
    let summary = "error: 'Models' is not a usable model: the Swift compiler reports an error."
    #expect(result.stderr.contains(summary), "\(result)")
    let json = try run("models", "show", model, "--errors", "json")
    #expect(json.stderr.contains("\"report\":\"Models/Trip.swift:4: error: "), "\(json)")
  }

  @Test func `Names that are missing are listed once, and stubs declare them`() throws {
    let model = try folder.source(
      "Models",
      [
        "Trip.swift": """
        import SwiftUI
        import SwiftData
        @Model class Trip {
          var tint: Tint?
          var other: Tint?
          var picture: Picture?
          init() {}
        }
        """
      ])
    let result = try run("models", "show", model)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("'Tint' (Models/Trip.swift:4), 'Picture' (Models/Trip.swift:6)"), "\(result)")
    #expect(result.stderr.split(separator: "\n").count == 1 && result.stderr.contains("--stub FILE"), "\(result)")
    let stubs = "struct Tint: Codable { var red: Double }\nstruct Picture: Codable { var size: Int }\n"
    try Files.write(stubs, to: folder.file("Stubs.swift"))
    for words in [["--stub", "Stubs.swift"], ["--stub=Stubs.swift"]] {
      let shown = try SwiftSource.run(["models", "show", model, "--format", "csv"] + words, in: folder)
      #expect(shown.stdout.contains("\nTrip,tint.red,element,Double,optional,"), "\(shown)")
    }
    let shown = try run("models", "show", model, environment: ["TRACKS_MIGRATE_STUB": "Stubs.swift"])
    #expect(shown.status == 0, "\(shown)")
    let absent = try run("models", "show", model, "--stub", "None.swift")
    #expect(absent.status == 64 && absent.stderr.contains("'--stub' requires a Swift file that is there"), "\(absent)")
  }

  @Test func `Of a whole app, only the files are compiled that the models need`() throws {
    let app = try folder.source(
      "App",
      [
        "Models/Trip.swift": """
        import SwiftData
        import Charts
        @Model class Trip { var kind = Kind.work; var tint: Tint?; var loud: String { "x".shouted }; init() {} }
        @main struct App { static func main() { fatalError() } }
        """,
        "Helpers/Kind.swift": """
        import SwiftUI
        enum Kind: String, Codable { case work, play }
        struct Tint: Codable { var depth: Depth }
        """,
        "Helpers/Depth.swift": "struct Depth: Codable { var value: Int }\n",
        "Helpers/Text.swift": "extension String { var shouted: String { uppercased() } }\n",
        "Views/TripView.swift": "import SwiftUI\nstruct TripView: View { var body: some View { Text(\"\") } }\n",
        "Tests/OldTests/OldModel.swift": "import SwiftData\n@Model class Trip { var wrong = 1; init() {} }\n",
      ])
    let result = try run("models", "show", app, "--format", "csv")
    #expect(result.status == 0, "\(result)")
    #expect(result.stdout.contains("\nTrip,tint.value,element,Integer 64,optional,"), "\(result)")
  }

  @Test func `Code that no schema depends on may use what is not here`() throws {
    let app = try folder.source(
      "App",
      [
        "Models/Trip.swift": """
        import SwiftUI
        import SwiftData
        import OSLog
        private let logger = Logger(subsystem: "app", category: "trips")
        @Model final class Trip: Identifiable, ObservableObject {
          var name: String = ""
          var tint: Tint?
          var color: Color { Color(hex: name) }
          var sum: Int {
            get { name.count + missing() }
            set { undefined = newValue }
          }
          init(name: String, color: Color) { self.name = name }
          func log() { logger.info("x") }; init(tint: Color) {}; var other: Color { .red }; var last = 1
          static let sample = Trip(name: "x", color: .red)
        }
        extension Trip: Transferable {
          static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .trip) }
        }
        struct TripRow: View {
          @State var trip: Trip
          var body: some View { Text(trip.name) }
        }
        #Preview { TripRow(trip: .sample) }
        enum One: VersionedSchema {
          static let versionIdentifier = Schema.Version(1, 0, 0)
          static let models: [any PersistentModel.Type] = [Trip.self]
        }
        enum Plan: SchemaMigrationPlan {
          static let schemas: [any VersionedSchema.Type] = [One.self]
          static let stages: [MigrationStage] = [
            .custom(fromVersion: One.self, toVersion: One.self, willMigrate: { Helper.repair($0) }, didMigrate: nil)
          ]
        }
        """,
        // The compiler itself takes no two files of one name.
        "Old/Trip.swift": """
        import SwiftData
        @Model class Old { var n = 0; var color: Color { .red }; init() {} }
        """,
        "Views/Tint.swift": """
        import SwiftUI
        struct Tint: Codable, Transferable { var red: Double; var id = UUID(); var color: Color { .red } }
        struct TintView: View { var tint: Tint; var body: some View { Text("x") } }
        """,
      ])
    let result = try run("models", "show", "\(app):One", "--format", "csv")
    #expect(result.status == 0, "\(result)")
    #expect(result.stdout.contains("\nTrip,name,attribute,String,required,"), "\(result)")
    #expect(result.stdout.contains("\nTrip,tint.red,element,Double,optional,"), "\(result)")
    // What a version lists is not left out, and the place is the app's own, whatever was left out above it.
    let path = folder.file("App/Models/Trip.swift")
    try Files.write(try Files.text(path).replacing("[Trip.self]", with: "[Trip.self, Gone.self]"), to: path)
    let gone = try run("models", "show", app)
    #expect(gone.status == 65 && gone.stderr.contains("'Gone' (App/Models/Trip.swift:27)"), "\(gone)")
  }

  @Test func `An error in a type that a model stores is the type's own, whatever else has its name`() throws {
    let model = try folder.source(
      "Models",
      [
        "Trip.swift": """
        import SwiftData
        @Model class Trip { var tint: Tint?; init() {} }
        """,
        "Tint.swift": """
        struct Tint: Codable { var depth: Depth }
        struct Depth: Codable {
          var value: Int = "x"
        }
        """,
      ])
    let result = try run("models", "show", model)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.hasPrefix("Models/Tint.swift:3: error: cannot convert value"), "\(result)")
    #expect(result.stderr.contains("the Swift compiler reports an error."), "\(result)")
    // A type of the same name that stands elsewhere is another one.
    let nested = try folder.source(
      "Nested",
      [
        "Trip.swift": """
        import SwiftData
        enum Status: String, Codable { case on }
        @Model class Trip {
          var status: Status?
          enum Status: Int, Codable { case on; let depth = missing() }
          init() {}
        }
        """
      ])
    let refused = try run("models", "show", nested)
    #expect(refused.status == 65 && refused.stderr.contains("Nested/Trip.swift:5"), "\(refused)")
    let alias = try folder.source(
      "Alias",
      ["Trip.swift": plain + "typealias Tag = Int\nextension Trip { typealias Tag = UIThing; var tag: Tag { 0 } }\n"])
    #expect(try run("models", "show", alias).status == 0)
  }

  @Test func `Code that does not compile may be left out twice`() throws {
    let text = """
      struct Row: View { var body: some View { missing() }; let gone: Gone; init() { gone = lost() } }
      struct Row: View { let body: Int }
      struct Box<A: View, B> where B: View { var gone: Gone }
      extension Box: Lost where A: Gone { enum Inner { case a } }
      extension Row: Codable {}
      class Sub: Base {}
      class Base: UIView { let row: Row = .init() }
      actor Worker { let gone: Gone }
      """
    let model = try folder.source("Models", ["Trip.swift": "import SwiftUI\n\(plain)\n\(text)\n"])
    let result = try run("models", "show", model)
    #expect(result.status == 0, "\(result)")
  }

  @Test func `Two classes of one entity name in a version are refused`() throws {
    let model = try folder.source(
      "Models", ["Trip.swift": plain + "enum Old { @Model class Trip { var n = 0; init() {} } }\n"])
    let result = try run("models", "show", model)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("'Old.Trip' and 'Trip' are both the entity 'Trip' of one version."), "\(result)")
  }

  @Test func `Properties that are declared as a tuple are refused`() throws {
    let model = try folder.source(
      "Models", ["Trip.swift": "import SwiftData\n@Model class Trip {\n  var (a, b) = (1, 2)\n  init() {}\n}\n"])
    let result = try run("models", "show", model)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.hasPrefix("Models/Trip.swift:2: error: @Model needs a declaration of its own"), "\(result)")
  }

  @Test func `Source without models is refused, and so is a folder without source`() throws {
    let empty = try folder.source("Empty", ["A.swift": "let a = 1\n"])
    let none = try run("models", "show", empty)
    #expect(none.status == 65 && none.stderr.contains("none of its Swift files declares an @Model class"), "\(none)")
    _ = try folder.source("Other", ["a.txt": ""])
    let other = try run("models", "show", "Other")
    #expect(other.stderr.contains("or of Swift files with @Model"), "\(other)")
  }

  @Test func `Schemas that need a store say so`() throws {
    let model = try folder.source(
      "Models",
      [
        "Trip.swift": """
        import SwiftData
        @Model class Trip { var n = 0; init() {} }
        enum One: VersionedSchema {
          static let versionIdentifier = Schema.Version(1, 0, 0)
          static var models: [any PersistentModel.Type] {
            _ = try? ModelContainer(for: Trip.self)
            return [Trip.self]
          }
        }
        """
      ])
    let result = try run("models", "show", model)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("'ModelContainer' was called while the schema was read"), "\(result)")
  }

  @Test func `A program that the app's code ends too early is an error, on each run`() throws {
    let model = try folder.source(
      "Models",
      [
        "Trip.swift": """
        import SwiftData
        @Model class Trip { var n = 0; init() {} }
        enum One: VersionedSchema {
          static let versionIdentifier = Schema.Version(1, 0, 0)
          static var models: [any PersistentModel.Type] { exit(0) }
        }
        """
      ])
    for _ in 0..<2 {
      let result = try run("models", "show", model)
      #expect(result.status == 65 && result.stderr.contains("ended too early, with exit status 0"), "\(result)")
    }
  }

  @Test func `Source that only mentions schemas is named, and not the cache`() throws {
    let model = try folder.source("Models", ["A.swift": "import SwiftData\n// VersionedSchema\nstruct A {}\n"])
    let result = try run("models", "show", model)
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("'Models' is not a usable model: none of its Swift files declares"), "\(result)")
  }

  @Test func `A folder may have a name that the compiler takes for a file of options`() throws {
    let model = try folder.source("@app", ["Trip.swift": plain])
    _ = try folder.source("@app", ["Leg.swift": "import SwiftData\n@Model class Leg { init() {} }\n"])
    #expect(try run("models", "show", model).status == 0)
  }

  // MARK: - The toolchain

  @Test func `Without a compiler, the message says what to install`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    let empty = try folder.makeFolder("bin")
    let none = try run("models", "show", model, environment: ["PATH": empty])
    #expect(none.status == 65 && none.stderr.contains("there is no 'swiftc' in PATH"), "\(none)")
    #expect(none.stderr.contains("https://www.swift.org/install"))
    try Files.write("#!/bin/sh\n", to: "\(empty)/swiftc")
    try Files.setPermissions(0o755, of: "\(empty)/swiftc")
    let unfit = try run("models", "show", model, environment: ["PATH": empty])
    #expect(unfit.status == 65, "\(unfit)")
    #expect(unfit.stderr.contains("lacks 'lib/swift/host/SwiftSyntaxMacros.swiftmodule'"), "\(unfit)")
  }

  // MARK: - The cache

  @Test func `What was compiled once is not compiled again`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    let cache = try ownCache()
    let script = #"""
      compiler=$(command -v swiftc)
      root=$(dirname "$(dirname "$(readlink -f "$compiler")")")
      mkdir -p own/usr/bin own/usr/lib/swift
      printf '#!/bin/sh\necho run >> "%s/log"\nexec "%s" "$@"\n' "$PWD" "$compiler" > own/usr/bin/swiftc
      chmod +x own/usr/bin/swiftc
      ln -s "$root/lib/swift/host" own/usr/lib/swift/host
      """#
    let made = try CommandRunner.shell(script, in: folder.path).run()
    #expect(made.status == 0, "\(made)")
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    let environment = cache.merging(["PATH": "\(folder.file("own/usr/bin")):\(path)"]) { $1 }
    #expect(try run("models", "show", model, environment: environment).status == 0)
    let log = try Files.text(folder.file("log"))
    #expect(log.hasPrefix("run\n"))
    #expect(try run("models", "hash", model, environment: environment).status == 0)
    #expect(try Files.text(folder.file("log")) == log)
    // Another text is another model.
    _ = try folder.source("Models", ["Trip.swift": plain + "@Model class Leg { init() {} }\n"])
    #expect(try run("models", "show", model, environment: environment).stdout.contains("entities     2"))
    #expect(try Files.text(folder.file("log")) != log)
  }

  @Test func `A damaged entry of the cache is made again`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    let cache = try ownCache()
    let shown = try run("models", "show", model, environment: cache)
    let entry = folder.file("cache/tracks-migrate/\(try #require(models(in: cache).first))")
    let contents = "\(entry)/Models.xcdatamodeld/Models.xcdatamodel/contents"
    for damage in ["", "<model/>"] {
      try Files.write(damage, to: contents)
      #expect(try run("models", "show", model, environment: cache).stdout == shown.stdout)
      // The damaged files would make it a damaged one for ever.
      #expect(try Files.listing(entry).sorted() == ["Models.xcdatamodeld", "digest"])
    }
    Files.remove(contents)
    #expect(try run("models", "show", model, environment: cache).stdout == shown.stdout)
  }

  @Test func `A cache that was moved is of use again`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    let cache = try ownCache()
    // The compiler's own files have the path of their folder in them.
    Files.remove(folder.file("cache/tracks-migrate/clang"))
    let shown = try run("models", "show", model, environment: cache)
    #expect(shown.status == 0, "\(shown)")
    try Files.copy(folder.file("cache"), to: folder.file("moved"))
    _ = try folder.source("Models", ["Trip.swift": plain + "@Model class Leg { init() {} }\n"])
    let moved = try run("models", "show", model, environment: ["XDG_CACHE_HOME": folder.file("moved")])
    #expect(moved.status == 0 && moved.stdout.contains("entities     2"), "\(moved)")
  }

  @Test func `Several processes at once make one entry`() throws {
    _ = try folder.source("Models", ["Trip.swift": plain])
    let cache = try ownCache()
    var runner = CommandRunner.shell(
      #"for i in 1 2 3; do "$TOOL" models hash Models > "$i.txt" & done; wait; cmp 1.txt 2.txt && cmp 2.txt 3.txt"#,
      in: folder.path)
    runner.environment.merge(cache) { $1 }
    let result = try runner.run()
    #expect(result.status == 0 && result.stderr.isEmpty, "\(result)")
    #expect(try Files.text(folder.file("1.txt")).contains("Trip"))
    #expect(try models(in: cache).count == 1)
    #expect(try Files.listing(folder.file("cache/tracks-migrate")).allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func `A shell that completes a word does not compile`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    let cache = try ownCache()
    let words = ["---complete", "models", "\(model):", "models", "show", "\(model):"]
    #expect(try SwiftSource.run(words, in: folder, environment: cache).stdout == "")
    #expect(try models(in: cache) == [])
    _ = try run("models", "show", model, environment: cache)
    #expect(try SwiftSource.run(words, in: folder, environment: cache).stdout == "Models:Models\n")
  }

  @Test func `A cache that cannot be written is named`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    try Files.write("", to: folder.file("file"))
    let result = try run("models", "show", model, environment: ["XDG_CACHE_HOME": folder.file("file")])
    #expect(result.status == 65 && result.stderr.contains("Set XDG_CACHE_HOME"), "\(result)")
  }

  @Test func `A cache that another user may change is refused`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    let cache = try ownCache()
    #expect(try run("models", "show", model, environment: cache).status == 0)
    for path in ["cache", "cache/tracks-migrate"].map({ folder.file($0) }) {
      try Files.setPermissions(0o777, of: path)
      let result = try run("models", "show", model, environment: cache)
      #expect(result.status == 65 && result.stdout.isEmpty, "\(result)")
      #expect(result.stderr.contains("another user may change '\(path)'"), "\(result)")
      #expect(result.stderr.contains("Set XDG_CACHE_HOME"), "\(result)")
      try Files.setPermissions(0o755, of: path)
    }
    #expect(try run("models", "show", model, environment: cache).status == 0)
  }

  @Test func `The cache is a folder of the user alone`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    // It fails once the folder is there: the compiler is a program that reports an error.
    let script = #"""
      mkdir -p usr/bin usr/lib/swift/host/SwiftSyntaxMacros.swiftmodule
      printf '#!/bin/sh\nexit 1\n' > usr/bin/swiftc
      chmod +x usr/bin/swiftc
      """#
    #expect(try CommandRunner.shell(script, in: folder.path).run().status == 0)
    let environment = ["XDG_CACHE_HOME": folder.file("new/cache"), "PATH": folder.file("usr/bin")]
    #expect(try run("models", "show", model, environment: environment).status == 65)
    for name in ["new", "new/cache", "new/cache/tracks-migrate"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700, "\(name)")
    }
  }

  @Test func `A killed run's folder is removed after a day, as another machine may be using it`() throws {
    let model = try folder.source("Models", ["Trip.swift": plain])
    let cache = try ownCache()
    // No process has such a number.
    let (young, old) = ("tracks-migrate/.making-99999999-young", "tracks-migrate/.making-99999999-old")
    for name in [young, old] { _ = try folder.makeFolder("cache/\(name)") }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: folder.file("cache/\(old)"))
    #expect(try run("models", "show", model, environment: cache).status == 0)
    #expect(Files.exists(folder.file("cache/\(young)")) && !Files.exists(folder.file("cache/\(old)")))
  }

  // MARK: - Guards

  @Test func `A shipped version that was edited is found`() throws {
    let text = """
      import SwiftData
      enum One: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models: [any PersistentModel.Type] = [Trip.self]
        @Model class Trip { var n = 0; init() {} }
      }
      """
    let model = try folder.source("Sources/Schemas", ["One.swift": text])
    let recorded = try run("models", "guard", model, "--update")
    #expect(recorded.status == 0, "\(recorded)")
    // What has shipped is kept beside the source, not in the cache.
    #expect(Files.exists(folder.file("Sources/models.lock")))
    #expect(try run("models", "guard", model).status == 0)
    _ = try folder.source(model, ["One.swift": text.replacing("var n = 0", with: "var n = 0; var added: Int?")])
    let edited = try run("models", "guard", model)
    #expect(edited.status == 3 && edited.stdout.contains("One"), "\(edited)")
  }

  @Test func `A function that models calls and that does not compile ends the program with the compiler's error`()
    throws
  {
    let model = try folder.source(
      "Models",
      [
        "A.swift": """
        import SwiftData
        func all() -> [any PersistentModel.Type] { Missing.log("all"); return [A.self] }
        enum V1: VersionedSchema {
          static let versionIdentifier = Schema.Version(1, 0, 0)
          static var models: [any PersistentModel.Type] { all() }
        }
        @Model class A { init() {} }
        """
      ])
    let result = try run("models", "show", model)
    #expect(result.status != 0 && result.stderr.contains("cannot find 'Missing' in scope"), "\(result)")
    #expect(result.stderr.contains("A.swift:2"), "\(result)")
  }
}
