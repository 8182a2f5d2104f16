internal import MigrationDiagnostics
internal import PersistentStore
internal import SystemC

/// Writes the redacted external data files of a store.
struct RedactedFiles {
  private let folder: ExternalDataFolder
  private let redactor: Redactor
  /// The files whose values stay.
  private let kept: Set<String>

  /// A larger file is noise even if it begins as JSON, which is replaced in memory.
  private static let sizeLimit: Int64 = 64 << 20
  private static let blockSize = 1 << 16

  init(ofStoreAt path: String, _ redactor: Redactor, keeping kept: Set<String>) {
    (folder, self.redactor, self.kept) = (ExternalDataFolder(ofStoreAt: path), redactor, kept)
  }

  /// Writes all files, those to which no row leads included.
  ///
  /// - Parameter leaks: Takes note of the values.
  /// - Returns: How many there are.
  func write(to other: ExternalDataFolder, _ leaks: inout LeakCheck) throws(MigrationError) -> Int {
    let names = try folder.names()
    guard !names.isEmpty else { return 0 }
    try other.make(like: folder)
    for name in names {
      if EndRequest.isMade { throw MigrationError(.interrupted, path: folder.path) }
      let (file, result) = (folder.filePath(name), other.filePath(redactor.externalName(name)))
      try write(file, to: result, isKept: kept.contains(name), &leaks)
      try NewFileAccess(from: [file]).give(toFileAt: result, ofOwnerOf: file)
    }
    try FileSystem.synchronizeFolder(of: other.filePath("x"))
    return names.count
  }

  private func write(
    _ file: String, to result: String, isKept: Bool, _ leaks: inout LeakCheck
  ) throws(MigrationError) {
    if isKept { return try FileSystem.copy(file, to: result) }
    guard let status = FileStatus(unresolved: file), status.size <= Self.sizeLimit else {
      return try writeNoise(file, to: result)
    }
    let value = try FileSystem.contents(of: file)
    let redacted = redactor.data(value)
    guard leaks.note(value, replacedBy: redacted, kept: redactor.kept) else {
      throw MigrationError(.redactionIncomplete, path: file, detail: "a word in it has not changed")
    }
    try FileSystem.write(redacted, toNewFileAt: result)
  }

  /// Writes noise that follows from the contents, which are read twice: equal files stay equal.
  private func writeNoise(_ file: String, to result: String) throws(MigrationError) {
    var hash = KeyedHash(redactor.key, .data)
    try forEachBlock(of: file) { block throws(MigrationError) in block.withUnsafeBytes { hash.combine($0) } }
    var noise = Noise(redactor.key, hash.finish())
    let descriptor = try FileSystem.createFile(result)
    defer { close(descriptor) }
    var isFirst = true
    try forEachBlock(of: file) { block throws(MigrationError) in
      var bytes = noise.next(block.count)
      if isFirst { for range in DataHead.ranges(block) { bytes.replaceSubrange(range, with: block[range]) } }
      isFirst = false
      try FileSystem.write(bytes, count: bytes.count, to: descriptor, named: result)
    }
    guard fsync(descriptor) == 0 else { throw FileSystem.failure(.inputOutput, result) }
  }

  private func forEachBlock(
    of file: String, _ body: ([UInt8]) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    let descriptor = try FileSystem.openFile(file, O_RDONLY, orThrow: .unreadable)
    defer { close(descriptor) }
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    while true {
      if EndRequest.isMade { throw MigrationError(.interrupted, path: file) }
      guard let count = FileSystem.read(descriptor, into: &block) else { throw FileSystem.failure(.unreadable, file) }
      if count == 0 { return }
      try body(Array(block.prefix(count)))
    }
  }
}
