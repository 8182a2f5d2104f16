// swift-tools-version: 6.0
import CompilerPluginSupport
import Foundation
import PackageDescription

/// The same strictness everywhere: imports stay internal unless a signature needs them, and `any` is always written.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Whether `make` builds: then without the plugins for others, for which SwiftPM would build the whole command once more.
let isForTests = Context.environment["BUILD_FOR_TESTS"] != nil

/// A library of this package.
///
/// The arrows between them go down only; see docs/architecture.md.
func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, exclude: [String] = [],
  resources: [Resource]? = nil
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources, swiftSettings: strict)
}

/// A library of the engine: Core Data's migrations, which know nothing of music.
func engine(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  library(name, dependencies, path: "Sources/Engine/\(name)")
}

/// A library of the tracks: feeds, presets and artists, on top of the engine.
func tracks(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  library(name, dependencies, path: "Sources/Tracks/\(name)")
}

/// A library of the command.
func tool(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  library(name, dependencies, path: "Sources/Tool/\(name)")
}

/// The tests of one library, or of the built command.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

#if os(Linux)
  // Its headers are where compilers look. With a name for pkg-config, a build of the engine alone would warn that it is
  // missing.
  let yajl = Target.systemLibrary(name: "CTracksYajl", path: "Sources/Tracks/CTracksYajl")
#else
  let yajl = Target.systemLibrary(
    name: "CTracksYajl", path: "Sources/Tracks/CTracksYajl", pkgConfig: "yajl", providers: [.brew(["yajl"])])
#endif

let package = Package(
  name: "tracks-migrate",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "tracks-migrate", targets: ["tracks-migrate"]),
    .library(
      name: "Migration",
      targets: ["DataModel", "MigrationDiagnostics", "CoreDataExpressions", "Migration", "PersistentStore"]),
    .executable(name: "momc", targets: ["momc"]),
    .executable(name: "mapc", targets: ["mapc"]),
    .library(name: "MigrationTesting", targets: ["MigrationTesting"]),
    .library(name: "JSONStream", targets: ["JSONStream"]),
    .library(name: "TrackLibrary", targets: ["TrackLibrary"]),
  ],
  targets: [
    // C libraries: a module map and a shim, nothing else.
    .systemLibrary(
      name: "CTracksSQLite", path: "Sources/Engine/C/CTracksSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    yajl,
    .systemLibrary(
      name: "CTracksLibMD", path: "Sources/Engine/C/CTracksLibMD", pkgConfig: "libmd",
      providers: [.apt(["libmd-dev"]), .brew(["libmd"])]),
    .systemLibrary(
      name: "CTracksExpat", path: "Sources/Engine/C/CTracksExpat", pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    .systemLibrary(name: "CTracksLibC", path: "Sources/Engine/C/CTracksLibC"),
    .systemLibrary(
      name: "CTracksZlib", path: "Sources/Engine/C/CTracksZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

    // The engine, from the bottom up.
    engine("SystemC", ["CTracksLibC"]),
    engine("MigrationDiagnostics", ["SystemC"]),
    engine("SQLiteDatabase", ["CTracksSQLite", "SystemC"]),
    tracks("JSONStream", ["CTracksYajl"]),
    engine("XMLStream", ["CTracksExpat"]),
    engine("PropertyListFormat", ["SystemC", "XMLStream"]),
    engine("CoreDataExpressions", ["SystemC"]),
    // Where services' answers have their artists: paths, presets and their files. Data only.
    tracks("JSONPresets", ["CoreDataExpressions", "JSONStream", "SystemC"]),
    // SwiftData's schemas as Swift source. The toolchain compiles the sources in 'Program' when a model is read.
    library(
      "SwiftSchemas", ["SystemC"], path: "Sources/Engine/SwiftSchemas", resources: [.embedInCode("Program")]),
    engine(
      "DataModel",
      [
        "CTracksLibMD", "CTracksZlib", "CoreDataExpressions", "PropertyListFormat", "SwiftSchemas", "SystemC",
        "XMLStream",
      ]),
    engine(
      "PersistentStore",
      [
        "CoreDataExpressions", "DataModel", "MigrationDiagnostics", "PropertyListFormat", "SQLiteDatabase", "SystemC",
      ]),
    // The files of feeds as lines of JSON: gzip, zip, lists, tables.
    tracks("FeedFiles", ["CTracksZlib", "MigrationDiagnostics", "PersistentStore", "SystemC"]),
    engine(
      "MappingModels",
      [
        "CoreDataExpressions", "DataModel", "MigrationDiagnostics", "PropertyListFormat", "TerminalOutput", "XMLStream",
      ]),

    // Judges what a migration has made. It must not know anything of that: no mistake twice.
    engine(
      "Verification",
      [
        "CoreDataExpressions", "DataModel", "MappingModels", "MigrationDiagnostics", "PersistentStore",
        "PropertyListFormat", "SQLiteDatabase", "SystemC",
      ]),

    engine(
      "Migration",
      [
        "DataModel", "MappingModels", "MigrationDiagnostics", "CoreDataExpressions", "PersistentStore",
        "SQLiteDatabase", "SwiftSchemas", "SystemC", "TerminalOutput", "Verification",
      ]),

    // What an app's team tests its migrations with: stores of any version, and rehearsals.
    engine(
      "MigrationTesting",
      [
        "CoreDataExpressions", "DataModel", "Migration", "MigrationDiagnostics", "PersistentStore",
        "PropertyListFormat", "SystemC", "TerminalOutput",
      ]),

    // What only the commands `models` and `info` ask: how models differ, what is wrong with them, what fits a store.
    engine(
      "ModelInspection",
      [
        "CoreDataExpressions", "DataModel", "MappingModels", "Migration", "MigrationDiagnostics", "PersistentStore",
        "Pictures", "PropertyListFormat", "SQLiteDatabase", "SwiftSchemas", "SystemC", "TerminalOutput",
      ]),

    // What people do with a store that is not well: find out what is wrong, get its rows back, show it to others.
    engine(
      "StoreHealth",
      [
        "DataModel", "Migration", "MigrationDiagnostics", "PersistentStore", "PropertyListFormat", "SQLiteDatabase",
        "SystemC", "TerminalOutput",
      ]),

    // The track library, and what moves it from one version to the next.
    library(
      "Policies",
      [
        "DataModel", "MigrationDiagnostics", "CoreDataExpressions", "JSONPresets", "JSONStream", "Migration",
        "PersistentStore", "SQLiteDatabase", "SystemC", "TerminalOutput",
      ],
      path: "Policies"),
    // What each track must have, from the rows of a library, the lines of a feed or a manifest, read a second time.
    tracks(
      "TrackVerification",
      [
        "DataModel", "FeedFiles", "JSONPresets", "MigrationDiagnostics", "PersistentStore", "SQLiteDatabase", "SystemC",
        "Verification",
      ]),
    tracks(
      "TrackLibrary",
      [
        "DataModel", "FeedFiles", "MigrationDiagnostics", "CoreDataExpressions", "JSONPresets", "JSONStream",
        "Migration",
        "ModelInspection", "PersistentStore", "Pictures", "Policies", "PropertyListFormat", "SQLiteDatabase", "SystemC",
        "TerminalOutput", "TrackVerification", "Verification",
      ]),

    // Sample libraries of tracks, and the other two examples with their models and mapping models.
    tracks(
      "Samples",
      [
        "DataModel", "MigrationDiagnostics", "CoreDataExpressions", "Migration", "PersistentStore", "Policies",
        "PropertyListFormat", "SystemC", "TrackLibrary",
      ]),

    // The command line.
    engine("TerminalOutput", ["SystemC"]),
    // What can be looked at: pages with charts and tables, and diagrams. It knows nothing of libraries and models.
    engine("Pictures", ["DataModel", "TerminalOutput"]),
    tool("CommandLineArguments", ["SystemC", "TerminalOutput"]),
    .executableTarget(
      name: "tracks-migrate",
      dependencies: [
        "CommandLineArguments", "CoreDataExpressions", "DataModel", "FeedFiles", "JSONPresets", "MappingModels",
        "Migration",
        "MigrationDiagnostics", "MigrationTesting", "ModelInspection", "PersistentStore", "Pictures", "Policies",
        "SQLiteDatabase", "Samples", "StoreHealth", "SwiftSchemas", "TerminalOutput", "SystemC", "TrackLibrary",
        "TrackVerification", "Verification", "JSONStream",
      ],
      path: "Sources/Tool/tracks-migrate", swiftSettings: strict),

    // Compilers with the arguments of Apple's, for builds on Linux.
    .executableTarget(
      name: "momc", dependencies: ["ModelInspection", "SystemC"], path: "Sources/Engine/momc", swiftSettings: strict),
    .executableTarget(
      name: "mapc", dependencies: ["ModelInspection", "SystemC"], path: "Sources/Engine/mapc", swiftSettings: strict),

    // The parts of the engine, measured one by one by `make microbench`.
    library("BareYajl", ["CTracksYajl"], path: "Tests/Benchmarks/Sources/BareYajl"),
    .executableTarget(
      name: "microbench",
      dependencies: [
        "BareYajl", "CoreDataExpressions", "DataModel", "JSONPresets", "JSONStream", "Migration", "PersistentStore",
        "Policies", "TrackLibrary",
      ],
      path: "Tests/Benchmarks/Sources/microbench", swiftSettings: strict),

    // Tests: one target per library, one for the built command, and what they share.
    library(
      "TestSupport",
      [
        "CoreDataExpressions", "DataModel", "MappingModels", "PersistentStore", "PropertyListFormat", "SQLiteDatabase",
        "SystemC",
      ],
      path: "Tests/TestSupport"),
    library(
      "FuzzTargets",
      [
        "DataModel", "FeedFiles", "MigrationDiagnostics", "Samples", "CoreDataExpressions", "JSONPresets", "JSONStream",
        "Migration", "PersistentStore", "Policies",
        "PropertyListFormat", "SQLiteDatabase", "StoreHealth", "TestSupport", "TrackLibrary",
      ], path: "Tests/FuzzTargets", exclude: ["Regressions", "Seeds"]),
    tests("FuzzTests", ["DataModel", "FuzzTargets", "PersistentStore", "SQLiteDatabase", "MigrationDiagnostics"]),
    tests("SystemCTests", ["SystemC"]),
    tests("SwiftSchemasTests", ["SwiftSchemas"]),
    tests("MigrationDiagnosticsTests", ["MigrationDiagnostics"]),
    tests("SQLiteDatabaseTests", ["SQLiteDatabase"]),
    tests("FeedFilesTests", ["FeedFiles", "MigrationDiagnostics"]),
    tests("JSONStreamTests", ["JSONStream", "SystemC"]),
    tests("XMLStreamTests", ["XMLStream"]),
    tests("PropertyListFormatTests", ["PropertyListFormat"]),
    tests(
      "DataModelTests",
      ["DataModel", "MigrationDiagnostics", "PersistentStore", "PropertyListFormat", "SQLiteDatabase"]),
    tests("CoreDataExpressionsTests", ["CoreDataExpressions", "SQLiteDatabase"]),
    tests(
      "PersistentStoreTests",
      ["PersistentStore", "PropertyListFormat", "DataModel", "MigrationDiagnostics", "SQLiteDatabase"]),
    tests(
      "MigrationTests",
      [
        "DataModel", "MappingModels", "MigrationDiagnostics", "ModelInspection", "CoreDataExpressions", "Migration",
        "PersistentStore", "PropertyListFormat", "SQLiteDatabase", "Verification",
      ]),
    tests(
      "ModelInspectionTests",
      [
        "CoreDataExpressions", "DataModel", "MappingModels", "Migration", "MigrationDiagnostics", "ModelInspection",
        "PersistentStore", "PropertyListFormat",
      ]),
    tests(
      "StoreHealthTests",
      [
        "DataModel", "MigrationDiagnostics", "MigrationTesting", "PersistentStore", "PropertyListFormat",
        "SQLiteDatabase", "Samples", "StoreHealth", "SystemC",
      ]),
    tests(
      "TrackLibraryTests",
      ["TrackLibrary", "DataModel", "MigrationDiagnostics", "PersistentStore", "SQLiteDatabase"]),
    tests(
      "SamplesTests",
      ["Samples", "TrackLibrary", "DataModel", "Migration", "MigrationDiagnostics", "Policies", "SQLiteDatabase"]),
    tests(
      "VerificationTests",
      [
        "CoreDataExpressions", "DataModel", "JSONStream", "MappingModels", "Migration", "MigrationDiagnostics",
        "PersistentStore", "Policies", "PropertyListFormat", "SQLiteDatabase", "Samples", "TrackLibrary",
        "TrackVerification", "Verification",
      ]),
    tests(
      "PoliciesTests",
      [
        "DataModel", "MigrationDiagnostics", "JSONPresets", "Samples", "CoreDataExpressions", "Migration", "Policies",
        "PersistentStore",
      ]),
    tests("JSONPresetsTests", ["JSONPresets"]),
    tests(
      "MigrationTestingTests",
      ["DataModel", "Migration", "MigrationDiagnostics", "MigrationTesting", "Policies"]),
    tests("TerminalOutputTests", ["TerminalOutput"]),
    tests("PicturesTests", ["Pictures"]),
    tests("CommandLineArgumentsTests", ["CommandLineArguments"]),
    tests(
      "CommandTests",
      [
        "tracks-migrate", "momc", "mapc", "CommandLineArguments", "DataModel", "JSONPresets", "MappingModels",
        "PersistentStore", "SQLiteDatabase", "Samples", "SystemC", "CoreDataExpressions",
      ]),
    tests(
      "DifferentialTests",
      [
        "tracks-migrate", "DataModel", "MigrationDiagnostics", "CoreDataExpressions", "JSONPresets", "JSONStream",
        "Migration", "PersistentStore", "Policies", "SQLiteDatabase", "TrackLibrary", "TrackVerification",
      ]),
  ]
)

if !isForTests {
  // `swift package guard` and `swift package rehearse`, for packages of app teams.
  func plugin(_ name: String, verb: String, _ description: String) -> Target {
    .plugin(
      name: name, capability: .command(intent: .custom(verb: verb, description: description)),
      dependencies: ["tracks-migrate"])
  }
  package.products += [
    .plugin(name: "Guard", targets: ["Guard"]), .plugin(name: "Rehearse", targets: ["Rehearse"]),
  ]
  package.targets += [
    plugin("Guard", verb: "guard", "Check that no shipped model version was changed."),
    plugin("Rehearse", verb: "rehearse", "Migrate a store of every model version, two ways."),
  ]
}

#if !canImport(ObjectiveC)
  // Apple's platforms have the real one, which a target of this name would hide.
  package.products += [
    .library(name: "CoreData", targets: ["CoreData", "SQLite3", "os"]),
    .plugin(name: "PolicySources", targets: ["PolicySources"]),
  ]
  package.targets += [
    // What an app's policy files need besides Core Data: Apple's logging, SQLite under the name that it has on Apple's
    // systems, and a copy without what needs Objective-C.
    engine("os"),
    engine("SQLite3", ["CTracksSQLite"]),
    engine("PolicySourceRewriting"),
    .executableTarget(
      name: "policy-sources", dependencies: ["PolicySourceRewriting"], path: "Sources/Engine/policy-sources",
      swiftSettings: strict),
    .plugin(name: "PolicySources", capability: .buildTool(), dependencies: ["policy-sources"]),
    .testTarget(
      name: "PolicySourcesTests",
      dependencies: ["CoreData", "PolicySourceRewriting", "SQLite3", "TestSupport", "os"],
      exclude: ["App", "PolicySources.txt"], plugins: ["PolicySources"]),
    engine(
      "CoreData",
      [
        "DataModel", "MigrationDiagnostics", "CoreDataExpressions", "Migration", "PersistentStore",
        "PropertyListFormat", "SystemC",
      ]),
    // Its policies are an app's, which knows nothing of this package's strictness.
    .testTarget(
      name: "CoreDataTests",
      dependencies: [
        "CoreData", "DataModel", "MigrationDiagnostics", "Migration", "PersistentStore", "SQLiteDatabase", "SystemC",
        "TestSupport",
      ]),
    // The package of the documentation's tutorial, as an app's team has it, and the tests of the documentation.
    .target(
      name: "MyAppMigration", dependencies: ["CoreData", "Migration", "SQLite3", "os"],
      path: "Examples/AppTeam/Migration/Sources/MyAppMigration", exclude: ["PolicySources.txt"],
      plugins: ["PolicySources"]),
    .executableTarget(
      name: "myapp-migrate", dependencies: ["MigrationTesting", "MyAppMigration"],
      path: "Examples/AppTeam/Migration/Sources/myapp-migrate"),
    .testTarget(
      name: "MyAppMigrationTests", dependencies: ["MigrationTesting", "MyAppMigration"],
      path: "Examples/AppTeam/Migration/Tests/MyAppMigrationTests"),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "CoreData", "CoreDataExpressions", "DataModel", "MappingModels", "MigrationDiagnostics", "MigrationTesting",
        "Migration", "MyAppMigration", "PersistentStore", "Policies", "TestSupport", "TrackLibrary",
      ],
      swiftSettings: strict),
  ]
#endif

if Context.environment["TRACKS_MIGRATE_FUZZING"] != nil {
  // Only `make fuzz` builds it, with a sanitizer that adds libFuzzer.
  package.products.append(.executable(name: "fuzzer", targets: ["Fuzzer"]))
  package.targets += [
    .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzzing/CLibFuzzer"),
    .executableTarget(
      name: "Fuzzer", dependencies: ["CLibFuzzer", "FuzzTargets", "TestSupport"], path: "Tests/Fuzzing/Fuzzer"),
  ]
}

// The module SwiftData for apps. Its macros need swift-syntax: the toolchain's own, which takes unsafe flags, or the
// package, which has to be fetched and built. Packages that use neither are spared both.
if let source = Context.environment["TRACKS_MIGRATE_SWIFTDATA"] {
  var syntax: [Target.Dependency] = []
  var flags: (compiler: [SwiftSetting], linker: [LinkerSetting]) = ([], [])
  if source == "toolchain" {
    let folders = (Context.environment["PATH"] ?? "").split(separator: ":")
    let compilers = folders.map { URL(fileURLWithPath: "\($0)/swiftc").resolvingSymlinksInPath() }
    let roots = compilers.map { $0.deletingLastPathComponent().deletingLastPathComponent().path }
    let libraries = roots.map { "\($0)/lib/swift/host" }
    let isComplete = { (folder: String) in FileManager.default.fileExists(atPath: "\(folder)/libSwiftSyntax.so") }
    guard let host = libraries.first(where: isComplete) else {
      fatalError("No toolchain in PATH has swift-syntax in 'lib/swift/host'.")
    }
    let names = ["SwiftSyntax", "SwiftSyntaxMacros", "SwiftIfConfig", "SwiftCompilerPluginMessageHandling"]
    flags.compiler = [.unsafeFlags(["-I", host])]
    flags.linker = [.unsafeFlags(["-L\(host)", "-Xlinker", "-rpath", "-Xlinker", host] + names.map { "-l\($0)" })]
  } else {
    guard let version = Version(source) else {
      fatalError("TRACKS_MIGRATE_SWIFTDATA is 'toolchain', or a version of swift-syntax such as '603.0.0'.")
    }
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-syntax.git", exact: version))
    syntax = ["SwiftSyntax", "SwiftSyntaxMacros", "SwiftIfConfig", "SwiftCompilerPlugin"].map {
      .product(name: $0, package: "swift-syntax")
    }
  }
  package.products.append(.library(name: "SwiftData", targets: ["SwiftData"]))
  package.targets += [
    .macro(
      name: "SwiftDataMacros", dependencies: syntax, path: "Sources/Engine/SwiftDataMacros",
      swiftSettings: flags.compiler, linkerSettings: flags.linker),
    .target(
      name: "SwiftData",
      dependencies: [
        "DataModel", "Migration", "MigrationDiagnostics", "PersistentStore", "SwiftDataMacros", "SwiftSchemas",
      ],
      path: "Sources/Engine/SwiftData", swiftSettings: strict + [.define("TRACKS_MIGRATE_ENGINE")]),
  ]
}
