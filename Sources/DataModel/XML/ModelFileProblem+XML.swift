package import XMLStream

extension ModelFileProblem {
  /// What it means for a file of a model that it cannot be read as XML.
  package init(_ error: XMLStreamError) {
    switch error {
    case .tooLarge(let limit): self = .tooLarge(limit: limit)
    case .notUTF8: self = .notUTF8
    case .declaresEntities: self = .declaresEntities
    case .tooComplex(let limit): self = .tooComplex(limit: limit)
    case .malformed: self = .malformedXML
    }
  }
}
