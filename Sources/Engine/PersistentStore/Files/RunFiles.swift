package import MigrationDiagnostics
package import SystemC

/// All files that a run is given: decides, before anything is opened, that none replaces another.
///
/// It is the only place that decides it, for all commands: for the paths as they are spelled, for what links lead to, those
/// of `/proc` included, for other names (hard links) of the same file, for folders that are mounted in several places, and for
/// the names that a run gives to files next to a store.
package struct RunFiles {
  /// The roles by which messages name a file of the run.
  package enum Role: Sendable, Hashable {
    /// The value of an option, such as `--stats`.
    case option(String)
    /// An argument without a name, such as `feed`; one of several if it repeats.
    case argument(String, isRepeating: Bool = false)

    fileprivate var subject: String {
      switch self {
      case .option(let name): "'\(name)'"
      case .argument(let name, false): "the \(name)"
      case .argument(let name, true): "one of the \(name)"
      }
    }

    fileprivate func object(_ path: String) -> String {
      switch self {
      case .option(let name): "the file of '\(name)'"
      case .argument(let name, false): "the \(name) '\(path)'"
      case .argument(let name, true): "one of the \(name), '\(path)'"
      }
    }
  }

  private struct File {
    let role: Role
    let path: String
    let use: FileUse
    /// The places of the path and of the links at it.
    let places: [Place]
    /// The file itself, if it is there and can be replaced or lost: devices and pipes cannot.
    let status: FileStatus?
  }

  /// A path with its folder resolved.
  private struct Place {
    let path: String
    /// The folders around it, the nearest first, and the rest of the path below each.
    private let folders: [(status: FileStatus, rest: String)]

    init(_ path: String) {
      self.path = path
      var folders: [(status: FileStatus, rest: String)] = []
      var inner = path
      while inner != "/" {
        let folder = FileSystem.split(inner).folder
        guard folder != ".", let status = FileStatus(folder) else { break }
        let rest = FileSystem.suffix(of: path, after: folder == "/" ? "/" : folder + "/")
        folders.append((status, rest.map(String.init) ?? path))
        inner = folder
      }
      self.folders = folders
    }

    /// The path as it would be spelled from the folder of another one, if it is in that folder or below it.
    ///
    /// Folders are compared, not their names: one folder may be mounted in several places.
    func path(seenFrom other: Place) -> String {
      guard let home = other.folders.first?.status,
        let found = folders.first(where: { $0.status.isSameFile(as: home) })
      else { return path }
      return FileSystem.sibling(of: other.path, named: found.rest)
    }

    func isSame(as other: Place) -> Bool { FileSystem.areSame(path(seenFrom: other), other.path) }
  }

  private var files: [File] = []

  /// Creates an empty set.
  package init() {}

  /// Adds a file; `-` is standard input or output.
  package mutating func add(_ path: String, as role: Role, _ use: FileUse) {
    let status = path == "-" ? (use.isWriting ? nil : FileStatus(descriptor: STDIN_FILENO)) : FileStatus(path)
    // Nothing is lost in a pipe, and several may write to a device.
    if path == "-", status == nil { return }
    if let status, ![.regular, .directory].contains(status.kind) { return }
    files.append(
      File(role: role, path: path, use: use, places: path == "-" ? [] : Self.places(path), status: status))
  }

  /// Checks that nothing that the run writes is something else that it reads, writes, keeps or will name.
  ///
  /// - Throws: `MigrationError` with `cannotCreate`, about the file that would be written.
  package func requireNoClash() throws(MigrationError) {
    for (index, file) in files.enumerated() where file.use.isWriting {
      for (otherIndex, other) in files.enumerated() where other.role != file.role {
        if other.use.isWriting {
          // Of two that are written, a message is about the one that is easier to move, or the later one.
          let (rank, otherRank) = (Self.rank(file.use), Self.rank(other.use))
          guard rank < otherRank || rank == otherRank && otherIndex < index else { continue }
        }
        try Self.requireApart(file, other)
      }
    }
    for file in files where file.use.isWriting { try Self.requireUsable(file) }
    for file in files { try Self.requireInReach(file) }
  }

  /// Checks one path that is written against the stores that it is made from.
  package static func requireNoClash(
    writing path: String, as role: Role = .argument("output"), from stores: [String]
  ) throws(MigrationError) {
    var files = RunFiles()
    for store in stores { files.add(store, as: .argument("library"), .readsStore) }
    files.add(path, as: role, .writes)
    try files.requireNoClash()
  }

  /// Returns the weight of a name: the greater, the less freely another can be chosen.
  private static func rank(_ use: FileUse) -> Int {
    switch use {
    case .replacesStore: 2
    case .createsStore, .creates, .fills: 1
    case .reads, .continues, .readsStore, .writes, .writesStatistics, .appends: 0
    }
  }
}

// MARK: - Pairs of files
extension RunFiles {
  private static func requireApart(_ file: File, _ other: File) throws(MigrationError) {
    if file.use.isOfDocument, other.use == .continues { return }
    // That a store is not its own backup is said where backups are searched, under the lock.
    if file.use == .replacesStore, other.use == .readsStore { return }
    if areSame(file, other) {
      throw refusal("\(file.role.subject) would replace \(other.role.object(other.path))", file)
    }
    if other.use.isOfStore, file.use != .replacesStore {
      for store in other.places {
        guard let part = Self.part(file, of: store) else { continue }
        // Where they are anyway, unless another option says it.
        if part == .statistics, file.use == .writesStatistics { continue }
        throw refusal("\(file.role.subject) would replace \(part.rawValue) of '\(other.path)'", file)
      }
    }
    if [.replacesStore, .createsStore].contains(file.use), !other.use.isWriting {
      for store in file.places {
        guard let part = Self.part(other, of: store), part.isReplaced else { continue }
        throw refusal(
          "\(part.rawValue) of '\(file.path)' would replace \(other.role.object(other.path))", other)
      }
    }
    if other.use == .reads, let bundle = bundle(around: file), contains(other.places, bundle) {
      throw refusal("\(file.role.subject) would write into the model of \(other.role.subject)", file)
    }
    if other.use == .reads, file.use.isOfDocument, other.status?.kind == .directory, isLinked(file, into: other.path) {
      throw refusal("\(file.role.subject) would replace a file in \(other.role.object(other.path))", file)
    }
  }

  /// Whether a file has another name in a folder that is read, such as a model.
  ///
  /// The search has an end: a folder may be anything.
  private static func isLinked(_ file: File, into folder: String) -> Bool {
    guard let file = file.status, file.kind == .regular, file.linkCount > 1 else { return false }
    var folders = [(path: folder, depth: 0)]
    var count = 0
    while let folder = folders.popLast() {
      for name in FileSystem.names(in: folder.path) ?? [] {
        count += 1
        guard count <= 100_000 else { return false }
        let path = "\(folder.path)/\(name)"
        guard let status = FileStatus(unresolved: path) else { continue }
        if status.isSameFile(as: file) { return true }
        if status.kind == .directory, folder.depth < 4 { folders.append((path: path, depth: folder.depth + 1)) }
      }
    }
    return false
  }

  private static func areSame(_ file: File, _ other: File) -> Bool {
    if let status = file.status, let otherStatus = other.status, status.isSameFile(as: otherStatus) { return true }
    return file.places.contains { place in other.places.contains { place.isSame(as: $0) } }
  }

  /// Returns the part of a store that a file is, or would be.
  private static func part(_ file: File, of place: Place) -> StoreFileNames.Part? {
    let store = place.path
    for filePlace in file.places {
      if let part = StoreFileNames.part(filePlace.path(seenFrom: place), of: store) { return part }
    }
    // A hard link to a part; nothing else has two names.
    guard let status = file.status, status.kind == .regular, status.linkCount > 1 else { return nil }
    let folder = FileSystem.split(store).folder
    for name in FileSystem.names(in: folder) ?? [] {
      let path = FileSystem.sibling(of: store, named: name)
      guard let part = StoreFileNames.part(path, of: store) else { continue }
      if FileStatus(unresolved: path)?.isSameFile(as: status) == true { return part }
    }
    return isLinked(file, into: ExternalDataFolder(ofStoreAt: store).path) ? .externalData : nil
  }

  private static func contains(_ folders: [Place], _ path: String) -> Bool {
    let place = Place(path)
    return folders.contains { folder in
      let path = place.path(seenFrom: folder)
      return FileSystem.areSame(folder.path, path) || FileSystem.suffix(of: path, after: folder.path + "/") != nil
    }
  }
}

// MARK: - One file
extension RunFiles {
  /// Checks that the folder of a path is the one of the same name, for what is found by its place.
  ///
  /// Some links of `/proc` lead into the files of another container, where paths have another meaning.
  private static func requireInReach(_ file: File) throws(MigrationError) {
    guard file.use.isWriting || file.use.isOfStore else { return }
    for (spelling, place) in FileSystem.trail(of: file.path) {
      guard let folder = FileStatus(FileSystem.split(spelling).folder) else { continue }
      func isElsewhere(_ path: String) -> Bool {
        if let status = FileStatus(path) { return !status.isSameFile(as: folder) }
        // Of a path that cannot be looked at nothing is known.
        return errno == ENOENT || errno == ENOTDIR
      }
      guard isElsewhere(place), isElsewhere(FileSystem.split(place).folder) else { continue }
      var error = MigrationError(
        file.use.isOfStore ? .unreadable : .cannotCreate, path: file.path,
        detail: "its folder is in another container, which a link of '/proc' leads to")
      error.advice = "Nothing was changed. Run this in that container, or name a folder that both have."
      throw error
    }
  }

  /// Checks that a name is not that of something that no run may replace.
  private static func requireUsable(_ file: File) throws(MigrationError) {
    guard file.use != .replacesStore else { return }
    for place in file.places {
      if let reason = StoreFileNames.reservation(place.path) { throw refusal(reason, file) }
    }
    if let bundle = bundle(around: file) {
      throw refusal("\(file.role.subject) would write into the model '\(FileSystem.split(bundle).name)'", file)
    }
    guard file.use.isOfDocument, file.status?.kind == .regular else { return }
    if StoreFileNames.isCompiledModel(file.path) { throw refusal("there is a compiled model of this name", file) }
    // Another library, or a backup of one.
    if let resolved = FileSystem.resolved(file.path), StoreFile.isDatabase(resolved) {
      // It may be that of an export that was killed at its very end, when all that it had left were its locks.
      for written in [resolved, resolved + ".metadata.json"] { StagingFile.discardLock(besideFileAt: written) }
      throw refusal("there is a SQLite database of this name", file)
    }
  }

  /// The model or mapping model that a file is in.
  private static func bundle(around file: File) -> String? {
    // A new version of a model belongs there.
    if file.use == .creates, file.path.hasSuffix(".xcdatamodel") { return nil }
    for place in file.places {
      var folder = FileSystem.split(place.path).folder
      while folder != "/", folder != "." {
        if StoreFileNames.isModelFolder(folder) { return folder }
        folder = FileSystem.split(folder).folder
      }
    }
    return nil
  }

  private static func refusal(_ detail: String, _ file: File) -> MigrationError {
    var error = MigrationError(.cannotCreate, path: file.path, detail: detail)
    error.advice = "Nothing was changed. Name another file."
    return error
  }

  /// Returns the places of a path and of the targets of the links at it.
  private static func places(_ path: String) -> [Place] {
    var places = FileSystem.trail(of: path).map(\.place)
    if let resolved = FileSystem.resolved(path), !places.contains(where: { FileSystem.areSame($0, resolved) }) {
      places.append(resolved)
    }
    return places.map(Place.init)
  }
}
