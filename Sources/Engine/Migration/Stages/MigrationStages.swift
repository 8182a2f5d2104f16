internal import DataModel
internal import MigrationDiagnostics

/// A part of a staged migration: what Core Data calls `NSLightweightMigrationStage` and `NSCustomMigrationStage`.
///
/// Stages say which way a store takes through the versions of its model; mapping models and the planner have no say then.
/// Each hop is inferred, and code may work on the instances in between.
public enum MigrationStage {
  /// Code that works on all instances of a store between two hops: it may fetch, change, insert and delete.
  public typealias Handler = (ManagedObjectContext) throws -> Void

  /// Versions that follow each other, by their checksums, as `models hash` shows them.
  case lightweight(versionChecksums: [String], label: String? = nil)
  /// One hop with code before or after it.
  ///
  /// - Parameters:
  ///   - source: The checksum of the version before.
  ///   - destination: The checksum of the version after.
  ///   - label: A name, for messages.
  ///   - willMigrate: Called with the instances of the version before.
  ///   - didMigrate: Called with those of the version after.
  case custom(
    from: String, to: String, label: String? = nil, willMigrate: Handler? = nil, didMigrate: Handler? = nil)

  /// The versions that the stage passes, by their checksums, in order.
  package var versionChecksums: [String] {
    switch self {
    case .lightweight(let checksums, _): checksums
    case .custom(let source, let destination, _, _, _): [source, destination]
    }
  }

  var label: String? {
    switch self {
    case .lightweight(_, let label), .custom(_, _, let label, _, _): label
    }
  }
}

/// A moment of a staged migration at which code works on instances: when a hop has made them.
package enum StageMoment: Sendable, Hashable {
  /// Before the hop of a stage, whose number is given.
  case willMigrate(Int)
  /// After the hop of a stage.
  case didMigrate(Int)

  /// The name of the closure.
  var name: String {
    switch self {
    case .willMigrate: "willMigrate"
    case .didMigrate: "didMigrate"
    }
  }
}

extension [MigrationStage] {
  /// Returns the handler for a moment.
  func handler(at moment: StageMoment) -> MigrationStage.Handler? {
    switch moment {
    case .willMigrate(let index):
      if case .custom(_, _, _, let handler, _) = self[index] { handler } else { nil }
    case .didMigrate(let index):
      if case .custom(_, _, _, _, let handler) = self[index] { handler } else { nil }
    }
  }
}

extension LoadedModelVersion {
  /// The version's checksum, by which stages refer to it.
  package var checksum: String { model.versionChecksum.base64 }
}
