internal import DataModel

extension Set<String> {
  /// Whether any of some key paths begins with one of these names.
  func begin(_ paths: [String]) -> Bool {
    paths.contains { path in contains(String(path.prefix { $0 != "." })) }
  }

  /// Whether a format has one of these names in it, be it in quotes: rather one index too few than a broken one.
  func occur(in format: String?) -> Bool {
    format?.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { contains(String($0)) } ?? false
  }
}

extension AttributeDescription {
  /// Whether the store computes the value from any of some properties.
  func isDerived(from names: Set<String>) -> Bool {
    names.occur(in: derivationExpression) || names.occur(in: derivationFilterPredicate)
  }
}

extension FetchIndexDescription {
  /// Whether the index is about any of some properties.
  func isAbout(_ names: Set<String>) -> Bool {
    names.occur(in: partialIndexPredicate)
      || elements.contains { element in
        switch element.subject {
        case .property(let path): names.begin([path])
        case .expression(let text): names.occur(in: text)
        case .instance, .entity: false
        }
      }
  }
}
