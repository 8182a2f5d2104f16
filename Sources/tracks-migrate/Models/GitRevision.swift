import DataModel
import Dispatch
import Foundation
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import Synchronization
import SystemC

/// A model as a revision of a Git repository has it.
struct GitRevision {
  private let name: String

  init(_ name: String) { self.name = name }

  /// The versions of a bundle at the revision.
  func model(_ bundle: ModelBundle) throws(MigrationError) -> ModelLock.Model {
    let (folder, file) = FileSystem.split(bundle.path.last == "/" ? String(bundle.path.dropLast()) : bundle.path)
    guard !name.hasPrefix("-") else { throw unreadable("it is no revision") }
    let list = try git(["ls-tree", "-r", "-z", "--name-only", name, "--", "./\(file)/"], in: folder)
    let paths = list.split(separator: 0).map { String(pathBytes: $0) }
    guard !paths.isEmpty else { throw unreadable("it does not have '\(bundle.path)'") }
    let copy = try TemporaryFolder("git")
    for path in paths {
      let bytes = try git(["show", "\(name):./\(path)"], in: folder)
      try FileSystem.makeFolders(of: copy.path(path))
      try FileSystem.write(bytes, toNewFileAt: copy.path(path))
    }
    return try withExtendedLifetime(copy) { () throws(MigrationError) in
      ModelLock.Model.of(try ModelSource(path: copy.path(file)).bundle()).model
    }
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
      throw unreadable("git cannot be started: \(MigrationError(unforeseen: error).detail ?? "it is not there")")
    }
  }

  private func unreadable(_ detail: String) -> MigrationError {
    var error = MigrationError(.unreadable, path: name, detail: detail)
    error.advice = "Name a revision that your clone has (a shallow clone has few), a copy of the model, or a lock file."
    return error
  }
}
