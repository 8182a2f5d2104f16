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
  init(
    _ path: String, source: String, model: String, options: ModelOptions, _ settings: MigrationSettings
  ) throws {
    var migration = try AppMigration(
      store: source, model: model, options: options, settings: settings
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
  ///
  /// - Returns: What was judged, and what may explain differences.
  func run(_ log: DifferenceLog) throws -> (findings: StoreVerification.Findings?, doubts: [String]) {
    let survey = try migration.survey()
    guard !survey.plan.steps.isEmpty else {
      throw MigrationError(
        .noSource, path: path,
        detail: "'\(migration.path)' has the version '\(survey.plan.destination.name)' already")
    }
    let source = try StoreReader(path: migration.path)
    let result = try StoreReader(path: path)
    if let first = survey.plan.steps.first,
      result.metadata.versionHashes == first.source.model.entityVersionHashesByName
    {
      throw MigrationError(.migrationRequired, MigrationError.Subject(path: path, name: first.source.name))
    }
    let findings = try migration.verification(
      of: survey.plan, source: source, result: result, uncopied: survey.uncopied
    )
    .run(log)
    // What both stores lack is no difference.
    if log.count == 0 { try result.requireLayout(of: survey.plan.destination.model) }
    try source.close()
    try result.close()
    return (findings, MigrationText(naming: \.commandName).doubts(survey.plan))
  }

  /// The values of the new store that are not what they were in the old one; `nil` if its rows cannot be compared, or
  /// nothing was migrated.
  func valueChanges(exampleCount: Int) throws -> ValueChanges? {
    let survey = try migration.survey()
    guard !survey.plan.steps.isEmpty else { return nil }
    let source = try StoreReader(path: migration.path)
    let result = try StoreReader(path: path)
    guard result.metadata.versionHashes == survey.plan.destination.model.entityVersionHashesByName else { return nil }
    let changes = try migration.verification(
      of: survey.plan, source: source, result: result, uncopied: survey.uncopied
    )
    .valueChanges(exampleCount: exampleCount)
    try source.close()
    try result.close()
    return changes
  }

  /// Finds the store that the latest migration has kept.
  static func backup(of path: String) throws(MigrationError) -> String {
    // Whether the store can be read comes first.
    try StoreReader(path: path).close()
    do throws(MigrationError) {
      return try StoreRestoration(path: path).latestMigratedPath()
    } catch let error where [.noBackup, .cannotReplace].contains(error.code) {
      var error = error
      error.advice = "Name the old store with \(.source)."
      throw error
    }
  }
}
