public import Diagnostics

extension InferenceError {
  /// The same as an error of a migration, with all reasons in its detail.
  ///
  /// - Parameter path: The store that was to be migrated, as the user named it.
  public func migrationError(path: String? = nil) -> MigrationError {
    let only = reasons.count == 1 ? reasons.first : nil
    return MigrationError(
      .inferenceFailed, MigrationError.Subject(path: path, entity: only?.entity, property: only?.property),
      detail: only?.description ?? reasons.map { "\n  \($0)" }.joined())
  }
}
