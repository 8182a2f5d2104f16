import DataModel
import TestSupport
import Testing
import TrackLibrary

@Suite("The verification of external data files") struct FileDifferenceTests {
  private static let names = (1...3).map { "0000000\($0)-ABCD-4EF0-8123-456789ABCDEF" }
  private let pair: VerifiedPair

  /// A library with covers in external data files.
  ///
  /// The third cover's file is missing.
  init() throws {
    pair = try VerifiedPair()
    let values = Self.names.enumerated().map { index, name in
      "(\(index + 1), 1, 1, 'T\(index)', \(OwnModelLibrary.json("A")), CAST(x'02' || '\(name)' || x'00' AS BLOB))"
    }
    let library = OwnModelLibrary(
      "covers in files",
      [
        EntityDescription(
          "Track",
          attributes: [
            OwnModelLibrary.text("artistName"), OwnModelLibrary.text("json"), OwnModelLibrary.text("title"),
            AttributeDescription("cover", .binaryData, allowsExternalBinaryDataStorage: true),
          ])
      ],
      [
        "INSERT INTO ZTRACK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZJSON, ZCOVER) VALUES \(values.joined(separator: ", "))"
      ])
    try library.write(to: pair.old)
    _ = try pair.folder.makeFolder(".Old_SUPPORT/_EXTERNAL_DATA")
    for name in Self.names.prefix(2) { try Files.write("value \(name)", to: Self.file(name, ".Old", pair)) }
    try pair.migrate()
  }

  private static func file(_ name: String, _ store: String, _ pair: VerifiedPair) -> String {
    pair.folder.file("\(store)_SUPPORT/_EXTERNAL_DATA/\(name)")
  }

  private func new(_ index: Int) -> String { Self.file(Self.names[index], ".New", pair) }

  @Test func `Linked or copied files are no difference`() throws {
    #expect(try pair.differences() == [])
    // Copies are as good as hard links.
    let bytes = try Files.bytes(new(0))
    Files.remove(new(0))
    try Files.write(bytes, to: new(0))
    #expect(try pair.differences() == [])
  }

  @Test func `A missing file is found`() throws {
    Files.remove(new(1))
    let found = try #require(try pair.found().first)
    #expect(found.place == "file Track 2 cover")
    #expect(found.expected == Self.names[1])
    #expect(found.found == nil)
  }

  @Test(arguments: ["value 00000001-ABCD-4EF0-8123-456789ABCDEf", "short", ""])
  func `A file with other bytes is found`(text: String) throws {
    Files.remove(new(0))
    try Files.write(text, to: new(0))
    let found = try pair.found()
    #expect(found.map(\.place) == ["file Track 1 cover"])
    #expect(found.first?.found == "a file with other contents")
  }

  @Test func `An additional file is found`() throws {
    let name = "FFFFFFFF-ABCD-4EF0-8123-456789ABCDEF"
    try Files.write("x", to: Self.file(name, ".New", pair))
    let found = try pair.found()
    #expect(found.map(\.place) == ["file"])
    #expect(found.first?.found == name)
  }
}
