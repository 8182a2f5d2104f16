import DataModel
import Dispatch
import Foundation
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import Synchronization

/// A model as a revision of a Git repository has it.
struct GitRevision {
  private let name: String

  init(_ name: String) { self.name = name }

  /// The versions of a bundle at the revision.
  func model(_ bundle: ModelBundle) throws(MigrationError) -> ModelLock.Model {
    let (folder, file) = FileSystem.split(bundle.path.last == "/" ? String(bundle.path.dropLast()) : bundle.path)
    let copy = FileManager.default.temporaryDirectory.path + "/tracks-migrate-git-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    guard !name.hasPrefix("-") else { throw unreadable("it is no revision") }
    let list = try git(["ls-tree", "-r", "-z", "--name-only", name, "--", "./\(file)/"], in: folder)
    let paths = list.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard !paths.isEmpty else { throw unreadable("it does not have '\(bundle.path)'") }
    for path in paths {
      let bytes = try git(["show", "\(name):./\(path)"], in: folder)
      do {
        let url = URL(filePath: "\(copy)/\(path)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
      } catch {
        throw MigrationError(.cannotCreate, path: copy, detail: error.localizedDescription)
      }
    }
    return ModelLock.Model.of(try ModelSource(path: "\(copy)/\(file)").bundle()).model
  }

  private func git(_ arguments: [String], in folder: String) throws(MigrationError) -> [UInt8] {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder.isEmpty ? "." : folder] + arguments
    (process.standardOutput, process.standardError) = (output, errors)
    do {
      try process.run()
      // Both are read at once: Git would wait for room in a pipe that nobody empties.
      let message = Mutex(Data())
      let reading = DispatchGroup()
      DispatchQueue.global().async(group: reading) {
        let text = (try? errors.fileHandleForReading.readToEnd()) ?? Data()
        message.withLock { $0 = text }
      }
      let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
      reading.wait()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        let lines = String(decoding: message.withLock { $0 }, as: UTF8.self).split(separator: "\n")
        throw unreadable(lines.first.map(String.init) ?? "git failed")
      }
      return Array(bytes)
    } catch let error as MigrationError {
      throw error
    } catch {
      throw unreadable("git cannot be started: \(error.localizedDescription)")
    }
  }

  private func unreadable(_ detail: String) -> MigrationError {
    var error = MigrationError(.unreadable, path: name, detail: detail)
    error.advice = "Name a revision that your clone has (a shallow clone has few), a copy of the model, or a lock file."
    return error
  }
}
