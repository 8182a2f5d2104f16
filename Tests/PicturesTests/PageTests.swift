import Foundation
import Pictures
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Pages")
struct PageTests {
  /// Texts that would be markup if anything took them for more than text.
  static let hostile = [
    "</script><img src=x onerror=alert(1)>", "\" onload=\"alert(1)", "' x='", "<!--", "]]>", "&lt;", "a\u{0}b\u{1B}c",
  ]

  @Test(arguments: hostile)
  func `What is interpolated cannot become markup`(text: String) throws {
    let markup: HTML = "<p title=\"\(text)\">\(text)</p>"
    let document = try XMLDocumentText(markup.text)
    let shown = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? Unicode.Scalar($0.value + 0x2400)! : $0 }))
    #expect(document.elements == ["p"])
    #expect(document.text == shown && document.attributes == [shown])
  }

  @Test(arguments: hostile)
  func `The data of a table cannot end its element`(text: String) throws {
    let table = Page.search(
      "names", columns: [Page.Column(text)], rows: [[.string(text)]], total: 1, more: HTML.name(text))
    let parts = table.text.components(separatedBy: "<script type=\"application/json\">")
    #expect(parts.count == 2)
    let json = try #require(parts.last?.components(separatedBy: "</script>").first)
    #expect(!json.contains("<"))
    let rows = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String]]
    #expect(rows == [[text]])
  }

  @Test func `The policy allows the page's own style and script only`() throws {
    let page = Page("Title", subtitle: "", verdict: "", [Page.Section("a", "A", "<p>text</p>")]).html.text
    let policy = try #require(page.firstMatch(of: /Content-Security-Policy" content="([^"]*)"/)).output.1
    #expect(policy.contains("default-src 'none'") || policy.contains("default-src &#39;none&#39;"))
    #expect(!policy.contains("unsafe"))
    #expect(policy.components(separatedBy: "sha256-").count == 3)
  }

  @Test func `Only addresses of the web are links`() {
    #expect(HTML.link("javascript:alert(1)", "x").text == "x")
    #expect(HTML.link("https://example.com/\"", "x").text.contains("href=\"https://example.com/&quot;\""))
  }

  @Test(
    arguments: [
      (9_999, "9,999"), (10_000, "10 k"), (999_949, "999.9 k"), (999_950, "1 M"), (1_000_000, "1 M"),
      (1_250_000, "1.3 M"),
    ])
  func `A number of a chart is short, and a million is no thousand thousands`(number: Int, text: String) {
    let chart = Chart(.columns, "Title", [ChartValue("a", number)], label: "Label", value: "Value").html.text
    #expect(chart.contains(">\(text)<"), "\(chart)")
  }

  @Test func `A line of a command breaks between its words only`() {
    let finding = Page.Finding("See", command: "tracks-migrate L --output x")
    let page = Page("T", subtitle: "", verdict: "", findings: [finding], [Page.Section("a", "A", "<p>text</p>")]).html
      .text
    #expect(
      page.contains(
        "<code class=\"command\"><span>tracks-migrate</span> <span>L</span> <span>--output</span> <span>x</span></code>"
      ))
  }

  @Test func `A chart draws every value, and has it in its table`() {
    let values = (0..<40).map { ChartValue("<v\($0)>", $0 * $0) }
    for kind in [Chart.Kind.bars, .columns] {
      let chart = Chart(kind, "Title", values, label: "Label", value: "Value").html.text
      #expect(chart.components(separatedBy: "class=\"mark\"").count == 41)
      #expect(chart.components(separatedBy: "<th scope=\"row\">").count == 41)
      #expect(!chart.contains("<v"))
    }
  }

  @Test func `A drawing of many boxes ends, and no box covers another`() throws {
    let boxes = (0..<120).map { Diagram.Box("Entity\($0)", [Diagram.Field("name", "String")]) }
    let arrows = (1..<120).map { Diagram.Arrow($0, $0 / 3, ["r"], ends: (.one, .many)) }
    let svg = Diagram(.network, "Many", boxes, arrows).svg
    let frames = svg.matches(of: /<rect x="([-0-9.]+)" y="([-0-9.]+)" width="([0-9.]+)"\s+height="([0-9.]+)"/).map {
      match in
      [match.output.1, match.output.2, match.output.3, match.output.4].map { Double($0) ?? .nan }
    }
    #expect(frames.count == 120)
    for (place, one) in frames.enumerated() {
      for other in frames[(place + 1)...] {
        let isApart =
          one[0] + one[2] <= other[0] || other[0] + other[2] <= one[0] || one[1] + one[3] <= other[1]
          || other[1] + other[3] <= one[1]
        #expect(isApart)
      }
    }
  }

  @Test func `The same data always look the same`() {
    func draw() -> String {
      Diagram(.network, "x", [.init("A"), .init("B"), .init("C")], [.init(0, 1, ["r"]), .init(1, 2, ["s"])]).svg
    }
    #expect(draw() == draw())
  }
}

/// The elements, attributes and text of a piece of markup.
private final class XMLDocumentText: NSObject, XMLParserDelegate {
  private(set) var elements: [String] = []
  private(set) var attributes: [String] = []
  private(set) var text = ""

  init(_ markup: String) throws {
    super.init()
    let parser = XMLParser(data: Data(markup.utf8))
    parser.delegate = self
    try #require(parser.parse(), "\(markup)")
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes values: [String: String]
  ) {
    elements.append(name)
    attributes += values.values
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }
}
