internal import DataModel
package import FeedFiles
package import JSONPresets
public import Migration
public import MigrationDiagnostics
internal import PersistentStore
public import Policies
internal import SystemC
internal import TerminalOutput
package import TrackVerification
package import Verification

/// Makes a track library from a feed, or adds the feed's tracks to an existing one.
///
/// A feed has one track a line, as JSON; see ``LibraryExport`` and docs/import.md. An import is a migration of the
/// library to its own version, to which the tracks of the feed are added: it is locked, built, backed up and replaced
/// like any other, and a new library is made from an empty one.
public struct LibraryImport: MigrationConfigurable {
  /// The feed: a file, or `-` for standard input, which may be packed by gzip.
  public let feedPath: String
  /// The library, which is made if it does not exist.
  public let path: String
  /// The settings of the migration.
  public var settings = MigrationSettings()
  /// The options for finding and identifying artists.
  public var trackOptions = TrackMigrationOptions()
  /// Whether a track of a known key is replaced if it has other values.
  public var replaces = false
  /// Whether keys are ignored, so that every line is a new track.
  public var ignoresKeys = false
  /// The details by which lines without a known key are tracks that the library already has; `nil` for none.
  package var matching: TrackMatching?
  /// Called now and then with the number of lines that were read.
  public var onLines: ((_ lineCount: Int) -> Void)?
  /// The form of the feed's tracks, and the member of an archive that it is.
  package var feedFormat = FeedFormat.auto
  package var feedMember: String?
  package var titlePath: JSONPath?
  package var playedPath: JSONPath?

  /// Prepares an import.
  public init(feedPath: String, path: String) {
    (self.feedPath, self.path) = (feedPath, path)
  }

  /// The result of an import.
  public struct Result: Sendable {
    /// Whether there was no library before.
    public let isNew: Bool
    /// The number of tracks without artists from their JSON, by the reason.
    package let fallbacks: [(reason: FallbackReason, count: Int, examples: [String])]
    /// The first lines that were rejected, with the reason.
    package let rejectExamples: [String]
    /// In a sentence, what was read of the feed and what was not, where that is not plain.
    package fileprivate(set) var feedNote: String?
    /// The earlier import of the same feed, if its tracks are in the library once more now.
    package fileprivate(set) var importedBefore: ImportedFeed?
    /// The numbers of tracks, artists and lines, and the facts that a migration has too.
    package let facts: Facts
    /// The number of times that are not dates, and the first line with one.
    package let unreadTimes: (count: Int, example: String)?
    /// In a sentence, the looks of the JSON if more than half of it has an unknown shape.
    package let unmatchedJSON: String?
    /// The likely places of artists in JSON of an unknown shape, the likeliest first.
    package let suggestedPresets: [Preset]
    /// The contents of the library besides its tracks and artists, and their fate.
    package let foreignContents: ForeignContents?
    /// The app's own triggers, which did not run for the rows that were added.
    package let skippedTriggers: [String]
    /// The paths of the old library, of the rejects and of the statistics, if there are any.
    public let backupPath, rejectsPath, reportPath: String?
    /// The number of lines in the rejects file: those that were rejected, and those of tracks whose JSON is broken.
    public let rejectsCount: Int
    /// The problems that remained once the new library was in place.
    public let warnings: [MigrationError]

    fileprivate init(
      _ statistics: MigrationStatistics, _ facts: Facts, _ result: StoreMigration.Result?, isNew: Bool,
      skippedTriggers: [String]
    ) {
      self.isNew = isNew
      self.facts = facts
      foreignContents = result.map { ForeignContents($0.surroundings, uncopied: $0.uncopied) }
      self.skippedTriggers = skippedTriggers
      unreadTimes = statistics.unreadTimes
      unmatchedJSON = statistics.unmatchedJSON
      suggestedPresets = statistics.suggestedPresets ?? []
      rejectExamples = statistics.examples(of: .rejectedLines)
      fallbacks = FallbackReason.allCases.compactMap { reason in
        let count = statistics[reason.counter]
        return count == 0 ? nil : (reason, count, statistics.examples[reason.counter] ?? [])
      }
      (backupPath, rejectsPath, reportPath) = (result?.backupPath, result?.rejectsPath, result?.reportPath)
      rejectsCount = result?.rejectsCount ?? 0
      warnings = result?.warnings ?? []
    }
  }

  /// Imports the feed.
  ///
  /// - Throws: `MigrationError`. Then the library holds what it held, or there is none, as before.
  /// - Parameter isDryRun: Whether to do all but the last step, and to remove what was made. A report is only written
  ///   where `reportPath` says so.
  public func run(isDryRun: Bool = false) throws(MigrationError) -> Result {
    let isNew = try !FileSystem.isThere(path)
    if !isNew, trackOptions.identity == .id, trackOptions.json.presets.count > 1 {
      var error = MigrationError(
        .unusableFeed, path: feedPath, detail: "the library does not say which service its artists' ids are from")
      error.advice = "Nothing was changed. Name the service of the feed with \(.json), or identify artists by name."
      throw error
    }
    // What cannot be opened is told before any work.
    let cancellation = settings.cancellation
    let digest = FeedDigest()
    let reader = try FeedReader(feed, onProgress: onLines, onContent: digest.add) { cancellation.isCancelled }
    guard isNew else {
      EmptyLibrary.removeLeftover(for: path)
      return try migrate(path, reader, digest, isNew: false, isDryRun)
    }
    let empty = try EmptyLibrary(for: path, access: NewFileAccess(from: contentPaths))
    defer { empty.discard() }
    do throws(MigrationError) {
      var copy = self
      copy.settings.outputPath = path
      return try copy.migrate(empty.path, reader, digest, isNew: true, isDryRun)
    } catch {
      throw error.subject.path.map { FileSystem.areSame($0, empty.path) } ?? false ? error.about(path) : error
    }
  }

  /// The path of a library that does not exist yet.
  fileprivate static func absolutePath(_ path: String) throws(MigrationError) -> String {
    let folder = try FileSystem.resolvedFolder(of: path, else: .cannotCreate)
    return FileSystem.sibling(of: folder + "/x", named: FileSystem.split(path).name)
  }

  private var feed: FeedSource {
    FeedSource(
      path: feedPath, format: feedFormat, member: feedMember,
      keepsColumnNames: trackOptions.json.namesMembers(titlePath, playedPath))
  }

  /// The files that new ones are made from.
  private var contentPaths: [String] { [feedPath] + settings.contentPaths }

  /// - Parameter digest: The digest of the feed, from which a new library gets its UUID.
  private func migrate(
    _ path: String, _ feed: FeedReader, _ digest: FeedDigest, isNew: Bool, _ isDryRun: Bool
  ) throws(MigrationError) -> Result {
    var options = TrackImportOptions()
    options.tracks = trackOptions
    (options.titlePath, options.playedPath) = (titlePath, playedPath)
    (options.replaces, options.ignoresKeys, options.matching) = (replaces, ignoresKeys, matching)
    var migration = StoreMigration(path: path, versions: [])
    migration.settings = settings
    migration.settings.contentPaths = contentPaths
    migration.policies.register(TrackImportPolicy.className) { TrackImportPolicy(feed, options: options) }
    let hooks = ImportHooks(
      self, digest, isNew: isNew, originPath: isNew ? try Self.absolutePath(self.path) : nil, isDryRun: isDryRun)
    migration.hooks = hooks
    let migrated = try migration.run(isDryRun: isDryRun)
    var result = if case .migrated(let result) = migrated { hooks.result(result) } else { hooks.result(nil) }
    result.feedNote = feed.note
    result.importedBefore = hooks.importedBefore
    return result
  }
}

extension LibraryImport {
  /// Compares a library with the feed, of which it was made, or which was added to another one.
  ///
  /// - Parameters:
  ///   - onDifference: Called with the first differences, up to a limit.
  ///   - sourcePath: The library before the import; `nil` if there was none.
  /// - Returns: What the library had to have, if its rows can be compared, and the number of differences of each kind.
  package func verify(
    replacing sourcePath: String?, limit: Int, _ onDifference: @escaping (Difference) throws -> Void
  ) throws -> (counts: RequiredCounts?, log: DifferenceLog) {
    let (old, new) = (try sourcePath.map { try StoreReader(path: $0) }, try StoreReader(path: path))
    for store in [old, new].compactMap({ $0 }) {
      let library = try TrackLibraryModel(of: store)
      guard library.version == .current else {
        throw MigrationError(
          .migrationRequired, MigrationError.Subject(path: store.file.path, name: library.version.rawValue))
      }
    }
    // Those of earlier imports have kept their names.
    let names = (1...).lazy.map { "\(new.file.resolvedPath).rejects\($0 == 1 ? "" : "-\($0)").ndjson" }
    let rejectsPath = Array(names.prefix(while: FileSystem.exists)).last
    let log = DifferenceLog(limit: limit, report: onDifference)
    let counts = try verify(new, replacing: old, rejectsPath: rejectsPath, log)
    return (counts, log)
  }

  fileprivate func verify(
    _ new: StoreReader, replacing old: StoreReader?, rejectsPath: String?, isNew: Bool = false,
    leftBehind: ForeignContents? = nil, _ log: DifferenceLog
  ) throws -> RequiredCounts? {
    var verification = FeedVerification(
      feed, try TrackLibraryModel(of: new).model, old: old, new: new)
    verification.json = trackOptions.json.ofFeed(titlePath: titlePath, playedPath: playedPath)
    (verification.roles, verification.decisions) = (trackOptions.roles, trackOptions.decisions)
    (verification.identifiesByID, verification.ignoresKeys) = (trackOptions.identity == .id, ignoresKeys)
    verification.matching = matching
    (verification.rejectsPath, verification.isRejectsFileNew) = (rejectsPath, isNew)
    if let leftBehind {
      verification.explained = Set(leftBehind.reasons.keys)
      verification.dropsDanglingLinks = leftBehind.reasons.values.contains("dangling-links")
    }
    verification.isCancelled = { [cancellation = settings.cancellation] in cancellation.isCancelled }
    return try verification.run(log)
  }
}

/// An empty library beside the place of a new one, under a hidden name.
private struct EmptyLibrary {
  private let staging: StagingFile

  var path: String { staging.path }

  init(for path: String, access: NewFileAccess) throws(MigrationError) {
    staging = try Self.staging(for: path)
    do throws(MigrationError) {
      let model = TrackModelVersion.current.model
      let writer = try StoreWriter(path: staging.path, schema: StoreSchema(model), layout: .coreData)
      // The new library gets one that follows from the feed.
      try writer.finish(metadata: .new(for: model, uuid: ""))
      // The new library gets these permissions.
      try access.give(toFileAt: staging.path)
    } catch {
      staging.discard()
      throw error.about(path)
    }
  }

  private static func staging(for path: String) throws(MigrationError) -> StagingFile {
    try StagingFile(for: LibraryImport.absolutePath(path) + ".empty", named: path)
  }

  /// Removes what a run has left that was killed just after its library had appeared.
  static func removeLeftover(for path: String) { (try? staging(for: path))?.discard() }

  func discard() { staging.discard() }
}

/// The hooks of an import: it migrates a library to its own version, and adds to it.
private final class ImportHooks: MigrationHooks {
  private let work: LibraryImport
  private let digest: FeedDigest
  /// Whether there was no library before.
  private let isNew: Bool
  /// The path at which a new library appears, which is made from an empty one.
  let originPath: String?
  private let isDryRun: Bool
  /// The counts so far.
  private var statistics = MigrationStatistics()
  /// The triggers of the tables that get rows.
  private var triggers: [String] = []
  /// The feeds that the library's statistics name.
  private var earlierFeeds: [ImportedFeed] = []

  init(_ work: LibraryImport, _ digest: FeedDigest, isNew: Bool, originPath: String?, isDryRun: Bool) {
    (self.work, self.digest, self.isNew, self.originPath, self.isDryRun) = (work, digest, isNew, originPath, isDryRun)
  }

  /// The earlier import of the same feed, if this one has added its tracks again.
  var importedBefore: ImportedFeed? {
    statistics[.addedTracks] > 0 ? earlierFeeds.last { $0.digest == digest.text } : nil
  }

  var noun: String { "library" }
  var findsRepeatedRows: Bool { true }
  // The pages of a new library are written faster.
  var growsCopy: Bool { !isNew }

  /// Sums up what was done.
  func result(_ result: StoreMigration.Result?) -> LibraryImport.Result {
    LibraryImport.Result(
      statistics, facts(result), result, isNew: isNew, skippedTriggers: skippedTriggers(result))
  }

  private func facts(_ result: StoreMigration.Result?) -> Facts {
    var facts = Facts(statistics, work.trackOptions)
    for fact in Fact.all(of: .feed) { facts[fact] = statistics[fact] }
    facts[.rejects] = result?.rejectsCount ?? 0
    return facts
  }

  /// The triggers that did not run, because rows were added to a copy, and the old file was replaced by it.
  private func skippedTriggers(_ result: StoreMigration.Result?) -> [String] {
    result?.steps.contains { $0.strategy == .growingCopy } == true && !isUnchanged ? triggers : []
  }

  func plan(_ migration: StoreMigration, of store: StoreReader) throws(MigrationError) -> MigrationPlan {
    let library = try TrackLibraryModel(of: store)
    guard library.version == .current else {
      throw MigrationError(
        .migrationRequired, MigrationError.Subject(path: migration.path, name: library.version.rawValue))
    }
    guard !library.hasCustomModel else {
      var error = MigrationError(
        .migrationFailed, path: migration.path,
        detail: "its model is the app's own, and only a plain v2 library can grow")
      error.advice = "Nothing was changed. Import the feed into a new library."
      throw error
    }
    if !isNew {
      let report = try? MigrationReport.read(forLibraryAt: migration.path, withUUID: store.metadata.uuid)
      earlierFeeds = report?.importedFeeds ?? []
      try store.requireEntities(of: library.model).forEach { migration.settings.onRemark?($0) }
      let schema = try StoreSchema(library.model, introspecting: store)
      triggers = try store.triggers(ofTables: schema.tables.map(\.name) + schema.joinTables.map(\.name))
    }
    let version = LoadedModelVersion(library)
    let mapping = LoadedMappingModel(
      name: "import", sourceVersionName: version.name, destinationVersionName: version.name,
      mappingModel: try Self.mappingModel(library.model, migration.path), findings: [])
    return .hop(from: version, to: version, by: mapping)
  }

  /// Copies everything, and then lets the policy add tracks.
  private static func mappingModel(
    _ model: ManagedObjectModel, _ path: String
  ) throws(MigrationError) -> MappingModel {
    do {
      var mapping = try MappingModel.inferred(from: model, to: model)
      var addition = EntityMapping(mappingType: .add, source: nil, destination: model.entity(named: "Track"))
      addition.entityMigrationPolicyClassName = TrackImportPolicy.className
      mapping.entityMappings.append(addition)
      return mapping
    } catch {
      throw LibraryMigrationPlan.refusal("\(error)", path)
    }
  }

  func prepare(_ manager: MigrationManager) {
    manager.options.validation = .none
    // Known only when the feed is read.
    if isNew { manager.options.uuid = { [work, digest] in digest.uuid(work.decidingOptions) } }
  }

  func changesNothing(_ steps: [StoreMigration.StepResult]) -> Bool {
    if let step = steps.first { statistics = step.statistics }
    return isUnchanged
  }

  /// Whether the feed has nothing that the library lacks.
  private var isUnchanged: Bool { !isNew && ImportCounter.changes.allSatisfy { statistics[$0] == 0 } }

  func violation(
    in steps: [StoreMigration.StepResult], _ uncopied: [DroppedContent], rejectsCount: Int
  ) -> String? {
    let rejected = statistics[.rejectedLines]
    if rejected > 0 {
      let example = statistics.examples(of: .rejectedLines).first.map { ", such as \($0)" } ?? ""
      return "\(rejected.counting("line")) cannot be imported as they are\(example)"
    }
    if let findings = Facts.strictFindings(statistics) { return findings }
    if let times = statistics.unreadTimes {
      return "\(times.count.counting("time")) cannot be read as a date, such as in \(times.example)"
    }
    if changesNothing(steps) { return nil }
    if steps.contains(where: { $0.strategy == .growingCopy }), let trigger = triggers.first {
      return "the trigger '\(trigger)' would not run for the rows that are added"
    }
    return uncopied.loss
  }

  func verify(_ built: BuiltStore, of migration: StoreMigration) throws(MigrationError) -> StoreVerification.Findings? {
    let settings = work.settings
    try reporting(path: work.path) {
      let log = DifferenceLog(limit: DifferenceLog.requiredLimit) { settings.onDifference?($0) }
      let new = try StoreReader(path: built.path)
      _ = try work.verify(
        new, replacing: isNew ? nil : built.source, rejectsPath: built.rejectsPath, isNew: true,
        leftBehind: ForeignContents(built.surroundings, uncopied: built.uncopied), log)
      try new.close()
      try log.requireNone(path: work.path)
    }
    return nil
  }

  // What made the library, before this.
  var keepsEarlierReport: Bool { !isNew }

  func defaultReportPath(forResultAt path: String) -> String? { MigrationReport.path(forLibraryAt: path) }

  func report(_ result: StoreMigration.Result, _ built: BuiltStore) throws(MigrationError) -> [UInt8] {
    var report = MigrationReport(
      result, statistics, facts(result), feedPath: work.feedPath, isNew: isNew,
      skippedTriggers: skippedTriggers(result), work.trackOptions)
    if isDryRun { report.isDryRun = true }
    let feed = ImportedFeed(path: report.feedPath, digest: digest.text, finishedAtSeconds: report.finishedAtSeconds)
    report.importedFeeds = earlierFeeds.suffix(ImportedFeed.limit - 1) + [feed]
    return report.json
  }
}
