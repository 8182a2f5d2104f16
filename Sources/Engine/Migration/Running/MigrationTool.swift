internal import DataModel
public import MigrationDiagnostics
internal import PersistentStore
internal import SystemC
internal import TerminalOutput

/// An app's own migrator: the model with its versions, the mapping models and the policies, all in one place.
///
/// A team writes down once what its app has, and can then plan, run and test migrations of any store:
///
///     var policies = PolicyRegistry()
///     policies.register("RecipeToRecipePolicy") { RecipeToRecipePolicy() }
///     let tool = MigrationTool(modelPath: "MyApp.xcdatamodeld", policies: policies)
///     let outcome = try tool.migrate(storeAt: "MyApp.sqlite")
public struct MigrationTool: MigrationConfigurable {
  /// The model with all its versions: an `.xcdatamodeld` or `.momd`.
  public var modelPath: String
  /// The mapping models, or folders of them, in the order of the work; without any, those in the project of the model.
  public var mappingModelPaths: [String]
  /// The custom policies that the mapping models name.
  public var policies: PolicyRegistry
  /// The version that is wanted; without one the current version of the model.
  public var destinationVersionName: String?
  /// Whether mapping models may be inferred where there is none.
  public var allowsInference = true
  /// The relationships that name the tables of many-to-many relationships, as `Entity.relationship`; see
  /// ``StoreMigration/joinTableRelationships``.
  public var joinTableRelationships: [String] = []
  /// The settings of the migrations.
  public var settings = MigrationSettings()

  /// Creates a migrator.
  public init(modelPath: String, mappingModelPaths: [String] = [], policies: PolicyRegistry = PolicyRegistry()) {
    self.modelPath = modelPath
    self.mappingModelPaths = mappingModelPaths
    self.policies = policies
  }

  /// Reads the models and prepares the migration of a store, whose other settings can then still be changed.
  ///
  /// - Throws: `MigrationError` where a model or mapping model cannot be used, or a mapping model names a policy that is
  ///   not registered.
  public func migration(ofStoreAt path: String) throws(MigrationError) -> StoreMigration {
    let migration = try preparedMigration(ofStoreAt: path)
    if let missing = missingPolicies(of: migration.mappings).first {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(path: missing.mapping.path, name: missing.mapping.name),
        detail: "it names the policy '\(missing.className)', which is not registered; the registered ones are "
          + policies.classNames.map { "'\($0)'" }.joined(separator: ", "))
    }
    return migration
  }

  /// Prepares the migration of a store, for which a policy may be missing that its hops can do without.
  package func preparedMigration(ofStoreAt path: String) throws(MigrationError) -> StoreMigration {
    let (bundle, versions, unreadable) = try UnreadableVersion.readVersions(ofModelAt: modelPath)
    var migration = StoreMigration(path: path, versions: versions)
    migration.destinationVersionName = try destinationName(in: bundle, unreadable)
    migration.currentVersionName = try? bundle.currentVersion().name
    migration.takesCurrentVersion = destinationVersionName == nil
    do {
      let search = try findMappings(among: versions)
      (migration.mappings, migration.displacedMappings) = (search.mappings, search.displaced)
      (migration.mappingRemarks, migration.mappingBounds) = (search.remarks, search.bounds)
    } catch {
      throw unreadable.inUserTerms(error)
    }
    migration.unreadableVersions =
      mappingModelPaths.isEmpty
      ? unreadable.withMappingModels(aroundModelAt: modelPath, known: versions) : unreadable
    // Mapping models that a person names go before the app's plan, whose hops are inferred.
    if mappingModelPaths.isEmpty, allowsInference, let name = migration.destinationVersionName {
      do throws(MigrationError) {
        migration.appStages = try AppStages(in: bundle, to: name)
        migration.stages = try migration.appStages?.stages(versions) ?? []
      } catch {
        throw error.about(path)
      }
    }
    migration.policies = policies
    migration.allowsInference = allowsInference
    migration.joinTableRelationships = joinTableRelationships
    migration.settings = settings
    return migration
  }

  /// Finds the hops that a store needs, without changing anything.
  ///
  /// - Throws: `MigrationError` where the store's version is not known, or no way leads to the one that is wanted.
  public func plan(forStoreAt path: String) throws(MigrationError) -> MigrationPlan {
    try migration(ofStoreAt: path).plan()
  }

  /// Migrates a store, to a new file if one is named.
  ///
  /// - Throws: `MigrationError`. Then the store holds what it held.
  @discardableResult
  public func migrate(
    storeAt path: String, to outputPath: String? = nil
  ) throws(MigrationError) -> StoreMigration.Outcome {
    var migration = try migration(ofStoreAt: path)
    migration.outputPath = outputPath ?? settings.outputPath
    return try migration.run()
  }

  /// The class names of policies that mapping models name and that are not registered, sorted.
  ///
  /// A test that expects none notices a policy that was forgotten before any store does.
  public func unregisteredPolicyNames() throws(MigrationError) -> [String] {
    let search = try findMappings(among: try UnreadableVersion.readVersions(ofModelAt: modelPath).versions)
    return Set(missingPolicies(of: search.mappings).map(\.className)).sorted()
  }

  /// Opens a store of any known version for reading, to look at what a migration made.
  ///
  /// The values of large data that lie in files of their own are read from there.
  public func context(ofStoreAt path: String) throws(MigrationError) -> ManagedObjectContext {
    let reader = try StoreReader(path: path)
    let versions = try UnreadableVersion.readVersions(ofModelAt: modelPath).versions
    let version = try MigrationPlanner(versions: versions)
      .version(withHashes: reader.metadata.versionHashes, cachedModel: (try? reader.cachedModel()) ?? nil)
    return try ManagedObjectContext(reading: reader, version.model)
  }

  /// Opens a store for reading, and migrates it first where that is needed and allowed; see
  /// ``StoreMigration/open(migrating:)``.
  public func open(storeAt path: String, migrating isMigrating: Bool = false) throws(MigrationError)
    -> ManagedObjectContext
  {
    try migration(ofStoreAt: path).open(migrating: isMigrating)
  }

  private func destinationName(
    in bundle: ModelBundle, _ unreadable: [UnreadableVersion]
  ) throws(MigrationError) -> String {
    let name: String
    do throws(ModelFileError) {
      name =
        if let destinationVersionName { try bundle.version(named: destinationVersionName).name } else {
          try bundle.currentVersion().name
        }
    } catch {
      var error = MigrationError(error)
      error.advice = "Name one of its versions with \(.version)."
      throw error
    }
    if let version = unreadable.first(where: { $0.name == name }) { throw MigrationError(version.error) }
    return name
  }

  /// Finds the app's mapping models.
  package func findMappings(among versions: [LoadedModelVersion]) throws(MigrationError) -> MappingSearch {
    var search = MappingSearch(versions: versions)
    if mappingModelPaths.isEmpty { try search.addMappings(besideModelAt: modelPath) }
    for path in mappingModelPaths { try search.add(path: path) }
    return search
  }

  private func missingPolicies(of mappings: [LoadedMappingModel]) -> [(className: String, mapping: LoadedMappingModel)]
  {
    mappings.flatMap { mapping in
      mapping.mappingModel.entityMappings.compactMap(\.entityMigrationPolicyClassName)
        .filter { policies.makePolicy(named: $0) == nil }.map { ($0, mapping) }
    }
  }
}

extension MigrationTool {
  /// The text that `run` prints for `--help`.
  public static let help = """
    Migrates a store to the current version of its model.

    USAGE: [--plan] [--allow-loss] [--strict] [--no-backup] [--verify] [--verbose]
           <store> [<output>]

      <store>       The store. Without <output> it is replaced, and the old one kept beside it as a backup.
      <output>      A new file for the result.
      --plan        Print the hops and what they would remove, and change nothing.
      --allow-loss  Remove entities that the new model or a mapping model drops, with their rows.
      --strict      Fail, and change nothing, if anything would be lost without the models saying so.
      --no-backup   Do not keep the old store.
      --verify      Re-read both stores before replacing the old one, and fail on any difference.
      --verbose     Print every remark and more examples.
      --help        Print this.
    """

  /// Does what the arguments of a program ask for, and gives the exit status that the program should end with.
  ///
  /// The whole program of an app's team is this call.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name. What follows `--` is a path, whatever it begins with.
  ///   - print: Takes what a person is told, line by line.
  ///   - printError: Takes what went wrong, line by line.
  public func run(
    _ arguments: some Sequence<String>, print: (String) -> Void, printError: (String) -> Void
  ) -> Int32 {
    var paths: [String] = []
    var (wantsPlan, isVerbose) = (false, false)
    var tool = self
    var readsOptions = true
    // Those of the process itself, as Swift gives them, have lost the bytes of paths that are not UTF-8.
    let isOwn = arguments.elementsEqual(CommandLine.arguments.dropFirst())
    for word in isOwn ? Array(CommandLine.exactArguments.dropFirst()) : Array(arguments) {
      switch word {
      case "--" where readsOptions: readsOptions = false
      case "--plan" where readsOptions: wantsPlan = true
      case "--allow-loss" where readsOptions: tool.allowsLoss = true
      case "--strict" where readsOptions: tool.isStrict = true
      case "--no-backup" where readsOptions: tool.keepsBackup = false
      case "--verify" where readsOptions: tool.isVerified = true
      case "--verbose" where readsOptions: isVerbose = true
      case "--help" where readsOptions, "-h" where readsOptions:
        print(Self.help)
        return 0
      case _ where readsOptions && word.hasPrefix("-"):
        return wrongUsage("there is no option '\(word)'", printError)
      default: paths.append(word)
      }
    }
    guard let store = paths.first, paths.count <= (wantsPlan ? 1 : 2), !paths.contains("") else {
      return wrongUsage(wantsPlan ? "expected one store" : "expected a store and at most one output", printError)
    }
    do throws(MigrationError) {
      let text = MigrationText(isVerbose: isVerbose, allowsLoss: tool.allowsLoss, naming: Self.name)
      var lines: [String]
      if wantsPlan {
        let migration = try tool.migration(ofStoreAt: store)
        lines = text.plan(try migration.survey(), of: store) + migration.mappingRemarks.map { "warning: \($0)" }
      } else {
        var migration = try tool.migration(ofStoreAt: store)
        migration.outputPath = paths.count > 1 ? paths[1] : settings.outputPath
        let outcome = try migration.run()
        lines = text.outcome(outcome, of: store)
        var warnings = migration.mappingRemarks
        if case .migrated(let result) = outcome {
          lines += text.verification(result)
          warnings += result.cautions.map { $0.worded(Self.name) }
        }
        lines += warnings.map { "warning: \($0)" }
      }
      lines.forEach { print($0.visible) }
      return 0
    } catch {
      let message = ErrorMessage(error, naming: Self.name)
      printError("error: \(message.problem). \(message.advice)".visible)
      return error.exitStatus
    }
  }

  /// Returns the option for a way out in the app's own program.
  private static func name(_ wayOut: Advice.WayOut) -> String {
    switch wayOut {
    case .allowLoss, .discard: "--allow-loss"
    case .noBackup: "--no-backup"
    case .output: "<output>"
    case .strict: "--strict"
    case .verbose: "--verbose"
    case .artistsPath, .backup, .export, .feed, .feedFormat, .force, .json, .joinTable, .mapping, .member,
      .model, .noSpaceCheck, .policy, .newKeys, .replace, .source, .stub, .titlePath, .types, .version, .artists,
      .info, .migrate, .examine, .repair, .salvage:
      wayOut.swiftName
    }
  }

  /// As sysexits.h has it.
  private func wrongUsage(_ problem: String, _ printError: (String) -> Void) -> Int32 {
    printError("error: \(problem).".visible)
    printError(Self.help)
    return 64
  }
}
