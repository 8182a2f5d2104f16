/// A value that the format language can write down.
public enum Literal: Sendable, Hashable {
  /// `nil`.
  case null
  /// `YES` or `NO`.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A number with a fraction or an exponent.
  case real(Double)
  /// Text in quotes.
  case string(String)

  /// Compares text by its code units: Swift's own comparison would take a composed and a decomposed é for the same.
  public static func == (left: Literal, right: Literal) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    default: false
    }
  }

  /// Feeds what `==` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .string(let value): value.utf8.forEach { hasher.combine($0) }
    }
  }
}
