package import MigrationDiagnostics

/// The mark of a model's current version, which is easily forgotten when a version is added.
package enum CurrentMark {
  /// The remark about versions that come after the marked one by their names; `nil` if there are none.
  ///
  /// - Parameters:
  ///   - current: The version that the model marks as current.
  ///   - names: All versions, in the order of the bundle.
  package static func remark(_ current: String, among names: [String]) -> Advice? {
    let later = names.filter { VersionOrder.isLater($0, than: current, among: names) }.map { "'\($0)'" }
    guard let last = later.last else { return nil }
    let list = later.count == 1 ? last : later.dropLast().joined(separator: ", ") + " and \(last)"
    let verb = later.count == 1 ? "comes" : "come"
    return "'\(current)' is marked as the current version, and \(list) \(verb) after it. "
      + "Mark another one in Xcode if this was forgotten, or name the version with \(.version)."
  }
}

extension StoreMigration {
  /// The remark about versions after the current one, if the migration takes that because it is marked.
  package var currentMarkRemark: Advice? {
    guard takesCurrentVersion, let destinationVersionName else { return nil }
    return CurrentMark.remark(destinationVersionName, among: versions.map(\.name))
  }
}
