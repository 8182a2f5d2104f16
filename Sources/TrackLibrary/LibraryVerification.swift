internal import DataModel
public import Migration
public import MigrationDiagnostics
internal import PersistentStore
public import Policies
internal import SystemC
public import Verification

/// Proves that a library of the current version is what the migration of an older one had to make of it.
///
///     var verification = LibraryVerification(path: "Library.sqlite")
///     let result = try verification.run { print($0) }
public struct LibraryVerification {
  /// The new library, as the user named it.
  public var path: String
  /// The old library; without one the backup that the new one's statistics name.
  public var sourcePath: String?
  /// What makes two mentions the same artist; without one what the statistics say, and otherwise the name.
  public var identity: ArtistIdentity?
  /// How many differences are told one by one.
  public var limit = 100
  /// How somebody else can stop it.
  public var cancellation = MigrationCancellation()
  /// Called now and then with the number of rows that are compared, and of all.
  public var onProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?

  /// Prepares to verify a library.
  public init(path: String) {
    self.path = path
  }

  /// What came of it.
  public struct Result: Sendable {
    /// The number of differences; more than were told where there is a limit.
    public let differenceCount: Int
    /// The same by kind.
    public let differenceCountByKind: [Difference.Kind: Int]
    /// The old library.
    public let sourcePath: String
    /// What made two mentions the same artist.
    public let identity: ArtistIdentity
    /// Tracks that there have to be; `nil`, as all figures, where the new library is such that they were not compared.
    public let tracksCount: Int?
    /// Artists that there have to be.
    public let artistsCount: Int?
    /// Links that there have to be.
    public let linksCount: Int?
    /// Why the statistics beside the library could not be read, if there are any that could not.
    public let reportError: MigrationError?
  }

  /// Compares the two libraries.
  ///
  /// - Parameter onDifference: Called with the differences, up to the limit.
  /// - Throws: `MigrationError` when one of them cannot be read or is of the wrong version, and what `onDifference` throws.
  public func run(_ onDifference: @escaping (Difference) throws -> Void) throws -> Result {
    let (report, reportError) = readReport()
    let result = try StoreReader(path: path)
    try requireMigrated(result)
    let sourcePath = try sourcePath ?? backupPath(report, beside: result)
    let source = try StoreReader(path: sourcePath)
    let library = try TrackLibraryModel(of: source)
    guard library.version == .v1 else {
      throw MigrationError(.noSource, path: path, detail: "'\(sourcePath)' is a \(library.version.rawValue) library")
    }
    let plan = try LibraryMigrationPlan(for: library, path: sourcePath)
    let identity = identity ?? report.flatMap { ArtistIdentity(rawValue: $0.identity) } ?? .name

    var verification = Verification(plan, source, result, identity)
    verification.rejectsPath = rejectsPath(report, beside: result)
    // Without statistics nobody knows whether the rejects should still be beside it.
    verification.requiresRejects = report != nil
    verification.expectedMissingTables = Set((report?.leftBehindReasonByName ?? [:]).keys)
    verification.isCancelled = { [cancellation] in cancellation.isCancelled }
    verification.onProgress = onProgress
    let log = DifferenceLog(limit: limit, report: onDifference)
    let counts = try verification.run(log)
    if let counts, let report { try report.compare(with: counts, log) }
    try source.close()
    try result.close()
    return Result(
      differenceCount: log.count, differenceCountByKind: log.countByKind, sourcePath: sourcePath, identity: identity,
      tracksCount: counts?.tracks, artistsCount: counts?.artists, linksCount: counts?.links, reportError: reportError)
  }

  private func readReport() -> (MigrationReport?, MigrationError?) {
    do throws(MigrationError) {
      return (try MigrationReport.read(forLibraryAt: path), nil)
    } catch {
      return (nil, error)
    }
  }

  /// Refuses what is still of the old version, and any app's store.
  ///
  /// Hashes that nobody knows are a difference, not an error.
  private func requireMigrated(_ store: StoreReader) throws(MigrationError) {
    let names = store.metadata.versionHashes.keys.sorted()
    guard names.isEmpty || names.contains("Track") else {
      let list = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
      throw MigrationError(.notATrackLibrary, path: path, detail: "its entities are \(list)")
    }
    guard let version = try? TrackLibraryModel(of: store).version, version != .current else { return }
    throw MigrationError(.migrationRequired, MigrationError.Subject(path: path, name: version.rawValue))
  }

  private func backupPath(_ report: MigrationReport?, beside store: StoreReader) throws(MigrationError) -> String {
    guard let name = report?.backupFile.map(String.init(spellingOfPathBytes:)) else {
      throw MigrationError(
        .noSource, path: path, detail: report == nil ? "there are no statistics of its migration" : "no backup was kept"
      )
    }
    let backup = Self.sibling(name, of: store)
    // In the form in which the user named the library, where no link is between.
    let named = FileSystem.sibling(of: path, named: FileSystem.split(name).name)
    return FileSystem.resolved(named) == FileSystem.resolved(backup) ? named : backup
  }

  /// The rejects that the statistics name; without statistics those of the usual name.
  private func rejectsPath(_ report: MigrationReport?, beside store: StoreReader) -> String? {
    let usual = FileSystem.split(store.file.resolvedPath).name + ".rejects.ndjson"
    let told = report?.rejectsFile.map(String.init(spellingOfPathBytes:))
    guard let name = report == nil ? usual : told else { return nil }
    let path = Self.sibling(name, of: store)
    return FileSystem.exists(path) ? path : nil
  }

  /// A file beside a library, and only there, whatever its statistics say.
  private static func sibling(_ name: String, of store: StoreReader) -> String {
    FileSystem.sibling(of: store.file.resolvedPath, named: FileSystem.split(name).name)
  }
}

extension LibraryMigrationRun {
  /// How many differences are told one by one.
  private static let differenceLimit = 20

  /// Compares the old library with the new one, which nobody sees yet.
  ///
  /// - Returns: What there has to be; `nil` when this is not wanted.
  func verify(
    _ source: StoreReader, _ plan: LibraryMigrationPlan, _ rejects: RejectsFile, _ contents: ForeignContents
  ) throws(MigrationError) -> Verification.Counts? {
    guard migration.isVerified else { return nil }
    return try reporting(path: migration.path) {
      try migration.onBuilt?(rewrite.staging.path)
      let result = try StoreReader(path: rewrite.staging.path)
      var verification = Verification(plan, source, result, migration.trackOptions.identity)
      verification.rejectsPath = rejects.count == 0 ? nil : rejects.path
      verification.requiresRejects = true
      verification.expectedMissingTables = Set(contents.reasons.keys)
      // They are given to it when it appears.
      verification.checksExternalFiles = false
      verification.isCancelled = { [cancellation = migration.cancellation] in cancellation.isCancelled }
      verification.onProgress = migration.onVerificationProgress
      let log = makeLog()
      let counts = try verification.run(log.log)
      try result.close()
      try require(log)
      // Without counts there are differences.
      return counts
    }
  }

  /// Makes sure that the report says what there has to be.
  func require(_ counts: Verification.Counts, of report: MigrationReport) throws(MigrationError) {
    try reporting(path: migration.path) {
      let log = makeLog()
      try report.compare(with: counts, log.log)
      try require(log)
    }
  }

  /// A log, and the first difference that it was told.
  private final class FirstDifference {
    var text: String?
    var log = DifferenceLog(limit: 0) { _ in }
  }

  private func makeLog() -> FirstDifference {
    let first = FirstDifference()
    let onDifference = migration.onDifference
    first.log = DifferenceLog(limit: Self.differenceLimit) { [unowned first] difference in
      first.text = first.text ?? difference.description
      onDifference?(difference)
    }
    return first
  }

  private func require(_ first: FirstDifference) throws(MigrationError) {
    guard let text = first.text else { return }
    let count = first.log.count
    throw MigrationError(
      .verificationFailed, path: migration.path,
      detail: count == 1 ? text : "\(count) differences, of which the first is: \(text)")
  }
}

extension MigrationReport {
  /// Compares what the report says with what there has to be.
  func compare(with counts: Verification.Counts, _ log: DifferenceLog) throws {
    let figures =
      [
        ("tracks_count", tracksCount, counts.tracks), ("artists_count", artistsCount, counts.artists),
        ("links_count", linksCount, counts.links), ("fallback_tracks_count", fallbackTracksCount, counts.fallbacks),
        ("tracks_without_artist_count", tracksWithoutArtistCount, counts.tracksWithoutArtist),
        ("nameless_artists_count", namelessArtistsCount, counts.namelessArtists),
        ("rejects_count", rejectsCount, counts.rejects),
      ] + (longValuesCount.map { [("long_values_count", $0, counts.longValues)] } ?? [])
    for (name, found, expected) in figures where found != expected {
      try log.add(.statistics) {
        $0.property = name
        ($0.expected, $0.found) = ("\(expected)", "\(found)")
      }
    }
    try compareTables(with: counts.keptTables, log)
    if let reasons = counts.rejectsByReason { try compareReasons(with: reasons, log) }
  }

  private func compareTables(with expected: [String: Int64], _ log: DifferenceLog) throws {
    let found = keptCountByName ?? [:]
    for name in Set(expected.keys).union(found.keys).sorted() where expected[name] != found[name] {
      try log.add(.statistics) {
        ($0.entity, $0.property) = (name, "kept_count_by_name")
        ($0.expected, $0.found) = (expected[name].map { "\($0)" }, found[name].map { "\($0)" })
      }
    }
  }

  /// Compares the reasons that the rejects file gives with those that were counted, of which all have a line.
  private func compareReasons(with reasons: [String: Int], _ log: DifferenceLog) throws {
    for reason in FallbackReason.allCases where reason.isUnreadable {
      let (expected, found) = (reasons[reason.rawValue] ?? 0, fallbackTracksCountByReason[reason.rawValue] ?? 0)
      guard expected != found else { continue }
      try log.add(.statistics) {
        $0.property = "fallback_tracks_count_by_reason.\(reason.rawValue)"
        ($0.expected, $0.found, $0.detail) = ("\(expected)", "\(found)", "by the reasons in the rejects file")
      }
    }
  }
}

extension Verification {
  /// Prepares to compare a library with what a plan says of it.
  init(
    _ plan: LibraryMigrationPlan, _ source: StoreReader, _ result: StoreReader, _ identity: ArtistIdentity
  ) {
    self.init(source: source, sourceModel: plan.source.model, result: result, resultModel: plan.destination)
    trackEntityNames = plan.mappingModel.entityMappings.filter { $0.entityMigrationPolicyClassName != nil }
      .compactMap(\.destinationEntityName)
    identifiesByID = identity == .id
  }
}
