internal import DataModel
package import JSONPresets
package import Migration
package import MigrationDiagnostics
internal import PersistentStore
package import Policies
internal import SQLiteDatabase
internal import SystemC
internal import TrackVerification
package import Verification

/// Proves that a library of the current version is what the migration of an older one had to make of it.
///
///     var verification = LibraryVerification(path: "Library.sqlite")
///     let result = try verification.run { print($0) }
package struct LibraryVerification {
  /// The new library, as the user named it.
  package var path: String
  /// The old library; without one the backup that the new one's statistics name.
  package var sourcePath: String?
  /// The detail by which two mentions are the same artist; by default that of the statistics, else the name.
  package var identity: ArtistIdentity?
  /// The places of artists; by default those of the statistics, else of the built-in presets.
  package var json: JSONShape?
  /// The roles of the artists that are wanted; without them what the statistics say, and otherwise all.
  package var roles: Set<ArtistRole>?
  /// A person's decisions about artists; by default those of the statistics.
  package var decisions: ArtistDecisions?
  /// The number of differences that are reported one by one.
  package var limit = 100
  /// The means by which another thread can stop it.
  package var cancellation = MigrationCancellation()
  /// Called now and then with the number of rows that are compared, and of all.
  package var onProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?

  /// Prepares to verify a library.
  package init(path: String) {
    self.path = path
  }

  /// The result of the verification.
  package struct Result: Sendable {
    /// The number of differences; more than were told where there is a limit.
    package let differenceCount: Int
    /// The same by kind.
    package let differenceCountByKind: [Difference.Kind: Int]
    /// The old library.
    package let sourcePath: String
    /// The detail by which two mentions were the same artist.
    package let identity: ArtistIdentity
    /// Tracks that there have to be; `nil`, as all figures, where the new library is such that they were not compared.
    package let tracksCount: Int?
    /// Artists that there have to be.
    package let artistsCount: Int?
    /// Links that there have to be.
    package let linksCount: Int?
    /// The indexes that were not checked, because they need an app's collation or function.
    package let uncheckedIndexes: [String]
    /// The error of reading the statistics beside the library, if there are any that cannot be read.
    package let reportError: MigrationError?
  }

  /// Compares the two libraries.
  ///
  /// - Parameter onDifference: Called with the differences, up to the limit.
  /// - Throws: `MigrationError` when one of them cannot be read or is of the wrong version, and what `onDifference` throws.
  package func run(_ onDifference: @escaping (Difference) throws -> Void) throws -> Result {
    let result = try StoreReader(path: path)
    let (report, reportError) = readReport(of: result)
    try requireMigrated(result)
    let sourcePath = try sourcePath ?? backupPath(report, reportError, beside: result)
    let source = try StoreReader(path: sourcePath)
    let library = try TrackLibraryModel(of: source)
    guard library.version == .v1 else {
      throw MigrationError(.noSource, path: path, detail: "'\(sourcePath)' is a \(library.version.rawValue) library")
    }
    let plan = try LibraryMigrationPlan(for: library, path: sourcePath)
    let identity = identity ?? report.flatMap { ArtistIdentity(rawValue: $0.identity) } ?? .name

    var options = TrackMigrationOptions(identity: identity)
    options.json = json ?? report.map(\.shape) ?? .auto
    options.roles = roles ?? report?.roles.map { Set($0.compactMap(ArtistRole.init)) }
    options.decisions = try decisions ?? report?.artistDecisions
    var verification = LibraryComparison(plan, source, result, options)
    verification.rejectsPath = rejectsPath(report, beside: result)
    // Without statistics, it is unknown whether the rejects should still be beside it.
    verification.requiresRejects = report != nil
    verification.expectedMissingTables = Set((report?.leftBehindReasonByName ?? [:]).keys)
    verification.isCancelled = { [cancellation] in cancellation.isCancelled }
    verification.onProgress = onProgress
    let log = DifferenceLog(limit: limit, report: onDifference)
    let counts = try verification.run(log)
    if let report {
      if let counts { try report.compare(with: counts, log) }
      try StatisticsCheck(report, plan, source, result, log).run()
    }
    try source.close()
    try result.close()
    return Result(
      differenceCount: log.count, differenceCountByKind: log.countByKind, sourcePath: sourcePath, identity: identity,
      tracksCount: counts?.facts[.tracks], artistsCount: counts?.facts[.artists], linksCount: counts?.facts[.links],
      uncheckedIndexes: log.uncheckedIndexes, reportError: reportError)
  }

  private func readReport(of library: StoreReader) -> (MigrationReport?, MigrationError?) {
    do throws(MigrationError) {
      let report = try MigrationReport.read(forLibraryAt: path, withUUID: library.metadata.uuid)
      return (report?.feedPath == nil ? report : nil, nil)
    } catch {
      return (nil, error)
    }
  }

  /// Refuses what is still of the old version, and any app's store.
  ///
  /// Unknown hashes are a difference, not an error.
  private func requireMigrated(_ store: StoreReader) throws(MigrationError) {
    let names = store.metadata.versionHashes.keys.sorted()
    guard names.isEmpty || names.contains("Track") else {
      let list = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
      throw MigrationError(.notATrackLibrary, path: path, detail: "its entities are \(list)")
    }
    guard let version = try? TrackLibraryModel(of: store).version, version != .current else { return }
    throw MigrationError(.migrationRequired, MigrationError.Subject(path: path, name: version.rawValue))
  }

  private func backupPath(
    _ report: MigrationReport?, _ reportError: MigrationError?, beside store: StoreReader
  ) throws(MigrationError) -> String {
    var name = report?.backupFile.map(String.init(spellingOfPathBytes:))
    if let reportError {
      // The statistics would name it; there may be one of the usual name.
      let usual = FileSystem.split(store.file.resolvedPath).name + ".v1-backup"
      guard FileSystem.exists(Self.sibling(usual, of: store)) else { throw reportError }
      name = usual
    }
    guard let name else {
      guard report == nil else { throw MigrationError(.noSource, path: path, detail: "no backup was kept") }
      let feed = (try? MigrationReport.read(forLibraryAt: self.path, withUUID: store.metadata.uuid))??.feedPath
      var error = MigrationError(
        .noSource, path: path,
        detail: feed.map { "it was imported from '\($0)'" } ?? "it has no statistics of a migration")
      error.advice =
        feed != nil
        ? "Name that feed with \(.feed), and the library before the import, if there was one, with \(.source)."
        : "If it was imported, name the feed with \(.feed); otherwise the old library with \(.source)."
      throw error
    }
    let backup = Self.sibling(name, of: store)
    // In the form in which the user named the library, where no link is between.
    let named = FileSystem.sibling(of: path, named: FileSystem.split(name).name)
    let isSame = FileSystem.resolved(named)?.pathBytes == FileSystem.resolved(backup)?.pathBytes
    guard try FileSystem.isThere(backup) else {
      var error = MigrationError(.missing, path: FileSystem.sibling(of: path, named: FileSystem.split(backup).name))
      error.advice = "It is the backup that the statistics of '\(path)' name. Name the old library with \(.source)."
      throw error
    }
    return isSame ? named : backup
  }

  /// The rejects that the statistics name; without statistics those of the usual name.
  private func rejectsPath(_ report: MigrationReport?, beside store: StoreReader) -> String? {
    let usual = FileSystem.split(store.file.resolvedPath).name + ".rejects.ndjson"
    let told = report?.rejectsFile.map(String.init(spellingOfPathBytes:))
    guard let name = report == nil ? usual : told else { return nil }
    let path = StoreCompanion.rejectsPath(named: name, besideStoreAt: store.file.resolvedPath)
    return FileSystem.exists(path) ? path : nil
  }

  /// A file beside a library, and only there, whatever its statistics say.
  private static func sibling(_ name: String, of store: StoreReader) -> String {
    FileSystem.sibling(of: store.file.resolvedPath, named: FileSystem.split(name).name)
  }
}

extension LibraryMigration {
  /// Compares the old library with the new one, which no other program sees yet.
  ///
  /// - Returns: What there has to be.
  func verify(_ built: BuiltStore, _ plan: LibraryMigrationPlan) throws(MigrationError) -> LibraryComparison.Counts? {
    try reporting(path: path) {
      try onBuilt?(built.path)
      let result = try StoreReader(path: built.path)
      var verification = LibraryComparison(plan, built.source, result, trackOptions)
      verification.rejectsPath = built.rejectsPath
      verification.requiresRejects = true
      let contents = ForeignContents(built.surroundings, uncopied: built.uncopied)
      verification.expectedMissingTables = Set(contents.reasons.keys)
      // They are given to it when it appears.
      verification.checksExternalFiles = false
      verification.isCancelled = { [cancellation = settings.cancellation] in cancellation.isCancelled }
      verification.onProgress = settings.onVerificationProgress
      let log = makeLog()
      let counts = try verification.run(log)
      try result.close()
      try log.requireNone(path: path)
      // Without counts there are differences.
      return counts
    }
  }

  /// Makes sure that the report says what there has to be.
  func require(_ counts: LibraryComparison.Counts, of report: MigrationReport) throws(MigrationError) {
    try reporting(path: path) {
      let log = makeLog()
      try report.compare(with: counts, log)
      try log.requireNone(path: path)
    }
  }

  private func makeLog() -> DifferenceLog {
    DifferenceLog(limit: DifferenceLog.requiredLimit) { [onDifference = settings.onDifference] in onDifference?($0) }
  }
}

extension MigrationReport {
  var ownPresets: [Preset] { [jsonPreset].compactMap { $0 } + (jsonPresets ?? []) }

  /// The places in which artists were looked for.
  var shape: JSONShape {
    var shape = jsonShape.flatMap { JSONShape(name: $0, ownPresets: ownPresets) } ?? .original
    shape.splitsByIDs = facts[.splitNames] != nil
    return shape
  }

  /// Compares what the report says with what there has to be.
  func compare(with counts: LibraryComparison.Counts, _ log: DifferenceLog) throws {
    // Reports of earlier versions lack some figures.
    let isOurs = toolVersion == Migration.toolVersion
    for fact in Fact.allCases where ![.place, .feed].contains(fact.traits.chapter) {
      let isRequired = isOurs && fact.traits.isAlwaysLookedFor
      let (value, expected) = (facts[fact], counts.facts[fact])
      if let key = fact.key, value != expected, value != nil || isRequired {
        try log.addStatistic(key, expected: expected.map { "\($0)" }, found: value.map { "\($0)" })
      }
      let (list, wanted) = (facts.examples(of: fact), counts.facts.examples(of: fact))
      guard let key = fact.traits.examplesKey, list != wanted, list != nil || isRequired else { continue }
      let place = zip(list ?? [], wanted ?? []).prefix { $0.utf8.elementsEqual($1.utf8) }.count
      try log.addStatistic(
        key, expected: wanted?.dropFirst(place).first.map { "'\($0)'" },
        found: list?.dropFirst(place).first.map { "'\($0)'" })
    }
    for group in [.presets, .decisions] as [Facts.Group] where facts.groups[group] != nil || group == .decisions {
      try log.compare(group.rawValue, expected: counts.facts[group], found: facts[group])
    }
    try log.compare("kept_count_by_name", expected: counts.keptTables, found: keptCountByName ?? [:])
    try compareReasons(with: counts, log)
    try compareShape(with: counts, log)
  }

  /// Compares the reasons for fallbacks: those of unreadable documents with the rejects file, which has a line for each.
  private func compareReasons(with counts: LibraryComparison.Counts, _ log: DifferenceLog) throws {
    let unreadable = Set(FallbackReason.allCases.filter(\.isUnreadable).map(\.rawValue))
    var expected = counts.facts[.fallbacks]
    var found = facts[.fallbacks]
    if let reasons = counts.rejectsByReason {
      expected.merge(reasons.filter { unreadable.contains($0.key) }) { first, _ in first }
    } else {
      // No other part says in which way they are unreadable, but how many there are is known.
      let all = "json_…"
      expected[all] = (counts.facts[.fallbackTracks] ?? 0) - counts.facts[.fallbacks].values.reduce(0, +)
      found[all] = unreadable.reduce(0) { $0 &+ (found.removeValue(forKey: $1) ?? 0) }
    }
    for name in Set(expected.keys).union(found.keys).sorted() where expected[name] != found[name] {
      try log.addStatistic(
        "\(Facts.Group.fallbacks.rawValue).\(name)", expected: "\(expected[name] ?? 0)", found: "\(found[name] ?? 0)",
        detail: unreadable.contains(name) ? "by the reasons in the rejects file" : nil)
    }
  }

  /// Compares what is said of JSON of another shape; the shape itself is told by examples that are not sought again.
  private func compareShape(with counts: LibraryComparison.Counts, _ log: DifferenceLog) throws {
    let others = FallbackReason.allCases.filter(\.isOtherShape)
      .reduce(0) { $0 + (counts.facts[.fallbacks][$1.rawValue] ?? 0) }
    let beginning = "\(others) of \(counts.readableDocuments) JSON documents "
    let isSaid = others * 2 > counts.readableDocuments
    guard isSaid ? unmatchedJSON?.hasPrefix(beginning) != true : unmatchedJSON != nil else { return }
    try log.addStatistic(
      "unmatched_json", expected: isSaid ? "'\(beginning)…'" : nil, found: unmatchedJSON.map { "'\($0)'" })
  }
}

extension DifferenceLog {
  fileprivate func addStatistic(
    _ name: String, of entity: String? = nil, expected: String?, found: String?, detail: String? = nil
  ) throws {
    try add(.statistics) {
      ($0.entity, $0.property) = (entity, name)
      ($0.expected, $0.found, $0.detail) = (expected, found, detail)
    }
  }

  /// Compares what statistics say by names of tables, columns and the like.
  fileprivate func compare<Value: Equatable>(
    _ property: String, expected: [String: Value], found: [String: Value]
  ) throws {
    for name in Set(expected.keys).union(found.keys).sorted() where expected[name] != found[name] {
      try addStatistic(
        property, of: name, expected: expected[name].map { "\($0)" }, found: found[name].map { "\($0)" })
    }
  }
}

/// Compares statistics with what can be known of a migration apart from rows: the files, the models, and what the old
/// library holds that the new one cannot.
private struct StatisticsCheck {
  private let report: MigrationReport
  private let reportPath: String
  private let plan: LibraryMigrationPlan
  private let source: StoreReader
  private let result: StoreReader
  private let log: DifferenceLog

  init(
    _ report: MigrationReport, _ plan: LibraryMigrationPlan, _ source: StoreReader, _ result: StoreReader,
    _ log: DifferenceLog
  ) {
    (self.report, self.plan, self.source, self.result, self.log) = (report, plan, source, result, log)
    reportPath = MigrationReport.path(forLibraryAt: result.file.resolvedPath)
  }

  func run() throws {
    try checkForm()
    try checkVersions()
    try checkMeasurements()
    try checkSize("source_size_bytes", report.sourceSizeBytes, of: source)
    try checkSize("destination_size_bytes", report.destinationSizeBytes, of: result)
    try checkContents()
  }

  /// Looks for what is not decoded: further keys, and keys that come twice, of which only one counts.
  ///
  /// Either makes the file longer than what was read from it; in another order it says the same.
  private func checkForm() throws {
    let written = Self.withoutBlanks(try FileSystem.contents(of: reportPath))
    guard written.sorted() != Self.withoutBlanks(report.json).sorted() else { return }
    try add("the file", "what a migration writes", "further keys, or a key that comes twice")
  }

  /// JSON as it is, without the space between its values.
  private static func withoutBlanks(_ json: [UInt8]) -> [UInt8] {
    var (isInText, isEscaped) = (false, false)
    return json.filter { byte in
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isInText.toggle()
      } else {
        isEscaped = isInText && byte == UInt8(ascii: "\\")
      }
      return isInText || ![0x20, 0x0A, 0x0D, 0x09].contains(byte)
    }
  }

  private func checkVersions() throws {
    try compare("source_version", plan.source.version.rawValue, report.sourceVersion)
    try compare("destination_version", TrackModelVersion.current.rawValue, report.destinationVersion)
    // A version of semver.org: the part after a dash names a version before the release.
    if report.toolVersion.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?/) == nil {
      try add("tool_version", "a version such as '\(toolVersion)'", "'\(report.toolVersion)'")
    }
    try compare("has_own_model", plan.source.hasCustomModel ? true : nil, report.hasOwnModel)
    try compare("model_remarks", plan.remarks.isEmpty ? nil : plan.remarks, report.modelRemarks)
    // Only a rehearsal says this, and that leaves nothing beside a library.
    try compare("is_rehearsal", nil, report.isDryRun)
  }

  private func checkMeasurements() throws {
    if report.elapsedSeconds < 0 { try add("elapsed_seconds", "a time", "\(report.elapsedSeconds)") }
    let rate = report.elapsedSeconds > 0 ? (Double(report.facts[.tracks] ?? 0) / report.elapsedSeconds).rounded() : 0
    if report.tracksPerSecond != rate { try add("tracks_per_second", "\(rate)", "\(report.tracksPerSecond)") }
    if report.peakMemoryBytes <= 0 { try add("peak_memory_bytes", "a size", "\(report.peakMemoryBytes)") }
    if let count = report.otherNamesCount, count < 1 { try add("other_names_count", "1 or more", "\(count)") }
    let hasRejects = report.facts[.rejects] ?? 0 > 0
    if hasRejects != (report.rejectsFile != nil) {
      try add("rejects_file", hasRejects ? "a file" : nil, report.rejectsFile.map { "'\($0)'" })
    }
  }

  /// Compares a size with that of a file whose bytes have not changed since the statistics were written.
  private func checkSize(_ name: String, _ size: Int64, of store: StoreReader) throws {
    guard let file = FileStatus(store.file.resolvedPath), let statistics = FileStatus(reportPath) else { return }
    if file.modificationTime <= statistics.modificationTime {
      try compare(name, file.size, size)
    } else if size < 512 || size % 512 != 0 {
      try add(name, "the size of a database", "\(size)")
    }
  }

  /// Compares what was left behind with what the old library holds besides its model.
  ///
  /// It is found by what reads stores, which the migration asks, too.
  private func checkContents() throws {
    let surroundings = try NonModelContent(source, model: plan.source.model)
    var contents = ForeignContents(surroundings)
    let naming = JoinTableNaming(foundIn: try StoreSchema(plan.source.model, introspecting: source))
    let schema = StoreSchema(plan.destination, joinTables: naming)
    contents.leave(try source.uncopiableTables(among: surroundings.appTables, to: schema))
    // What a definition cannot be read for shows only when it is carried out.
    let reason = DroppedContent.Reason.unreadableDefinition.rawValue
    for (name, _) in (report.leftBehindReasonByName ?? [:]).filter({ $0.value == reason }) {
      guard contents.reasons[name] == nil, try source.hasTableOrIndex(named: name),
        try !result.hasTableOrIndex(named: name)
      else { continue }
      contents.leave(name, reason)
    }
    try log.compare("left_behind_count_by_name", expected: contents.leftBehind, found: report.leftBehindCountByName)
    try log.compare(
      "left_behind_reason_by_name", expected: contents.reasons, found: report.leftBehindReasonByName ?? [:])
  }

  private func compare<Value: Equatable>(_ name: String, _ expected: Value?, _ found: Value?) throws {
    if expected != found { try add(name, expected.map { "\($0)" }, found.map { "\($0)" }) }
  }

  private func add(_ name: String, _ expected: String?, _ found: String?) throws {
    try log.addStatistic(name, expected: expected, found: found)
  }
}

extension StoreReader {
  fileprivate func hasTableOrIndex(named name: String) throws -> Bool {
    try connection.integer(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'index') AND name = \(name.quotedLiteral)") != nil
  }
}

extension LibraryComparison {
  /// Prepares to compare a library with what a plan says of it.
  init(
    _ plan: LibraryMigrationPlan, _ source: StoreReader, _ result: StoreReader, _ options: TrackMigrationOptions
  ) {
    self.init(source: source, sourceModel: plan.source.model, result: result, resultModel: plan.destination)
    trackEntityNames = plan.mappingModel.entityMappings.filter { $0.entityMigrationPolicyClassName != nil }
      .compactMap(\.destinationEntityName)
    identifiesByID = options.identity == .id
    (json, roles, decisions) = (options.json, options.roles, options.decisions)
  }
}
