/// The type of a `nil` that is written as a property's default.
///
/// It is never created otherwise; an optional property with another default would be one that is never nil.
public struct NilDefault: ExpressibleByNilLiteral, Sendable {
  /// Creates the nil.
  public init(nilLiteral: ()) {}
}
