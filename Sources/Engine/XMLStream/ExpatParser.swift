internal import CTracksExpat

/// Parses one document with expat.
struct ExpatParser {
  private let handle: XML_Parser
  private let document: UnsafeBufferPointer<UInt8>
  private let listener: ExpatListener

  /// Reads a document.
  static func parse(_ document: UnsafeBufferPointer<UInt8>, _ listener: ExpatListener) {
    // Whatever the document says: it is in UTF-8 by now.
    guard let handle = XML_ParserCreate("UTF-8") else { return listener.fail(.malformed, line: 1) }
    defer { XML_ParserFree(handle) }
    var parser = ExpatParser(handle: handle, document: document, listener: listener)
    withUnsafeMutablePointer(to: &parser) { $0.pointee.run($0) }
  }

  private func run(_ context: UnsafeMutableRawPointer) {
    XML_SetUserData(handle, context)
    XML_SetElementHandler(
      handle, { context, name, attributes in ExpatParser.of(context)?.begin(name, attributes) },
      { context, _ in ExpatParser.of(context)?.end() })
    XML_SetCharacterDataHandler(handle) { context, text, count in
      ExpatParser.of(context)?.append(UnsafeBufferPointer(start: text, count: Int(count)))
    }
    XML_SetEntityDeclHandler(handle) { context, _, _, _, _, _, _, _, _ in
      ExpatParser.of(context)?.stop(.declaresEntities)
    }
    // An entity that may be declared elsewhere: its text would be missing.
    XML_SetSkippedEntityHandler(handle) { context, _, isParameter in
      ExpatParser.of(context)?.stop(isParameter == 0 ? .malformed : .declaresEntities)
    }
    let status = document.withMemoryRebound(to: CChar.self) {
      XML_Parse(handle, $0.baseAddress, Int32($0.count), 1)
    }
    if status != XML_STATUS_OK { listener.fail(.malformed, line: line) }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> ExpatParser? {
    context?.assumingMemoryBound(to: ExpatParser.self).pointee
  }

  private var line: Int { Int(XML_GetCurrentLineNumber(handle)) }

  private func begin(_ name: UnsafePointer<CChar>?, _ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    guard let name, let pairs else { return }
    guard !hasUnknownEntity else { return stop(.malformed) }
    var attributes: [String: String] = [:]
    var place = 0
    while let key = pairs[place], let value = pairs[place + 1] {
      attributes[String(cString: key)] = String(cString: value)
      place += 2
    }
    goOn(listener.begin(String(cString: name), attributes, line: line))
  }

  private func append(_ text: UnsafeBufferPointer<CChar>) {
    let text = text.withMemoryRebound(to: UInt8.self) { String(decoding: $0, as: UTF8.self) }
    goOn(listener.append(text, line: line))
  }

  private func end() { goOn(listener.end(line: line)) }

  private func stop(_ error: XMLStreamError) {
    listener.fail(error, line: line)
    goOn(false)
  }

  private func goOn(_ isWanted: Bool) {
    if !isWanted { XML_StopParser(handle, XML_Bool(XML_FALSE)) }
  }

  /// Whether the start tag contains, in its attributes, an entity that is not predefined in XML.
  ///
  /// Expat reports such entities in text. In attributes, it drops them silently if the document names a DTD that is not
  /// read.
  private var hasUnknownEntity: Bool {
    let start = Int(XML_GetCurrentByteIndex(handle))
    let end = start + Int(XML_GetCurrentByteCount(handle))
    guard start >= 0, start <= end, end <= document.count else { return true }
    var tag = document[start..<end]
    while let reference = tag.firstIndex(of: UInt8(ascii: "&")) {
      tag = tag[(reference + 1)...]
      let name = tag.prefix { $0 != UInt8(ascii: ";") }
      guard name.first == UInt8(ascii: "#") || Self.knownEntities.contains(where: { name.elementsEqual($0.utf8) })
      else { return true }
    }
    return false
  }

  private static let knownEntities = ["amp", "lt", "gt", "quot", "apos"]
}

/// Receives expat's callbacks, because C cannot call generic code.
///
/// Each method returns whether to continue reading.
class ExpatListener {
  func begin(_ name: String, _ attributes: [String: String], line: Int) -> Bool { false }
  func append(_ text: String, line: Int) -> Bool { false }
  func end(line: Int) -> Bool { false }
  func fail(_ error: XMLStreamError, line: Int) {}
}

/// Passes expat's events on to a visitor.
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
    // Expat may still report the end of an element after it was stopped.
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
    // The first error is the cause; later ones are consequences.
    if failure == nil { failure = XMLStreamFailure(reason: reason, line: line) }
  }
}
