extension Parser {
  /// Keys and operators, with dots between them.
  mutating func path(after start: [KeyPathComponent] = []) throws(FormatError) -> [KeyPathComponent] {
    var path = start
    if start.isEmpty { path += try components() }
    while try take(.dot) { path += try components() }
    if case .collectionOperator(let last)? = path.last, last.needsPath {
      throw error(.missingOperatorPath(last.rawValue))
    }
    return path
  }

  private mutating func components() throws(FormatError) -> [KeyPathComponent] {
    let result: [KeyPathComponent]
    switch token.kind {
    // After a dot only a key can stand, so that no keyword needs its sign there.
    case .key(let name), .keyword(_, let name): result = [.key(name)]
    case .collectionOperator(let name): result = [.collectionOperator(try collectionOperator(name))]
    case .placeholder(.keyPath): return try keyPathArgument()
    default: throw unexpected("a key")
    }
    try advance()
    return result
  }

  /// Finds an operator by its name.
  func collectionOperator(_ name: String) throws(FormatError) -> CollectionOperator {
    guard let found = CollectionOperator(rawValue: name) else { throw error(.unknownCollectionOperator(name)) }
    return found
  }
}
