import Foundation
import TestSupport

/// The outcome of a disturbed migration.
struct Finding {
  /// Whether there was a call to disturb at that place.
  var wasDisturbed = true
  /// The state of the folder right afterwards.
  var state = Inspection.State.old
  /// The problems found.
  var problems: [String] = []
}

/// A migration in a folder of its own, which is disturbed and then repeated.
struct Trial {
  let prepared: PreparedScene
  let injector: FaultInjector
  let folder: TemporaryFolder

  /// - Parameter image: The initial contents of the folder; by default those of the scene.
  init(_ prepared: PreparedScene, _ injector: FaultInjector, image: FolderImage? = nil) throws {
    self.prepared = prepared
    self.injector = injector
    folder = try TemporaryFolder(isInMemory: true)
    try (image ?? prepared.image).write(to: folder.path)
  }

  private var scene: CrashScenario { prepared.scene }

  func command(_ variables: [String: String] = [:]) -> CommandRunner { scene.command(in: folder, injector, variables) }

  /// Checks the folder after the disturbed migration and after the next run.
  func conclude(_ finding: inout Finding, mayLeaveTemporaries: Bool = false) throws {
    let inspection = try Inspection(folder, prepared)
    finding.state = inspection.state
    finding.problems += inspection.problems
    try finish(&finding, mayLeaveTemporaries: mayLeaveTemporaries)
  }

  private func finish(_ finding: inout Finding, mayLeaveTemporaries: Bool) throws {
    let result = try command().run()
    // An existing output blocks a second run. What was restored is known by the library that it has replaced.
    let repeated: Int32 = scene.output != nil ? 73 : 0
    let expected = finding.state == .new ? repeated : 0
    if result.status != expected { finding.problems.append("the next run: \(result.testDescription)") }
    let inspection = try Inspection(folder, prepared)
    finding.problems += inspection.problems
    finding.problems += inspection.requireFinished("the next run", mayLeaveTemporaries: mayLeaveTemporaries)
  }

  /// Disturbs the migration at a call and checks the result.
  func run(_ strike: Fault, call: Int) throws -> Finding {
    if case .stop = strike.action { return try stop(strike, call) }
    let result = try command(strike.variables(call: call)).run()
    var finding = Finding()
    let struck = result.stderr.split(separator: "\n").first { $0.hasPrefix("struck ") }?.dropFirst("struck ".count)
    guard let struck else {
      if result.end != .signalled(SIGKILL) { finding.wasDisturbed = false }
      try conclude(&finding)
      return finding
    }
    if case .death = strike.action {
      if result.end != .signalled(SIGKILL) { finding.problems.append("it did not die: \(result.testDescription)") }
      try conclude(&finding)
      return finding
    }
    let mayLeave = strike.mayHinderTidying(struck)
    try judge(result, &finding, strike, mayLeave)
    try conclude(&finding, mayLeaveTemporaries: mayLeave)
    return finding
  }

  /// Checks that a failed call causes at most an error, and that its message is true.
  private func judge(_ result: CommandResult, _ finding: inout Finding, _ strike: Fault, _ mayLeave: Bool) throws {
    let inspection = try Inspection(folder, prepared)
    if result.status == 0 {
      finding.problems += inspection.requireFinished(
        "a run that says it is done (\(result.stderr))", mayLeaveTemporaries: mayLeave)
      return
    }
    let text = result.stderr.split(separator: "\n").filter { !$0.hasPrefix("struck ") }
    let isError = text.count == 1 && text[0].hasPrefix("tracks-migrate: error: ")
    // A log cannot be read without its index, which cannot be created if all calls fail.
    let isLog = result.status == 65 && result.stderr.contains("error: the write-ahead log")
    if !isError || !(isLog || strike.statuses.contains(result.status)) {
      finding.problems.append(result.testDescription)
    }
    if inspection.state != .old { finding.problems.append("it says it has failed: \(result.testDescription)") }
    if !mayLeave { finding.problems += inspection.requireUntouched("a run that failed (\(result.stderr))") }
  }

  /// Stops the process, runs another one, and then continues or ends the first.
  private func stop(_ strike: Fault, _ call: Int) throws -> Finding {
    var finding = Finding()
    let stopped = try command(strike.variables(call: call)).start()
    guard stopped.waitUntilStopped() else {
      finding.wasDisturbed = false
      _ = try stopped.finish()
      try conclude(&finding)
      return finding
    }
    let other = try command().run()
    let expected: [Int32?] = [0, 73, 75] + (scene.isRestoration ? [66] : [])
    if !expected.contains(other.status) { finding.problems.append("the other run: \(other.testDescription)") }
    finding.problems += try Inspection(folder, prepared).problems
    stopped.send(call.isMultiple(of: 2) ? SIGKILL : SIGCONT)
    let result = try stopped.finish()
    if result.end != .signalled(SIGKILL), !expected.contains(result.status) {
      finding.problems.append("the one that was stopped: \(result.testDescription)")
    }
    try conclude(&finding)
    return finding
  }
}
