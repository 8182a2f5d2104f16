internal import DataModel

extension MappingModelFileProblem: CustomStringConvertible {
  /// What is wrong, in a few words that need no full stop.
  public var description: String {
    switch self {
    case .notFound: "there is no such file"
    case .unreadable(let reason): "the file cannot be read: \(reason)"
    case .tooLarge(let limit): "the file is larger than \(limit >> 20) MiB"
    case .notUTF8: "the file is not text in UTF-8"
    case .malformedXML: "the XML is not well-formed"
    case .declaresEntities: "the XML declares entities of its own"
    case .tooComplex(let limit): "the XML has more than \(limit) elements, or nests them too deeply"
    case .notAMappingModel(let found): "the file is not a mapping model: \(found)"
    case .severalMappingModels: "the file holds several mapping models"
    case .duplicateObject(let identifier): "two objects have the id '\(identifier)'"
    case .repeatedAttribute(let object, let attribute): "\(object) has '\(attribute)' twice"
    case .missingAttribute(let object, let attribute): "\(object) has no '\(attribute)'"
    case .badValue(let object, let attribute, let value, let expected):
      "\(object) has '\(value)' as '\(attribute)', but \(expected) is expected there"
    case .badReference(let object, let relationship, let identifier):
      "\(object) refers to '\(identifier)' as one of its '\(relationship)', but there is no such object of that kind"
    case .archive(let problem): Self.archiveText(problem)
    case .unrepresentable(let subject, let key, let reason):
      "\(subject) has '\(key)', which is not supported: \(reason)"
    case .unusable(let findings): findings.map(\.description).joined(separator: "; ")
    case .unwritableExpression(let mapping, let property, let reason):
      "\(mapping), \(property): the expression cannot be written: \(reason)"
    case .unwritableText(let character):
      "the mapping model holds the control character \(character), which XML cannot hold"
    case .tooManyEntityMappings(let limit): "there are more than \(limit) entity mappings"
    }
  }

  /// What is wrong with an archive, of whatever it is one.
  static func archiveText(_ problem: ModelFileProblem) -> String {
    switch problem {
    case .notAnArchive(let reason): "this is no keyed archive: \(reason)"
    case .badArchivedValue(let subject, let key, let expected):
      "\(subject) has no usable value for '\(key)': \(expected) is expected there"
    case .unsupportedExpression(let subject, let className):
      "\(subject) holds a part of class \(className), which is not supported"
    case .archiveTooComplex(let limit):
      "the archive refers to its parts more than \(limit) times, or nests them too deeply"
    default: problem.problem
    }
  }
}
