/// How much a document may ask.
package struct XMLStreamLimits: Sendable {
  /// The largest document that is read, in bytes.
  package static let size = 8 << 20

  /// How deeply elements may be nested.
  package var depth = 64
  /// How many elements there may be.
  package var elementCount = 1_000_000

  package init(depth: Int = 64) { self.depth = depth }
}
