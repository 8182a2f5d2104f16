package import MigrationDiagnostics
internal import SystemC

/// The hidden folder beside a store with the files of its large binary values: `.Library_SUPPORT/_EXTERNAL_DATA`.
///
/// Each file holds one value, has a UUID for a name, and is never written to again. So two stores may share a file
/// under two names.
package struct ExternalDataFolder: Sendable, Hashable {
  /// The folder.
  package let path: String

  /// The folder that belongs to a store, whether it is there or not.
  ///
  /// - Parameter store: The resolved path of the store's file.
  package init(ofStoreAt store: String) {
    path = FileSystem.sibling(of: store, named: ".\(Self.baseName(FileSystem.split(store).name))_SUPPORT")
  }

  /// The folder in which the files of a new store are gathered, beside the staging file.
  package init(stagedBy staging: StagingFile) {
    path = staging.path + "_SUPPORT"
  }

  /// The folder of this path.
  init(at path: String) {
    self.path = path
  }

  /// Whether there is such a folder.
  ///
  /// A symbolic link is none: it could lead anywhere.
  package var exists: Bool { FileStatus(unresolved: path)?.kind == .directory }

  /// Whether there is such a folder, where a wrong answer would lose values.
  ///
  /// - Throws: `MigrationError` when nobody can tell: what cannot be looked at is not missing.
  package func isThere() throws(MigrationError) -> Bool { try Self.kind(path) == .directory }

  /// The folder with the files themselves.
  var dataPath: String { path + "/_EXTERNAL_DATA" }

  /// Whether a file of this name is there.
  ///
  /// - Throws: `MigrationError` when nobody can tell.
  package func contains(_ name: String) throws(MigrationError) -> Bool {
    guard try isThere(), try Self.kind(dataPath) == .directory else { return false }
    return try Self.kind(filePath(name)) == .regular
  }

  /// The path of a file of this name.
  package func filePath(_ name: String) -> String { "\(dataPath)/\(name)" }

  /// Finds the names of the files that hold values, sorted.
  ///
  /// - Throws: `MigrationError` when the folder cannot be listed.
  package func names() throws(MigrationError) -> [String] {
    guard try isThere(), try Self.kind(dataPath) == .directory else { return [] }
    guard let names = FileSystem.names(in: dataPath) else { throw FileSystem.failure(.unreadable, dataPath) }
    return names.filter { ExternalValue.isUUID($0.utf8) }.sorted()
  }

  /// What is there under a path; `nil` when there is nothing.
  private static func kind(_ path: String) throws(MigrationError) -> FileStatus.Kind? {
    if let status = FileStatus(unresolved: path) { return status.kind }
    guard errno == ENOENT || errno == ENOTDIR else { throw FileSystem.failure(.unreadable, path) }
    return nil
  }

  /// The bytes that the files take together.
  ///
  /// - Throws: `MigrationError` when the folder cannot be listed.
  func size() throws(MigrationError) -> Int64 {
    var size: Int64 = 0
    for name in try names() {
      guard let status = FileStatus(unresolved: filePath(name)) else {
        throw FileSystem.failure(.unreadable, filePath(name))
      }
      let (sum, overflow) = size.addingReportingOverflow(status.size)
      size = overflow ? .max : sum
    }
    return size
  }

  /// The value that a file holds.
  package func contents(of name: String) throws(MigrationError) -> [UInt8] {
    try FileSystem.contents(of: filePath(name))
  }

  /// Adds files of another store's folder to this one: as second names for them, or as copies where the file system has
  /// no second names.
  ///
  /// The folder is made if need be; a file that is there already is left as it is. All is on the disk when this returns.
  ///
  /// - Parameter names: The names, as `ExternalValue` gives them. One that is no UUID is passed over.
  /// - Returns: The names of the files that the other folder does not have, sorted.
  @discardableResult
  package func add(_ names: some Sequence<String>, from other: ExternalDataFolder) throws(MigrationError) -> [String] {
    var missing: Set<String> = []
    var isMade = false
    for name in names where ExternalValue.isUUID(name.utf8) {
      guard try other.contains(name) else {
        missing.insert(name)
        continue
      }
      if !isMade { try make(like: other) }
      isMade = true
      try Self.addFile(other.filePath(name), named: filePath(name))
    }
    if isMade {
      try FileSystem.synchronizeFolder(of: filePath("x"))
      try FileSystem.synchronizeFolder(of: dataPath)
    }
    return missing.sorted()
  }

  /// Gives the folder the name that belongs to a store.
  ///
  /// - Throws: `MigrationError` with `outputExists` when there is something of that name.
  package func publish(as other: ExternalDataFolder) throws(MigrationError) {
    // An empty folder would be replaced, and is no loss.
    if try FileSystem.isThere(other.path), !FileSystem.removeFolder(other.path) {
      throw MigrationError(.outputExists, path: other.path)
    }
    do throws(MigrationError) {
      try FileSystem.move(path, replacing: other.path)
    } catch let error where FileSystem.exists(other.path) {
      throw MigrationError(.outputExists, path: other.path, detail: error.detail)
    }
    try FileSystem.synchronizeFolder(of: other.path)
  }

  /// Removes the folder, with the files in it that are named as those of values are.
  ///
  /// Nothing else is removed: what holds something else is left.
  package func discard() {
    guard exists else { return }
    if FileStatus(unresolved: dataPath)?.kind == .directory {
      for name in FileSystem.names(in: dataPath) ?? [] {
        let value = name.hasSuffix(Self.partSuffix) ? name.dropLast(Self.partSuffix.count) : name[...]
        if ExternalValue.isUUID(value.utf8) { FileSystem.remove(filePath(name)) }
      }
    }
    removeIfEmpty()
  }

  /// Removes the folder where there is nothing in it; what holds something is left.
  func removeIfEmpty() {
    _ = FileSystem.removeFolder(dataPath)
    _ = FileSystem.removeFolder(path)
  }

  private static let partSuffix = ".part"

  private func make(like other: ExternalDataFolder) throws(MigrationError) {
    for (folder, model) in [(path, other.path), (dataPath, other.dataPath)] {
      let attributes = try FileAttributes(of: model)
      if try FileSystem.makeFolder(folder, orOneOf: attributes.userID) { try attributes.give(toFolderAt: folder) }
    }
  }

  private static func addFile(_ file: String, named name: String) throws(MigrationError) {
    do throws(MigrationError) {
      // False: an earlier run, or another row of the same value, has added it already.
      _ = try FileSystem.addLink(to: file, named: name)
    } catch let error where error.code == .cannotCreate {
      // A copy that is cut short must not have the name.
      let part = name + partSuffix
      try FileSystem.removeLeftover(part)
      try FileSystem.copy(file, to: part)
      try FileSystem.move(part, replacing: name)
    }
  }

  /// A name without what follows its last dot.
  private static func baseName(_ name: String) -> Substring {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex,
      name.utf8.index(after: dot) != name.endIndex
    else { return name[...] }
    return name[..<dot]
  }
}

/// Files of large values that another store is given second names for, before it appears itself.
struct ExternalDataLinks {
  private let folder: ExternalDataFolder
  private let source: ExternalDataFolder
  /// What is to be removed if the store does not appear.
  private var added: [String] = []
  private var isFolderAdded = false

  init(
    _ names: [String], of source: ExternalDataFolder, withStoreAt path: String, by staging: StagingFile
  ) throws(MigrationError) {
    folder = ExternalDataFolder(ofStoreAt: path)
    self.source = source
    guard !FileSystem.areSame(folder.path, source.path) else { return }
    guard try folder.isThere() else {
      let staged = ExternalDataFolder(stagedBy: staging)
      try staged.add(names, from: source)
      // Not made where there is nothing to share.
      guard try staged.isThere() else { return }
      (added, isFolderAdded) = (names, true)
      do throws(MigrationError) {
        try staged.publish(as: folder)
      } catch {
        // It may have its new name already.
        if !staged.exists { takeBack() }
        throw error
      }
      return
    }
    // A run that died here has left the folder, or a store of that name has gone without its hidden folder. The files are
    // named by UUIDs, so what is there already is the same file, or somebody has put it there.
    var there: Set<String> = []
    for name in names where try folder.contains(name) {
      there.insert(name)
      guard FileContents.areEqual(folder.filePath(name), source.filePath(name)) else {
        throw MigrationError(.outputExists, path: folder.filePath(name))
      }
    }
    added = names.filter { !there.contains($0) }
    do throws(MigrationError) {
      try folder.add(added, from: source)
    } catch {
      takeBack()
      throw error
    }
  }

  /// Removes what was added, and nothing that somebody else has put there since.
  func takeBack() {
    Self.takeBack(added, in: folder, of: source, removesFolder: isFolderAdded)
  }

  static func takeBack(
    _ names: [String], in folder: ExternalDataFolder, of source: ExternalDataFolder, removesFolder: Bool = true
  ) {
    for name in names where FileContents.areEqual(folder.filePath(name), source.filePath(name)) {
      FileSystem.remove(folder.filePath(name))
    }
    if removesFolder { folder.removeIfEmpty() }
  }
}
