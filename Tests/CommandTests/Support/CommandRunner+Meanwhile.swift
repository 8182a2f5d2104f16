import Foundation
import TestSupport
import Testing

extension CommandRunner {
  /// Runs the process, which is stopped in front of a call about the files of a folder, and lets somebody else do their
  /// work meanwhile.
  ///
  /// - Parameters:
  ///   - call: The number of the call among those of the kinds.
  ///   - isLasting: Whether it is stopped at every later call as well, and the work done again.
  ///   - variables: More for the injector, see `injector.c`.
  /// - Returns: What came of it; `nil` where there are fewer calls.
  func run(
    stoppedAt call: Int, of kinds: [Fault.Kind], in folder: TemporaryFolder, isLasting: Bool = false,
    _ variables: [String: String] = [:], meanwhile work: () throws -> Void
  ) throws -> CommandResult? {
    let strike = [
      "KINDS": kinds.map(\.rawValue).joined(separator: ","), "CALL": "\(call)", "ACTION": "stop",
      "LASTING": isLasting ? "1" : "0",
    ]
    var runner = self
    runner.environment.merge(
      try #require(FaultInjector.shared).environment(root: folder.path, strike.merging(variables) { $1 })
    ) { $1 }
    let command = try runner.start()
    var wasStopped = false
    while command.waitUntilStopped() {
      wasStopped = true
      do {
        try work()
      } catch {
        command.send(SIGKILL)
        _ = try command.finish()
        throw error
      }
      command.send(SIGCONT)
    }
    let result = try command.finish()
    return wasStopped ? result : nil
  }
}

/// Does something for each call that a command makes, by its number, until there are no more.
///
/// - Returns: How many there were.
@discardableResult
func forEachCall(_ work: (Int) throws -> CommandResult?) throws -> Int {
  for call in 1...1000 where try work(call) == nil { return call - 1 }
  throw EndlessCalls()
}

private struct EndlessCalls: Error {}
