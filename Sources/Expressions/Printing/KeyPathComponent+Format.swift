extension KeyPathComponent {
  /// The key, with `#` if it looks like a keyword, or the operator with its sign.
  var format: String {
    switch self {
    case .key(let name): (Keyword(word: name)?.isEscapedInPrint == true ? "#" : "") + name
    case .collectionOperator(let symbol): "@" + symbol.rawValue
    }
  }
}
