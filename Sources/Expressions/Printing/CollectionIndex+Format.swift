extension CollectionIndex {
  /// What stands in the brackets.
  var format: String {
    switch self {
    case .first: "FIRST"
    case .last: "LAST"
    case .size: "SIZE"
    case .position(let position): position.description
    }
  }
}
