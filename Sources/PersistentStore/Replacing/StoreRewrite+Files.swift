package import Diagnostics

extension StoreRewrite {
  /// Lets the result appear, with its companions and with the files of its large values.
  ///
  /// A store that is replaced keeps its name, and with it the folder of those files: nothing in there is ever written to
  /// again, so old and new store can share them. The backup and the new file of an output have other names, and get
  /// folders of their own, which are there before they are.
  ///
  /// - Parameter schema: The layout of the result.
  /// - Returns: What could not be made sure of afterwards.
  package func publish(
    _ store: LockedStore, filesOf schema: StoreSchema, companions: [StoreReplacement.Companion], backupPath: String?
  ) throws(MigrationError) -> [MigrationError] {
    let shared = try shareFiles(
      of: SupportFolder(ofStoreAt: store.file.resolvedPath), schema, backupPath: backupPath)
    do throws(MigrationError) {
      return try publish(store, companions: companions, backupPath: backupPath)
    } catch {
      shared?.takeBack()
      throw error
    }
  }

  private func shareFiles(
    of folder: SupportFolder, _ schema: StoreSchema, backupPath: String?
  ) throws(MigrationError) -> SharedFiles? {
    do throws(MigrationError) {
      guard try folder.isThere() else { return nil }
      if outputPath != nil {
        return try SharedFiles(try externalFiles(schema), of: folder, withStoreAt: target, by: staging)
      }
      return try backupPath.map { path throws(MigrationError) in
        try SharedFiles(folder.names(), of: folder, withStoreAt: path, by: staging)
      }
    } catch {
      var error = error
      // A name that is taken is about that name; everything else is about the store.
      if error.code != .outputExists { error.subject.path = outputPath ?? path }
      throw error
    }
  }

  /// The files that the new store names.
  private func externalFiles(_ schema: StoreSchema) throws(MigrationError) -> [String] {
    let store = try StoreReader(path: staging.path)
    let names = try store.externalFiles(in: schema).map(\.fileName)
    try store.close()
    return names
  }
}
