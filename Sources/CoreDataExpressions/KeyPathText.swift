extension [KeyPathComponent] {
  /// Reads a key path as archives hold it: without the marks that the format language needs.
  package init?(keyPath text: String) {
    self = []
    for name in text.split(separator: ".", omittingEmptySubsequences: false) {
      if name.hasPrefix("@") {
        guard let found = CollectionOperator(rawValue: String(name.dropFirst())) else { return nil }
        append(.collectionOperator(found))
      } else {
        guard !name.isEmpty else { return nil }
        append(.key(String(name)))
      }
    }
    if case .collectionOperator(let last)? = last, last.needsPath { return nil }
  }

  /// The key path as archives hold it, or `nil` if that could not be read again.
  package var keyPathText: String? {
    let text = map { component in
      switch component {
      case .key(let name): name
      case .collectionOperator(let name): "@" + name.rawValue
      }
    }.joined(separator: ".")
    return [KeyPathComponent](keyPath: text) == nil ? nil : text
  }
}
