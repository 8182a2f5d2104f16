/// An error that a person has to read: what happened, to which thing, and why.
///
/// An error holds facts only. The sentences, and what to do next, are written in one place: `ErrorMessage`.
public struct MigrationError: Error, Sendable {
  /// What happened.
  public let code: Code
  /// What it happened to.
  public var subject: Subject
  /// Facts that only this case has, such as the words of SQLite or of the operating system.
  public var detail: String?
  /// What to do next, where only the one who found the error can tell; otherwise its code tells.
  public var advice: String?

  /// Further facts, each a clause: such as what could not be taken back.
  public var remarks: [String] = []

  /// Creates an error.
  public init(_ code: Code, _ subject: Subject = Subject(), detail: String? = nil) {
    self.code = code
    self.subject = subject
    self.detail = detail
  }

  /// What an error is about.
  ///
  /// All that is known is filled in.
  public struct Subject: Sendable, Hashable {
    /// The file, as the user named it.
    public var path: String?
    /// The entity, as its model names it.
    public var entity: String?
    /// The attribute or relationship.
    public var property: String?
    /// The primary key of the row.
    public var row: Int64?
    /// The name of the entity mapping or of the model version.
    public var name: String?

    /// Creates a subject.
    public init(
      path: String? = nil, entity: String? = nil, property: String? = nil, row: Int64? = nil, name: String? = nil
    ) {
      self.path = path
      self.entity = entity
      self.property = property
      self.row = row
      self.name = name
    }
  }
}

extension MigrationError {
  /// Creates an error about a file.
  public init(_ code: Code, path: String, detail: String? = nil) {
    self.init(code, Subject(path: path), detail: detail)
  }

  /// What an error means for a file that the user knows.
  package func about(_ path: String, as code: Code? = nil) -> MigrationError {
    var error = MigrationError(code ?? self.code, path: path, detail: detail)
    error.advice = advice
    error.remarks = remarks
    return error
  }
}
