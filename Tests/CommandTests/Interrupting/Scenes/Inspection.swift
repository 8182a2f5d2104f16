import Foundation
import TestSupport

/// The contents of a folder after a disturbed migration.
struct Inspection {
  enum State: String, Codable { case old, new, third }

  private(set) var state = State.third
  private(set) var problems: [String] = []
  private let prepared: PreparedScene
  private let image: FolderImage
  private let root: String

  init(_ folder: TemporaryFolder, _ prepared: PreparedScene) throws {
    self.prepared = prepared
    root = folder.path
    image = try FolderImage(folder.path)
    state = try findState()
    try checkBackup()
    if state == .new { checkCompanions() }
    checkOthers()
  }

  private var scene: CrashScenario { prepared.scene }

  private mutating func findState() throws -> State {
    let file = scene.storeFile ?? scene.store
    guard image.names[file] != nil else { return third("the store is gone") }
    let content = try content(file)
    if image.mode(file) != prepared.image.mode(file) { problems.append("the store has other permissions") }
    if scene.output == nil {
      if content == prepared.oldContent { return .old }
      return content == prepared.newContent ? .new : third("the store is neither old nor new\n\(difference(content))")
    }
    guard content == prepared.oldContent else { return third("the store has changed\n\(difference(content))") }
    guard image.names[scene.target] != nil else { return .old }
    if image.mode(scene.target) != prepared.done.mode(scene.target) {
      problems.append("the output has other permissions")
    }
    let output = try self.content(scene.target)
    return output == prepared.newContent ? .new : third("the output is not whole\n\(difference(output))")
  }

  private func content(_ name: String) throws -> StoreContent {
    do {
      return try StoreContent("\(root)/\(name)", in: image, root: root)
    } catch {
      return StoreContent(unreadable: error)
    }
  }

  private mutating func third(_ problem: String) -> State {
    problems.append(problem)
    return .third
  }

  /// Returns the first lines in which a store differs from both versions.
  private func difference(_ content: StoreContent) -> String {
    let lines = content.rows.filter { !prepared.oldContent.rows.contains($0) && !prepared.newContent.rows.contains($0) }
    return lines.prefix(3).joined(separator: "\n")
      + "\n\(content.rows.count) rows, values \(content.values.keys.sorted())"
  }

  private mutating func checkBackup() throws {
    if let restored = prepared.restored, state == .old, try content(restored) != prepared.newContent {
      problems.append("the backup that is to be restored is not whole")
    }
    guard let backup = prepared.backup else { return }
    guard image.names[backup] != nil else {
      if state == .new { problems.append("there is no backup") }
      return
    }
    let content = try content(backup)
    if content != prepared.oldContent { problems.append("the backup is not whole\n\(difference(content))") }
  }

  private mutating func checkCompanions() {
    for name in prepared.companions {
      guard let bytes = image.bytes(name) else {
        // The next run moves what belongs to the replaced library; then all names have to be there.
        if !scene.isRestoration || !name.contains(".replaced.") { problems.append("there is no \(name)") }
        continue
      }
      let isReport = name.hasSuffix(".migration.json")
      let isWhole =
        isReport
        ? (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
        : rejects(bytes) == prepared.done.bytes(name).map(rejects)
      if !isWhole { problems.append("\(name) is not whole") }
    }
  }

  private func rejects(_ bytes: [UInt8]) -> String { Files.withoutOrigin(String(decoding: bytes, as: UTF8.self)) }

  /// Checks that other files are unchanged and that there are no unknown ones.
  private mutating func checkOthers() {
    let own = Self.parts(of: scene.storeFile ?? scene.store)
    for (name, number) in prepared.image.names where !own.contains(name) && name != prepared.restored {
      // The store's log may have been checkpointed into a file that shares its data with the store.
      let isStore = number == prepared.image.names[scene.storeFile ?? scene.store]
      let wasReplaced = prepared.done.bytes(name) != prepared.image.bytes(name) && (state == .new || isAside(name))
      guard !isStore, !wasReplaced else { continue }
      if image.bytes(name) != prepared.image.bytes(name) { problems.append("\(name) has changed") }
    }
    if image.links != prepared.image.links { problems.append("the links have changed") }
    let known = Set(prepared.image.listing + prepared.done.listing + own)
    for name in image.listing where !known.contains(name) && !Self.isTemporary(name) && !isFurtherBackup(name) {
      problems.append("nobody knows \(name)")
    }
  }

  /// Returns whether what a file held is under a hidden name, from which the next run takes it back.
  private func isAside(_ name: String) -> Bool {
    image.listing.contains { Self.isTemporary($0) && image.bytes($0) == prepared.image.bytes(name) }
  }

  private static func parts(of store: String) -> [String] { ["", "-wal", "-shm", "-journal"].map { store + $0 } }

  private static func isTemporary(_ name: String) -> Bool { name.contains(".tracks-migrate") }

  /// Returns whether a name is that of a stopped run's backup, which is a copy without hard links and is kept.
  private func isFurtherBackup(_ name: String) -> Bool {
    scene.denial != nil && name.contains(scene.isRestoration ? ".replaced" : "-backup")
  }

  /// Returns whether a name is that of the index of a log, which could not be removed.
  ///
  /// It holds no data and is rebuilt when the store is opened.
  private func isStrayIndex(_ name: String) -> Bool {
    (scene.output != nil || scene.isRestoration) && name == (scene.storeFile ?? scene.store) + "-shm"
  }

  /// Returns a problem if there are new names in the folder, except for SQLite's own files beside the store.
  func requireUntouched(_ context: String) -> [String] {
    let own = Set(prepared.image.listing + Self.parts(of: scene.storeFile ?? scene.store))
    let left = image.listing.filter { !own.contains($0) && !isFurtherBackup($0) }
    return left.isEmpty ? [] : ["\(context) has left \(left)"]
  }

  /// Returns the problems that keep the migration from being complete, with all of its files and no others.
  func requireFinished(_ context: String, mayLeaveTemporaries: Bool = false) -> [String] {
    guard state == .new else { return ["\(context) has not finished: \(state)"] }
    let listing = image.listing.filter { name in
      !isFurtherBackup(name) && !(mayLeaveTemporaries && (Self.isTemporary(name) || isStrayIndex(name)))
    }
    let wanted = prepared.done.listing.filter { !isFurtherBackup($0) }
    return listing == wanted ? [] : ["\(context) leaves \(listing) rather than \(wanted)"]
  }
}
