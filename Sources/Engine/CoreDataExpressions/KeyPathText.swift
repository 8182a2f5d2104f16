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

  /// The key path as archives hold it, or `nil` if they would hold another one.
  ///
  /// A key with points, which leads to an element of a composite attribute, is read as the keys between them.
  package var keyPathText: String? {
    var keys: [KeyPathComponent] = []
    let text = map { component in
      switch component {
      case .key(let name):
        keys += name.split(separator: ".", omittingEmptySubsequences: false).map { .key(String($0)) }
        return name
      case .collectionOperator(let name):
        keys.append(component)
        return "@" + name.rawValue
      }
    }.joined(separator: ".")
    return [KeyPathComponent](keyPath: text) == keys ? text : nil
  }
}
