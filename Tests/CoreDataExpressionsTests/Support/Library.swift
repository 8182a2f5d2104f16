import CoreDataExpressions

/// A track, its album and their surroundings, for tests of evaluation.
enum Library {
  static func context() -> EvaluationContext {
    let artists: [ExpressionValue] = [
      .object(TestObject(["name": "Bob", "age": 30, "tags": .collection(.set, ["x", "y"])])),
      .object(TestObject(["name": "Zoë", "age": 40, "tags": .collection(.set, ["y", "z"])])),
      .object(TestObject(["name": nil, "age": nil, "tags": nil])),
    ]
    let album = TestObject(["name": "Blue", "tracks": .collection(.set, []), "year": 1971])
    let track = TestObject([
      "title": "Été", "rating": 5, "length": 2.5, "liked": true, "gone": nil, "album": .object(album), "noAlbum": nil,
      "added": .date(100), "artists": .collection(.set, artists), "list": [3, 1, nil, 2], "map": .dictionary(["k": 7]),
      "size": 9, "code": .uuid(UUIDValue(bytes: [UInt8](repeating: 7, count: 16)) ?? UUIDValue.zero),
      "site": .url("https://a.b"), "raw": .data([1, 2]), "price": .decimal("1.10"),
      "cost": .real(1e-8),
    ])
    album.values["first"] = .object(track)
    return EvaluationContext(object: .object(track), variables: ["five": 5], clock: { 1000 })
  }

  static func value(_ format: String) throws -> ExpressionValue {
    try Expression(format: format).value(in: context())
  }

  static func isTrue(_ format: String) throws -> Bool {
    try Predicate(format: format).evaluate(in: context())
  }
}

extension UUIDValue {
  /// Sixteen zero bytes.
  static var zero: UUIDValue {
    guard let zero = UUIDValue(bytes: [UInt8](repeating: 0, count: 16)) else { preconditionFailure() }
    return zero
  }
}
