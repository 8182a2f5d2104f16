import Testing
import XMLStream

@Suite("An XML parser that tells of one element after the other")
struct XMLStreamParserTests {
  private func events(_ text: String) throws -> [String] {
    try XMLStreamParser.parse(Array(text.utf8), with: Recorder()).events
  }

  private func failure(_ bytes: [UInt8], depth: Int = 64) -> (reason: Recorder.Refusal, line: Int?)? {
    do throws(XMLStreamFailure<Recorder.Refusal>) {
      _ = try XMLStreamParser.parse(bytes, with: Recorder(), limits: XMLStreamLimits(depth: depth))
      return nil
    } catch {
      return (error.reason, error.line)
    }
  }

  @Test func `The parser reports elements, attributes, text and lines`() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- a comment -->
      <a b="1" c="&lt;é&#233;&quot;">
      <d/>x &amp; <![CDATA[<y>]]>&#x1F3B5;</a>
      """
    #expect(
      try events(text) == ["a b=1 c=<éé\" @3", "'\n'", "d @4", "/ @4", "'x & <y>🎵'", "/ @4"])
  }

  @Test func `Content outside of elements is skipped`() throws {
    #expect(
      try events("\u{FEFF}<?x?><!DOCTYPE a [<!NOTATION n SYSTEM 'x'>]><a><?y z?></a>\n<!-- -->") == ["a @1", "/ @1"])
  }

  @Test func `Parsing stops at the first element that the visitor refuses`() {
    let found = failure(Array("<a>\n<unwanted/>\n<b></c>".utf8))
    #expect(found?.reason == .unwanted("unwanted"))
    #expect(found?.line == 2)
  }

  @Test(arguments: [
    "", "a", "<", "<a>", "<a></b>", "<a/><b/>", "<a b=1/>", "<a b='1' b='2'/>", "<a>&</a>", "<a>&x;</a>",
    "<a b='&x;'/>",
    "<a>\u{1}</a>", "<a>]]></a>", "<!DOCTYPE a SYSTEM 'x'><a>&x;</a>", "<!DOCTYPE a SYSTEM 'x'><a b='c&x;'/>",
  ])
  func `Malformed documents and unknown entities are refused`(text: String) {
    #expect(failure(Array(text.utf8))?.reason == .xml(.malformed))
  }

  @Test(arguments: [
    "<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "<!DOCTYPE a [<!ENTITY % x SYSTEM 'y'>]><a/>",
    "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
  ])
  func `Documents that declare entities are refused`(text: String) {
    #expect(failure(Array(text.utf8))?.reason == .xml(.declaresEntities))
  }

  @Test func `Size, depth and the number of elements are limited`() {
    let limit = XMLStreamLimits.size
    #expect(failure([UInt8](repeating: 32, count: limit + 1))?.reason == .xml(.tooLarge(limit: limit)))
    #expect(failure(Array("<a><b><c/></b></a>".utf8), depth: 3) == nil)
    #expect(failure(Array("<a><b><c/></b></a>".utf8), depth: 2)?.reason == .xml(.tooComplex(limit: 1_000_000)))
    let many = Array("<a>".utf8) + Array(repeating: Array("<b/>".utf8), count: 1_000_000).joined() + Array("</a>".utf8)
    #expect(failure(many)?.reason == .xml(.tooComplex(limit: 1_000_000)))
  }

  private static let unreadable: [[UInt8]] = [
    [0x3C, 0xFF], [0x3C, 0x61, 0, 0x2F, 0x3E],
    // UTF-32 begins as UTF-16 does.
    [0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0], [0x3C, 0, 0, 0, 0x61, 0, 0, 0], [0, 0, 0, 0x3C],
  ]

  @Test(arguments: unreadable + ["UTF-16", "UTF-7", "windows-1251"].map { Array("<?xml encoding='\($0)'?><a/>".utf8) })
  func `Documents in another encoding are refused`(bytes: [UInt8]) {
    #expect(failure(bytes)?.reason == .xml(.notUTF8))
  }

  @Test(arguments: ["ISO-8859-1", "iso-8859-1", "Latin1"])
  func `Documents in Latin-1 that declare it are read`(name: String) throws {
    let bytes =
      Array("<?xml version='1.0' encoding='\(name)'?><a b='".utf8) + [0xDC] + Array("'>".utf8) + [0x80, 0xA0, 0xFF]
      + Array("&lt;</a>".utf8)
    #expect(
      try XMLStreamParser.parse(bytes, with: Recorder()).events == ["a b=Ü @1", "'\u{80}\u{A0}ÿ<'", "/ @1"])
    #expect(failure(Array(bytes.dropFirst(5)))?.reason == .xml(.notUTF8))
    #expect(failure(bytes + [0])?.reason == .xml(.notUTF8))
  }

  @Test func `The mark of UTF-8 counts more than the declared encoding, and text about encodings is no declaration`()
    throws
  {
    #expect(try events("\u{FEFF}<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>") == ["a @1", "'é'", "/ @1"])
    #expect(try events("<a>é, encoding='latin1'<?x ?></a>") == ["a @1", "'é, encoding='latin1''", "/ @1"])
  }

  /// A document in UTF-16, with its byte order mark if it has one.
  private func wide(_ text: String, isBigEndian: Bool, hasMark: Bool = true) -> [UInt8] {
    ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
      let bytes = [UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit)]
      return isBigEndian ? bytes : bytes.reversed()
    }
  }

  @Test(
    arguments: [true, false],
    ["", "<?xml version='1.0' encoding='UTF-16'?>", "<?xml version='1.0' encoding='UTF-8'?>"])
  func `Documents in UTF-16 are read, with and without a byte order mark, whatever they declare`(
    isBigEndian: Bool, declaration: String
  ) throws {
    for hasMark in [true, false] {
      let bytes = wide(declaration + "<a b='Ü🎵'>日本</a>", isBigEndian: isBigEndian, hasMark: hasMark)
      #expect(try XMLStreamParser.parse(bytes, with: Recorder()).events == ["a b=Ü🎵 @1", "'日本'", "/ @1"])
      #expect(failure(Array(bytes.dropLast()))?.reason == .xml(.notUTF8))
    }
  }

  @Test func `Broken UTF-16 is refused`() {
    for bytes in [[0xFE, 0xFF, 0x00, 0x3C, 0xD8, 0x00], wide("<a>\u{0}</a>", isBigEndian: false)] {
      #expect(failure(bytes)?.reason == .xml(.notUTF8))
    }
  }
}
