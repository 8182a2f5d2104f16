import PropertyListFormat
import TestSupport

extension PropertyList {
  /// A random value whose containers nest at most `depth` levels deep.
  static func random(depth: Int, using generator: inout SeededGenerator) -> PropertyList {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
    case 0: return .boolean(.random(using: &generator))
    case 1:
      return .integer(.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0..<64, using: &generator))
    case 2: return .real(.random(in: -1e9...1e9, using: &generator))
    case 3: return .date(Double(Int64.random(in: -4_000_000_000...4_000_000_000, using: &generator)))
    case 4:
      return .data((0..<Int.random(in: 0..<40, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
    case 5, 6: return .string(text(using: &generator))
    case 7, 8:
      return .array(
        (0..<Int.random(in: 0..<20, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
    default:
      var dictionary = PropertyListDictionary()
      for _ in 0..<Int.random(in: 0..<20, using: &generator) {
        dictionary[text(using: &generator)] = random(depth: depth - 1, using: &generator)
      }
      return .dictionary(dictionary)
    }
  }

  private static func text(using generator: inout SeededGenerator) -> String {
    let alphabet = Array("abc<>&\"' éπ漢🎵")
    return String(
      (0..<Int.random(in: 0..<20, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "x" })
  }
}
