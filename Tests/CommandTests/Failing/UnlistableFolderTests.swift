import Foundation
import TestSupport
import Testing

@Suite("A folder that cannot be listed")
struct UnlistableFolderTests {
  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"), arguments: [false, true])
  func `An unlistable folder never leaves external data files out of a backup or output`(isOutput: Bool) throws {
    guard let injector = FaultInjector.shared else { return }
    let store = try PictureStore()
    var failures = 0
    for call in 1...60 {
      let folder = try TemporaryFolder(isInMemory: true)
      let path = try store.copy(to: folder)
      let rows = try PictureStore.rows(path, support: ".App_SUPPORT")
      var runner = CommandRunner(
        [path, "--model", store.model] + (isOutput ? ["--output", folder.file("New.sqlite")] : []))
      let strike = ["KINDS": "look", "ONLY": "readdir", "CALL": "\(call)", "ACTION": "\(EIO)"]
      runner.environment.merge(injector.environment(root: folder.path, strike)) { $1 }
      let result = try runner.run()
      guard result.stderr.contains("struck readdir") else { break }
      if result.status == 0 {
        let kept = isOutput ? "New.sqlite" : "App.sqlite.App-backup"
        let support = isOutput ? ".New_SUPPORT" : ".App.sqlite_SUPPORT"
        #expect(try PictureStore.rows(folder.file(kept), support: support) == rows, "call \(call)")
      } else {
        failures += 1
        #expect(result.status == 74, "call \(call): \(result)")
        #expect(try !PictureStore.isMigrated(path))
      }
    }
    #expect(failures > 2)
  }

  @Test func `A folder that may contain mapping models is reported when it cannot be listed`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library()
    chmod(library, 0o666)
    folder.setPermissions(0o777)
    let models = try TemporaryFolder()
    let model = try models.writeAppModel(entity: "Track", versions: ["", ""])
    models.setPermissions(0o711)
    let before = try folder.snapshot()
    guard let result = try StrangerRunner.run([library, "--model", model]) else { return }
    #expect(result.status == 66)
    #expect(result.stderr.contains("'\(models.path)' cannot be read: Permission denied. Nothing was changed."))
    #expect(try folder.snapshot() == before)
  }
}
