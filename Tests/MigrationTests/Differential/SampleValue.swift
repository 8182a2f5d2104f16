import DataModel
import TestSupport

/// Values of all types, as literals of SQL and as defaults of attributes.
enum SampleValue {
  static func standard(_ type: AttributeType) -> AttributeValue? {
    switch type {
    case .integer16, .integer32, .integer64: .integer(41)
    case .decimal, .double, .float: .double(2.5)
    case .string: .string("it's")
    case .boolean: .boolean(true)
    case .date: .date(1_000_000.5)
    case .binaryData, .transformable: .data([1, 2])
    case .uuid: .uuid(Array(1...16))
    case .uri: .uri("http://x/é")
    case .undefined, .objectID, .composite: nil
    }
  }

  static func literal(_ type: AttributeType, isExternal: Bool, _ random: inout SeededGenerator) -> String {
    if random.chance(20) { return "NULL" }
    let choices: [String] =
      switch type {
      case .integer16: ["0", "7", "-32768", "32767"]
      case .integer32: ["0", "-1", "2147483647", "16777217"]
      case .integer64: ["0", "9223372036854775807", "-9223372036854775808", "9007199254740993"]
      case .decimal: ["0", "1.25", "12345678901234", "0.1"]
      case .double: ["0.0", "1.25", "0.1", "-1e300", "1e15"]
      case .float: ["0.0", "0.5", "-1.25"]
      case .string, .uri: ["''", "'plain'", "'ünï ''q'' \"d\"'", "'😀'", "'7'"]
      case .boolean: ["0", "1"]
      case .date: ["0", "1.5", "-978307200", "700000000.25"]
      case .binaryData where isExternal: ["x'01'", "x'01FF00'", "x'01010203'"]
      case .binaryData, .transformable: ["x''", "x'01'", "x'00FF7F'", "x'0202'"]
      case .uuid: ["x'000102030405060708090A0B0C0D0E0F'"]
      case .undefined, .objectID, .composite: ["NULL"]
      }
    return choices.randomElement(using: &random) ?? "NULL"
  }
}
