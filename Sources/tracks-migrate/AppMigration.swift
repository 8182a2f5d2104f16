import CommandLineKit
import DataModel
import Diagnostics
import Migration
import Policies

/// The migration of an app's store with the app's own models, as the command line asks for it.
struct AppMigration {
  private let migration: StoreMigration

  /// Reads the models and mapping models.
  init(store: String, options: ModelOptions) throws {
    guard let path = options.model else { preconditionFailure("an app's migration has a model") }
    let (bundle, versions) = try Self.read(path)
    let destination = try Self.destination(options.to, in: bundle)
    var search = MappingSearch(versions: versions)
    if options.mapping.isEmpty {
      try search.addThoseBeside(modelAt: path)
    } else {
      for mapping in options.mapping { try search.add(path: mapping) }
    }
    var migration = StoreMigration(path: store, versions: versions)
    migration.destinationVersionName = destination
    migration.mappings = search.mappings
    migration.allowsInference = !options.declinesInference
    migration.policies = try Self.policies(options)
    self.migration = migration
  }

  private static func read(_ path: String) throws(MigrationError) -> (ModelBundle, [KnownVersion]) {
    do throws(ModelFileError) {
      let bundle = try ModelBundle(path: path)
      return (bundle, try KnownVersion.all(in: bundle))
    } catch {
      throw MigrationError(error)
    }
  }

  private static func destination(_ name: String?, in bundle: ModelBundle) throws(MigrationError) -> String {
    do throws(ModelFileError) {
      if let name { return try bundle.version(named: name).name }
      return try bundle.currentVersion().name
    } catch {
      throw MigrationError(error)
    }
  }

  private static func policies(_ options: ModelOptions) throws -> PolicyRegistry {
    var registry = PolicyRegistry.builtIn()
    for (className, policy) in options.policyNames {
      guard registry.alias(className, for: policy) else {
        throw ValidationError(
          "There is no policy '\(policy)'; the policies are \(registry.classNames.joined(separator: ", ")).")
      }
    }
    return registry
  }

  /// Prints what would be done.
  func printPlan() throws {
    let plan = try migration.plan()
    let output = StandardOutput()
    for line in AppMigrationText.plan(plan, of: migration.path) { try output.writeLine(line.visible) }
    try output.flush()
  }

  /// Migrates the store.
  func run(_ settings: Settings) throws {
    var migration = migration
    migration.outputPath = settings.output
    migration.keepsBackup = settings.keepsBackup
    migration.isStrict = settings.isStrict
    migration.cancellation = Interruption.listen()
    migration.log = LaunchArguments.migrationLog
    var meter: ProgressMeter?
    if !settings.isQuiet {
      migration.onProgress = { progress in
        meter = meter ?? ProgressMeter(unit: "instances", total: progress.totalCount)
        meter?.update(completed: progress.completedCount)
      }
    }
    defer { meter?.finish() }
    let outcome = try migration.run()
    meter?.finish()
    guard !settings.isQuiet else { return }
    AppMigrationText.lines(outcome, path: migration.path).forEach(Messages.note)
  }

  /// How the migration is to be done.
  struct Settings {
    var output: String?
    var keepsBackup: Bool
    var isStrict: Bool
    var isQuiet: Bool
  }
}
