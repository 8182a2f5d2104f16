/// Something that a person should know about a migration that succeeded.
public struct Finding: Sendable, Hashable {
  /// A stable name for the kind of finding.
  public let id: String
  /// One sentence.
  public let summary: String

  /// Creates a finding.
  public init(id: String, summary: String) {
    self.id = id
    self.summary = summary
  }
}
