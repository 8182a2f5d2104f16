extension ExpressionValue: Hashable {
  /// Compares as `==` of the format language does.
  ///
  /// Numbers are equal by value, whatever their kind; text by its code units; objects if they are the same;
  /// sets whatever the order. Values of different kinds are unequal.
  public static func == (left: ExpressionValue, right: ExpressionValue) -> Bool {
    if let left = left.number, let right = right.number { return left.compare(right) == .some(.same) }
    switch (left, right) {
    case (.null, .null): return true
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)):
      return hasSameBytes(left, right)
    case (.date(let left), .date(let right)): return left == right
    case (.data(let left), .data(let right)): return left == right
    case (.uuid(let left), .uuid(let right)): return left == right
    case (.object(let left), .object(let right)): return left.identity == right.identity
    case (.collection(let leftKind, let left), .collection(let rightKind, let right)):
      return areEqual(left, leftKind, right, rightKind)
    case (.dictionary(let left), .dictionary(let right)): return left == right
    default: return false
    }
  }

  /// Compares text as bytes: `==` of strings takes composed and decomposed characters for the same.
  private static func hasSameBytes(_ left: String, _ right: String) -> Bool {
    left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
  }

  private static func areEqual(
    _ left: [ExpressionValue], _ leftKind: CollectionKind, _ right: [ExpressionValue], _ rightKind: CollectionKind
  ) -> Bool {
    guard leftKind == rightKind else { return false }
    return leftKind == .set ? Set(left) == Set(right) : left == right
  }

  /// Feeds what `==` compares.
  public func hash(into hasher: inout Hasher) {
    if let number {
      // Equal numbers of different kinds are the same real number.
      hasher.combine(number.real)
      return
    }
    switch self {
    case .string(var text), .url(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .date(let seconds): hasher.combine(seconds)
    case .data(let bytes): hasher.combine(bytes)
    case .uuid(let uuid): hasher.combine(uuid)
    case .object(let object): hasher.combine(object.identity)
    case .collection(_, let elements): hasher.combine(elements.count)
    case .dictionary(let values): hasher.combine(values.count)
    default: hasher.combine(0)
    }
  }
}
