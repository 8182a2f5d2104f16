/// A property list value.
///
/// Two values are equal where their content is, with dictionaries compared in the order of their keys: equal values
/// give the same bytes.
public indirect enum PropertyList: Sendable, Hashable {
  /// The null object.
  ///
  /// Only binary property lists can hold it, and Apple's own tools hardly ever write it.
  case null
  case boolean(Bool)
  case integer(Int64)
  /// An integer that does not fit into 64 bits with a sign, such as the upper half of `UInt64`.
  case wideInteger(Int128)
  case real(Double)
  /// Seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  case data([UInt8])
  case string(String)
  case array([PropertyList])
  case dictionary(PropertyListDictionary)
  /// A reference to an object of a keyed archive, see ``KeyedArchive``.
  case uid(UInt64)
}
