internal import DataModel
internal import MigrationDiagnostics

/// Finds the way of a store through stages.
struct StagePlanner {
  let stages: [MigrationStage]
  let versions: [LoadedModelVersion]
  /// SwiftData's plan that the stages are of; it has to list each of them.
  var plan: AppStages?

  /// Plans the way between two versions, by as many hops as the stages tell.
  ///
  /// - Throws: `MigrationError` with `unknownStage` if no stage begins at the version of the store or passes it, or if
  ///   there is no model for a checksum; with `noMigrationPath` if the stages do not lead to the wanted version.
  func plan(
    from source: LoadedModelVersion, to destination: LoadedModelVersion
  ) throws(MigrationError) -> MigrationPlan {
    var plan = MigrationPlan(source: source, destination: destination, steps: [])
    plan.isStaged = true
    guard source.checksum != destination.checksum else { return plan }
    var current = source
    for (index, stage) in try way(from: source, to: destination) where current.checksum != destination.checksum {
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

  /// The stages that a store of a version goes through, with their places.
  private func way(
    from source: LoadedModelVersion, to destination: LoadedModelVersion
  ) throws(MigrationError) -> [(offset: Int, element: MigrationStage)] {
    let all = Array(stages.enumerated())
    if let plan { return try plan.way(from: source, to: destination, versions).map { all[$0] } }
    // A version that ends one stage and begins the next goes on with the latter.
    guard let first = stages.lastIndex(where: { $0.versionChecksums.contains(source.checksum) }) else {
      throw MigrationError(
        .unknownStage, MigrationError.Subject(name: source.name),
        detail: "no stage passes the version '\(source.name)' (checksum \(source.checksum)) that the store has")
    }
    return Array(all[first...])
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
