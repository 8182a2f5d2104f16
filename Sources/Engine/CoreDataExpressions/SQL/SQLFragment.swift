/// A piece of SQL with its arguments in order.
///
/// Fragments are built by interpolation, which does not accept plain text, so no name or value is ever unquoted:
///
///     let query: SQLFragment = "SELECT Z_PK FROM \(identifier: table) t0 WHERE \(condition)"
package struct SQLFragment: Sendable, Hashable {
  /// The SQL, with a `?` for each argument.
  package fileprivate(set) var sql = ""
  /// The values of the `?`.
  package fileprivate(set) var arguments: [SQLArgument] = []
  /// The functions that the SQL calls, which must be registered.
  package fileprivate(set) var functions: Set<SQLFunction> = []

  /// Appends a fragment.
  mutating func append(_ other: SQLFragment) {
    sql += other.sql
    arguments += other.arguments
    functions.formUnion(other.functions)
  }

  /// Joins conditions.
  ///
  /// SQLite parses a chain as a lopsided tree of limited depth, so a long chain is split into halves.
  static func join(_ parts: ArraySlice<SQLFragment>, _ word: SQLFragment) -> SQLFragment {
    guard parts.count > 8 else {
      return parts.dropFirst().reduce(parts.first ?? "") { "\($0) \(word) \($1)" }
    }
    let middle = parts.startIndex + parts.count / 2
    return "(\(join(parts[..<middle], word))) \(word) (\(join(parts[middle...], word)))"
  }
}

extension SQLFragment: ExpressibleByStringInterpolation {
  /// Creates a fragment from SQL in source code.
  package init(stringLiteral value: StaticString) {
    sql = value.description
  }

  /// Creates a fragment from its pieces.
  package init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.fragment
  }

  /// Collects the pieces of a fragment.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var fragment = SQLFragment()

    /// Creates an empty fragment.
    package init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends SQL.
    package mutating func appendLiteral(_ literal: StaticString) {
      fragment.sql += literal.description
    }

    /// Appends a fragment.
    package mutating func appendInterpolation(_ other: SQLFragment) {
      fragment.append(other)
    }

    /// Appends a quoted name.
    package mutating func appendInterpolation(identifier name: String) {
      fragment.sql +=
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// Appends a `?` for a value.
    package mutating func appendInterpolation(argument: SQLArgument) {
      fragment.sql += "?"
      fragment.arguments.append(argument)
    }

    /// Appends the name of a function that the caller registers.
    mutating func appendInterpolation(function: SQLFunction) {
      fragment.sql += function.name
      fragment.functions.insert(function)
    }
  }
}

/// A value for a `?` of SQL.
package enum SQLArgument: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}
