package import Diagnostics

extension StoreRewrite {
  /// Makes sure, before any work, that there is room for the result and for what its publication needs.
  ///
  /// - Parameters:
  ///   - greatestSize: How large the result will be at most, with what is needed on the way to it.
  ///   - size: About how large that will be. It is estimated only where there is no room for the greatest.
  ///   - keepsBackup: Whether the old store is kept.
  /// - Throws: `MigrationError` with `notEnoughSpace`, which tells what is needed, what is free, and where.
  package func requireSpace(
    atMost greatestSize: Int64, _ size: () -> Int64, for store: LockedStore, keepsBackup: Bool
  ) throws(MigrationError) {
    let folder = FileSystem.split(target).folder
    guard let free = DiskSpace(ofFolder: folder)?.free else { return }
    // The log is folded into the old store before it is replaced.
    let log = outputPath == nil ? store.file.writeAheadLogSize : 0
    var copies = Sum(try SupportFolder(ofStoreAt: store.file.resolvedPath).size())
    if outputPath == nil { copies.add(store.file.size, log) }
    guard free < Sum(greatestSize, log).adding(copies) else { return }
    var needed = Sum(size(), log)
    // Second names take no room; whether they can be had is tried out only where it matters.
    let isCopying = outputPath != nil || keepsBackup
    if isCopying, free >= needed.value, free < needed.adding(copies), !canShareFiles(of: store) {
      needed.add(copies.value)
    }
    // Without a lease the backup is a copy, and only the files of large values have second names.
    if keepsBackup, store.isCopiedForBackup, canShareFiles(of: store) { needed.add(store.file.size, log) }
    guard free < needed.value else { return }
    throw MigrationError(
      .notEnoughSpace, path: outputPath ?? path,
      detail: "it takes about \(DiskSpace.text(needed.value)), and \(DiskSpace.text(free)) are free in '\(folder)'")
  }

  /// Makes sure, before any work, that there is room for the result and for what its publication needs.
  package func requireSpace(_ size: Int64, for store: LockedStore, keepsBackup: Bool) throws(MigrationError) {
    try requireSpace(atMost: size, { size }, for: store, keepsBackup: keepsBackup)
  }

  /// Whether files of the store can have second names where the result will be.
  private func canShareFiles(of store: LockedStore) -> Bool {
    guard FileStatus(staging.path)?.device == store.file.status.device else { return false }
    let name = staging.companion("backup")
    defer { FileSystem.remove(name) }
    return (try? FileSystem.addLink(to: staging.path, named: name)) == true
  }
}

/// A sum of sizes that cannot overflow.
private struct Sum {
  private(set) var value: Int64 = 0

  init(_ sizes: Int64...) { for size in sizes { add(size) } }

  mutating func add(_ sizes: Int64...) {
    for size in sizes {
      let (sum, overflow) = value.addingReportingOverflow(max(0, size))
      value = overflow ? .max : sum
    }
  }

  func adding(_ other: Sum) -> Int64 {
    var sum = self
    sum.add(other.value)
    return sum.value
  }
}

extension StoreReader {
  /// The bytes that the store's rows and indexes take, its log included; what is free inside the file is not counted.
  package var usedSize: Int64 {
    let pages = (try? connection.integer("PRAGMA page_count")) ?? nil
    let free = (try? connection.integer("PRAGMA freelist_count")) ?? nil
    guard let pages else { return file.size }
    // A damaged header may say anything.
    let used = min(max(0, pages - (free ?? 0)), file.sizeWithLog / max(1, layout.pageSize) + 1)
    return used * layout.pageSize
  }
}
