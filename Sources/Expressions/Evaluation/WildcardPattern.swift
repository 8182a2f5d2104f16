/// A pattern of `LIKE`: `*` for any text, `?` for one character, a backslash before either for itself.
struct WildcardPattern {
  /// What a pattern consists of.
  enum Piece: Equatable {
    case literal(Unicode.Scalar)
    case one
    case many
  }

  let pieces: [Piece]

  init(_ pattern: String) {
    var pieces: [Piece] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        pieces.append(.literal(scalar))
        isEscaped = false
      case "\\": isEscaped = true
      case "*":
        if pieces.last != .many { pieces.append(.many) }
      case "?": pieces.append(.one)
      default: pieces.append(.literal(scalar))
      }
    }
    // A backslash at the end has nothing to escape.
    if isEscaped { pieces.append(.literal("\\")) }
    self.pieces = pieces
  }

  /// Whether the whole text fits.
  ///
  /// It takes time in proportion to pattern times text at worst, whatever the pattern.
  func matches(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    var (place, piece) = (0, 0)
    // Where the last `*` stands, and how much of the text it has taken.
    var star: (piece: Int, end: Int)?
    while place < scalars.count {
      if piece < pieces.count, pieces[piece] == .many {
        star = (piece, place)
        piece += 1
      } else if piece < pieces.count, pieces[piece] == .one || pieces[piece] == .literal(scalars[place]) {
        place += 1
        piece += 1
      } else if let last = star {
        // Only the last star needs to give way: an earlier one has found the first place for what follows it.
        star = (last.piece, last.end + 1)
        (place, piece) = (last.end + 1, last.piece + 1)
      } else {
        return false
      }
    }
    return pieces[piece...].allSatisfy { $0 == .many }
  }
}
