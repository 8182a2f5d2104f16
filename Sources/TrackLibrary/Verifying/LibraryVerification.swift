internal import DataModel
public import Diagnostics
public import Migration
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
    verification.explainedTables = Set((report?.leftBehindReasonByName ?? [:]).keys)
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
