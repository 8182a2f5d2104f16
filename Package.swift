// swift-tools-version: 6.0
import PackageDescription

/// The same strictness everywhere: imports stay internal unless a signature needs them, and `any` is always written.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A library of this package.
///
/// The arrows between them go down only; see docs/architecture.md.
func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, exclude: [String] = []
) -> Target {
  .target(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

/// The tests of one library, or of the built command.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

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
    .plugin(name: "Guard", targets: ["Guard"]),
    .plugin(name: "Rehearse", targets: ["Rehearse"]),
    .library(name: "JSONStream", targets: ["JSONStream"]),
    .library(name: "TrackLibrary", targets: ["TrackLibrary"]),
  ],
  targets: [
    // C libraries: a module map and a shim, nothing else.
    .systemLibrary(
      name: "CTracksSQLite", path: "Sources/C/CTracksSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(
      name: "CTracksYajl", path: "Sources/C/CTracksYajl", pkgConfig: "yajl",
      providers: [.apt(["libyajl-dev"]), .brew(["yajl"])]),
    .systemLibrary(
      name: "CTracksLibMD", path: "Sources/C/CTracksLibMD", pkgConfig: "libmd",
      providers: [.apt(["libmd-dev"]), .brew(["libmd"])]),
    .systemLibrary(
      name: "CTracksExpat", path: "Sources/C/CTracksExpat", pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    .systemLibrary(name: "CTracksLibC", path: "Sources/C/CTracksLibC"),
    .systemLibrary(
      name: "CTracksZlib", path: "Sources/C/CTracksZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

    // The engine, from the bottom up.
    library("SystemC", ["CTracksLibC"]),
    library("MigrationDiagnostics", ["SystemC"]),
    library("SQLiteDatabase", ["CTracksSQLite", "SystemC"]),
    library("JSONStream", ["CTracksYajl"]),
    library("XMLStream", ["CTracksExpat"]),
    library("PropertyListFormat", ["SystemC", "XMLStream"]),
    library("CoreDataExpressions", ["SystemC"]),
    // Where services' answers have their artists: paths, presets and their files. Data only.
    library("JSONPresets", ["CoreDataExpressions", "JSONStream"]),
    library(
      "DataModel", ["CTracksLibMD", "CTracksZlib", "CoreDataExpressions", "PropertyListFormat", "SystemC", "XMLStream"]),
    library(
      "PersistentStore", ["DataModel", "MigrationDiagnostics", "PropertyListFormat", "SQLiteDatabase", "SystemC"]),
    library(
      "MappingModels",
      ["CoreDataExpressions", "DataModel", "MigrationDiagnostics", "PropertyListFormat", "SystemC", "XMLStream"]),

    // Judges what a migration has made. It must not know anything of that: no mistake twice.
    library(
      "Verification",
      [
        "CTracksZlib", "CoreDataExpressions", "DataModel", "JSONPresets", "MappingModels", "MigrationDiagnostics",
        "PersistentStore",
        "PropertyListFormat", "SQLiteDatabase", "SystemC",
      ]),

    library(
      "Migration",
      [
        "DataModel", "MappingModels", "MigrationDiagnostics", "CoreDataExpressions", "PersistentStore",
        "PropertyListFormat", "SQLiteDatabase", "SystemC", "TerminalOutput", "Verification", "XMLStream",
      ]),

    // What an app's team tests its migrations with: stores of any version, and rehearsals.
    library(
      "MigrationTesting",
      ["DataModel", "Migration", "MigrationDiagnostics", "PersistentStore", "SystemC", "TerminalOutput"]),

    // What only the commands `models` and `info` ask: how models differ, what is wrong with them, what fits a store.
    library(
      "ModelInspection",
      [
        "CoreDataExpressions", "DataModel", "MappingModels", "Migration", "MigrationDiagnostics", "PersistentStore",
        "Pictures", "PropertyListFormat", "SQLiteDatabase", "SystemC",
      ]),

    // The track library, and what moves it from one version to the next.
    library(
      "Policies",
      [
        "DataModel", "MigrationDiagnostics", "CoreDataExpressions", "JSONPresets", "JSONStream", "Migration",
        "PersistentStore", "SQLiteDatabase", "SystemC", "TerminalOutput",
      ],
      path: "Policies"),
    library(
      "TrackLibrary",
      [
        "CTracksZlib", "DataModel", "MigrationDiagnostics", "CoreDataExpressions", "JSONPresets", "JSONStream",
        "Migration",
        "ModelInspection", "PersistentStore", "Pictures", "Policies", "PropertyListFormat", "SQLiteDatabase", "SystemC",
        "TerminalOutput", "Verification",
      ]),

    // Sample libraries of tracks, and the other two examples with their models and mapping models.
    library(
      "Samples",
      [
        "DataModel", "MigrationDiagnostics", "CoreDataExpressions", "Migration", "PersistentStore", "Policies",
        "PropertyListFormat", "SQLiteDatabase", "SystemC", "TrackLibrary",
      ]),

    // The command line.
    library("TerminalOutput", ["SystemC"]),
    // What can be looked at: pages with charts and tables, and diagrams. It knows nothing of libraries and models.
    library("Pictures", ["DataModel", "TerminalOutput"]),
    library("CommandLineArguments", ["SystemC", "TerminalOutput"]),
    .executableTarget(
      name: "tracks-migrate",
      dependencies: [
        "CommandLineArguments", "CoreDataExpressions", "DataModel", "JSONPresets", "MappingModels", "Migration",
        "MigrationDiagnostics", "MigrationTesting",
        "ModelInspection", "PersistentStore", "Pictures", "Policies", "SQLiteDatabase", "Samples", "TerminalOutput",
        "SystemC", "TrackLibrary", "Verification",
      ],
      swiftSettings: strict),

    // Compilers with the arguments of Apple's, for builds on Linux.
    .executableTarget(name: "momc", dependencies: ["ModelInspection", "SystemC"], swiftSettings: strict),
    .executableTarget(name: "mapc", dependencies: ["ModelInspection", "SystemC"], swiftSettings: strict),

    // `swift package guard` and `swift package rehearse`, for packages of app teams.
    .plugin(
      name: "Guard",
      capability: .command(
        intent: .custom(verb: "guard", description: "Check that no shipped model version was changed.")),
      dependencies: ["tracks-migrate"]),
    .plugin(
      name: "Rehearse",
      capability: .command(
        intent: .custom(verb: "rehearse", description: "Migrate a store of every model version, two ways.")),
      dependencies: ["tracks-migrate"]),

    // The parts of the engine, measured one by one by `make microbench`.
    library("BareYajl", ["CTracksYajl"], path: "Benchmarks/Sources/BareYajl"),
    .executableTarget(
      name: "microbench",
      dependencies: [
        "BareYajl", "CoreDataExpressions", "DataModel", "JSONPresets", "JSONStream", "Migration",
        "MigrationDiagnostics", "PersistentStore", "Policies", "TrackLibrary",
      ],
      path: "Benchmarks/Sources/microbench", swiftSettings: strict),

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
        "DataModel", "MigrationDiagnostics", "Samples", "CoreDataExpressions", "JSONPresets", "JSONStream", "Migration",
        "PersistentStore", "Policies",
        "PropertyListFormat", "SQLiteDatabase", "TestSupport", "TrackLibrary",
      ], path: "Tests/FuzzTargets", exclude: ["Regressions", "Seeds"]),
    tests("FuzzTests", ["DataModel", "FuzzTargets", "PersistentStore", "SQLiteDatabase"]),
    tests("SystemCTests", ["SystemC"]),
    tests("MigrationDiagnosticsTests", ["MigrationDiagnostics"]),
    tests("SQLiteDatabaseTests", ["SQLiteDatabase"]),
    tests("JSONStreamTests", ["JSONStream"]),
    tests("XMLStreamTests", ["XMLStream"]),
    tests("PropertyListFormatTests", ["PropertyListFormat"]),
    tests(
      "DataModelTests",
      ["DataModel", "MigrationDiagnostics", "PersistentStore", "PropertyListFormat", "SQLiteDatabase"]),
    tests("CoreDataExpressionsTests", ["CoreDataExpressions", "SQLiteDatabase"]),
    tests("PersistentStoreTests", ["PersistentStore", "PropertyListFormat"]),
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
        "PersistentStore",
      ]),
    tests("TrackLibraryTests", ["Samples", "TrackLibrary"]),
    tests("SamplesTests", ["Samples", "TrackLibrary"]),
    tests(
      "VerificationTests",
      [
        "CoreDataExpressions", "DataModel", "JSONPresets", "JSONStream", "MappingModels", "Migration",
        "MigrationDiagnostics", "PersistentStore", "Policies", "PropertyListFormat", "SQLiteDatabase", "Samples",
        "TrackLibrary", "Verification",
      ]),
    tests(
      "PoliciesTests",
      [
        "DataModel", "MigrationDiagnostics", "JSONPresets", "Samples", "CoreDataExpressions", "Migration", "Policies",
        "Verification",
      ]),
    tests("JSONPresetsTests", ["JSONPresets"]),
    tests(
      "MigrationTestingTests",
      [
        "CoreDataExpressions", "DataModel", "MappingModels", "Migration", "MigrationDiagnostics", "MigrationTesting",
        "Policies",
      ]),
    tests("TerminalOutputTests", ["SystemC", "TerminalOutput"]),
    tests("PicturesTests", ["Pictures", "TerminalOutput"]),
    tests("CommandLineArgumentsTests", ["CommandLineArguments"]),
    tests(
      "CommandTests",
      [
        "tracks-migrate", "momc", "mapc", "CommandLineArguments", "DataModel", "JSONPresets", "MappingModels",
        "PersistentStore", "SQLiteDatabase", "Samples", "SystemC", "TrackLibrary",
      ]),
    tests(
      "DifferentialTests",
      [
        "tracks-migrate", "DataModel", "MigrationDiagnostics", "CoreDataExpressions", "JSONPresets", "JSONStream",
        "Migration", "PersistentStore", "Policies", "SQLiteDatabase", "TrackLibrary", "Verification",
      ]),
  ]
)

#if !canImport(ObjectiveC)
  // Apple's platforms have the real one, which a target of this name would hide.
  package.products += [
    .library(name: "CoreData", targets: ["CoreData", "SQLite3", "os"]),
    .plugin(name: "PolicySources", targets: ["PolicySources"]),
  ]
  package.targets += [
    // What an app's policy files need besides Core Data: Apple's logging, SQLite under the name that it has on Apple's
    // systems, and a copy without what needs Objective-C.
    library("os"),
    library("SQLite3", ["CTracksSQLite"]),
    library("PolicySourceRewriting"),
    .executableTarget(
      name: "policy-sources", dependencies: ["PolicySourceRewriting"], swiftSettings: strict),
    .plugin(name: "PolicySources", capability: .buildTool(), dependencies: ["policy-sources"]),
    .testTarget(
      name: "PolicySourcesTests",
      dependencies: ["CoreData", "PolicySourceRewriting", "SQLite3", "TestSupport", "os"],
      exclude: ["App", "PolicySources.txt"], plugins: ["PolicySources"]),
    library(
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
    .systemLibrary(name: "CLibFuzzer", path: "Fuzzing/CLibFuzzer"),
    .executableTarget(
      name: "Fuzzer", dependencies: ["CLibFuzzer", "FuzzTargets", "TestSupport"], path: "Fuzzing/Fuzzer"),
  ]
}
