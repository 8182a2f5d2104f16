/// A place in a format that an argument fills.
enum Placeholder: Equatable {
  /// `%@`: any value.
  case value
  /// `%K`: a key path.
  case keyPath
  /// `%d`, `%i`, `%u`, `%ld` and their kin: a whole number.
  case integer
  /// `%f` and its kin: a number.
  case real

  /// What a placeholder's letter stands for.
  init?(letter: UInt8) {
    switch letter {
    case UInt8(ascii: "@"): self = .value
    case UInt8(ascii: "K"): self = .keyPath
    case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "X"):
      self = .integer
    case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "g"), UInt8(ascii: "e"): self = .real
    default: return nil
    }
  }
}
