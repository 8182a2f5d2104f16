internal import DataModel
package import MigrationDiagnostics
package import SwiftSchemas
internal import Verification

/// The migration plan of an app that uses SwiftData.
package struct AppStages: Sendable {
  /// The plan.
  package let plan: SchemaPlans.Plan
  private let code: any StageCode

  /// A plan with its closures.
  package init(_ plan: SchemaPlans.Plan, _ code: any StageCode) { (self.plan, self.code) = (plan, code) }

  /// Finds the plan that leads to a version: one that ends with it goes before others.
  ///
  /// - Returns: `nil` if no plan has it.
  /// - Throws: `MigrationError` with `unknownStage` if several plans do.
  init?(in bundle: ModelBundle, to version: String) throws(MigrationError) {
    let passing = (bundle.schemaPlans?.plans ?? []).filter { $0.schemas.contains(version) }
    let ending = passing.filter { $0.schemas.last == version }
    let plans = ending.isEmpty ? passing : ending
    guard let plan = plans.first else { return nil }
    self.init(plan, StageProgram(bundle: bundle))
    guard plans.count == 1 else {
      let names = plans.map { "'\($0.name)'" }.sorted().joined(separator: ", ")
      var error = MigrationError(
        .unknownStage, MigrationError.Subject(name: version),
        detail: "\(plans.count) migration plans of '\(bundle.path)' have the version '\(version)': \(names)")
      error.advice = "Name a file or a folder that has one of them, or remove those that are not used."
      throw error
    }
  }

  /// The stages in the engine's form.
  package func stages(_ versions: [LoadedModelVersion]) throws(MigrationError) -> [MigrationStage] {
    var checksums: [String: String] = [:]
    for version in versions where plan.schemas.contains(version.name) {
      if let other = checksums.first(where: { $0.value == version.checksum })?.key {
        var error = MigrationError(
          .unknownStage, MigrationError.Subject(name: version.name),
          detail:
            "'\(other)' and '\(version.name)' of the plan '\(plan.name)' have the same checksum; SwiftData refuses "
            + "such a plan (\"duplicate version checksums\")")
        error.advice = "Remove one of the two, or give it a change that counts, such as an attribute."
        throw error
      }
      checksums[version.name] = version.checksum
    }
    return plan.stages.enumerated().map { index, stage in
      let (from, to) = (checksums[stage.from] ?? stage.from, checksums[stage.to] ?? stage.to)
      guard !stage.moments.isEmpty else { return .lightweight(versionChecksums: [from, to], label: nil) }
      func handler(_ moment: String) -> MigrationStage.Handler? {
        guard stage.moments.contains(moment) else { return nil }
        return { try run(moment, ofStage: index, on: $0) }
      }
      return .custom(
        from: from, to: to, label: nil, willMigrate: handler("willMigrate"), didMigrate: handler("didMigrate"))
    }
  }

  /// The places of the stages between two versions.
  ///
  /// - Throws: `MigrationError` with `unknownStage` if the plan does not list one of them: SwiftData infers no hop then.
  func way(
    from source: LoadedModelVersion, to destination: LoadedModelVersion, _ versions: [LoadedModelVersion]
  ) throws(MigrationError) -> [Int] {
    // Versions of other plans may have the same hashes.
    let name = versions.first { $0.checksum == source.checksum && plan.schemas.contains($0.name) }?.name ?? source.name
    var (current, way) = (name, [Int]())
    while current != destination.name {
      guard let index = plan.stages.firstIndex(where: { $0.from == current }), !way.contains(index) else {
        let next = plan.schemas.drop { $0 != current }.dropFirst().first
        var error = MigrationError(
          .unknownStage, MigrationError.Subject(name: current),
          detail: "the plan '\(plan.name)' has no stage from '\(current)'"
            + (next.map { " to '\($0)'" } ?? ", so that none leads to '\(destination.name)'")
            + ", and SwiftData infers none that is not listed")
        error.advice = "Add the stage to 'stages' of '\(plan.name)'."
        throw error
      }
      way.append(index)
      current = plan.stages[index].to
    }
    return way
  }

  /// Makes sure before any work that the closures can be run.
  func prepare() throws(MigrationError) { try code.prepare() }

  /// Runs a closure of a stage on the instances of a store.
  private func run(_ moment: String, ofStage index: Int, on context: ManagedObjectContext) throws {
    context.stageChanges = StageChanges.none
    guard try code.run(moment, ofStage: index, of: plan, on: context) else { return }
    context.stageRemarks.append(
      "'\(moment)' of the plan '\(plan.name)' ended with changes that it had not saved; they are lost, as in SwiftData")
  }
}

/// The closures of an app's plan.
package protocol StageCode: Sendable {
  /// Makes sure that the closures can be run.
  func prepare() throws(MigrationError)

  /// Runs a closure.
  ///
  /// - Returns: Whether it ended with changes that it had not saved.
  func run(
    _ moment: String, ofStage index: Int, of plan: SchemaPlans.Plan, on context: ManagedObjectContext
  ) throws -> Bool
}

extension StageCode {
  /// The error of a closure that has failed.
  package func failure(
    _ moment: String, _ stage: SchemaPlans.Stage, _ reason: String, _ report: [String] = []
  ) -> MigrationError {
    var error = MigrationError(
      .policyFailed, detail: "'\(moment)' of the stage from '\(stage.from)' to '\(stage.to)' failed: \(reason)")
    error.report = report
    error.advice = "No data was changed. Correct the code of the stage and run this again."
    return error
  }
}
