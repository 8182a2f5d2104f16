// swift-tools-version: 6.0
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// As the command is linked, with Swift's runtime and Foundation; see the package above.
let staticRuntime: [LinkerSetting] =
  [.unsafeFlags(["-static-stdlib", "-use-ld=lld"], .when(platforms: [.linux], configuration: .release))]
  + ["CoreFoundation", "_FoundationCShims", "_FoundationCollections", "_FoundationICU", "stdc++"].map {
    .linkedLibrary($0, .when(platforms: [.linux], configuration: .release))
  }

/// What `make bench` and `make microbench` run; see README.md in this folder.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "tracks-migrate", path: "../..")],
  targets: [
    // Named apart from the engine's own module maps for the same libraries.
    .systemLibrary(name: "BenchmarkSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "BenchmarkYajl", pkgConfig: "yajl"),

    // The peers that are compiled.
    .executableTarget(name: "floor", dependencies: ["BenchmarkSQLite", "BenchmarkYajl"]),

    // An app's policy, which knows nothing of this package's strictness, in a program of its own.
    .executableTarget(
      name: "article-migrate",
      dependencies: [
        "BenchmarkSQLite",
        .product(name: "CoreData", package: "tracks-migrate"), .product(name: "Migration", package: "tracks-migrate"),
      ],
      linkerSettings: staticRuntime),

    // The comparison, which starts the others. The parts of the engine are measured by `microbench` of the package above,
    // since apps do not see them.
    .target(name: "ProcessControl"),
    .executableTarget(name: "benchmark", dependencies: ["ProcessControl"], swiftSettings: strict),
  ]
)
