public import DataModel
public import Diagnostics

extension MigrationError {
  /// What is wrong with a model's file, as an error of a migration.
  public init(_ error: ModelFileError) {
    let code: Code =
      switch error.problem {
      case .notFound: .missingModel
      case .unknownVersion, .currentVersionUnset: .unknownModelVersion
      default: .unusableModel
      }
    self.init(code, path: error.file)
    guard code != .missingModel else { return }
    let problem = error.problem.problem
    let sentence = problem.hasSuffix(".") ? String(problem.dropLast()) : problem
    detail = error.line.map { "line \($0): \(sentence)" } ?? sentence
    advice = code == .unknownModelVersion ? nil : error.problem.advice
  }
}
