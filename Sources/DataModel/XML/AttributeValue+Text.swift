internal import Foundation

extension AttributeValue {
  /// Reads a default value from the text that stands for it in a model.
  ///
  /// Xcode keeps the text of a default when an attribute gets another type, and Core Data reads it by the new one: "NO"
  /// is 0, "1.0" is true, and a fraction is cut off where there is no place for it.
  init?(xcodeDefault text: String, type: AttributeType) {
    let text = type == .string || type == .uri ? text : text.trimmingCharacters(in: .whitespaces)
    if let value = AttributeValue(xcodeText: text, type: type) {
      self = value
      return
    }
    guard let number = Double(text) ?? Bool(xcodeText: text).map({ $0 ? 1 : 0 }) else { return nil }
    let whole = Int64(exactly: number.rounded(.towardZero))
    switch type {
    case .boolean where whole != nil: self = .boolean(whole != 0)
    case .integer16, .integer32, .integer64:
      guard let whole else { return nil }
      self.init(xcodeText: "\(whole)", type: type)
    case .decimal, .double, .float: self = .double(number)
    default: return nil
    }
  }

  /// Reads a default value or a limit from the text that stands for it in a model.
  init?(xcodeText text: String, type: AttributeType) {
    switch type {
    case .integer16: self.init(integer: text, in: Int64(Int16.min)...Int64(Int16.max))
    case .integer32: self.init(integer: text, in: Int64(Int32.min)...Int64(Int32.max))
    case .integer64: self.init(integer: text, in: .min ... .max)
    case .decimal, .double, .float:
      guard let value = Double(text) else { return nil }
      self = .double(value)
    case .date:
      guard let value = Double(text) else { return nil }
      self = .date(value)
    case .string: self = .string(text)
    case .boolean:
      guard let value = Bool(xcodeText: text) else { return nil }
      self = .boolean(value)
    case .uuid:
      guard let uuid = UUID(uuidString: text) else { return nil }
      self = .uuid(withUnsafeBytes(of: uuid.uuid) { Array($0) })
    case .uri: self = .uri(text)
    case .undefined, .binaryData, .transformable, .objectID, .composite: return nil
    }
  }

  /// Xcode keeps "0.0" when an attribute turns from a fraction into an integer; that is still a whole number.
  private init?(integer text: String, in range: ClosedRange<Int64>) {
    guard let value = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0) }), range.contains(value) else {
      return nil
    }
    self = .integer(value)
  }

  /// The text that stands for this value in a model, if there is one.
  var xcodeText: String? {
    switch self {
    case .integer(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .date(let value): return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    case .string(let text), .uri(let text): return text
    case .boolean(let value): return value ? "YES" : "NO"
    case .uuid(let bytes):
      guard bytes.count == 16 else { return nil }
      return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
    case .data: return nil
    }
  }
}

extension AttributeType {
  /// What Xcode calls the text of a default value of this type; `nil` where there is none.
  var defaultTextName: String? {
    switch self {
    case .undefined, .binaryData, .transformable, .objectID, .composite: nil
    case .date: "defaultDateTimeInterval"
    default: "defaultValueString"
    }
  }
}
