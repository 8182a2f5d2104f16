/// What the parser has understood so far: the grammar has one set of parentheses for expressions and conditions, so
/// that only their content tells which they are.
struct Node {
  let content: Content
  /// How many levels the tree has: bounded, because whoever walks the tree later does so by recursion.
  let height: Int
  /// Where it begins.
  let offset: Int

  enum Content {
    case expression(Expression)
    case predicate(Predicate)
  }
}

/// A part of a tree, with its height.
struct Sized<Value> {
  let value: Value
  let height: Int
}
