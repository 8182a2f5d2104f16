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

  fileprivate var label: String? {
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

/// Finds the way of a store through stages.
struct StagePlanner {
  let stages: [MigrationStage]
  let versions: [LoadedModelVersion]

  /// Plans the way between two versions, by as many hops as the stages tell.
  ///
  /// - Throws: `MigrationError` with `unknownStage` if no stage begins at the version of the store or passes it, or if
  ///   there is no model for a checksum; with `noMigrationPath` if the stages do not lead to the wanted version.
  func plan(
    from source: LoadedModelVersion, to destination: LoadedModelVersion
  ) throws(MigrationError) -> MigrationPlan {
    var plan = MigrationPlan(source: source, destination: destination, steps: [])
    guard source.checksum != destination.checksum else { return plan }
    // A version that ends one stage and begins the next goes on with the latter.
    guard let first = stages.lastIndex(where: { $0.versionChecksums.contains(source.checksum) }) else {
      throw MigrationError(
        .unknownStage, MigrationError.Subject(name: source.name),
        detail: "no stage passes the version '\(source.name)' (checksum \(source.checksum)) that the store has")
    }
    var current = source
    for (index, stage) in stages.enumerated().dropFirst(first) where current.checksum != destination.checksum {
      let checksums = stage.versionChecksums
      let next = checksums.lastIndex(of: current.checksum).map { $0 + 1 } ?? 0
      for (place, checksum) in checksums.enumerated().dropFirst(next) where current.checksum != destination.checksum {
        let version = try version(checksum, stage, index)
        let isOwnHop = place == 1
        if isOwnHop, stages.handler(at: .willMigrate(index)) != nil {
          var step = try hop(from: current, to: current)
          step.moment = .willMigrate(index)
          plan.steps.append(step)
        }
        var step = try hop(from: current, to: version)
        if isOwnHop, stages.handler(at: .didMigrate(index)) != nil { step.moment = .didMigrate(index) }
        plan.steps.append(step)
        current = version
      }
    }
    guard current.checksum == destination.checksum else {
      throw MigrationError(
        .noMigrationPath, MigrationError.Subject(name: destination.name),
        detail: "the stages lead from '\(source.name)' to '\(current.name)', and '\(destination.name)' is wanted")
    }
    return plan
  }

  private func version(
    _ checksum: String, _ stage: MigrationStage, _ index: Int
  ) throws(MigrationError) -> LoadedModelVersion {
    if let version = versions.first(where: { $0.checksum == checksum }) { return version }
    let name = stage.label.map { "'\($0)'" } ?? "\(index + 1)"
    throw MigrationError(
      .unknownStage, MigrationError.Subject(name: checksum),
      detail: "stage \(name) names the checksum \(checksum), which no version of the model has")
  }

  private func hop(
    from source: LoadedModelVersion, to destination: LoadedModelVersion
  ) throws(MigrationError) -> MigrationStep {
    do throws(InferenceError) {
      let inferred = try InferredMappingModel(from: source.model, to: destination.model)
      return MigrationStep(source: source, destination: destination, method: .inferred(inferred))
    } catch {
      throw MigrationError(
        .noMigrationPath, MigrationError.Subject(name: destination.name),
        detail: "from '\(source.name)' to '\(destination.name)': \(error.migrationError().detail ?? "")")
    }
  }
}
