import Foundation
import TestSupport
import Testing

extension CommandRunner {
  /// Runs the process, stops it before a call about the files of a folder, and does some work meanwhile.
  ///
  /// - Parameters:
  ///   - call: The number of the call among those of the kinds.
  ///   - isLasting: Whether to stop at every later call as well and repeat the work.
  ///   - variables: Further instructions for the injector, see `injector.c`.
  /// - Returns: The outcome; `nil` if there are fewer calls.
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

/// Calls a closure with the number of each call that a command makes, until there are no more.
///
/// - Parameter step: The distance of the calls, if a sample is enough.
/// - Returns: The number of calls.
@discardableResult
func forEachCall(every step: Int = 1, _ work: (Int) throws -> CommandResult?) throws -> Int {
  for (number, call) in stride(from: 1, through: 1000, by: step).enumerated() where try work(call) == nil {
    return number
  }
  throw EndlessCalls()
}

private struct EndlessCalls: Error {}
