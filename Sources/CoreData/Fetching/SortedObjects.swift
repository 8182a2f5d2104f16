internal import Expressions

/// Sorts handles as sort descriptors say.
enum SortedObjects {
  static func sorted(_ handles: [NSManagedObject], by descriptors: [NSSortDescriptor]) -> [NSManagedObject] {
    handles.enumerated().sorted { left, right in
      for descriptor in descriptors {
        switch descriptor.compare(left.element, to: right.element) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return left.offset < right.offset
    }.map(\.element)
  }

  /// Compares two instances by the value of a key path; values without an order count as the same.
  static func compare(_ left: NSManagedObject, _ right: NSManagedObject, by key: String) -> ComparisonResult {
    guard let left = ExpressionValue(any: left.value(forKeyPath: key)),
      let right = ExpressionValue(any: right.value(forKeyPath: key))
    else { return .orderedSame }
    if left.isBefore(right) { return .orderedAscending }
    return right.isBefore(left) ? .orderedDescending : .orderedSame
  }
}

extension ExpressionValue {
  fileprivate func isBefore(_ other: ExpressionValue) -> Bool { (try? precedesInSorting(other)) ?? false }
}
