/// An array that only grows, piece by piece: it never moves what it has, and takes no more room than it needs.
struct ChunkedArray<Element> {
  private var chunks: [[Element]] = []

  private static var chunkSize: Int { 1 << 14 }

  var count: Int { chunks.last.map { (chunks.count - 1) * Self.chunkSize + $0.count } ?? 0 }

  subscript(place: Int) -> Element { chunks[place / Self.chunkSize][place % Self.chunkSize] }

  mutating func append(_ element: Element) {
    if chunks.last.map({ $0.count == Self.chunkSize }) ?? true {
      chunks.append([])
      // The first one stays small, as most stores are.
      if chunks.count > 1 { chunks[chunks.count - 1].reserveCapacity(Self.chunkSize) }
    }
    chunks[chunks.count - 1].append(element)
  }
}
