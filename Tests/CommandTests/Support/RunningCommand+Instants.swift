import Foundation
import TestSupport

// To stop a process at a given point, a test must not rely on time: a busy machine may be too fast or too slow.

extension CommandRunner {
  /// Starts the process and waits until it has stopped before a call that writes to a file.
  ///
  /// - Parameters:
  ///   - call: The number of the call.
  ///   - folder: The folder of the file.
  func startAndStop(atWrite call: Int, in folder: TemporaryFolder, _ injector: FaultInjector) throws -> RunningCommand {
    try startAndStop(at: call, of: "write", in: folder, injector)
  }

  /// Does the same for a call of another kind.
  ///
  /// The first "sync" comes when the new store is complete.
  func startAndStop(
    at call: Int, of kind: String, in folder: TemporaryFolder, _ injector: FaultInjector
  ) throws -> RunningCommand {
    var runner = self
    let strike = ["KINDS": kind, "CALL": "\(call)", "ACTION": "stop"]
    runner.environment.merge(injector.environment(root: folder.path, strike)) { $1 }
    let command = try runner.start()
    guard command.waitUntilStopped() else { throw NeverStopped(result: try command.finish()) }
    return command
  }

  private struct NeverStopped: Error {
    let result: CommandResult
  }
}

extension RunningCommand {
  /// The time limit in seconds for an expected event, generous enough for a busy machine.
  private static let longest = 240.0

  /// Waits until the process has stopped.
  ///
  /// - Returns: `false` if it has ended instead.
  func waitUntilStopped() -> Bool {
    let deadline = ContinuousClock.now + .seconds(Self.longest)
    while ContinuousClock.now < deadline {
      switch state {
      case "T": return true
      case "Z", nil: return false
      default: usleep(1000)
      }
    }
    return false
  }

  /// The current state of a process.
  enum Rest { case stopped, asleep, ended }

  /// Waits until the process has stopped, has ended, or is blocked.
  @discardableResult
  func waitUntilSettled() -> Rest {
    let deadline = ContinuousClock.now + .seconds(Self.longest)
    var sleepCount = 0
    while ContinuousClock.now < deadline {
      switch state {
      case "T": return .stopped
      case "Z", nil: return .ended
      // Every process sleeps for an instant now and then.
      case "S", "D": sleepCount += 1
      default: sleepCount = 0
      }
      if sleepCount > 10 { break }
      usleep(1000)
    }
    return .asleep
  }

  /// A letter follows the name in parentheses: T for a stopped process, Z for one that has ended.
  private var state: Substring? {
    (try? Files.text("/proc/\(processID)/stat"))?.split(separator: ")").last?.split(separator: " ").first
  }

  /// Reads until the process has written a text to standard error or has ended.
  func waitForError(_ text: String) {
    let deadline = ContinuousClock.now + .seconds(Self.longest)
    while !errorText.contains(text), isWriting, ContinuousClock.now < deadline { readWhatIsThere() }
  }
}
