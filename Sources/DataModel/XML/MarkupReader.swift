internal import Foundation
internal import PropertyList

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// Reads XML, and tells a handler of what it finds.
///
/// It limits depth and number of the elements, so hostile files do no harm.
package enum MarkupReader {
  /// Reads a document, and gives the handler with what it has learnt.
  package static func read<Handler: MarkupHandler>(
    _ bytes: [UInt8], with handler: Handler
  ) throws(MarkupFailure<Handler.Problem>) -> Handler {
    do {
      try XMLGuard.check(bytes)
    } catch {
      throw MarkupFailure(problem: Handler.problem(ModelFileProblem(error)), line: nil)
    }
    let listener = MarkupListener(handler)
    let parser = XMLParser(data: Data(bytes))
    parser.shouldResolveExternalEntities = false
    parser.delegate = listener
    // The parser may report an error and still return true, so only our own notes count.
    _ = parser.parse()
    if let failure = listener.failure { throw failure }
    guard listener.isComplete else {
      throw MarkupFailure(problem: Handler.problem(.malformedXML), line: parser.lineNumber)
    }
    return listener.handler
  }
}

/// What is wrong with a document, and where.
package struct MarkupFailure<Problem: Error>: Error {
  package let problem: Problem
  /// The line, where there is one.
  package let line: Int?
}

/// Passes on what Foundation's parser tells.
private final class MarkupListener<Handler: MarkupHandler>: NSObject, XMLParserDelegate {
  private var elementLimit: Int { 1_000_000 }
  private var depthLimit: Int { 64 }

  private(set) var handler: Handler
  private(set) var failure: MarkupFailure<Handler.Problem>?
  private var depth = 0
  private var count = 0

  init(_ handler: Handler) { self.handler = handler }

  /// Whether the outermost element has ended.
  var isComplete: Bool { count > 0 && depth == 0 }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard failure == nil else { return }
    count += 1
    guard count <= elementLimit, depth < depthLimit else {
      return stop(parser, Handler.problem(.tooComplex(limit: elementLimit)))
    }
    depth += 1
    do {
      try handler.begin(name, attributes, line: parser.lineNumber)
    } catch {
      stop(parser, error)
    }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard failure == nil, depth > 0 else { return }
    depth -= 1
    handler.end()
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) { handler.append(text) }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    handler.append(String(decoding: block, as: UTF8.self))
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    stop(parser, Handler.problem(.malformedXML))
  }

  private func stop(_ parser: XMLParser, _ problem: Handler.Problem) {
    // The first error is the cause; those that follow are its echo.
    guard failure == nil else { return }
    failure = MarkupFailure(problem: problem, line: parser.lineNumber)
    parser.abortParsing()
  }
}

extension ModelFileProblem {
  fileprivate init(_ refusal: XMLGuard.Refusal) {
    switch refusal {
    case .tooLarge(let limit): self = .tooLarge(limit: limit)
    case .notUTF8: self = .notUTF8
    case .declaresEntities: self = .declaresEntities
    case .unsafeMarkup(let markup): self = .unsafeMarkup(markup)
    }
  }
}
