import Foundation
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
    "<plist><true/></plist>", "&unknown;", "<string>&unknown;</string>",
  ])
  func `XML that is not a property list is an error with a line`(body: String) {
    #expect(throws: PropertyListError.self) { try read(body) }
  }

  @Test func `dates are those of the calendar`() throws {
    let style = Date.ISO8601FormatStyle(timeZone: .gmt)
    let years = [1, 1899, 1900, 1904, 1970, 1999, 2000, 2001, 2024, 2100, 2399, 2400, 9999]
    for year in years {
      for day in ["01-01", "01-31", "02-28", "03-01", "04-30", "05-31", "08-31", "09-01", "11-30", "12-31"] {
        for time in ["00:00:00", "23:59:59", "12:34:56"] {
          let text = String(repeating: "0", count: 4 - "\(year)".count) + "\(year)-\(day)T\(time)Z"
          // Foundation has the Julian calendar before 1582.
          guard year > 1582, let date = try? style.parse(text) else {
            #expect(try read("<date>\(text)</date>").binary().count > 0)
            continue
          }
          #expect(try read("<date>\(text)</date>") == .date(date.timeIntervalSinceReferenceDate), "\(text)")
        }
      }
    }
    #expect(try read("<date>2024-02-29T00:00:00Z</date>") == .date(730_857_600))
    #expect(try read("<date>2016-12-31T23:59:60Z</date>") == read("<date>2017-01-01T00:00:00Z</date>"))
  }

  @Test(arguments: [
    "2001-00-01T00:00:00Z", "2001-13-01T00:00:00Z", "2001-01-00T00:00:00Z", "2001-01-32T00:00:00Z",
    "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-01-01T00:00:61Z", "2001-01-01T00:00:00", "2001-01-01",
    "2001-01-01T00:00:00ZZ", "201-001-01T00:00:00Z", "2001-01-01T0:000:00Z", "2001-01-01T00:00:0xZ",
    "-200-01-01T00:00:00Z", "2001-01-01 00:00:00Z",
  ])
  func `what is no date is an error`(text: String) {
    #expect(throws: PropertyListError.self) { try read("<date>\(text)</date>") }
  }

  @Test(
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("+7", .integer(7)), ("0x0", .integer(0)), ("-0x10", .integer(-16)),
      ("0Xff", .integer(255)), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .wideInteger(Int128(Int64.max) + 1)), ("0x7fffffffffffffff", .integer(.max)),
      (" 5\n", .integer(5)),
    ] as [(String, PropertyList)])
  func `integers are read in every spelling`(text: String, value: PropertyList) throws {
    #expect(try read("<integer>\(text)</integer>") == value)
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
    Array("<plist><true/></plist>".utf8.map { [$0, 0, 0, 0] }.joined()),
    [0x3C, 0xFF, 0xFE],
  ]

  @Test(arguments: otherEncodings)
  func `Other encodings are refused`(bytes: [UInt8]) {
    #expect(throws: PropertyListError.badXML(line: 1, reason: "It is not in UTF-8, UTF-16 or Latin-1.")) {
      try PropertyList(xml: bytes)
    }
  }

  /// A list with text beyond ASCII in other encodings: UTF-16 with and without a byte order mark, and Latin-1.
  private static let encoded: [[UInt8]] = {
    let text = { (name: String) in "<?xml version='1.0' encoding='\(name)'?><plist><string>Ü</string></plist>" }
    let wide = { (text: String) in text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] } }
    let swapped = { (text: String) in text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } }
    return [
      Array(text("UTF-8").utf8), wide("\u{FEFF}" + text("UTF-16")), swapped("\u{FEFF}" + text("UTF-16")),
      wide("\u{FEFF}" + text("UTF-8")), wide(text("UTF-16")), swapped(text("UTF-16")),
      text("ISO-8859-1").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) },
    ]
  }()

  @Test(arguments: encoded)
  func `A list in UTF-16 or Latin-1 is read`(bytes: [UInt8]) throws {
    #expect(try PropertyList(contentsOf: bytes) == .string("Ü"))
  }

  @Test(
    arguments: [
      ("<dict><key>a</key><integer>1</integer></dict>", .dictionary(["a": .integer(1)])),
      ("<?xml version='1.0'?>\n<!-- a comment -->\n<array><true/></array>\n", .array([.boolean(true)])),
      ("<string>a</string>", .string("a")),
    ] as [(String, PropertyList)])
  func `A list without the element around it is read`(text: String, value: PropertyList) throws {
    #expect(try PropertyList(contentsOf: Array(text.utf8)) == value)
  }

  @Test(arguments: ["<key>a</key>", "<dict><plist/></dict>", "<true/><true/>", "<dict/> text", "<thing/>", "<model/>"])
  func `Another element than a value alone is an error`(text: String) {
    #expect(throws: PropertyListError.self) { try PropertyList(contentsOf: Array(text.utf8)) }
  }

  @Test func `Of equal keys, the last one counts, in the place of the first`() throws {
    let value = try read("<dict><key>a</key><array/><key>b</key><true/><key>a</key><integer>2</integer></dict>")
    #expect(value == .dictionary(["a": .integer(2), "b": .boolean(true)]))
    #expect(throws: PropertyListError.self) { try read("<dict><key>a</key><true/><key>a</key></dict>") }
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
