// swift-tools-version: 6.0
import PackageDescription

#if canImport(Glibc)
  import Glibc

  /// Whether the loader of this machine knows packed relocations, as glibc does from 2.36 on.
  let loaderKnowsPackedRelocations: Bool = {
    var bytes = [CChar](repeating: 0, count: 64)
    guard confstr(Int32(_CS_GNU_LIBC_VERSION), &bytes, bytes.count) > 0 else { return false }
    // For example "glibc 2.36".
    let text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let version = text.split(whereSeparator: { $0 == " " || $0 == "." }).compactMap { Int($0) }
    return version.count >= 2 && (version[0], version[1]) >= (2, 36)
  }()
#else
  let loaderKnowsPackedRelocations = false
#endif

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

/// On Linux the command brings Swift's runtime and Foundation along.
///
/// It starts in half the time so, and runs where there is no toolchain. `TRACKS_MIGRATE_DYNAMIC=1 swift build -c release`
/// links it as other programs are.
let staticRuntime: [LinkerSetting] =
  Context.environment["TRACKS_MIGRATE_DYNAMIC"] != nil
  ? []
  : [
    .unsafeFlags(
      ["-static-stdlib", "-use-ld=lld"]
        // Nobody looks for its symbols.
        + ["-Xlinker", "-s", "-Xlinker", "--no-export-dynamic"]
        + (loaderKnowsPackedRelocations ? ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"] : []),
      .when(platforms: [.linux], configuration: .release))
  ]
    // What the static Foundation needs besides.
    + ["CoreFoundation", "_FoundationCShims", "_FoundationCollections", "_FoundationICU", "stdc++"].map {
      .linkedLibrary($0, .when(platforms: [.linux], configuration: .release))
    }

let package = Package(
  name: "tracks-migrate",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "tracks-migrate", targets: ["tracks-migrate"]),
    .library(
      name: "Migration", targets: ["DataModel", "Diagnostics", "Expressions", "Migration", "PersistentStore"]),
    .library(name: "JSONStream", targets: ["JSONStream"]),
    .library(name: "TrackLibrary", targets: ["TrackLibrary"]),
  ],
  targets: [
    // C libraries: a module map and a shim, nothing else.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(name: "CYajl", pkgConfig: "yajl", providers: [.apt(["libyajl-dev"]), .brew(["yajl"])]),
    .systemLibrary(name: "CLibMD", pkgConfig: "libmd", providers: [.apt(["libmd-dev"]), .brew(["libmd"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    .systemLibrary(name: "CXattr"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

    // The engine, from the bottom up.
    library("SystemC", ["CXattr"]),
    library("Diagnostics", ["SystemC"]),
    library("SQLite", ["CSQLite", "SystemC"]),
    library("JSONStream", ["CYajl"]),
    library("XMLStream", ["CExpat"]),
    library("PropertyList", ["XMLStream"]),
    library("Expressions", ["SystemC"]),
    library("DataModel", ["CLibMD", "CZlib", "Expressions", "PropertyList", "SystemC", "XMLStream"]),
    library("PersistentStore", ["DataModel", "Diagnostics", "PropertyList", "SQLite", "SystemC"]),
    library(
      "Migration",
      [
        "DataModel", "Diagnostics", "Expressions", "PersistentStore", "PropertyList", "SQLite", "SystemC", "XMLStream",
      ]),

    // Judges what the migration of a track library has made. It must not know anything of that: no mistake twice.
    library("Verification", ["DataModel", "Diagnostics", "PersistentStore", "PropertyList", "SQLite", "SystemC"]),

    // The track library, and what moves it from one version to the next.
    library(
      "Policies", ["DataModel", "Diagnostics", "Expressions", "JSONStream", "Migration", "PersistentStore", "SystemC"],
      path: "Policies"),
    library(
      "TrackLibrary",
      [
        "DataModel", "Diagnostics", "Expressions", "Migration", "PersistentStore", "Policies", "PropertyList", "SQLite",
        "SystemC", "Verification",
      ]),

    // The examples besides: their models, mapping models and sample libraries.
    library(
      "Examples",
      [
        "DataModel", "Diagnostics", "Expressions", "Migration", "PersistentStore", "Policies", "PropertyList",
        "SystemC",
        "TrackLibrary",
      ]),

    // The command line.
    library("CommandLineKit", ["SystemC"]),
    .executableTarget(
      name: "tracks-migrate",
      dependencies: [
        "CommandLineKit", "DataModel", "Diagnostics", "Examples", "Migration", "PersistentStore", "Policies", "SQLite",
        "SystemC", "TrackLibrary", "Verification",
      ],
      swiftSettings: strict,
      linkerSettings: staticRuntime),

    // Tests: one target per library, one for the built command, and what they share.
    library(
      "TestSupport", ["DataModel", "PersistentStore", "PropertyList", "SQLite", "SystemC"], path: "Tests/TestSupport"),
    library(
      "FuzzTargets",
      [
        "DataModel", "Diagnostics", "Examples", "Expressions", "JSONStream", "Migration", "PersistentStore", "Policies",
        "PropertyList", "SQLite", "TestSupport", "TrackLibrary",
      ], path: "Tests/FuzzTargets", exclude: ["Regressions", "Seeds"]),
    tests("FuzzTests", ["DataModel", "FuzzTargets", "PersistentStore", "SQLite"]),
    tests("SystemCTests", ["SystemC"]),
    tests("DiagnosticsTests", ["Diagnostics"]),
    tests("SQLiteTests", ["SQLite"]),
    tests("JSONStreamTests", ["JSONStream"]),
    tests("XMLStreamTests", ["XMLStream"]),
    tests("PropertyListTests", ["PropertyList"]),
    tests("DataModelTests", ["DataModel", "Diagnostics", "PersistentStore", "PropertyList", "SQLite"]),
    tests("ExpressionsTests", ["Expressions", "SQLite"]),
    tests("PersistentStoreTests", ["PersistentStore", "PropertyList"]),
    tests(
      "MigrationTests",
      ["DataModel", "Diagnostics", "Expressions", "Migration", "PersistentStore", "PropertyList", "SQLite"]),
    tests("TrackLibraryTests", ["TrackLibrary"]),
    tests(
      "VerificationTests",
      [
        "DataModel", "Diagnostics", "JSONStream", "PersistentStore", "Policies", "PropertyList", "SQLite",
        "TrackLibrary", "Verification",
      ]),
    tests("PoliciesTests", ["DataModel", "Diagnostics", "Examples", "Expressions", "Migration", "Policies"]),
    tests("CommandLineKitTests", ["CommandLineKit"]),
    tests("CommandTests", ["tracks-migrate", "DataModel", "PersistentStore", "SQLite", "TrackLibrary"]),
    tests(
      "DifferentialTests",
      [
        "tracks-migrate", "DataModel", "Diagnostics", "Expressions", "JSONStream", "Migration", "PersistentStore",
        "Policies", "SQLite", "TrackLibrary",
      ]),
  ]
)

#if !canImport(ObjectiveC)
  // Apple's platforms have the real one, which a target of this name would hide.
  package.products.append(.library(name: "CoreData", targets: ["CoreData"]))
  package.targets += [
    library(
      "CoreData",
      ["DataModel", "Diagnostics", "Expressions", "Migration", "PersistentStore", "PropertyList", "SystemC"]),
    // Its policies are an app's, which knows nothing of this package's strictness.
    .testTarget(
      name: "CoreDataTests",
      dependencies: [
        "CoreData", "DataModel", "Diagnostics", "Migration", "PersistentStore", "SystemC", "TestSupport",
      ]),
    // The package of the documentation's tutorial, as an app's team has it, and the tests of the documentation.
    .target(
      name: "MyAppMigration", dependencies: ["CoreData", "Migration"],
      path: "Tests/DocumentationTests/MyApp/Migration/Sources/MyAppMigration"),
    .executableTarget(
      name: "myapp-migrate", dependencies: ["MyAppMigration"],
      path: "Tests/DocumentationTests/MyApp/Migration/Sources/myapp-migrate"),
    .testTarget(
      name: "MyAppMigrationTests", dependencies: ["MyAppMigration"],
      path: "Tests/DocumentationTests/MyApp/Migration/Tests/MyAppMigrationTests"),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "CoreData", "DataModel", "Diagnostics", "Migration", "MyAppMigration", "PersistentStore", "Policies",
        "TestSupport", "TrackLibrary",
      ],
      exclude: ["MyApp"], swiftSettings: strict),
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
