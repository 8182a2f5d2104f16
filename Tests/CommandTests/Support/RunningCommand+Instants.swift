import Foundation
import TestSupport

// To catch a process at work, a test must not count on time: on a busy machine the process is done, or has not begun.

extension CommandRunner {
  /// Starts the process, which stops in front of a call that writes to a file, and waits until it has.
  ///
  /// - Parameters:
  ///   - call: The number of the call.
  ///   - folder: Where the file is.
  func startAndStop(atWrite call: Int, in folder: TemporaryFolder, _ injector: FaultInjector) throws -> RunningCommand {
    try startAndStop(at: call, of: "write", in: folder, injector)
  }

  /// The same in front of a call of another kind: "sync" comes first when the new store is complete.
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
  /// How long something that has to happen may take, in seconds, on a machine that is very busy.
  private static let longest = 240.0

  /// Waits until the process is stopped.
  ///
  /// - Returns: False when it has ended instead.
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

  /// What a process does for the time being.
  enum Rest { case stopped, asleep, ended }

  /// Waits until the process is stopped, has ended, or waits for something.
  @discardableResult
  func waitUntilSettled() -> Rest {
    let deadline = ContinuousClock.now + .seconds(Self.longest)
    var sleepCount = 0
    while ContinuousClock.now < deadline {
      switch state {
      case "T": return .stopped
      case "Z", nil: return .ended
      // Everybody sleeps for an instant now and then.
      case "S", "D": sleepCount += 1
      default: sleepCount = 0
      }
      if sleepCount > 10 { break }
      usleep(1000)
    }
    return .asleep
  }

  /// After the name in parentheses comes a letter: T when stopped, Z when it has ended.
  private var state: Substring? {
    (try? Files.text("/proc/\(processID)/stat"))?.split(separator: ")").last?.split(separator: " ").first
  }

  /// Reads until the process has written a text to standard error, or has ended.
  func waitForError(_ text: String) {
    let deadline = ContinuousClock.now + .seconds(Self.longest)
    while !errorText.contains(text), isWriting, ContinuousClock.now < deadline { readWhatIsThere() }
  }
}
