public import DataModel

/// What can be wrong with the file of a mapping model.
///
/// The raw facts; the sentences are in `description`.
public enum MappingModelFileProblem: Error, Sendable, Hashable {
  // The file as such.
  case notFound
  case unreadable(String)
  case tooLarge(limit: Int)
  case notUTF8
  case malformedXML
  case declaresEntities
  case tooComplex(limit: Int)

  // What an xcmapping.xml says.
  /// The file is about something else.
  case notAMappingModel(String)
  case severalMappingModels
  case duplicateObject(identifier: String)
  case repeatedAttribute(object: String, attribute: String)
  case missingAttribute(object: String, attribute: String)
  case badValue(object: String, attribute: String, value: String, expected: String)
  /// A reference leads nowhere, or to an object of another kind.
  case badReference(object: String, relationship: String, identifier: String)

  // What a compiled mapping model says.
  /// The file is no archive, or not of what is expected there.
  case archive(ModelFileProblem)
  /// The archive holds something that entity mappings have no place for.
  case unrepresentable(subject: String, key: String, reason: String)

  /// The mapping model cannot be used with its models, for these reasons.
  case unusable([MappingModelFinding])

  // Writing.
  case unwritableExpression(mapping: String, property: String, reason: String)
  case unwritableText(String)
  case tooManyEntityMappings(limit: Int)

  /// Translates what can be wrong with the files of models too.
  init(_ problem: ModelFileProblem) {
    switch problem {
    case .notFound: self = .notFound
    case .unreadable(let reason): self = .unreadable(reason)
    case .tooLarge(let limit): self = .tooLarge(limit: limit)
    case .notUTF8: self = .notUTF8
    case .declaresEntities: self = .declaresEntities
    case .malformedXML: self = .malformedXML
    case .tooComplex(let limit): self = .tooComplex(limit: limit)
    default: self = .archive(problem)
    }
  }
}
