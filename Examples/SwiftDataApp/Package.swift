// swift-tools-version: 6.2
import PackageDescription

// On Apple's platforms, SwiftData comes with the system. On Linux, this package has a module of that name, if it is
// built with TRACKS_MIGRATE_SWIFTDATA=toolchain.
#if os(Linux)
  let swiftData: [Target.Dependency] = [.product(name: "SwiftData", package: "tracks-migrate")]
  let dependencies: [Package.Dependency] = [.package(name: "tracks-migrate", path: "../..")]
#else
  let swiftData: [Target.Dependency] = []
  let dependencies: [Package.Dependency] = []
#endif

let package = Package(
  name: "SwiftDataApp",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: dependencies,
  targets: [
    .target(name: "Models", dependencies: swiftData, swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "ModelsTests", dependencies: ["Models"], swiftSettings: [.swiftLanguageMode(.v5)]),
  ])
