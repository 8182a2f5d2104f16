internal import DataModel
public import Migration
public import MigrationDiagnostics
public import PersistentStore
public import Policies
public import Verification

/// The migration of one track library to the current version.
public struct LibraryMigration {
  /// The library, as the user named it.
  public var path: String
  /// A new file for the result; without one the library is replaced.
  public var outputPath: String?
  /// Whether the old library is kept beside the new one.
  public var keepsBackup = true
  /// Whether JSON that was not understood may be gone for good.
  ///
  /// Otherwise a migration that keeps no backup fails where most JSON has a shape that is not known, see
  /// `TrackMigrationOptions.requiresArtists`.
  public var discardsUnmatchedJSON = false
  /// Where the report goes; by default beside the result.
  public var reportPath: String?
  /// Whether old and new library are read anew and compared before the new one appears.
  ///
  /// If anything differs the migration fails.
  public var isVerified = false
  /// Called now and then with the number of rows that are compared, and of all.
  public var onVerificationProgress: ((_ completedCount: Int, _ totalCount: Int) -> Void)?
  /// Called with the first of these differences.
  public var onDifference: ((Difference) -> Void)?
  /// Called with the path of the result before it is compared, so that tests can see what is found.
  package var onBuilt: ((String) throws -> Void)?
  /// What is to be done with the tracks.
  public var trackOptions = TrackMigrationOptions()
  /// How many threads read tracks; `nil` for as many as there are processors, or one for a small
  /// library.
  ///
  /// The result is the same for any number.
  public var threadCount: Int?
  /// How somebody else can stop the migration.
  public var cancellation = MigrationCancellation()
  /// Called now and then with how far the migration is.
  public var onProgress: ((MigrationProgress) -> Void)?
  /// How long to wait for other programs.
  public var patience = WaitPolicy()
  /// Whether a disk that seems too small stops the migration before it begins.
  public var checksSpace = true

  /// Prepares the migration of a library.
  public init(path: String) {
    self.path = path
  }

  /// What came of it.
  public enum Outcome: Sendable {
    /// The library has the current version; nothing was changed.
    case alreadyCurrent(TrackModelVersion)
    case migrated(Result)
  }

  /// A migration that was carried out.
  public struct Result: Sendable {
    /// What was counted and measured.
    public let report: MigrationReport
    /// The new library.
    public let path: String
    /// Where the report is.
    public let reportPath: String
    /// Where the old library is, if it was kept.
    public let backupPath: String?
    /// Where the rejects are, if there are any.
    public let rejectsPath: String?
    /// What the old library's file has besides its bytes and the new one's cannot have, for people.
    public let lostAttributes: [String]
    /// Whether old and new library were compared.
    public let isVerified: Bool
    /// The first examples of each finding, by counter name.
    public let examples: [String: [String]]
    /// What could not be made sure of once the new library was in place.
    public let warnings: [MigrationError]
  }

  /// Migrates the library.
  ///
  /// One library must not be migrated twice at the same time within one process: its locks belong to the process.
  ///
  /// - Throws: `MigrationError`. Then the library holds what it held, and nothing is left beside it. Only when the very
  ///   last step fails, the rename, has its write-ahead log been folded into it.
  public func run() throws(MigrationError) -> Outcome {
    try run(isDryRun: false)
  }

  /// Does all of the migration but its last step, and removes what it has made.
  ///
  /// The library may be in use meanwhile. A report is only written where `reportPath` says so.
  ///
  /// - Returns: What would come of the migration: the paths are those that the files would have. The report tells
  ///   besides which names of artists look alike, and which ids have several names.
  /// - Throws: `MigrationError`, as the migration would.
  public func dryRun() throws(MigrationError) -> Outcome {
    try run(isDryRun: true)
  }

  private func run(isDryRun: Bool) throws(MigrationError) -> Outcome {
    let started = ContinuousClock.now
    let waiting = LockRetry(patience)
    // Looking first needs no right to write: a library that is current already needs nothing else.
    var store = try open(waiting, isDryRun)
    if let reader = store {
      let version = try TrackLibraryModel(of: reader).version
      guard version != .current else {
        try reader.close()
        // Of a run that died just after it was done.
        if outputPath == nil, !isDryRun { UndoLog.recover(libraryAt: reader.file.resolvedPath) }
        return .alreadyCurrent(version)
      }
      if outputPath == nil && !isDryRun {
        // It is locked before it is read again. Until then this may wait for another run, which could not replace the
        // library while it is open here.
        try reader.close()
        store = nil
      }
    }
    let run = try LibraryMigrationRun(self, isDryRun: isDryRun, started: started, waiting)
    do throws(MigrationError) {
      return try run.migrate(store)
    } catch {
      run.discard()
      throw error
    }
  }

  private func open(_ waiting: LockRetry, _ isDryRun: Bool) throws(MigrationError) -> StoreReader? {
    do throws(MigrationError) {
      return try waiting.open(path)
    } catch let error where error.code == .unfinishedTransaction && outputPath == nil && !isDryRun {
      // A run that was killed while it took the library over has left a journal. It may be rolled back here, where the
      // library is going to be written to; that happens as soon as it is locked.
      return nil
    }
  }
}

/// The mapping models between the versions of the track library.
package enum TrackMapping {
  /// From v1 to v2: the policy makes the artists, so `Artist` has no source of its own.
  package static var v1ToV2: MappingModel {
    let (v1, v2) = (TrackModel.v1, TrackModel.v2)
    guard let source = v1.entity(named: "Track"), let track = v2.entity(named: "Track"),
      let artist = v2.entity(named: "Artist")
    else { preconditionFailure("the track models lack their entities") }
    return MappingModel(entityMappings: [
      // Xcode wants the module.
      .suggested(from: source, to: track, policy: "Policies.\(TrackToTrackMigrationPolicy.className)"),
      EntityMapping(mappingType: .add, source: nil, destination: artist),
    ])
  }
}
