internal import CSQLite

extension Connection {
  /// Makes a Swift function callable from SQL: it gets the text of its arguments and returns an integer or text.
  ///
  /// - Parameters:
  ///   - name: The function's name in SQL.
  ///   - argumentCount: How many arguments it takes.
  ///   - function: Gets `nil` for NULL. Equal arguments must give equal results.
  public func createFunction(
    _ name: String, argumentCount: Int32, _ function: @escaping ([String?]) -> FunctionResult
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(FunctionBox(function))
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    // SQLite releases the box itself when this fails, as it does when the function is replaced or the connection closed.
    try check(
      sqlite3_create_function_v2(
        handle, name, argumentCount, flags, box.toOpaque(),
        { context, count, values in
          guard let data = sqlite3_user_data(context) else { return }
          let box = Unmanaged<FunctionBox>.fromOpaque(data).takeUnretainedValue()
          let texts = (0..<Int(count)).map { index -> String? in
            guard let value = values?[index], let text = sqlite3_value_text(value) else { return nil }
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
            return String(decoding: bytes, as: UTF8.self)
          }
          switch box.function(texts) {
          case .null: sqlite3_result_null(context)
          case .integer(let integer): sqlite3_result_int64(context, integer)
          case .text(var text):
            text.withUTF8 { utf8 in
              utf8.withMemoryRebound(to: CChar.self) {
                csqlite_result_text_copy(context, $0.baseAddress, UInt64($0.count))
              }
            }
          }
        }, nil, nil, { data in data.map { Unmanaged<FunctionBox>.fromOpaque($0).release() } }))
    functionNames.insert(name)
  }

  /// Whether `createFunction` has made a function of this name.
  package func hasFunction(named name: String) -> Bool { functionNames.contains(name) }
}

/// What a function returns to SQL.
public enum FunctionResult: Sendable {
  case null
  case integer(Int64)
  case text(String)
}

/// Keeps a function alive for as long as SQLite may call it.
private final class FunctionBox {
  let function: ([String?]) -> FunctionResult

  init(_ function: @escaping ([String?]) -> FunctionResult) {
    self.function = function
  }
}
