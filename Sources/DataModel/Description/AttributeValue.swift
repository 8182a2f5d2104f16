/// A value that an attribute can hold.
///
/// The absence of a value is `nil`, as in Core Data.
public enum AttributeValue: Sendable, Hashable {
  case integer(Int64)
  case double(Double)
  case string(String)
  case boolean(Bool)
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case data([UInt8])
  /// Sixteen bytes.
  case uuid([UInt8])
  /// An absolute URL, as text.
  case uri(String)
}
