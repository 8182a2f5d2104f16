/// How two values follow each other.
enum Order {
  case before
  case same
  case after

  init<Value: Comparable>(_ left: Value, _ right: Value) {
    self = left < right ? .before : left == right ? .same : .after
  }

  /// Compares text by its bytes in UTF-8, which is the order of its Unicode scalars and of SQLite's BINARY.
  init(text left: String, _ right: String) {
    if left.utf8.elementsEqual(right.utf8) {
      self = .same
    } else {
      self = left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
    }
  }

  var reversed: Order {
    switch self {
    case .before: .after
    case .same: .same
    case .after: .before
    }
  }
}
