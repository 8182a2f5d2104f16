package import MigrationDiagnostics
package import SQLiteDatabase
internal import SystemC

/// A store's file and the files that SQLite keeps next to it, before anything is read through SQLite.
package struct StoreFile: Sendable {
  /// The path as the user named it, for messages.
  package let path: String
  /// The file itself, with every symbolic link resolved.
  package let resolvedPath: String
  package let status: FileStatus
  let header: DatabaseHeader

  /// Inspects a file.
  ///
  /// - Throws: `MigrationError` if it does not exist, or cannot be a store.
  package init(_ path: String) throws(MigrationError) {
    let (resolved, status) = try Self.find(path)
    try StoreFileNames.requireUsableLength(resolved, named: path, orThrow: .unreadable)
    let bytes = try Self.firstBytes(of: resolved, named: path, requiresLocks: true)
    guard let header = DatabaseHeader(bytes) else {
      // Another run may just have replaced the opened file and made it unusable.
      guard FileStatus(resolved)?.isSameFile(as: status) != false else {
        throw MigrationError(.changedMeanwhile, path: path)
      }
      throw Self.notADatabase(path, resolved, isEmpty: bytes.isEmpty, size: status.size)
    }
    self.path = path
    self.resolvedPath = resolved
    self.status = status
    self.header = header
  }

  /// Finds a regular file of whatever contents.
  ///
  /// - Returns: The path with every symbolic link resolved, and the file's status.
  /// - Throws: `MigrationError` if it does not exist, or is not a regular file.
  package static func find(_ path: String) throws(MigrationError) -> (resolvedPath: String, status: FileStatus) {
    guard let resolved = FileSystem.resolved(path), let status = FileStatus(resolved) else {
      throw errno == ENOENT || errno == ENOTDIR
        ? MigrationError(.missing, path: path) : FileSystem.failure(.unreadable, path)
    }
    // The file behind a redirected stream has another name, and the user did not ask to change it.
    guard !FileSystem.isDescriptor(path) else { throw MigrationError(.notAFile, path: path) }
    switch status.kind {
    case .regular: return (resolved, status)
    case .directory: throw MigrationError(.isDirectory, path: path)
    default: throw MigrationError(.notAFile, path: path)
    }
  }

  /// The error for a file that does not begin as a database does, which says what it is if that is known.
  package static func notADatabase(
    _ path: String, _ resolved: String, isEmpty: Bool, size: Int64
  ) -> MigrationError {
    var error = MigrationError(.notADatabase, path: path, detail: isEmpty ? "it is empty" : nil)
    // SQLite deletes the log of an empty file, and every row with it.
    if isEmpty, let log = try? LogPages(ofLogAt: resolved + "-wal", pageSize: nil), log.pageCount != nil {
      error.detail = "it is empty, and all that is left is in the log beside it"
      error.advice = "Do not open it with another program: that deletes the log. Get its rows with: \(.salvage(path))"
      return error
    }
    guard let head = try? firstBytes(of: resolved, named: path, count: FileForm.headSize) else { return error }
    if hasConflict(head) {
      error.detail = "it has the marks of a merge conflict (<<<<<<<), and is neither of the two files"
      error.advice = "Choose one of the two, ours or theirs, with 'git checkout'."
      return error
    }
    guard let form = FileForm(head, size: size), form != .sqlite else { return error }
    error.detail = form.words
    error.advice = form.advice(forStoreAt: path)
    return error
  }

  /// Whether Git has merged the lines of two files: of pointers to them, or of the files themselves.
  private static func hasConflict(_ head: [UInt8]) -> Bool {
    let mark = Array("<<<<<<< ".utf8)
    return head.starts(with: mark)
      || FileForm(head) == .gitLFSPointer && head.firstRange(of: [0x0A] + mark) != nil
  }

  /// Whether a file begins as a database does.
  ///
  /// That it could not be opened, for its long path or for want of locks, does not make it something else.
  package static func isDatabase(_ resolvedPath: String) -> Bool {
    // What is read from a pipe is gone.
    guard FileStatus(resolvedPath)?.kind == .regular else { return false }
    return (try? firstBytes(of: resolvedPath, named: resolvedPath)).flatMap(DatabaseHeader.init) != nil
  }

  /// The error to report if the file has lost its name since it was inspected: another run has replaced it and made it
  /// unusable.
  func unlessReplaced(_ error: MigrationError) -> MigrationError {
    guard [.notADatabase, .notACoreDataStore, .damaged].contains(error.code),
      FileStatus(resolvedPath)?.isSameFile(as: status) == false
    else { return error }
    return MigrationError(.changedMeanwhile, path: path)
  }

  /// The size of the file in bytes, without its write-ahead log.
  package var size: Int64 { status.size }

  /// The size in bytes of the write-ahead log, whose changes are not yet in the file itself; 0 if there is none.
  package var writeAheadLogSize: Int64 { FileStatus(resolvedPath + "-wal")?.size ?? 0 }

  /// The size of the file and its write-ahead log in bytes, without overflow: both may be sparse files.
  var sizeWithLog: Int64 {
    let (sum, overflow) = size.addingReportingOverflow(writeAheadLogSize)
    return overflow ? .max : sum
  }

  /// Whether there is a write-ahead log, even an empty one.
  ///
  /// It belongs to another program then, and must not be removed.
  var hasWriteAheadLog: Bool { FileSystem.exists(resolvedPath + "-wal") }

  /// Whether there is a rollback journal that may belong to an unfinished transaction.
  ///
  /// SQLite clears the first byte of a journal that it keeps after a transaction (`journal_mode=PERSIST`). A journal that
  /// cannot be read counts.
  private var hasHotJournal: Bool { (try? mayHaveHotJournal()) ?? true }

  /// The same, for cases where a wrong answer would be reported.
  ///
  /// - Throws: `MigrationError` if that cannot be determined.
  func mayHaveHotJournal() throws(MigrationError) -> Bool {
    let journal = resolvedPath + "-journal"
    guard try FileSystem.isThere(journal), let status = FileStatus(journal), status.kind == .regular, status.size > 0
    else { return false }
    return try Self.firstBytes(of: journal, named: path).first != 0
  }

  /// Whether the file keeps its changes in a write-ahead log.
  package var usesWriteAheadLog: Bool { header.usesWriteAheadLog || writeAheadLogSize > 0 }

  /// Whether SQLite reads the file and never writes to it.
  package var isReadOnlyFormat: Bool { header.isReadOnlyFormat }

  /// The size of a database's header.
  private static let headerSize = 100

  private static func firstBytes(
    of resolved: String, named path: String, count: Int = headerSize, requiresLocks: Bool = false
  ) throws(MigrationError) -> [UInt8] {
    let descriptor = try FileSystem.openFile(resolved, O_RDONLY, orThrow: .unreadable, path)
    defer { close(descriptor) }
    if requiresLocks { try FileSystem.requireLocks(descriptor, named: path) }
    var bytes = [UInt8](repeating: 0, count: count)
    guard let count = FileSystem.read(descriptor, into: &bytes) else { throw FileSystem.failure(.unreadable, path) }
    return Array(bytes.prefix(count))
  }
}

extension StoreFile {
  /// Opens the store for reading without changing it or its write-ahead log.
  ///
  /// A log with changes is always read. If it cannot be read, or not all of it, that is an error, because without it the
  /// store would look older than it is.
  package func openForReading(busyTimeout: Int32) throws(MigrationError) -> (Connection, Connection.Access) {
    try requireSoundCompanions()
    try WriteAheadLog.requireWhole(self)
    var firstError: SQLiteError?
    for access in readingAccesses {
      do {
        let connection = try Connection(path: resolvedPath, access: access, busyTimeout: busyTimeout)
        // A reader does not checkpoint, not even what others add to the log meanwhile.
        connection.keepWriteAheadLogOnClose()
        connection.acceptUnknownCollations()
        try connection.execute("PRAGMA query_only = 1")
        // SQLite opens files lazily: only a read shows whether it works.
        try connection.readSchema()
        return (connection, access)
      } catch {
        guard error.code != SQLiteError.interrupted else {
          throw MigrationError(.damaged, path: path, detail: "its schema seems to have more entries than fit into it")
        }
        let mayDiffer = [SQLiteError.cannotOpen, SQLiteError.readOnly, SQLiteError.permission].contains(error.code)
        let isDamage = [SQLiteError.corrupt, SQLiteError.notADatabase].contains(error.code) && !error.isOfSystem
        guard mayDiffer else {
          throw (isDamage ? Self.encryption(path, resolvedPath) : nil) ?? MigrationError(error, path: path)
        }
        firstError = firstError ?? error
      }
    }
    throw explain(firstError)
  }

  /// Reads the database of a file in which Core Data's own tables may be missing, so that no store can be opened.
  package func reading<Result>(
    busyTimeout: Int32 = 2000, _ work: (Connection) throws -> Result
  ) throws(MigrationError) -> Result {
    let sideFiles = WALFiles(ofStoreAt: resolvedPath)
    defer { sideFiles.removeUnlessInUse() }
    let connection = try openForReading(busyTimeout: busyTimeout).0
    defer { try? connection.close() }
    return try reporting(path: path) { try work(connection) }
  }

  /// The ways to open the file, best first.
  private var readingAccesses: [Connection.Access] {
    if writeAheadLogSize > 0 { return [.readOnly, .readWrite] }
    // A connection that can write would roll the journal back.
    if hasHotJournal { return [.readOnly] }
    // Reading in WAL mode requires the -wal and -shm files, which are created if possible. Otherwise, the file is read
    // without locks, and checked for changes by others when it is closed.
    guard header.usesWriteAheadLog else { return [.readOnly] }
    if access(resolvedPath, W_OK) == 0 { return [.readWrite, .readOnly, .immutable] }
    // A user who may not write to the store must not create these files: they would obstruct those who may.
    let areThere = ["-wal", "-shm"].allSatisfy { FileStatus(unresolved: resolvedPath + $0) != nil }
    return areThere ? [.readOnly, .immutable] : [.immutable]
  }

  /// Checks that SQLite's own files next to the store are regular files, if they exist, and that a journal is not damaged.
  ///
  /// SQLite does not read a log through a symbolic link or from a pipe. It would ignore some of these, and the store would
  /// look older than it is; or newer, if a transaction is not rolled back.
  func requireSoundCompanions() throws(MigrationError) {
    for suffix in ["-wal", "-journal", "-shm"] {
      guard try FileSystem.isThere(resolvedPath + suffix), let status = FileStatus(unresolved: resolvedPath + suffix),
        status.kind != .regular
      else { continue }
      let detail = status.kind == .link ? "it is a symbolic link" : "it is not a regular file"
      var error =
        suffix == "-wal"
        ? MigrationError(.unreadableWriteAheadLog, path: path, detail: detail)
        : MigrationError(.unreadable, path: path + suffix, detail: detail)
      error.advice =
        suffix == "-wal"
        ? "Put the log itself there, or move this away if it is none; then run the command again."
        : "Nothing was changed. Move it away and run this again."
      throw error
    }
    try JournalPages.requireWhole(self)
  }

  /// The error for a damaged file whose pages have no pattern after the header, which some kinds of encryption leave
  /// readable; `nil` if they have one.
  package static func encryption(_ path: String, _ resolved: String) -> MigrationError? {
    guard let head = try? firstBytes(of: resolved, named: path, count: FileForm.headSize),
      FileForm.isNoise(head.dropFirst(headerSize))
    else { return nil }
    var error = MigrationError(.notADatabase, path: path, detail: FileForm.encrypted.words)
    error.advice = FileForm.encrypted.advice(forStoreAt: path)
    return error
  }

  private func explain(_ error: SQLiteError?) -> MigrationError {
    if let error, error.isOfSystem { return MigrationError(error, path: path) }
    if let refused = refusedCompanion(R_OK) { return refused }
    if writeAheadLogSize > 0 {
      return MigrationError(.unreadableWriteAheadLog, path: path, detail: error?.message)
    }
    if hasHotJournal { return MigrationError(.unfinishedTransaction, path: path) }
    return error.map { MigrationError($0, path: path) } ?? MigrationError(.unreadable, path: path)
  }

  /// An error about a file of SQLite next to the store that this user may not use, if there is one.
  func refusedCompanion(_ right: Int32) -> MigrationError? {
    for suffix in ["-wal", "-shm", "-journal"] where FileStatus(unresolved: resolvedPath + suffix) != nil {
      guard access(resolvedPath + suffix, right) != 0, errno == EACCES else { continue }
      var error = MigrationError(.unreadable, path: path + suffix, detail: String(cString: strerror(EACCES)))
      error.advice = "No data was changed. \(FileAccess.advice(for: path + suffix, at: resolvedPath + suffix))"
      return error
    }
    return nil
  }

  /// The error for a user who may not write to the file itself, whatever its folder allows.
  func refusedWriting(_ detail: String?) -> MigrationError {
    var error = MigrationError(.cannotReplace, path: path, detail: detail)
    guard access(resolvedPath, W_OK) != 0 else { return error }
    switch errno {
    case EACCES: error.advice = "Nothing was changed. \(FileAccess.advice(for: path, at: resolvedPath))"
    case EPERM: error.advice = FileSystem.fixedAttributeAdvice(path).map { "Nothing was changed. \($0)" }
    case EROFS:
      error.advice = "Nothing was changed. Its file system is read-only: copy it to one that is not, and use the copy."
    default: break
    }
    return error
  }
}

/// Advice for a user who lacks permission to use a file.
private enum FileAccess {
  /// Only the owner can change the permissions.
  static func advice(for name: String, at path: String) -> String {
    guard let owner = FileStatus(path)?.userID, owner != geteuid() else {
      return "Give yourself permission to read and write it with: chmod u+rw \(ErrorMessage.shellPath(name))"
    }
    return "'\(name)' belongs to another user (\(owner)): run the command as that user, or ask them for permission to "
      + "read and write it."
  }
}

extension Connection {
  /// Reads the schema, but not forever: the pages of a hostile file can form a loop.
  ///
  /// - Throws: `SQLiteError`, with `interrupted` after some hundred thousand tables and indexes.
  fileprivate func readSchema() throws(SQLiteError) {
    var count = 0
    onProgress(every: 500_000) {
      count += 1
      return count > 10
    }
    defer { onProgress(every: 0, nil) }
    _ = try integer("SELECT count(*) FROM sqlite_schema")
  }
}

extension StoreFile {
  /// The number of other hard links to the file, which still lead to it after it has been replaced.
  ///
  /// - Parameter path: A name that does not count: the backup, which an interrupted run may have made already.
  package func hardLinkCount(besides path: String? = nil) -> Int {
    let status = FileStatus(resolvedPath) ?? status
    let isBackupThere = path.flatMap { FileStatus(unresolved: $0) }?.isSameFile(as: status) == true
    return max(0, Int(clamping: status.linkCount) - (isBackupThere ? 2 : 1))
  }
}

/// The first hundred bytes of an SQLite file.
package struct DatabaseHeader: Sendable {
  /// Whether the file keeps its changes in a write-ahead log.
  package let usesWriteAheadLog: Bool
  /// Whether SQLite reads the file and does not write to it, because the header names a newer format for that.
  let isReadOnlyFormat: Bool

  /// Reads a header; `nil` if these are not the first bytes of a database.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 100, bytes.starts(with: Array("SQLite format 3".utf8) + [0]) else { return nil }
    // Bytes 18 and 19: the file format write and read version; 2 means WAL (sqlite.org/fileformat.html).
    usesWriteAheadLog = bytes[18] == 2 || bytes[19] == 2
    isReadOnlyFormat = bytes[18] > 2
  }
}

/// Recognizes by name the files that belong to a library, or that this program creates next to one.
package enum StoreFileNames {
  /// A kind of file next to a library.
  enum Part: String, CaseIterable {
    case log = "the write-ahead log"
    case logIndex = "the index of the write-ahead log"
    case journal = "the rollback journal"
    case statistics = "the statistics"
    case rejects = "the rejects"
    case backup = "a backup"
    case replaced = "the library that 'restore' keeps"
    case externalData = "the external data files"

    /// Whether a run that replaces or creates the library may replace the file; of others, it makes further ones.
    var isReplaced: Bool { [.log, .logIndex, .journal, .statistics].contains(self) }
  }

  /// The part of a library that a file is by its name; `nil` if it is none.
  ///
  /// Both paths are resolved. The library itself is not a part.
  static func part(_ file: String, of library: String) -> Part? {
    let folder = ExternalDataFolder(ofStoreAt: library).path
    if FileSystem.areSame(file, folder) || FileSystem.suffix(of: file, after: folder + "/") != nil {
      return .externalData
    }
    guard let suffix = FileSystem.suffix(of: file, after: library) else { return nil }
    switch suffix {
    case "-wal": return .log
    case "-shm": return .logIndex
    case "-journal": return .journal
    case StoreCompanion.statisticsSuffix: return .statistics
    default: break
    }
    if suffix.hasPrefix(".rejects") { return .rejects }
    if suffix.hasPrefix(".replaced") { return .replaced }
    return isOfBackup(suffix) ? .backup : nil
  }

  /// Whether what follows a library's name makes it the name of a backup, of any version, of its statistics, or of one of
  /// SQLite's files next to one.
  private static func isOfBackup(_ suffix: Substring) -> Bool {
    guard suffix.utf8.first == UInt8(ascii: ".") else { return false }
    var rest = suffix.dropFirst()
    if let companion = ["-wal", "-shm", "-journal", StoreCompanion.statisticsSuffix].first(where: { rest.hasSuffix($0) }
    ) {
      rest = rest.dropLast(companion.count)
    }
    return !rest.utf8.contains { [UInt8(ascii: "."), UInt8(ascii: "/")].contains($0) } && BackupName(rest) != nil
  }

  /// Returns the reason why a new file cannot have a name that belongs to something else; `nil` if it can.
  ///
  /// - Parameter path: The resolved path of the file.
  static func reservation(_ path: String) -> String? {
    if isTemporary(path) { return "this is a name of temporary files" }
    // SQLite treats such a file as part of that database, and removes it.
    for suffix in ["-wal", "-shm", "-journal"] where path.hasSuffix(suffix) {
      let database = String(path.dropLast(suffix.count))
      guard let status = FileStatus(database), status.kind == .regular else { continue }
      if status.size == 0 || StoreFile.isDatabase(database) {
        return "this name belongs to the database '\(database)'"
      }
    }
    return nil
  }

  /// Whether a folder is a model or a mapping model, by its name.
  static func isModelFolder(_ path: String) -> Bool {
    [".xcdatamodeld", ".xcdatamodel", ".momd", ".xcmappingmodel"].contains { path.hasSuffix($0) }
  }

  /// Whether a file is a compiled model or mapping model, by its name.
  static func isCompiledModel(_ path: String) -> Bool { [".mom", ".omo", ".cdm"].contains { path.hasSuffix($0) } }

  /// The longest path that SQLite opens, in bytes: its limit of 512 less the suffix of a journal.
  private static let longestPath = 504

  /// Checks that SQLite can open a store at a path: it makes every path absolute, and says only that it cannot.
  ///
  /// - Parameters:
  ///   - path: The resolved path.
  ///   - name: The store as the user named it, for messages.
  static func requireUsableLength(
    _ path: String, named name: String, orThrow code: MigrationError.Code
  ) throws(MigrationError) {
    let count = path.pathBytes.count
    guard count > longestPath else { return }
    let file = isTemporary(path) ? "the path of the hidden file next to it" : "its path"
    var error = MigrationError(
      code, path: name,
      detail:
        "\(file) has \(count) bytes, and SQLite opens none of more than \(longestPath): its limit is 512 with the "
        + "name of a journal")
    error.advice = "Nothing was changed. Use a folder with a shorter path."
    throw error
  }

  /// Whether a name is one of this program's hidden temporary files.
  package static func isTemporary(_ path: String) -> Bool {
    let name = FileSystem.split(path).name
    return name.hasPrefix(".") && name.contains(".tracks-migrate")
  }
}
