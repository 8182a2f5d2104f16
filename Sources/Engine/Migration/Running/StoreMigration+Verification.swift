package import MigrationDiagnostics
package import PersistentStore
package import Verification

/// Comparing a store with what its migration has made of it, by what its mapping models say.
///
/// The comparison itself shares no code with the migration; all that it is told are the models, the mapping models and
/// what could not be carried over.
extension StoreMigration {
  /// Prepares to compare two stores.
  ///
  /// - Parameters:
  ///   - source: The old store.
  ///   - result: The new store.
  ///   - uncopied: What of the app's own could not be carried over.
  ///   - steps: The results of the hops, if the migration has just been carried out.
  package func verification(
    of plan: MigrationPlan, source: StoreReader, result: StoreReader, uncopied: [DroppedContent],
    steps: [StepResult] = []
  ) -> StoreVerification {
    var verification = StoreVerification(
      source: source, result: result,
      hops: plan.steps.enumerated().map { place, step in
        let model = step.destination.model
        let changes = place < steps.count ? steps[place].stageChanges : nil
        return MappedHop(
          source: step.source.model, destination: model, mappingModels: step.mappingModels,
          changes: step.moment == nil ? .none : changes ?? .any(in: model))
      })
    verification.joinTableRelationships = joinTableRelationships
    verification.expectedMissingTables = Set(uncopied.map(\.name))
    verification.isCancelled = { [cancellation = settings.cancellation] in cancellation.isCancelled }
    verification.onProgress = settings.onVerificationProgress
    return verification
  }

  /// Compares a result that no other program sees yet, and fails if anything differs.
  package func verify(_ built: BuiltStore) throws(MigrationError) -> StoreVerification.Findings? {
    try reporting(path: path) {
      let result = try StoreReader(path: built.path)
      var verification = verification(
        of: built.plan, source: built.source, result: result, uncopied: built.uncopied, steps: built.steps)
      verification.addedCounts = Self.addedCounts(built)
      // They are given to it when it appears.
      verification.checksExternalFiles = false
      let log = DifferenceLog(limit: DifferenceLog.requiredLimit) { [onDifference = settings.onDifference] in
        onDifference?($0)
      }
      let findings = try verification.run(log)
      try result.close()
      do throws(MigrationError) {
        try log.requireNone(path: path)
      } catch {
        throw Self.advised(error, about: built.plan)
      }
      return findings
    }
  }

  /// The number of rows of each new entity that policies have made besides its mappings, in any of the hops.
  private static func addedCounts(_ built: BuiltStore) -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for (step, result) in zip(built.plan.steps, built.steps) {
      var next = result.statistics.addedInstanceCounts.mapValues { Int64($0) }
      for mapping in step.mappingModels.flatMap(\.entityMappings) {
        guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName,
          let count = counts[source]
        else { continue }
        next[destination, default: 0] += count
      }
      counts = next
    }
    return counts
  }

  /// Names the app's own policies as the likely cause, since they may change what their mapping says.
  private static func advised(_ error: MigrationError, about plan: MigrationPlan) -> MigrationError {
    let policies = Set(
      plan.steps.flatMap(\.mappingModels).flatMap(\.entityMappings).compactMap(\.entityMigrationPolicyClassName))
    guard !policies.isEmpty else { return error }
    var error = error
    error.advice = """
      Nothing was changed. If \(policies.count == 1 ? "the policy" : "one of the policies") \
      \(policies.sorted().map { "'\($0)'" }.joined(separator: ", ")) changes values that its mapping sets, this is \
      expected: migrate without verification, or let the mapping leave these values to the policy. Otherwise it is a \
      bug in the migration: please report it.
      """
    return error
  }
}
