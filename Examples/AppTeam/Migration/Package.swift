// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "MyAppMigration",
  dependencies: [
    // A clone beside the app's, or the URL of the repository.
    .package(name: "tracks-migrate", path: "../../tracks-migrate")
  ],
  targets: [
    // The policies, and which they are. The plugin compiles the app's own files, which PolicySources.txt names.
    .target(
      name: "MyAppMigration",
      dependencies: [
        .product(name: "CoreData", package: "tracks-migrate"),
        .product(name: "Migration", package: "tracks-migrate"),
      ],
      exclude: ["PolicySources.txt"],
      plugins: [.plugin(name: "PolicySources", package: "tracks-migrate")]),
    // The command.
    .executableTarget(
      name: "myapp-migrate",
      dependencies: ["MyAppMigration", .product(name: "MigrationTesting", package: "tracks-migrate")]),
    .testTarget(
      name: "MyAppMigrationTests",
      dependencies: ["MyAppMigration", .product(name: "MigrationTesting", package: "tracks-migrate")]),
  ]
)
