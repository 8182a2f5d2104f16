internal import MigrationDiagnostics
internal import SystemC

/// The statistics and rejects beside a library whose name a backup gets.
///
/// Those of the backup have the backup's name and go with it; those of the library tell what made it, and go with that.
struct RestoredCompanions {
  /// The backup.
  let backup: String
  /// The library's path.
  let library: String
  /// The new path of the library; `nil` if it is removed.
  let replaced: String?
  /// Whether there is a library.
  var hasLibrary = true

  /// The moves, in an order in which each finds its new name free.
  ///
  /// Whenever this is interrupted, the files are beside their libraries or beside the names that these had.
  var moves: [UndoLog.Move] {
    let suffix = StoreCompanion.statisticsSuffix
    let hasOwn = FileStatus(unresolved: backup + suffix)?.kind == .regular
    var moves: [UndoLog.Move?] = []
    let isRecorded = FileStatus(unresolved: library + suffix)?.kind == .regular && origin(library + suffix) != nil
    if hasOwn || hasLibrary && isRecorded {
      moves.append(UndoLog.Move(library + suffix, to: replaced.map { $0 + suffix }))
      // Removed with a library that is not kept, rejects might be the only copy of what was rejected.
      if hasLibrary, let replaced, let name = rejectsName(library), !isShared(name) {
        moves.append(move(named: name, from: library, to: replaced))
      }
    }
    if hasOwn {
      moves.append(UndoLog.Move(backup + suffix, to: library + suffix))
      if let name = rejectsName(backup) { moves.append(move(named: name, from: backup, to: library)) }
    }
    return moves.compactMap(\.self)
  }

  /// Makes the moves, and returns a warning if that fails.
  static func perform(_ moves: [UndoLog.Move]) -> [MigrationError] {
    do throws(MigrationError) {
      try UndoLog.perform(moves)
      return []
    } catch {
      var error = error
      error.advice = "The library is restored; its statistics or rejects are where they were."
      return [error]
    }
  }

  /// The move of the rejects that statistics name, if they are beside a store of this name.
  private func move(named name: String, from store: String, to newStore: String) -> UndoLog.Move? {
    guard let suffix = StoreCompanion.rejectsSuffix(of: name),
      FileStatus(unresolved: store + suffix)?.kind == .regular
    else { return nil }
    return UndoLog.Move(store + suffix, to: newStore + suffix)
  }

  private func origin(_ statistics: String) -> ResultOrigin? { try? ResultOrigin.recorded(inStatisticsAt: statistics) }

  private func rejectsName(_ store: String) -> String? { origin(store + StoreCompanion.statisticsSuffix)?.rejectsName }

  /// Whether other statistics name the same rejects: runs that reject the same have one file of them.
  private func isShared(_ name: String) -> Bool {
    let statistics = library + StoreCompanion.statisticsSuffix
    return (FileSystem.names(in: FileSystem.split(library).folder) ?? []).contains { file in
      let path = FileSystem.sibling(of: library, named: file)
      guard !FileSystem.areSame(path, statistics), FileSystem.suffix(of: path, after: library + ".") != nil,
        let store = path.hasSuffix(StoreCompanion.statisticsSuffix)
          ? String(path.dropLast(StoreCompanion.statisticsSuffix.count)) : nil,
        let other = origin(path)?.rejectsName
      else { return false }
      return FileSystem.areSame(
        StoreCompanion.rejectsPath(named: other, besideStoreAt: store),
        StoreCompanion.rejectsPath(named: name, besideStoreAt: library))
    }
  }
}
