public import Diagnostics

/// Why the file of a mapping model is not usable, with the place.
public struct MappingModelFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file, as it was named.
  public var file: String
  /// The line, where there is one.
  public var line: Int?
  /// What is wrong.
  public var problem: MappingModelFileProblem

  init(_ problem: MappingModelFileProblem, file: String, line: Int? = nil) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  /// The place, and what is wrong there.
  public var description: String {
    "\(file):\(line.map { "\($0):" } ?? "") \(problem)"
  }

  /// The error as the migration and the command line report it.
  public var migrationError: MigrationError {
    switch problem {
    case .notFound: MigrationError(.missing, path: file)
    case .unreadable(let reason): MigrationError(.unreadable, path: file, detail: reason)
    default:
      MigrationError(
        isAboutFit ? .invalidMappingModel : .unusableMappingModel, path: file,
        detail: (line.map { "line \($0): " } ?? "") + "\(problem)")
    }
  }

  /// Whether the file as such is in order, and only does not fit its models.
  private var isAboutFit: Bool {
    if case .unusable = problem { true } else { false }
  }
}
