internal import Foundation
internal import MigrationDiagnostics
package import PersistentStore
internal import SystemC

/// The version of tracks-migrate.
package let toolVersion = "1.0.0-rc"

/// The origin of a result, so that the result says whose it is wherever it is taken.
package struct MigrationOrigin: Sendable, Hashable {
  /// The absolute path of the old store; bytes that are not UTF-8 are spelled out.
  package var libraryPath: String
  /// The store's UUID, which Core Data keeps through migrations.
  package var libraryUUID: String?
  /// The options of the migration.
  package var options: [String] = []
  /// The store's files before the migration; `nil` if they are not reported.
  package var sourceFiles: [SourceFile]?
  /// The digest of what decided, besides the store, what was made of it; `nil` if it is not reported.
  package var choices: String?
  /// The new store; `nil` if it is not reported.
  package var resultFile: SourceFile?
}

/// The figures of a migration of an app's store: JSON for scripts, where every figure has its unit in its name.
///
/// Keys stand in alphabetical order; what there is none of is left out or empty. The first of them:
///
/// - `format_version`: 1.
/// - `tool_version`: The version of the program.
/// - `source_version`, `destination_version`: The names of the versions.
///
/// The others are the names of the properties below, in snake case.
package struct StoreMigrationReport: Codable, Sendable {
  /// One hop.
  package struct Hop: Codable, Sendable {
    /// The name of the version before.
    package var sourceVersion: String
    /// The name of the version after.
    package var destinationVersion: String
    /// `mapping`, or `inference` for a lightweight migration.
    package var method: String
    /// The mapping models, in their order.
    package var mappingModels: [String]
    /// The instances that were read, by entity; those that several mappings read count for each.
    package var sourceInstancesCountByEntity: [String: Int]
    /// The instances that were written, by entity.
    package var destinationInstancesCountByEntity: [String: Int]
    /// The instances of entities that were removed, by entity.
    package var removedInstancesCountByEntity: [String: Int]
    /// The rows with a value of an attribute that an inferred hop dropped, by entity and attribute; left out where there
    /// are none.
    package var droppedValuesCountByAttribute: [String: Int]?
    /// The links of a relationship that an inferred hop dropped, by entity and relationship; left out where there are none.
    package var droppedLinksCountByRelationship: [String: Int]?
    /// The instances that filters left out, by mapping.
    package var filteredInstancesCountByMapping: [String: Int]
    /// The instances with which policies associated nothing, by mapping.
    package var sourcesWithoutDestinationCountByMapping: [String: Int]
    /// The rows that were written, by join table.
    package var linksCountByTable: [String: Int]
    /// The counts of policies and of the checks of the result.
    package var countByCounter: [String: Int]
    /// The first examples of each.
    package var examplesByCounter: [String: [String]]
    /// The losses and possible problems, as text for people.
    package var remarks: [String]
  }

  /// The version of this format.
  package var formatVersion = 1
  /// The version of the program that did it.
  package var toolVersion: String
  /// The old store.
  package var libraryPath: String
  /// The store's UUID.
  package var libraryUuid: String?
  /// The options of the migration.
  package var options: [String]
  /// The files of the store before the migration, in the results of a batch in another folder.
  package var sourceFiles: [SourceFile]?
  /// The file of the new store, in such results.
  package var resultFile: SourceFile?
  /// The digest of what decided, besides the store, what was made of it, in such results.
  package var choicesSha256: String?
  /// When it was done, in seconds since 1970.
  package var finishedAtSeconds: Double
  /// The name of the version that the store had.
  package var sourceVersion: String
  /// The name of the version that the store has now.
  package var destinationVersion: String
  /// The hops, in order.
  package var hops: [Hop]
  /// The join tables whose names are best guesses; left out where there are none.
  package var doubtfulJoinTables: [String]?
  /// The app's own tables that were kept as they are.
  package var keptTables: [String]
  /// The contents that the new store lacks: the number of rows or values by table or column.
  package var leftBehindCountByName: [String: Int64]
  /// The app's own contents that could not be kept, such as tables, views and triggers, and the reasons.
  package var uncopiedReasonByName: [String: String]
  /// The number of values whose files were not there.
  package var missingFilesCount: Int
  /// The first of those files.
  package var missingFiles: [String]
  /// The links to instances that are not there, which were left out: their number by entity and relationship.
  package var danglingLinksCountByRelationship: [String: Int]
  /// The number of values that policies could not read.
  package var rejectsCount: Int
  /// The file with the rejects, beside the store.
  package var rejectsFile: String?
  /// The file with the old store, beside the new one.
  package var backupFile: String?
  /// The number of other names (hard links) of the old store, which still lead to it.
  package var otherNamesCount: Int
  /// The size of the old store.
  package var sourceSizeBytes: Int64
  /// The size of the new store.
  package var destinationSizeBytes: Int64
  /// The elapsed time.
  package var elapsedSeconds: Double
  /// The parts of the migration, in their order; `nil` where an older version has written the report.
  package var phases: [MigrationPhase]?

  /// Sums a migration up.
  package init(_ result: StoreMigration.Result, toolVersion: String = Migration.toolVersion) {
    self.toolVersion = toolVersion
    (libraryPath, libraryUuid) = (result.origin.libraryPath, result.origin.libraryUUID)
    (options, finishedAtSeconds) = (result.origin.options, Date().timeIntervalSince1970)
    (sourceFiles, resultFile) = (result.origin.sourceFiles, result.origin.resultFile)
    choicesSha256 = result.origin.choices
    sourceVersion = result.plan.source.name
    destinationVersion = result.plan.destination.name
    hops = result.steps.map(Hop.init)
    let surroundings = result.surroundings
    let doubtful = result.plan.doubtfulJoinTables.map(\.name)
    doubtfulJoinTables = doubtful.isEmpty ? nil : doubtful
    keptTables = result.keptTables
    leftBehindCountByName = Dictionary(surroundings.leftBehind.map { ($0.name, $0.count) }, uniquingKeysWith: +)
    uncopiedReasonByName = Dictionary(
      result.uncopied.map { ($0.name, $0.reason.rawValue) }, uniquingKeysWith: { first, _ in first })
    missingFilesCount = surroundings.missingFiles.count
    missingFiles = surroundings.missingFiles.prefix(MigrationStatistics.exampleLimit).map(\.fileName)
    danglingLinksCountByRelationship = Dictionary(
      surroundings.danglingLinks.map { ("\($0.entity).\($0.property)", $0.count) }, uniquingKeysWith: +)
    rejectsCount = result.rejectsCount
    rejectsFile = result.rejectsPath.map { FileSystem.split($0).name.spellingPathBytes }
    backupFile = result.backupPath.map { FileSystem.split($0).name.spellingPathBytes }
    otherNamesCount = result.otherNamesCount
    sourceSizeBytes = result.sourceSize
    destinationSizeBytes = result.destinationSize
    elapsedSeconds = result.duration.seconds
    phases = result.phases
  }

  /// The report as JSON, with sorted keys and a newline at the end.
  package var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    // Encoding numbers and strings cannot fail; the figures are finite.
    return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
  }
}

extension StoreMigrationReport.Hop {
  fileprivate init(_ step: StoreMigration.StepResult) {
    sourceVersion = step.sourceName
    destinationVersion = step.destinationName
    switch step.method {
    case .mapping(let mappings): (method, mappingModels) = ("mapping", mappings.map(\.name.spellingPathBytes))
    case .inferred: (method, mappingModels) = ("inference", [])
    }
    sourceInstancesCountByEntity = step.statistics.sourceInstanceCounts
    destinationInstancesCountByEntity = step.statistics.destinationInstanceCounts
    removedInstancesCountByEntity = step.statistics.removedInstanceCounts
    let dropped = { (content: DroppedProperty.Content) -> [String: Int]? in
      let found = step.droppedValues.filter { $0.isDropped && $0.dropped.content == content }.map {
        ("\($0.dropped.name)", $0.count)
      }
      return found.isEmpty ? nil : Dictionary(found, uniquingKeysWith: +)
    }
    (droppedValuesCountByAttribute, droppedLinksCountByRelationship) = (dropped(.values), dropped(.links))
    filteredInstancesCountByMapping = step.statistics.filteredInstanceCounts
    sourcesWithoutDestinationCountByMapping = step.statistics.sourcesWithoutDestinationCounts
    linksCountByTable = step.statistics.linkCounts
    countByCounter = step.statistics.counters
    examplesByCounter = step.statistics.examples
    remarks = step.remarks
  }
}

/// The findings at which a strict migration stops after all hops, in the order of their weight.
struct StrictViolations {
  private(set) var all: [String] = []

  init(_ steps: [StoreMigration.StepResult], _ uncopied: [DroppedContent], rejectsCount: Int) {
    if rejectsCount > 0 {
      all.append(rejectsCount == 1 ? "a value cannot be read" : "\(rejectsCount) values cannot be read")
    }
    all += [uncopied.loss].compactMap { $0 }
    for step in steps {
      for (name, count) in step.statistics.counters.sorted(by: { $0.key < $1.key })
      where count > 0 {
        let examples = step.statistics.examples[name] ?? []
        if let finding = Self.finding(name, count, examples) { all.append(finding) }
      }
    }
  }

  /// Returns the mapping model of a plan that may be the wrong one, or else the table that may get a wrong name.
  static func loss(of plan: MigrationPlan) -> (detail: String, advice: Advice?)? {
    if let rival = plan.rivals.first {
      let advice: Advice =
        "Nothing was changed. Name the mapping model that is meant with \(.mapping), remove the other, "
        + "or run without \(.strict)."
      return (rival.problem, advice)
    }
    return plan.doubtfulJoinTables.first.map {
      ($0.doubt, "Nothing was changed. Decide it with \(.joinTable), or run without \(.strict).")
    }
  }

  /// Returns the losses of a store in an inferred hop, in words; none if the store has nothing of what it drops.
  static func losses(
    in step: MigrationStep, of store: StoreReader, _ schema: StoreSchema, _ dropped: [DroppedValues]
  ) throws(MigrationError) -> [String] {
    guard case .inferred(let inferred) = step.method else { return [] }
    var losses = dropped.map(\.description)
    for finding in inferred.findings where finding.isLoss {
      if try step.loses(finding, of: store, schema) { losses.append(finding.description) }
    }
    return losses
  }

  /// The first, if there is any.
  var first: String? { all.first }

  /// Returns the finding for a counter; `nil` for the counters of policies.
  private static func finding(_ counter: String, _ count: Int, _ examples: [String]) -> String? {
    let example = examples.first.map { ", such as \($0)" } ?? ""
    switch counter {
    case MigrationManager.unassociatedCounter:
      return "a policy made \(count.counting("instance")) without a source instance\(example)"
    case MigrationManager.ambiguousDestinationCounter:
      return "\(count.counting("to-one relationship")) would get several destinations\(example)"
    case MigrationManager.repairedTextCounter:
      return "a policy or an expression reads \(count.counting("text")) with invalid UTF-8\(example)"
    case _ where counter.hasPrefix(MigrationManager.validationCounter):
      // Each tells the number of instances itself.
      return examples.joined(separator: "; ")
    default: return nil
    }
  }
}
