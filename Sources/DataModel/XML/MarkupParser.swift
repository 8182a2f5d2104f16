internal import Foundation
internal import PropertyList

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// Reads XML into elements.
///
/// It keeps a stack of its own and limits depth and number, so hostile files do no harm.
final class MarkupParser: NSObject, XMLParserDelegate {
  private static let elementLimit = 1_000_000
  private static let depthLimit = 64

  private var open: [MarkupElement] = []
  private var root: MarkupElement?
  private var count = 0
  private var failure: (problem: ModelFileProblem, line: Int)?

  /// Reads a document; the file only serves to name it in errors.
  static func parse(_ bytes: [UInt8], file: String) throws(ModelFileError) -> MarkupElement {
    do { try XMLGuard.check(bytes) } catch { throw ModelFileError(ModelFileProblem(error), file: file) }
    let reader = MarkupParser()
    let parser = XMLParser(data: Data(bytes))
    parser.shouldResolveExternalEntities = false
    parser.delegate = reader
    // The parser may report an error and still return true, so only our own notes count.
    _ = parser.parse()
    if let (problem, line) = reader.failure { throw ModelFileError(problem, file: file, line: line) }
    guard let root = reader.root, reader.open.isEmpty else {
      throw ModelFileError(.malformedXML, file: file, line: parser.lineNumber)
    }
    return root
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard failure == nil else { return }
    count += 1
    guard count <= Self.elementLimit, open.count < Self.depthLimit else {
      return stop(parser, .tooComplex(limit: Self.elementLimit))
    }
    open.append(MarkupElement(name: name, attributes: attributes, line: parser.lineNumber))
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    guard failure == nil, let element = open.popLast() else { return }
    guard let parent = open.indices.last else { return root = element }
    open[parent].children.append(element)
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    stop(parser, .malformedXML)
  }

  private func stop(_ parser: XMLParser, _ problem: ModelFileProblem) {
    // The first error is the cause; those that follow are its echo.
    guard failure == nil else { return }
    failure = (problem, parser.lineNumber)
    parser.abortParsing()
  }
}

extension ModelFileProblem {
  fileprivate init(_ refusal: XMLGuard.Refusal) {
    switch refusal {
    case .tooLarge(let limit): self = .tooLarge(limit: limit)
    case .notUTF8: self = .notUTF8
    case .declaresEntities: self = .declaresEntities
    }
  }
}
