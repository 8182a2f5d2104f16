internal import DataModel
internal import MigrationDiagnostics
package import SwiftSchemas
internal import SystemC
internal import Verification

/// The migration plan of an app that uses SwiftData, whose closures run in a program made of the app's source.
package struct AppStages: Sendable {
  /// The plan.
  package let plan: SchemaPlans.Plan
  private let bundle: ModelBundle

  /// Finds the plan that leads to a version: one that ends with it goes before others.
  ///
  /// - Returns: `nil` if no plan has it.
  /// - Throws: `MigrationError` with `unknownStage` if several plans do.
  init?(in bundle: ModelBundle, to version: String) throws(MigrationError) {
    let passing = (bundle.schemaPlans?.plans ?? []).filter { $0.schemas.contains(version) }
    let ending = passing.filter { $0.schemas.last == version }
    let plans = ending.isEmpty ? passing : ending
    guard let plan = plans.first else { return nil }
    (self.plan, self.bundle) = (plan, bundle)
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
  func stages(_ versions: [LoadedModelVersion]) throws(MigrationError) -> [MigrationStage] {
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

  /// Compiles the program before any work: its errors end the migration, too.
  func prepare() throws(MigrationError) { _ = try program() }

  private func program() throws(MigrationError) -> String {
    do { return try bundle.stageProgram() } catch { throw MigrationError(error) }
  }

  // MARK: - Running

  /// Runs a closure of a stage on the instances of a store.
  private func run(_ moment: String, ofStage index: Int, on context: ManagedObjectContext) throws {
    let program = try program()
    let stage = plan.stages[index]
    func failure(_ reason: String, _ report: [String] = []) -> MigrationError {
      var error = MigrationError(
        .policyFailed, detail: "'\(moment)' of the stage from '\(stage.from)' to '\(stage.to)' failed: \(reason)")
      error.report = report
      error.advice = "No data was changed. Correct the code of the stage and run this again."
      return error
    }
    // Foundation's archives, and the app's own sets, would be in another order in each run. What the app says when it
    // traps would be lost among the registers of the processor.
    // A shell, because 'env' would take a path with an equals sign for a variable.
    let script = "export SWIFT_DETERMINISTIC_HASHING=1 SWIFT_BACKTRACE=enable=no; exec \"$0\" \"$@\""
    guard let process = StageProcess(["/bin/sh", "-c", script, program, "stage", plan.name, "\(index)", moment]) else {
      throw failure("'\(program)' cannot be run (\(String(cString: strerror(errno))))")
    }
    let server = StageServer(context: context)
    context.stageChanges = StageChanges.none
    do {
      while true {
        let message = try process.receive().list ?? []
        switch message.first?.text {
        case "done":
          if message.last == .boolean(true) {
            context.stageRemarks.append(
              "'\(moment)' of the plan '\(plan.name)' ended with changes that it had not saved; they are lost, as in SwiftData"
            )
          }
          return
        case "failed": throw failure(message.dropFirst().first?.text ?? "")
        default: break
        }
        // The code hears of no error: a part of a change may have been made, so the migration cannot go on.
        try server.answer(message, process.send)
      }
    } catch let error as StageProcess.Failure {
      throw failure(error.reason, error.report)
    } catch let error as StageServer.Misunderstanding {
      throw failure("\(error)")
    }
  }
}
