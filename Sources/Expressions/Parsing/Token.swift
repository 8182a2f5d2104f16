/// A piece of a format.
struct Token {
  /// What it is.
  let kind: Kind
  /// The first and the last byte, in UTF-8.
  let range: Range<Int>

  enum Kind: Equatable {
    case end
    case symbol(Symbol)
    /// A keyword, or a key; `#word` is always a key.
    case keyword(Keyword, String)
    case key(String)
    /// A name with its colons, such as `add:to:`.
    case selector(String)
    case variable(String)
    /// `@count` without the sign.
    case collectionOperator(String)
    /// Without a sign. The smallest number needs one more than the largest has.
    case integer(UInt64)
    case real(Double)
    case string(String)
    case placeholder(Placeholder)
  }
}
