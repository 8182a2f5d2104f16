import Foundation
import TestSupport
import Testing

@Suite(
  "A store changed without locks while it is read",
  .enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"))
struct AnotherProgramTests {
  @Test(arguments: ["journal", "app, output"], ["shrink", "grow", "vanish"])
  func `Unlocked changes cause an error or have no effect on the result`(name: String, action: String) throws {
    guard let injector = FaultInjector.shared, let scene = CrashScenario.all.first(where: { $0.name == name }) else {
      return
    }
    let prepared = try PreparedScene(scene, injector)
    let count = prepared.callCounts[.read] ?? 0
    #expect(count > 10)
    for call in stride(from: 1, to: count, by: max(1, count / 6)) {
      let trial = try Trial(prepared, injector)
      let victim = trial.folder.file(scene.storeFile ?? scene.store)
      let result = try trial.command(["KINDS": "read", "CALL": "\(call)", "ACTION": action, "VICTIM": victim]).run()
      let image = try FolderImage(trial.folder.path)
      if result.status == 0 {
        let content = try StoreContent(trial.folder.file(scene.target), in: image, root: trial.folder.path)
        #expect(content == prepared.newContent, "call \(call)")
      } else {
        #expect([65, 66, 73, 74, 75].contains(result.status), "call \(call): \(result)")
        #expect(result.stderr.contains("tracks-migrate: error: "))
        let own = Set(prepared.image.listing + ["-shm", "-wal"].map { (scene.storeFile ?? scene.store) + $0 })
        #expect(image.listing.filter { !own.contains($0) } == [], "call \(call): \(result)")
      }
    }
  }
}
