import Foundation
import TestSupport

/// A road with what comes of it undisturbed.
struct PreparedRoad: Sendable {
  let road: Road
  /// The contents of the folder before and after.
  let before: FolderImage
  let after: FolderImage
  let status: Int32?
  /// The number of calls of each kind.
  let callCounts: [Fault.Kind: Int]
  let injector: FaultInjector
  /// The folder in which it ran, and all its changes, in order; of a batch, whose processes write them, none.
  let root: String
  let operations: [FileOperation]

  init(_ road: Road, _ injector: FaultInjector) throws {
    (self.road, self.injector) = (road, injector)
    let (folder, records) = (try road.prepare(), try TemporaryFolder(isInMemory: true))
    before = try FolderImage(folder.path)
    var variables = ["COUNTS": records.file("counts")]
    if road.command != "batch" { variables["RECORD"] = records.file("record") }
    let result = try Self.runner(road.words, folder, injector, variables).run()
    let after = try FolderImage(folder.path)
    let isMade = road.results.allSatisfy { name in
      after.listing.contains { $0 == name || $0.hasPrefix(name + "/") }
    }
    guard let status = result.status, [0, 3].contains(status), isMade, before != after else {
      throw SceneFailure(description: "\(road): \(result.testDescription), \(after.listing)")
    }
    (self.after, self.status) = (after, status)
    callCounts = try FaultInjector.counts(in: records.file("counts"))
    root = folder.path
    operations =
      road.command == "batch"
      ? [] : try FileOperation.all(recordedIn: records.file("record"), root: folder.path)
  }

  /// The number of places at which a fault can strike.
  ///
  /// A batch leaves the calls to its processes, of which each counts for itself.
  func count(_ fault: Fault) -> Int {
    road.command == "batch" ? 40 : fault.kinds.reduce(0) { $0 + (callCounts[$1] ?? 0) }
  }

  private static func runner(
    _ words: [String], _ folder: TemporaryFolder, _ injector: FaultInjector, _ variables: [String: String]
  ) -> CommandRunner {
    var runner = CommandRunner(words, folder: folder.path)
    runner.environment = injector.environment(root: folder.path, variables)
    runner.timeout = 60
    return runner
  }

  // MARK: - Disturbing

  /// Disturbs the road at a call, and looks at what is left and what the next run makes of it.
  ///
  /// - Returns: The problems; `nil` if there was no such call.
  func problems(_ fault: Fault, call: Int) throws -> [String]? {
    let folder = try TemporaryFolder(isInMemory: true)
    try before.write(to: folder.path)
    let running = try Self.runner(road.words, folder, injector, fault.variables(call: call)).start()
    var problems: [String] = []
    if case .stop = fault.action {
      guard running.waitUntilStopped() else {
        _ = try running.finish()
        return nil
      }
      // The same command beside it ends by itself: it waits, or says that it cannot have the library.
      let other = try CommandRunner(road.words + wait, folder: folder.path).run()
      if other.end == .signalled(SIGKILL) { problems.append("the other run does not end") }
      running.send(call.isMultiple(of: 2) ? SIGKILL : SIGCONT)
    }
    let result = try running.finish()
    let struck = result.stderr.split(separator: "\n").first { $0.hasPrefix("struck ") }?.dropFirst("struck ".count)
    let isDead = result.end == .signalled(SIGKILL)
    if case .stop = fault.action {} else if struck == nil, !isDead { return nil }
    let mayLeave = isDead || struck.map(fault.mayHinderTidying) ?? false
    let image = try FolderImage(folder.path)
    problems += try thirdStates(image, folder)
    if !isDead, case .failure = fault.action { problems += try judge(result, image, folder, mayLeave) }
    problems += try finish(folder, isAlone: fault.action.isDeadly)
    return problems.map { "\($0) (\(struck ?? "killed"), \(result.status ?? -1): \(result.stderr.suffix(300)))" }
  }

  /// Cuts the power after a change, so that what was not synced is lost in one way or another.
  func problemsOfPowerLoss(after change: Int, variant: Int, _ generator: inout SeededGenerator) throws -> [String] {
    var disk = try SimulatedDisk(before)
    for operation in operations.prefix(change) { try disk.apply(operation) }
    let image = PowerLoss.image(of: disk, variant: variant, &generator)
    let folder = try TemporaryFolder(isInMemory: true)
    try image.write(to: folder.path)
    try image.relocate(of: disk, from: root, to: folder.path, known: before)
    var problems = try thirdStates(image, folder)
    // Once the command has reported success, a store stays. Of a document, the disk may still know nothing.
    let stores = road.results.filter { $0.hasSuffix(".sqlite") }
    if change == operations.count, try !stores.allSatisfy({ try isSame($0, image, after, folder) }) {
      problems.append("what was done did not last")
    }
    return problems + (try finish(folder, isAlone: true))
  }

  private var wait: [String] {
    ["migrate", "import", "restore", "doctor"].contains(road.words[0]) || road.command == "artists apply"
      ? ["--wait", "1"] : []
  }

  /// The files that are neither those from before nor those from after.
  private func thirdStates(_ image: FolderImage, _ folder: TemporaryFolder) throws -> [String] {
    var problems: [String] = []
    for name in Set(image.listing + before.listing).sorted() where !Self.isHidden(name) && !Self.isOfSQLite(name) {
      let isOld = try isSame(name, image, before, folder), isNew = try isSame(name, image, after, folder)
      if !isOld, !isNew { problems.append("'\(name)' is neither old nor new") }
    }
    return problems
  }

  /// What is wrong with the outcome of a run to which a call has failed.
  private func judge(
    _ result: CommandResult, _ image: FolderImage, _ folder: TemporaryFolder, _ mayLeave: Bool
  ) throws -> [String] {
    if result.status == status { return try unfinished(image, folder, "a run that says it is done", mayLeave) }
    var problems: [String] = []
    // Some commands print what is wrong with a model as their findings.
    if !(result.stderr + result.stdout).contains("error: ") { problems.append("no error") }
    // It says itself that the result is there.
    let isInPlace = result.stderr.contains("is in place, but the disk does not confirm that it stays there")
    for name in road.results where road.command != "batch" && !isInPlace {
      if try !isSame(name, image, before, folder) { problems.append("it failed, and '\(name)' is another one") }
    }
    let left = image.listing.filter { Self.isHidden($0) }
    if !mayLeave, !left.isEmpty { problems.append("it failed, and left \(left)") }
    return problems
  }

  private func unfinished(
    _ image: FolderImage, _ folder: TemporaryFolder, _ context: String, _ mayLeave: Bool
  ) throws -> [String] {
    var problems: [String] = []
    for name in after.listing where !Self.isOfSQLite(name) {
      if try !isSame(name, image, after, folder) { problems.append("\(context) lacks '\(name)' as it should be") }
    }
    let left = image.listing.filter {
      !after.listing.contains($0) && !(mayLeave && Self.isHidden($0)) && !Self.isOfSQLite($0)
    }
    if !left.isEmpty { problems.append("\(context) leaves \(left)") }
    return problems
  }

  /// Runs the command again, which has to finish what is there, or do all of it.
  private func finish(_ folder: TemporaryFolder, isAlone: Bool) throws -> [String] {
    let image = try FolderImage(folder.path)
    let isDone = try road.results.allSatisfy { try isSame($0, image, after, folder) }
    let words = isDone ? road.finishing ?? road.words : road.words
    let result = try CommandRunner(words, folder: folder.path).run()
    // What is there already may be in the way of a second run.
    guard result.status == status || isDone else { return ["the next run: \(result.testDescription)"] }
    let last = try FolderImage(folder.path)
    // A second run beside the first may have made a backup of its own.
    guard isAlone else { return try thirdStates(last, folder).map { "the next run: \($0)" } }
    return try unfinished(last, folder, "the next run", false)
  }

  // MARK: - Comparing

  private static func isHidden(_ name: String) -> Bool { name.contains(".tracks-migrate") }

  private static func isOfSQLite(_ name: String) -> Bool {
    ["-wal", "-shm", "-journal"].contains(where: name.hasSuffix)
  }

  /// Whether a file or folder is the same in two states: a database by its rows, a report by being one.
  private func isSame(
    _ name: String, _ image: FolderImage, _ other: FolderImage, _ folder: TemporaryFolder
  ) throws -> Bool {
    if image.folders[name] != nil || other.folders[name] != nil {
      guard image.folders[name] == other.folders[name] else { return false }
      let parts = Set((image.listing + other.listing).filter { $0.hasPrefix(name + "/") })
      return try parts.allSatisfy { try isSame($0, image, other, folder) }
    }
    guard let bytes = image.bytes(name), let others = other.bytes(name) else {
      return image.bytes(name) == nil && other.bytes(name) == nil
    }
    if bytes == others { return true }
    if name.hasSuffix(".migration.json") { return (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil }
    // The library's place is among its labels.
    if name.hasSuffix(".prom") { return Self.metrics(bytes) == Self.metrics(others) }
    guard bytes.starts(with: "SQLite format 3".utf8), others.starts(with: "SQLite format 3".utf8) else { return false }
    let (one, two) = (try rows(name, image, folder.path), try rows(name, other, folder.path))
    return road.isRandom && road.results.contains(name)
      ? one.isWhole && two.isWhole && one.rows.count == two.rows.count : one == two
  }

  private static func metrics(_ bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.prefix { $0 != "{" } }
  }

  private func rows(_ name: String, _ image: FolderImage, _ root: String) throws -> StoreContent {
    do {
      return try StoreContent("\(root)/\(name)", in: image, root: root)
    } catch {
      return StoreContent(unreadable: error)
    }
  }
}

extension Fault.Action {
  /// Whether the process is alone, so that no other one has done its work beside it.
  fileprivate var isDeadly: Bool { if case .stop = self { false } else { true } }
}
