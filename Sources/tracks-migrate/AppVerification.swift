import MappingModels
import Migration
import MigrationDiagnostics
import PersistentStore
import Policies
import TerminalOutput
import TrackLibrary
import Verification

/// The comparison of two stores of an app with the app's own models, as the command line asks for it.
struct AppVerification {
  private let migration: StoreMigration
  private let path: String

  /// Reads the models and mapping models.
  ///
  /// - Parameters:
  ///   - path: The new store.
  ///   - source: The old store.
  init(_ path: String, source: String, model: String, options: ModelOptions) throws {
    var migration = try AppMigration(
      store: source, model: model, options: options, trackOptions: TrackMigrationOptions()
    ).migration
    // Policies are not asked: what they make is not judged.
    for mapping in migration.mappings.flatMap(\.mappingModel.entityMappings) {
      guard let name = mapping.entityMigrationPolicyClassName, !migration.policies.hasPolicy(named: name) else {
        continue
      }
      migration.policies.register(name) { EntityMigrationPolicy() }
    }
    (self.migration, self.path) = (migration, path)
  }

  /// Compares the stores.
  func run(
    _ log: DifferenceLog, _ cancellation: MigrationCancellation, onProgress: ((Int, Int) -> Void)?
  ) throws -> StoreVerification.Findings? {
    let survey = try migration.survey()
    guard !survey.plan.steps.isEmpty else {
      throw MigrationError(
        .noSource, path: path,
        detail: "'\(migration.path)' has the version '\(survey.plan.destination.name)' already")
    }
    var verification = StoreVerification(
      source: try StoreReader(path: migration.path), result: try StoreReader(path: path), hops: survey.plan.mappedHops)
    verification.joinTableRelationships = migration.joinTableRelationships
    verification.expectedMissingTables = Set(survey.uncopied.map(\.name))
    verification.isCancelled = { cancellation.isCancelled }
    verification.onProgress = onProgress
    return try verification.close(verification.run(log))
  }
}

/// Compares what a migration has made with the old store, before it appears.
final class BuiltStoreVerification {
  private var findings: StoreVerification.Findings?

  /// Fails if anything is not as it has to be.
  func run(_ built: StoreMigration.BuiltStore, of migration: StoreMigration, isQuiet: Bool) throws(MigrationError) {
    let meter = RowMeter(unit: "rows verified")
    defer { meter.finish() }
    findings = try reporting(path: migration.path) {
      var verification = StoreVerification(
        source: try StoreReader(path: built.sourcePath), result: try StoreReader(path: built.path),
        hops: built.plan.mappedHops)
      verification.joinTableRelationships = migration.joinTableRelationships
      verification.expectedMissingTables = Set(built.uncopied.map(\.name))
      // They are given to it when it appears.
      verification.checksExternalFiles = false
      verification.isCancelled = { [cancellation = migration.cancellation] in cancellation.isCancelled }
      if !isQuiet { verification.onProgress = meter.update }
      let log = DifferenceLog(limit: DifferenceLog.requiredLimit) {
        meter.finish()
        StandardError.note("differs: \($0)")
      }
      let findings = try verification.close(verification.run(log))
      try log.requireNone(path: migration.path)
      return findings
    }
  }

  /// What a person is told of it.
  var lines: [String] {
    findings.map { ["Verified: \($0.figures)."] + $0.lines } ?? []
  }
}

extension StoreVerification {
  /// Closes both stores.
  fileprivate func close(_ findings: Findings?) throws -> Findings? {
    try source.close()
    try result.close()
    return findings
  }
}

extension MigrationPlan {
  fileprivate var mappedHops: [MappedHop] {
    steps.map { MappedHop(source: $0.source.model, destination: $0.destination.model, mappingModels: $0.mappingModels) }
  }
}

extension StoreVerification.Findings {
  /// Such as "60 rows and 12 links", which is not all where something is not judged.
  var figures: String {
    let rows = NumberFormat.counted(Int(rowCountByEntity.values.reduce(0, +)), "row")
    let links = NumberFormat.counted(Int(linksCount), "link")
    return "\(rows) and \(links)\(unchecked.isEmpty ? "" : ", as far as the mapping models tell")"
  }

  /// What was not carried over, and what was not judged.
  var lines: [String] {
    removedCountByEntity.sorted { $0.key < $1.key }.map { entity, count in
      "Not carried over: \(NumberFormat.counted(Int(count), "row")) of '\(entity)'"
    } + unchecked.map { "Not judged: \($0)" }
  }
}
