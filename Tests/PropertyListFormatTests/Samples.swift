import PropertyListFormat

/// Values that between them use every kind of object and every size of count.
enum Samples {
  static let scalars: [PropertyList] = [
    .boolean(true), .boolean(false),
    .integer(0), .integer(1), .integer(127), .integer(128), .integer(255), .integer(256), .integer(65535),
    .integer(65536), .integer(4_294_967_295), .integer(4_294_967_296), .integer(.max), .integer(-1), .integer(-128),
    .integer(.min), .wideInteger(Int128(UInt64.max)), .wideInteger(Int128(Int64.max) + 1),
    .real(0), .real(-0.5), .real(1e300), .real(.infinity), .date(0), .date(-978_307_200), .date(726_000_000),
    .data([]), .data([0, 255, 7]), .data([UInt8](repeating: 7, count: 14)), .data([UInt8](repeating: 7, count: 15)),
    .data([UInt8](repeating: 9, count: 300)), .data([UInt8](repeating: 9, count: 70_000)),
    .string(""), .string("a"), .string("fourteen chars"), .string("fifteen letters"),
    .string(String(repeating: "x", count: 256)), .string("Zoë"), .string("Zoe\u{308}"), .string("🎵 и 漢字"),
    .string("NUL \0 inside"), .string(String(repeating: "ж", count: 300)), .string("\u{FEFF}BOM"),
  ]

  static let containers: [PropertyList] = [
    .array([]), .dictionary([:]), .array(scalars),
    .dictionary(["b": .integer(1), "a": .integer(2), "c": .array([.dictionary(["a": .string("b")])])]),
    .array((0..<300).map { .integer(Int64($0)) }),
    .array((0..<70_000).map { .string("\($0)") }),
    .dictionary(["\u{E9}": .integer(1), "e\u{301}": .integer(2)]),
    .array([.integer(1), .boolean(true), .real(1), .string("1"), .date(1), .data([1])]),
  ]

  static let all =
    scalars + containers + [
      .null, .uid(0), .uid(255), .uid(256), .uid(65535), .uid(65536), .uid(4_294_967_295),
      .uid(4_294_967_296), .uid(.max), .array([.uid(70_000)]),
    ]
}
