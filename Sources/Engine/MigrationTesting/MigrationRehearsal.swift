internal import DataModel
internal import Foundation
public import Migration
public import MigrationDiagnostics
internal import PersistentStore

/// Migrates stores of every version to the current one before any user does: directly, as Core Data itself does it, by
/// the hops that the tool plans, and from version to version.
///
/// For each store, all results are validated against the model, verified against the store, and compared with each
/// other. A hop without a mapping model that leaves values or links behind fails, unless the tool's settings allow a loss.
/// Stores that are given are not changed; the others are made by ``StoreFixture``.
///
///     let rehearsal = MigrationRehearsal(tool: MyAppMigrator.makeTool())
///     #expect(try rehearsal.run().allSatisfy(\.isPassed))
public struct MigrationRehearsal {
  /// The result for one store.
  public struct Result: Sendable, Hashable {
    /// One thing that was tried.
    public struct Check: Sendable, Hashable {
      /// `fixture`, `current`, `direct`, `planned`, `step by step` or `same result`; a plan of one hop is the direct way.
      public internal(set) var name: String
      /// The failure; nil if there was none.
      public let failure: String?
      /// The elapsed time in seconds.
      public let seconds: Double
    }

    /// The version that the store had.
    public internal(set) var version: String
    /// The file, or what it is if it was made.
    public let store: String
    /// The hops of the planned way, such as `MyApp → MyApp 2 → MyApp 3`; for a current store, the versions that it has.
    public let path: String
    /// The number of instances by entity before and after.
    public let counts: [String: [Int]]
    /// The checks, in order.
    public let checks: [Check]
    /// The tasks that remain for the app, although nothing went wrong.
    public internal(set) var notes: [String] = []
    /// Whether the store has the hashes of the wanted version already: Core Data opens it as it is.
    public internal(set) var isCurrent = false
    /// Whether nothing went wrong.
    public var isPassed: Bool { checks.allSatisfy { $0.failure == nil } }
  }

  /// The app's model, mapping models and policies.
  public var tool: MigrationTool
  /// The number of instances of each entity in stores that are made.
  public var rowCount = 50
  /// The first seed of the random numbers for stores that are made.
  public var seed: UInt64 = 1
  /// Stores of shipped versions, which are migrated besides those that are made.
  public var storePaths: [String] = []
  /// Returns the name of a way out for failures; by default, its name in Swift.
  package var naming: (Advice.WayOut) -> String = { $0.swiftName }
  /// Takes the remarks on the mapping models around the model.
  package var onRemark: ((String) -> Void)?

  /// Prepares a rehearsal.
  public init(tool: MigrationTool) { self.tool = tool }

  /// Rehearses the migration of every version but the wanted one, and of every store.
  ///
  /// - Throws: `MigrationError` if the models or a store that was given cannot be read, or no temporary files can be made. What
  ///   goes wrong with a migration is in its result.
  public func run() throws(MigrationError) -> [Result] {
    let bundle = try ModelFileReporting.bundle(tool.modelPath)
    let wanted = try wantedVersion(of: bundle)
    try requireUsable(bundle)
    var results: [Result] = []
    for version in bundle.versions where version.name != wanted { results.append(try run(from: version.name, bundle)) }
    for path in storePaths { results.append(try rehearse(path, named: path, bundle)) }
    return results
  }

  /// Rehearses the migration of a store that is made of a version.
  public func run(from version: String) throws(MigrationError) -> Result {
    let bundle = try ModelFileReporting.bundle(tool.modelPath)
    try requireUsable(bundle)
    return try run(from: version, bundle)
  }

  private func run(from version: String, _ bundle: ModelBundle) throws(MigrationError) -> Result {
    let model = try ModelFileReporting.model(version, of: bundle)
    let folder = try ScratchFolder()
    let path = folder.path("Fixture.sqlite")
    let name = "\(rowCount) made rows of each entity, seed \(seed)"
    let made = try check("fixture", hiding: path) { () throws(MigrationError) in
      try StoreFixture(model: model, rowCount: rowCount, seed: seed).write(to: path)
      return nil
    }
    guard made.failure == nil else {
      return Result(version: version, store: name, path: "", counts: [:], checks: [made])
    }
    return try rehearse(path, named: name, of: version, bundle)
  }

  /// Makes sure that the mapping models can be used: one that cannot be read is not a failure of a migration.
  private func requireUsable(_ bundle: ModelBundle) throws(MigrationError) {
    let versions = bundle.versions.compactMap { version in
      (try? version.model()).map { LoadedModelVersion(name: version.name, model: $0) }
    }
    let search = try tool.findMappings(among: versions)
    if let onRemark { search.remarks.forEach(onRemark) }
    let wanted = try wantedVersion(of: bundle)
    if tool.destinationVersionName == nil {
      CurrentMark.remark(wanted, among: bundle.versions.map(\.name)).map { onRemark?($0.worded(naming)) }
    }
    try versions.first { $0.name == wanted }?.requireDerivations(at: tool.modelPath)
  }

  private func wantedVersion(of bundle: ModelBundle) throws(MigrationError) -> String {
    if let name = tool.destinationVersionName { return name }
    do { return try bundle.currentVersion().name } catch { throw MigrationError(error) }
  }

  /// Rehearses the migration of a store.
  ///
  /// - Parameter known: The version that the store was made of: several may have its hashes.
  private func rehearse(
    _ store: String, named name: String, of known: String? = nil, _ bundle: ModelBundle
  ) throws(MigrationError) -> Result {
    let folder = try ScratchFolder()
    let wanted = try wantedVersion(of: bundle)
    var (checks, path, isCurrent) = ([Result.Check](), "", false)
    var version = known ?? versionName(of: store, bundle)
    var hop: DirectHop?
    let (direct, steps) = (folder.path("Direct.sqlite"), folder.path("Steps.sqlite"))
    checks.append(
      try check("direct", hiding: store) { () throws(MigrationError) in
        var migration = try quietTool.preparedMigration(ofStoreAt: store)
        migration.settings.outputPath = direct
        let plan = try migration.plan()
        version = known ?? plan.source.name
        // 'willMigrate' works on the version that is there.
        let hops = plan.steps.filter { $0.source.name != $0.destination.name }
        (path, hop) = (([version] + hops.map(\.destination.name)).joined(separator: " → "), plan.directHop)
        guard case .migrated(let result) = try migration.run() else {
          isCurrent = true
          return nil
        }
        return losses(result)
      })
    if isCurrent {
      // Versions may differ in what the hashes leave out. Core Data opens such a store as it is.
      checks[0].name = "current"
      let other = known.flatMap { $0 == wanted ? nil : "\($0), which has the version hashes of \(wanted)" }
      return Result(
        version: known ?? wanted, store: name, path: other ?? wanted, counts: counts(store).mapValues { [$0, $0] },
        checks: checks, isCurrent: true)
    }
    var notes: [String] = []
    if hop != nil { checks[0].name = "planned" }
    // With a plan, SwiftData goes from version to version.
    let isStaged = bundle.schemaPlans?.plans.contains { Set([version, wanted]).isSubset(of: $0.schemas) } == true
    if let hop, !isStaged {
      if hop.needsHops {
        notes.append("\(hop.problem); \(hop.advice)")
      } else if checks[0].failure == nil {
        let oneHop = folder.path("OneHop.sqlite")
        checks.insert(
          try check("direct", hiding: store) { () throws(MigrationError) in
            try inOneHop(store, hop, from: version, to: wanted, oneHop, comparedWith: direct)
          }, at: 0)
      }
    }
    if checks.last?.failure == nil {
      checks.append(
        try check("step by step", hiding: store) { () throws(MigrationError) in
          try stepByStep(store, bundle, from: version, to: wanted, folder, steps)
        })
    }
    let (before, after) = (counts(store), counts(direct))
    if checks.allSatisfy({ $0.failure == nil || $0.name == "direct" && hop != nil }), FileSystem.exists(steps) {
      checks.append(
        try check("same result", hiding: store) { () throws(MigrationError) in
          let (left, right) = (try StoreContents(direct, tool), try StoreContents(steps, tool))
          return left.difference(from: right, named: ("after the direct way", "step by step"))
        })
    }
    let names = Set(before.keys).union(after.keys)
    let counts = Dictionary(uniqueKeysWithValues: names.map { ($0, [before[$0] ?? 0, after[$0] ?? 0]) })
    return Result(version: version, store: name, path: path, counts: counts, checks: checks, notes: notes)
  }

  /// Migrates as Core Data itself does: by one inferred hop, in which a renaming identifier has to name what the store has.
  private func inOneHop(
    _ store: String, _ hop: DirectHop, from source: String, to wanted: String, _ output: String,
    comparedWith planned: String
  ) throws(MigrationError) -> String? {
    var migration = try quietTool.preparedMigration(ofStoreAt: store)
    migration.settings.outputPath = output
    migration.versions.removeAll { ![source, wanted].contains($0.name) }
    (migration.mappings, migration.settings.allowsLoss) = ([], true)
    let problems = hop.losses.map {
      $0.place == nil ? "loses '\($0.old)', which becomes '\($0.new)'" : $0.problem
    }
    guard problems.isEmpty else {
      return
        "Core Data migrates the store in one hop, and \(problems.joined(separator: ", and ")): a renaming identifier "
        + "names, or only a version in between has, another name. Set it to the oldest name, or write a mapping model "
        + "from '\(source)' to '\(wanted)'"
    }
    guard case .migrated = try migration.run() else { return nil }
    return try StoreContents(output, tool).difference(
      from: try StoreContents(planned, tool), named: ("in one hop, as Core Data does it", "by the planned hops"))
  }

  /// The name of a store's version; empty if it is none of the bundle.
  private func versionName(of store: String, _ bundle: ModelBundle) -> String {
    guard let hashes = try? StoreReader(path: store).metadata.versionHashes else { return "" }
    let version = bundle.versions.first { (try? $0.model().isCompatible(withVersionHashes: hashes)) ?? false }
    return version?.name ?? ""
  }

  /// The tool without what only people need.
  private var quietTool: MigrationTool {
    var tool = tool
    tool.settings.isVerified = true
    tool.settings.reportPath = nil
    (tool.settings.onProgress, tool.settings.log) = (nil, nil)
    return tool
  }

  /// Migrates to each version in turn.
  private func stepByStep(
    _ store: String, _ bundle: ModelBundle, from source: String, to wanted: String, _ folder: ScratchFolder,
    _ output: String
  ) throws(MigrationError) -> String? {
    let names = bundle.versions.map(\.name)
    guard let first = names.firstIndex(of: source), let last = names.firstIndex(of: wanted), first < last else {
      return nil
    }
    var current = store
    for (place, name) in names[(first + 1)...last].enumerated() {
      var tool = quietTool
      tool.destinationVersionName = name
      let next = name == wanted ? output : folder.path("Step-\(place).sqlite")
      let outcome: StoreMigration.Outcome
      do throws(MigrationError) {
        var migration = try tool.preparedMigration(ofStoreAt: current)
        migration.settings.outputPath = next
        outcome = try migration.run()
      } catch {
        // The store between two hops is no file that people know.
        guard !error.isAboutMachine, error.subject.path == current, current != store else { throw error }
        var known = error.about(store)
        known.remarks.append("this is on the way to '\(name)'")
        throw known
      }
      guard case .migrated(let result) = outcome else { continue }
      if let losses = losses(result) { return "to '\(name)': \(losses)" }
      current = next
    }
    return nil
  }

  /// Returns the contents that a migration left out although the mapping model does not drop the entity.
  private func losses(_ result: StoreMigration.Result) -> String? {
    let dropped = tool.settings.allowsLoss ? [] : result.droppedValues.map(\.warning)
    let texts =
      (result.plan.rivals.map(\.warning) + dropped).map { $0.worded(naming) }
      + result.steps.flatMap { step in
        step.statistics.sourcesWithoutDestinationCounts.sorted { $0.key < $1.key }.map { name, count in
          "\(count.counting("row")) of mapping '\(name)' became nothing from '\(step.sourceName)' to '\(step.destinationName)'"
        }
          + step.statistics.filteredInstanceCounts.sorted { $0.key < $1.key }.map { name, count in
            "the filter of mapping '\(name)' left out \(count.counting("row")) from '\(step.sourceName)' to '\(step.destinationName)'"
          }
      }
    return texts.isEmpty ? nil : texts.joined(separator: "; ")
  }

  /// Tries something.
  ///
  /// - Parameter store: A path that says nothing to people if the store was made.
  /// - Throws: What is wrong with the machine or with a store that was given, rather than with the migration, such as a full
  ///   disk, an end request or damage.
  private func check(
    _ name: String, hiding store: String, _ work: () throws(MigrationError) -> String?
  ) throws(MigrationError) -> Result.Check {
    let clock = ContinuousClock.now
    var failure: String?
    do throws(MigrationError) {
      failure = try work()
    } catch {
      let isAboutInput = error.isAboutReading && error.subject.path == store && storePaths.contains(store)
      guard !error.isAboutMachine, error.code != .interrupted, !isAboutInput else { throw error }
      let message = ErrorMessage(error, naming: naming)
      failure = "\(message.problem). \(message.advice)"
    }
    if !storePaths.contains(store) { failure = failure?.replacing("'\(store)'", with: "the made store") }
    return Result.Check(name: name, failure: failure, seconds: (ContinuousClock.now - clock).seconds)
  }

  /// The number of instances of exactly each entity.
  private func counts(_ store: String) -> [String: Int] {
    guard let context = try? tool.context(ofStoreAt: store) else { return [:] }
    let names = context.managedObjectModel.entities.filter { !$0.isAbstract }.map(\.name)
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        var request = FetchRequest(entityName: name)
        request.includesSubentities = false
        return (name, (try? context.count(for: request)) ?? 0)
      })
  }
}

extension MigrationTool {
  /// Whether stores of a version can be migrated to the wanted one: directly and from version to version, with the same
  /// result, which keeps every rule of the model.
  ///
  ///     #expect(try MyAppMigrator.makeTool().migrates(from: "MyApp"))
  ///
  /// - Throws: `RehearsalFailure`, which says what went wrong.
  public func migrates(from version: String, rowCount: Int = 50, seed: UInt64 = 1) throws -> Bool {
    var rehearsal = MigrationRehearsal(tool: self)
    (rehearsal.rowCount, rehearsal.seed) = (rowCount, seed)
    let result = try rehearsal.run(from: version)
    guard let check = result.checks.first(where: { $0.failure != nil }) else { return true }
    throw RehearsalFailure(description: "from '\(version)', \(check.name): \(check.failure ?? "")")
  }
}

/// The failure of a rehearsed migration.
public struct RehearsalFailure: Error, CustomStringConvertible {
  /// The version, the way and the reason.
  public let description: String
}

/// Errors of model files as those of migrations.
private enum ModelFileReporting {
  static func bundle(_ path: String) throws(MigrationError) -> ModelBundle {
    do { return try ModelBundle(path: path) } catch { throw MigrationError(error) }
  }

  static func model(_ version: String, of bundle: ModelBundle) throws(MigrationError) -> ManagedObjectModel {
    do { return try bundle.version(named: version).model() } catch { throw MigrationError(error) }
  }
}

/// The contents of a store, whatever keys its rows have.
private struct StoreContents {
  /// For each entity, a description of each instance with how often it occurs.
  private let instances: [String: [String: Int]]

  init(_ path: String, _ tool: MigrationTool) throws(MigrationError) {
    let context = try tool.context(ofStoreAt: path)
    var instances: [String: [String: Int]] = [:]
    for entity in context.managedObjectModel.entities where !entity.isAbstract {
      var request = FetchRequest(entityName: entity.name)
      request.includesSubentities = false
      for object in try context.fetch(request) {
        instances[entity.name, default: [:]][Self.text(of: object, entity), default: 0] += 1
      }
    }
    try context.requireNoFailure()
    self.instances = instances
  }

  /// The values of an instance, and those of what it is linked with.
  private static func text(of object: ManagedObject, _ entity: EntityDescription) -> String {
    let links = entity.relationships.filter { !$0.isTransient }.map { relationship in
      let texts = object.instances(forKey: relationship.name).map { values(of: $0) }
      return "\(relationship.name): \(relationship.isOrdered ? texts : texts.sorted())"
    }
    return "\(values(of: object)); \(links)"
  }

  private static func values(of object: ManagedObject) -> String {
    object.entity.attributes.filter { !$0.isTransient }.map { attribute in
      "\(attribute.name): \(object.value(forKey: attribute.name).map { "\($0)" } ?? "nil")"
    }.joined(separator: ", ")
  }

  /// The first difference, for people.
  func difference(from other: StoreContents, named names: (String, String)) -> String? {
    for name in Set(instances.keys).union(other.instances.keys).sorted() {
      let (direct, stepwise) = (instances[name] ?? [:], other.instances[name] ?? [:])
      guard direct != stepwise else { continue }
      let counts = [direct, stepwise].map { $0.values.reduce(0, +) }
      guard counts[0] == counts[1] else {
        return "'\(name)' has \(counts[0].counting("row")) \(names.0), and \(counts[1]) \(names.1)"
      }
      let only = { (a: [String: Int], b: [String: Int]) in a.filter { b[$0.key] != $0.value }.keys.min() ?? "" }
      return
        "'\(name)' differs: \(names.0) \(Self.short(only(direct, stepwise))), \(names.1) \(Self.short(only(stepwise, direct)))"
    }
    return nil
  }

  private static func short(_ text: String) -> String { text.count > 200 ? "\(text.prefix(200))…" : text }
}
