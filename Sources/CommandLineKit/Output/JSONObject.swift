/// A JSON object whose keys stand in the order in which they were added.
public struct JSONObject: Sendable {
  private var members: [UInt8] = []

  /// Builds an object.
  public init(_ build: (inout JSONObject) -> Void) {
    build(&self)
  }

  /// The object on one line.
  public var text: String { "{\(String(decoding: members, as: UTF8.self))}" }

  /// Adds a member with a plain value.
  public mutating func add(_ key: String, _ value: FieldValue) {
    begin(key)
    JSONText.append(value, to: &members)
  }

  /// Adds a member that is an object.
  public mutating func add(_ key: String, object: JSONObject) {
    begin(key)
    members.append(contentsOf: object.text.utf8)
  }

  /// Adds a member that is an array of objects.
  public mutating func add(_ key: String, objects: [JSONObject]) {
    begin(key)
    members.append(contentsOf: "[\(objects.map(\.text).joined(separator: ","))]".utf8)
  }

  private mutating func begin(_ key: String) {
    if !members.isEmpty { members.append(UInt8(ascii: ",")) }
    JSONText.append(key, to: &members)
    members.append(UInt8(ascii: ":"))
  }
}
