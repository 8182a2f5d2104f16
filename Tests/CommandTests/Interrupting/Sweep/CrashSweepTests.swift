import Foundation
import TestSupport
import Testing

/// `make crash` runs this; it takes long.
@Suite(
  "The sweep of disturbed migrations",
  .enabled(if: ProcessInfo.processInfo.environment["CRASH_SWEEP"] != nil, "make crash runs it"))
struct CrashSweepTests {
  @Test func `The sweep finds only old and new states`() async throws {
    let folder = Checkout.root.appending(path: ".build/crash").path(percentEncoded: false)
    let sweep = try CrashSweep(ProcessInfo.processInfo.environment, folder: folder)
    let (figures, isComplete) = try await sweep.run()
    #expect(figures.failureCount == 0, "\(figures.summary(isComplete: isComplete)), see \(folder)/failures.txt")
  }
}
