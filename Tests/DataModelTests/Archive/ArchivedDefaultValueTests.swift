import DataModel
import PropertyListFormat
import Testing

@Suite struct ArchivedDefaultValueTests {
  private func archive(
    _ type: AttributeType, _ value: (inout TestArchiver) -> PropertyList
  ) -> SmallArchive {
    SmallArchive(attribute: {
      ["NSAttributeType": .integer(Int64(type.rawValue)), "NSDefaultValue": value(&$0)]
    })
  }

  private func read(_ type: AttributeType, _ value: PropertyList) throws -> AttributeValue? {
    try archive(type) { $0.add(value) }.model().entities[0].attribute(named: "a")?.defaultValue
  }

  private static let plain: [(type: AttributeType, archived: PropertyList, value: AttributeValue?)] = [
    (.integer32, .integer(7), .integer(7)), (.integer16, .boolean(true), .integer(1)),
    (.integer64, .real(3), .integer(3)), (.double, .integer(2), .double(2)), (.float, .real(0.1), .double(0.1)),
    (.decimal, .real(1.5), .double(1.5)), (.boolean, .integer(0), .boolean(false)),
    (.boolean, .boolean(true), .boolean(true)), (.boolean, .real(0), .boolean(false)),
    (.integer32, .real(0.5), .integer(0)), (.double, .boolean(true), .double(1)), (.date, .date(5), .date(5)),
    (.binaryData, .data([]), .data([])),
    (.string, .string("NO"), .string("NO")), (.transformable, .string("x"), nil), (.objectID, .integer(1), nil),
  ]

  @Test(arguments: plain)
  func `Plain default values are read in every form`(
    type: AttributeType, archived: PropertyList, value: AttributeValue?
  ) throws {
    #expect(try read(type, archived) == value)
  }

  private static let decimals:
    [(words: [UInt16], exponent: Int64, isNegative: Bool, isBigEndian: Bool, value: Double?)] = [
      ([], 0, false, false, 0), ([1], -1, false, false, 0.1), ([0x3039], -2, true, false, -123.45),
      ([0x3039], -2, false, true, 123.45), ([0, 1], 0, false, false, 65536), ([5], 127, false, false, 5e127),
      (Array(repeating: 0xFFFF, count: 8), -128, false, false, 3.402823669209385e-90), ([], 0, true, false, nil),
      ([1], 9999, false, false, nil),
    ]

  @Test(arguments: decimals)
  func `Decimal default values are read in every form`(
    words: [UInt16], exponent: Int64, isNegative: Bool, isBigEndian: Bool, value: Double?
  ) throws {
    let bytes = words.flatMap { word -> [UInt8] in
      let (high, low) = (UInt8(word >> 8), UInt8(word & 255))
      return isBigEndian ? [high, low] : [low, high]
    }
    let archive = archive(.decimal) { archiver in
      archiver.add(
        "NSDecimalNumberPlaceholder",
        [
          "NS.exponent": .integer(exponent), "NS.length": .integer(Int64(words.count)),
          "NS.negative": .boolean(isNegative), "NS.compact": .boolean(true),
          "NS.mantissa.bo": .integer(isBigEndian ? 2 : 1),
          "NS.mantissa": .data(bytes + Array(repeating: 0, count: 16 - bytes.count)),
        ])
    }
    guard let value else {
      #expect(archive.problem == unusable(.decimal))
      return
    }
    #expect(try archive.model().entities[0].attribute(named: "a")?.defaultValue == .double(value))
  }

  private func unusable(_ type: AttributeType) -> ModelFileProblem {
    .badArchivedValue(subject: "Property 'E.a'", key: "NSDefaultValue", expected: "a value of type \(type.xmlName)")
  }

  @Test(arguments: [
    (AttributeType.integer16, PropertyList.string("1")), (.integer64, .real(.infinity)),
    (.double, .real(.nan)), (.decimal, .data([1])), (.boolean, .string("YES")), (.date, .string("today")),
    (.binaryData, .integer(1)), (.uuid, .data([1])), (.uri, .string("http://example.com")), (.string, .integer(1)),
    (.integer16, .wideInteger(1 << 70)),
  ])
  func `Default values of other types throw errors`(type: AttributeType, archived: PropertyList) {
    #expect(archive(type) { $0.add(archived) }.problem == unusable(type))
  }

  @Test func `Identifiers of the wrong length and relative URLs throw errors`() {
    #expect(archive(.uuid) { $0.addDefault(.uuid([1, 2])) }.problem == unusable(.uuid))
    let relative = archive(.uri) { archiver in
      let (base, text) = (archiver.addDefault(.uri("http://example.com")), archiver.add("x"))
      return archiver.add("NSURL", ["NS.base": base, "NS.relative": text])
    }
    #expect(relative.problem == unusable(.uri))
  }
}
