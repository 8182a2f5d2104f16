/// A value for a `?` of SQL.
public enum SQLArgument: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}
