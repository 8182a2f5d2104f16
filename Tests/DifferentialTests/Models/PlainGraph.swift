import DataModel

/// The contents of a store in memory: instances and the links between them.
struct PlainGraph: Equatable {
  struct Object: Equatable {
    var entity: String
    /// The identifier that stays the same through all migrations.
    let uid: Int64
    var values: [String: Cell] = [:]
    /// The destinations of each relationship in order.
    var links: [String: [Int64]] = [:]
  }

  /// The instances by `uid`.
  var objects: [Int64: Object] = [:]

  var uids: [Int64] { objects.keys.sorted() }

  /// Returns a line for each value and relationship.
  ///
  /// - Parameters:
  ///   - ordered: The relationships whose order matters.
  ///   - ignored: The relationships whose contents are undefined.
  func lines(ordered: Set<String>, ignoring ignored: Set<String>) -> [String] {
    uids.compactMap { objects[$0] }.flatMap { object in
      ["\(object.entity)#\(object.uid)"]
        + object.values.sorted { $0.key < $1.key }.map { "\(object.entity)#\(object.uid).\($0.key) = \($0.value)" }
        + object.links.sorted { $0.key < $1.key }.filter { !ignored.contains($0.key) && !$0.value.isEmpty }.map {
          "\(object.entity)#\(object.uid).\($0.key) -> \(ordered.contains($0.key) ? $0.value : $0.value.sorted())"
        }
    }
  }
}

extension PlainGraph: CustomStringConvertible {
  var description: String {
    lines(ordered: Set(objects.values.flatMap(\.links.keys)), ignoring: []).joined(separator: "\n")
  }
}
