// Hot: yajl calls these for every token. The context is a bare pointer to the parser, which outlives the feed that runs
// them (it is the one feeding), so nothing is retained or released on the way.

import CYajl

/// The functions that yajl calls.
enum YajlCallbacks {
  /// The table, in memory that stays where it is: yajl keeps the pointer.
  ///
  /// It is written once, before anybody can see it, and never freed; that makes it safe to share.
  nonisolated(unsafe) static let table: UnsafePointer<yajl_callbacks> = {
    let table = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    table.initialize(
      to: yajl_callbacks(
        yajl_null: { context in on(context) { $0.null() } },
        yajl_boolean: { context, value in on(context) { $0.boolean(value != 0) } },
        yajl_integer: nil,
        yajl_double: nil,
        yajl_number: { context, text, count in
          on(context) { $0.number(UnsafeRawBufferPointer(start: text, count: count)) }
        },
        yajl_string: { context, text, count in
          on(context) { $0.string(UnsafeRawBufferPointer(start: text, count: count)) }
        },
        yajl_start_map: { context in on(context) { $0.startObject() } },
        yajl_map_key: { context, text, count in
          on(context) { $0.key(UnsafeRawBufferPointer(start: text, count: count)) }
        },
        yajl_end_map: { context in on(context) { $0.endObject() } },
        yajl_start_array: { context in on(context) { $0.startArray() } },
        yajl_end_array: { context in on(context) { $0.endArray() } }))
    return UnsafePointer(table)
  }()

  /// Runs a method of the parser behind the context; false cancels.
  @inline(__always)
  private static func on(_ context: UnsafeMutableRawPointer?, _ event: (YajlParser) -> Bool) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<YajlParser>.fromOpaque(context)._withUnsafeGuaranteedRef { event($0) ? 1 : 0 }
  }
}
