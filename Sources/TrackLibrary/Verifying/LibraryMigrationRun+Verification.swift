internal import Diagnostics
internal import Migration
internal import PersistentStore
internal import Verification

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
      verification.explainedTables = Set(contents.reasons.keys)
      // They are given to it when it appears.
      verification.hasFiles = false
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
