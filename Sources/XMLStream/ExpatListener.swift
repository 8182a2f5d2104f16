/// What expat's callbacks call: C cannot call anything generic.
///
/// Each of them says whether the reading goes on.
class ExpatListener {
  func begin(_ name: String, _ attributes: [String: String], line: Int) -> Bool { false }
  func append(_ text: String, line: Int) -> Bool { false }
  func end(line: Int) -> Bool { false }
  func fail(_ error: XMLStreamError, line: Int) {}
}

/// Passes on to a visitor what expat tells.
final class VisitorListener<Visitor: XMLVisitor>: ExpatListener {
  private(set) var visitor: Visitor
  private(set) var failure: XMLStreamFailure<Visitor.Failure>?
  private let limits: XMLStreamLimits
  private var depth = 0
  private var count = 0

  init(_ visitor: Visitor, _ limits: XMLStreamLimits) {
    (self.visitor, self.limits) = (visitor, limits)
  }

  override func begin(_ name: String, _ attributes: [String: String], line: Int) -> Bool {
    (count, depth) = (count + 1, depth + 1)
    guard count <= limits.elementCount, depth <= limits.depth else {
      fail(.tooComplex(limit: limits.elementCount), line: line)
      return false
    }
    return visit(line) { (visitor) throws(Visitor.Failure) in try visitor.begin(name, attributes, line: line) }
  }

  override func append(_ text: String, line: Int) -> Bool {
    visit(line) { (visitor) throws(Visitor.Failure) in try visitor.append(text, line: line) }
  }

  override func end(line: Int) -> Bool {
    depth -= 1
    return visit(line) { (visitor) throws(Visitor.Failure) in try visitor.end(line: line) }
  }

  override func fail(_ error: XMLStreamError, line: Int) { stop(Visitor.failure(error, line: line), line) }

  private func visit(_ line: Int, _ call: (inout Visitor) throws(Visitor.Failure) -> Void) -> Bool {
    // Expat may still tell of the end of an element after it was stopped.
    guard failure == nil else { return false }
    do {
      try call(&visitor)
      return true
    } catch {
      stop(error, line)
      return false
    }
  }

  private func stop(_ reason: Visitor.Failure, _ line: Int) {
    // The first error is the cause; those that follow are its echo.
    if failure == nil { failure = XMLStreamFailure(reason: reason, line: line) }
  }
}
