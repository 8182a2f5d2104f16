import Foundation
import TestSupport

/// The contents of the folder of a store after a migration and another program have used it at the same time.
///
/// Either's work may come before or after the other's, but must be complete. Nothing that a program was told is safe
/// may be missing.
struct Neighbourhood {
  private(set) var state = Inspection.State.third
  private(set) var problems: [String] = []
  private let prepared: PreparedScene
  private let image: FolderImage
  private let root: String

  /// - Parameter keys: The rows that were confirmed to another program.
  init(_ folder: TemporaryFolder, _ prepared: PreparedScene, keys: [Int]) throws {
    self.prepared = prepared
    root = folder.path
    image = try FolderImage(folder.path)
    let store = scene.storeFile ?? scene.store
    let content = content(store)
    state = isVersion(prepared.oldContent, content) ? .old : isVersion(prepared.newContent, content) ? .new : .third
    if scene.output != nil {
      if state == .old, image.names[scene.target] != nil {
        state = isVersion(prepared.newContent, self.content(scene.target)) ? .new : .third
      }
    }
    if state == .third { problems.append("the store is neither old nor new\n\(content.rows.prefix(3))") }
    // A restoration sets the store aside with everything written to it so far.
    let replaced = scene.isRestoration ? keptStores.map { self.content($0) } : []
    for key in keys where !([content] + replaced).contains(where: { has(key, in: $0) }) {
      problems.append("the row \(key) was acknowledged, and is not in the \(state) store")
    }
    if state == .new, prepared.backup != nil, !keptStores.contains(where: { isOld($0) }) {
      problems.append("there is no backup, or none is whole: \(keptStores)")
    }
  }

  private var scene: CrashScenario { prepared.scene }

  /// The old stores that were kept.
  private var keptStores: [String] {
    image.names.keys.filter {
      $0.hasPrefix(scene.target + ".") && $0.contains(scene.isRestoration ? ".replaced" : "-backup")
        && !["-wal", "-shm", "-journal"].contains(where: $0.hasSuffix)
    }
  }

  private func isOld(_ name: String) -> Bool { isVersion(prepared.oldContent, content(name)) }

  private func content(_ name: String) -> StoreContent {
    guard image.names[name] != nil else { return StoreContent(unreadable: SceneFailure(description: "it is gone")) }
    do {
      return try StoreContent("\(root)/\(name)", in: image, root: root)
    } catch {
      return StoreContent(unreadable: error)
    }
  }

  /// Returns whether a store is complete.
  ///
  /// Additions by another program do not matter.
  private func isVersion(_ wanted: StoreContent, _ content: StoreContent) -> Bool {
    let rows = Set(content.rows)
    // An additional row changes the highest key.
    return content.isWhole && content.values == wanted.values
      && wanted.rows.allSatisfy { rows.contains($0) || $0.hasPrefix("Z_PRIMARYKEY ") }
  }

  private func has(_ key: Int, in content: StoreContent) -> Bool {
    let start = "Z\(scene.entity.uppercased()) "
    return content.rows.contains { $0.hasPrefix(start) && $0.split(separator: "|").contains("\(key)") }
  }

  /// Returns the files that should not be there.
  ///
  /// - Parameter mayBeNew: Whether a program has migrated or restored the store.
  func leftovers(mayBeNew: Bool) -> [String] {
    let store = scene.storeFile ?? scene.store
    var known = Set(prepared.image.listing + ["-wal", "-shm", "-journal"].map { store + $0 })
    if mayBeNew { known.formUnion(prepared.done.listing) }
    let left = image.listing.filter { name in
      // A name that was taken for a while is skipped in the numbering.
      let isNumbered = mayBeNew && ["-backup", ".replaced", ".rejects"].contains { name.contains($0) }
      return !known.contains(name) && (!isNumbered || name.contains(".tracks-migrate"))
    }
    return left.isEmpty ? [] : ["there is \(left)"]
  }

  /// A permission that is withdrawn from a store must also be withdrawn from every file made of it.
  func permissionProblems(_ mode: Int) -> [String] {
    guard scene.output == nil, !scene.isRestoration else { return [] }
    let made = [scene.target] + prepared.companions + keptStores
    return made.compactMap { name in
      image.mode(name).flatMap { $0 & ~mode & 0o777 == 0 ? nil : "\(name) has the mode \(String($0, radix: 8))" }
    }
  }
}
