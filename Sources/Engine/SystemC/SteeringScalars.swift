extension Unicode.Scalar {
  /// Whether the scalar can move a terminal's cursor, start a command of it, break the line or reorder the text around it.
  package var steersTerminals: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F: true
    // Line and paragraph separator; embeddings, overrides and isolates of text direction.
    case 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
