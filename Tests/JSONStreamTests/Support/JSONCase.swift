import Testing

/// A document and its expected result.
struct JSONCase: Sendable, CustomTestStringConvertible {
  let document: [UInt8]
  /// The description of the expected `Outcome`.
  let outcome: String

  init(_ text: String, _ outcome: String) { self.init(Array(text.utf8), outcome) }

  init(_ document: [UInt8], _ outcome: String) {
    self.document = document
    self.outcome = outcome
  }

  var testDescription: String { EventRecorder.printable(document.prefix(60)) }
}
