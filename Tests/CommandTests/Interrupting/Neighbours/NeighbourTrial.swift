import Foundation
import TestSupport

/// A migration that is stopped before a call while another program works, and then continues.
struct NeighbourTrial {
  private let trial: Trial
  private let neighbour: Neighbour
  private let kinds: [Fault.Kind]
  private let call: Int
  private let earlierCall: Int
  /// The name at which something is planted.
  private let plantedName: String
  /// A file that must not change.
  private let precious: TemporaryFolder
  private let oldNumber: Int

  /// - Parameters:
  ///   - kinds: The calls that are counted; by default all system calls except memory allocation.
  ///   - call: The number of the call before which the migration stops.
  ///   - variant: The variant of the neighbour's action.
  ///   - earlierCall: The call at which an earlier neighbour starts.
  init(
    _ prepared: PreparedScene, _ injector: FaultInjector, _ neighbour: Neighbour, kinds: [Fault.Kind] = Self.allKinds,
    call: Int, variant: Int = 0, earlierCall: Int = 1
  ) throws {
    trial = try Trial(prepared, injector)
    self.neighbour = neighbour
    self.kinds = kinds
    self.call = call
    self.earlierCall = earlierCall
    let names = prepared.usedNames
    plantedName = names[variant % names.count]
    precious = try TemporaryFolder(isInMemory: true)
    try precious.write(Array("precious".utf8), to: "precious")
    oldNumber = try Files.fileNumber(trial.folder.file(prepared.scene.storeFile ?? prepared.scene.store))
  }

  private var scene: CrashScenario { trial.prepared.scene }
  private var injector: FaultInjector { trial.injector }

  /// The results of the other program.
  private struct Outcome {
    /// The keys of the rows that were confirmed to it.
    var keys: [Int] = []
    /// Whether it was another run, and succeeded.
    var hasRun = false
    /// Whether the permissions changed on the old store before it was replaced.
    var hasChangedOld = false
    /// The planted things, by number.
    var plantedNumber: Int?
    var problems: [String] = []
  }

  func run() throws -> Finding {
    var finding = Finding()
    let before = try precious.snapshot()
    var other: RunningCommand?
    if neighbour.arrival == .before { other = try start() }
    other?.waitUntilSettled()
    var runner = trial.command([
      "KINDS": kinds.map(\.rawValue).joined(separator: ","), "ACTION": "stop",
      "CALL": "\(neighbour.arrival == .meanwhile ? earlierCall : call)",
      "SECOND": "\(neighbour.arrival == .meanwhile ? call : 0)",
    ])
    if neighbour.staysOpen { runner.arguments += ["--wait", "0"] }
    runner.timeout = 20
    let migration = try runner.start()
    var outcome = Outcome()
    finding.wasDisturbed = migration.waitUntilStopped()
    if finding.wasDisturbed, neighbour.arrival == .meanwhile {
      other = try start()
      other?.waitUntilSettled()
      migration.send(SIGCONT)
      finding.wasDisturbed = migration.waitUntilStopped()
    }
    if finding.wasDisturbed { try act(&other, &outcome) }
    migration.send(SIGCONT)
    let result = try migration.finish()
    if let other { try finish(other, &outcome) }
    finding.problems = outcome.problems
    try judge(result, outcome, &finding)
    if try precious.snapshot() != before { finding.problems.append("what a planted link leads to has changed") }
    if !finding.problems.isEmpty {
      finding.problems.append("call \(call), earlier \(earlierCall): \(result.testDescription)")
    }
    return finding
  }

  static let allKinds = Fault.Kind.allCases.filter { $0 != .memory }

  // MARK: What the other program does

  private var store: String { trial.folder.file(scene.store) }

  private func start() throws -> RunningCommand? {
    switch neighbour.deed {
    case .app(let steps):
      var runner = CommandRunner([store] + steps.flatMap { $0.words(entity: scene.entity) })
      runner.executable = injector.neighbourPath
      return try runner.start()
    case .command(nil): return try trial.command().start()
    case .command(let arguments?): return try CommandRunner(arguments + [store]).start()
    case .plant, .permissions: return nil
    }
  }

  private func act(_ other: inout RunningCommand?, _ outcome: inout Outcome) throws {
    switch neighbour.deed {
    case .plant(let plant): outcome.plantedNumber = try self.plant(plant)
    case .permissions(let mode, let ofFolder):
      outcome.hasChangedOld = try Files.fileNumber(trial.folder.file(scene.storeFile ?? scene.store)) == oldNumber
      chmod(ofFolder ? trial.folder.path : store, mode_t(mode))
    case .app, .command:
      if let other { other.send(SIGCONT) } else { other = try start() }
      other?.waitUntilSettled()
    }
  }

  /// - Returns: The number of the planted thing; `nil` if the name was taken or its folder does not exist.
  private func plant(_ plant: Neighbour.Plant) throws -> Int? {
    let path = trial.folder.file(plantedName)
    var status = stat()
    guard lstat(path, &status) != 0, Files.exists((path as NSString).deletingLastPathComponent) else { return nil }
    switch plant {
    case .link: try Files.link(path, to: precious.file("precious"))
    case .danglingLink: try Files.link(path, to: precious.file("nothing"))
    case .pipe: mkfifo(path, 0o600)
    case .file: try RawFile.write(Array("planted".utf8), mode: 0o600, to: path)
    case .folder: mkdir(path, 0o700)
    }
    return lstat(path, &status) == 0 ? Int(status.st_ino) : nil
  }

  /// Ends the other program.
  private func finish(_ other: RunningCommand, _ outcome: inout Outcome) throws {
    while other.waitUntilSettled() == .stopped { other.send(SIGCONT) }
    let result = try other.finish()
    outcome.keys = Neighbour.Step.acknowledgedKeys(in: result.lines)
    guard case .command = neighbour.deed else { return }
    outcome.hasRun = result.status == 0
    if result.status != 0, !neighbour.statuses.contains(result.status ?? -1) {
      outcome.problems.append("the other run: \(result.testDescription)")
    }
  }

  // MARK: What came of it

  private func judge(_ result: CommandResult, _ outcome: Outcome, _ finding: inout Finding) throws {
    if result.status != 0, !neighbour.statuses.contains(result.status ?? -1) {
      finding.problems.append("it ended with \(result.end)")
    }
    finding.problems += try removePlanted(outcome)
    if case .permissions(_, true) = neighbour.deed { trial.folder.setPermissions(0o755) }
    let neighbourhood = try Neighbourhood(trial.folder, trial.prepared, keys: outcome.keys)
    finding.state = neighbourhood.state
    finding.problems += neighbourhood.problems
    if result.status == 0 {
      if neighbourhood.state != .new, !outcome.hasRun { finding.problems.append("it says it is done") }
    } else if neighbourhood.state != .old, !outcome.hasRun {
      finding.problems.append("it says it has failed")
    }
    finding.problems += neighbourhood.leftovers(mayBeNew: result.status == 0 || outcome.hasRun)
    if case .permissions(let mode, false) = neighbour.deed, outcome.hasChangedOld {
      finding.problems += neighbourhood.permissionProblems(mode)
    }
    try finish(neighbourhood.state, outcome, &finding)
  }

  /// Removes the planted file and checks that it is still there, unless the command may remove that name.
  private func removePlanted(_ outcome: Outcome) throws -> [String] {
    guard let number = outcome.plantedNumber, case .plant(let plant) = neighbour.deed else { return [] }
    let path = trial.folder.file(plantedName)
    var status = stat()
    if lstat(path, &status) == 0, Int(status.st_ino) == number {
      if plant == .file, try RawFile.read(path) != Array("planted".utf8) { return ["\(plantedName) was written to"] }
      // An existing folder may have been found and used.
      if remove(path) != 0, errno != ENOTEMPTY { return ["\(plantedName) cannot be removed"] }
      return []
    }
    let isOurs =
      plantedName.contains(".tracks-migrate") || plantedName.hasSuffix(".migration.json")
      || ["-journal", "-wal", "-shm"].contains { plantedName.hasSuffix($0) }
    // An empty folder with this name can only be meant for this store's files.
    let isSupport = plant == .folder && plantedName.hasSuffix("_SUPPORT")
    return isOurs || isSupport ? [] : ["\(plantedName) was replaced or removed"]
  }

  /// Runs the next migration alone, which must finish.
  private func finish(_ state: Inspection.State, _ outcome: Outcome, _ finding: inout Finding) throws {
    let result = try trial.command().run()
    // A restored library to which the neighbour has written is not known to be restored.
    let repeated: [Int32?] = scene.output != nil ? [73] : scene.isRestoration ? [0, 66] : [0]
    if !(state == .new ? repeated : [0]).contains(result.status), !outcome.hasRun {
      finding.problems.append("the next run: \(result.testDescription)")
    }
    let neighbourhood = try Neighbourhood(trial.folder, trial.prepared, keys: outcome.keys)
    finding.problems += neighbourhood.problems.map { "after the next run: \($0)" }
    if neighbourhood.state != .new, !outcome.hasRun { finding.problems.append("the next run has not finished") }
    finding.problems += neighbourhood.leftovers(mayBeNew: true).map { "after the next run: \($0)" }
  }
}
