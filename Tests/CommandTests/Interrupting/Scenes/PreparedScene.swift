import Foundation
import TestSupport

/// A scene with the result of its undisturbed migration, the reference for disturbed ones.
final class PreparedScene: Sendable {
  let scene: CrashScenario
  /// The initial contents.
  let image: FolderImage
  let oldContent: StoreContent
  /// The final contents.
  let done: FolderImage
  let newContent: StoreContent
  /// The name under which the old store is kept, if any.
  let backup: String?
  /// The backup that gets the store's name if a migration is undone.
  let restored: String?
  /// The number of calls of each kind in an undisturbed migration.
  let callCounts: [Fault.Kind: Int]
  /// The folder in which it ran.
  let root: String
  /// All its changes, in order.
  let operations: [FileOperation]

  init(_ scene: CrashScenario, _ injector: FaultInjector) throws {
    self.scene = scene
    let folder = try TemporaryFolder(isInMemory: true)
    root = folder.path
    try scene.make(folder)
    image = try FolderImage(folder.path)
    oldContent = try StoreContent(folder.file(scene.storeFile ?? scene.store), in: image, root: folder.path)

    let records = try TemporaryFolder(isInMemory: true)
    let variables = ["COUNTS": records.file("counts"), "RECORD": records.file("record")]
    let result = try scene.command(in: folder, injector, variables).run()
    guard result.status == 0 else { throw SceneFailure(description: "\(scene.name): \(result.testDescription)") }
    let done = try FolderImage(folder.path)
    self.done = done
    newContent = try StoreContent(folder.file(scene.target), in: done, root: folder.path)
    guard oldContent.isWhole, newContent.isWhole, oldContent != newContent else {
      throw SceneFailure(description: "\(scene.name): the migration is not to be told from none")
    }
    backup = done.names.keys.first {
      $0.hasPrefix(scene.target) && $0.hasSuffix(scene.isRestoration ? ".replaced" : "-backup")
    }
    restored = scene.isRestoration ? image.names.keys.first { $0.contains("-backup") } : nil
    callCounts = try FaultInjector.counts(in: records.file("counts"))
    operations = try FileOperation.all(recordedIn: records.file("record"), root: folder.path)
  }

  /// All names in the result's folder that a migration creates, removes or checks.
  var usedNames: [String] {
    var names = Set(["", "-journal", "-wal", "-shm"].map { scene.target + $0 })
    for operation in operations {
      switch operation {
      case .create(let name, _, _), .makeFolder(let name, _, _), .remove(let name): names.insert(name)
      case .rename(let name, let other), .link(let name, let other): names.formUnion([name, other])
      default: break
      }
    }
    return names.sorted()
  }

  /// The files that appear together with the result.
  var companions: [String] {
    done.names.keys.filter { name in
      image.names[name] == nil && name != scene.target && name != backup && !name.contains("_SUPPORT/")
    }
  }
}

/// The error for an unusable scene.
struct SceneFailure: Error, CustomStringConvertible {
  let description: String
}

extension CrashScenario {
  /// Returns the command, with the injector if it has instructions.
  func command(
    in folder: TemporaryFolder, _ injector: FaultInjector?, _ variables: [String: String] = [:]
  ) -> CommandRunner {
    let command = isRestoration ? ["restore"] : feed.map { ["import", folder.file($0)] } ?? []
    var runner = CommandRunner(command + [folder.file(store)] + arguments, environment: environment)
    if let output { runner.arguments += ["--output", folder.file(output)] }
    var variables = variables
    if let denial { variables["DENY"] = "\(denial)" }
    if let leaseDenial { variables["LEASES"] = "\(leaseDenial)" }
    if let injector, !variables.isEmpty {
      runner.environment.merge(injector.environment(root: folder.path, variables)) { $1 }
    }
    return runner
  }
}
