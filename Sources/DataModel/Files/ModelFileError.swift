/// Why the file of a model is not usable, with the place.
public struct ModelFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file or bundle, as it was named.
  public var file: String
  /// The line, where there is one.
  public var line: Int?
  /// What is wrong.
  public var problem: ModelFileProblem

  /// Creates an error.
  public init(_ problem: ModelFileProblem, file: String, line: Int? = nil) {
    self.file = file
    self.line = line
    self.problem = problem
  }

  /// The place, what is wrong there, and what to do about it.
  public var description: String {
    "\(file):\(line.map { "\($0):" } ?? "") \(problem)"
  }
}
