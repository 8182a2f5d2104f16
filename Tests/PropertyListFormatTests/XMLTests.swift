import PropertyListFormat
import Testing

@Suite struct XMLTests {
  private func read(_ body: String) throws -> PropertyList {
    try PropertyList(
      contentsOf: Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">\(body)</plist>
        """.utf8))
  }

  @Test func `Every element is read`() throws {
    let value = try read(
      """
      <dict>
        <key>b &amp; a</key><string>&lt;x&gt; <![CDATA[&raw;]]></string>
        <key>a</key><array><true/><false/><integer>-7</integer><integer>0x1F</integer><real>1.5</real></array>
        <key>big</key><integer>18446744073709551615</integer>
        <key>date</key><date>2001-01-02T00:00:01Z</date>
        <key>data</key><data> AP8
        H </data>
        <key>uid</key><dict><key>CF$UID</key><integer>3</integer></dict>
        <key>empty</key><string/>
      </dict>
      """)
    #expect(
      value
        == .dictionary([
          "b & a": .string("<x> &raw;"),
          "a": .array([.boolean(true), .boolean(false), .integer(-7), .integer(31), .real(1.5)]),
          "big": .wideInteger(Int128(UInt64.max)), "date": .date(86401), "data": .data([0, 255, 7]), "uid": .uid(3),
          "empty": .string(""),
        ]))
  }

  @Test(arguments: [
    "", "<dict><key>a</key></dict>", "<dict><string>a</string></dict>", "<array><key>a</key></array>", "<thing/>",
    "<true/><true/>", "text", "<array>text</array>", "<integer>1.5</integer>", "<integer>0x-5</integer>",
    "<integer>--5</integer>", "<integer>0x-80000000000000000000000000000000</integer>", "<integer></integer>",
    "<real>one</real>", "<date>yesterday</date>", "<date>2001-13-01T00:00:00Z</date>", "<data>*</data>",
    "<string><true/></string>", "<dict><key>a</key><key>b</key></dict>", "<array>", "<array></dict>",
    "<dict><key>a</key><true/><key>a</key><true/></dict>", "&unknown;", "<string>&unknown;</string>",
  ])
  func `XML that is not a property list is an error with a line`(body: String) {
    #expect(throws: PropertyListError.self) { try read(body) }
  }

  @Test(arguments: [
    "<!DOCTYPE p [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><plist><string>&b;</string></plist>",
    "<!DOCTYPE p [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><plist><string>&x;</string></plist>",
    "<!DOCTYPE p [<!ENTITY % x SYSTEM 'http://example.invalid/x'> %x;]><plist><true/></plist>",
  ])
  func `Entity declarations are refused`(text: String) {
    #expect(throws: PropertyListError.badXML(line: 1, reason: "It declares entities of its own.")) {
      try PropertyList(xml: Array(text.utf8))
    }
  }

  private static let otherEncodings: [[UInt8]] = [
    Array("<?xml version='1.0' encoding='UTF-16'?><plist><true/></plist>".utf8),
    Array("<?xml version='1.0' encoding='UTF-7'?>+ADwAIQ-ENTITY".utf8),
    Array("<plist><true/></plist>".utf8.map { [$0, 0] }.joined()),
    [0x3C, 0xFF, 0xFE],
  ]

  @Test(arguments: otherEncodings)
  func `Other encodings are refused`(bytes: [UInt8]) {
    #expect(throws: PropertyListError.badXML(line: 1, reason: "It is not in UTF-8.")) { try PropertyList(xml: bytes) }
  }

  @Test func `Data in neither format is reported as not a property list`() {
    for bytes in [[], Array("hello".utf8), Array("<html/>".utf8), [0, 1, 2]] {
      #expect(throws: PropertyListError.notAPropertyList) { try PropertyList(contentsOf: bytes) }
    }
  }

  @Test func `Deep nesting is refused`() {
    let deep = String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
    #expect(throws: PropertyListError.self) { try read(deep) }
  }

  @Test func `A truncated file throws an error`() {
    let bytes = Array("<plist version=\"1.0\"><dict><key>a</key><array><string>x</string></array></dict></plist>".utf8)
    for length in 0..<bytes.count {
      #expect(throws: PropertyListError.self, "length \(length)") {
        try PropertyList(contentsOf: Array(bytes.prefix(length)))
      }
    }
  }
}
