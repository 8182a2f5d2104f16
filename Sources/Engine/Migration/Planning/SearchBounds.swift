package import MigrationDiagnostics

/// The bounds of a search for mapping models, behind which there may be some that it did not see.
package struct SearchBounds: Sendable, Hashable {
  /// The topmost folders, each with the reason for ending there.
  var ends: [String] = []
  /// The folders below them that were not looked into.
  var passedOver: [String] = []
  /// Whether the number of folders did not end the search.
  var isComplete = true

  /// Adds the bounds of another search for the same mapping models.
  mutating func add(_ other: SearchBounds) {
    ends += other.ends.filter { !ends.contains($0) }
    passedOver += other.passedOver
    isComplete = isComplete && other.isComplete
  }

  /// The bounds for people who miss a mapping model; `nil` if there are none.
  package var remark: Advice? {
    let shown = passedOver.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    let rest = passedOver.count > 3 ? " and \(passedOver.count - 3) more" : ""
    let parts = [
      ends.isEmpty ? nil : "ended at \(ends.joined(separator: " and "))",
      isComplete ? nil : "stopped after \(SearchedPlace.folderLimit) folders",
      passedOver.isEmpty ? nil : "passed over \(shown)\(rest)",
    ].compactMap(\.self)
    guard let last = parts.last else { return nil }
    let others = parts.count > 1 ? "\(parts.dropLast().joined(separator: ", ")) and " : ""
    return
      "the search for mapping models \(others)\(last); if there is one elsewhere, name its folder "
      + "with \(.mapping)"
  }
}
