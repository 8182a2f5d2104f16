import DataModel
import MigrationDiagnostics
import ModelInspection
import PersistentStore
import SystemC

/// A model as a revision of a Git repository has it.
struct GitRevision {
  private let name: String

  init(_ name: String) { self.name = name }

  /// The versions of a bundle at the revision.
  func model(_ bundle: ModelBundle) throws(MigrationError) -> ModelLock.Model {
    let (folder, file) = FileSystem.split(bundle.path.last == "/" ? String(bundle.path.dropLast()) : bundle.path)
    let copy = try ScratchFolder()
    guard !name.hasPrefix("-") else { throw unreadable("it is not a revision") }
    let list = try git(["ls-tree", "-r", "-z", "--name-only", name, "--", "./\(file)"], in: folder)
    let paths = list.split(separator: 0).map { String(pathBytes: $0) }
    guard !paths.isEmpty else { throw unreadable("it does not have '\(bundle.path)'") }
    for path in paths {
      let bytes = try git(["show", "\(name):./\(path)"], in: folder)
      let file = copy.path(path)
      try FileSystem.makeFolders(of: file, like: FileSystem.split(bundle.path).folder)
      try FileSystem.write(bytes, to: file)
    }
    return try ModelLock.Model.whole(try ModelSource(path: copy.path(file)).bundle())
  }

  private func git(_ arguments: [String], in folder: String) throws(MigrationError) -> [UInt8] {
    guard
      let process = ChildProcess(["git", "-C", folder.isEmpty ? "." : folder] + arguments, readsErrors: true),
      let answer = process.answer()
    else {
      if EndRequest.isMade { throw MigrationError(.interrupted) }
      let error = FileSystem.failure(.processLimit, "git")
      throw error.code == .processLimit ? error : unreadable("git cannot be started: \(error.detail ?? "")")
    }
    guard answer.status == 0 else {
      let lines = String(decoding: answer.errors, as: UTF8.self).split(separator: "\n")
      throw unreadable(lines.first.map(String.init) ?? "git failed")
    }
    return answer.output
  }

  private func unreadable(_ detail: String) -> MigrationError {
    var error = MigrationError(.unreadable, path: name, detail: detail)
    error.advice = "Name a revision that your clone has (a shallow clone has few), a copy of the model, or a lock file."
    return error
  }
}
