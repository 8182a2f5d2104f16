public import DataModel
public import Diagnostics

extension ModelSource {
  /// Looks for what will lead to trouble in the versions of a bundle, and in the one that is asked for.
  ///
  /// - Parameter suggests: Whether to find also what would only be better otherwise.
  /// - Throws: `MigrationError` where there is no bundle; a store has no versions.
  public func lint(suggests: Bool = false) throws(MigrationError) -> [ModelFinding] {
    guard kind == .model else {
      throw MigrationError(.unusableModel, path: path, detail: "a store has no versions to compare")
    }
    let bundle = try bundle()
    do {
      return try bundle.lint(versionNamed: versionName, suggests: suggests)
    } catch {
      throw MigrationError(error)
    }
  }
}
