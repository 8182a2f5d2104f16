import Testing

@testable import StoreHealth

@Suite("The search for words in a redacted copy")
struct LeakCheckTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Whether each word of a value changes where it stands.
  private static func changes(_ value: String, _ other: String, kept: [Range<Int>] = []) -> Bool {
    var leaks = LeakCheck(LetterTable())
    return leaks.note(bytes(value), replacedBy: bytes(other), kept: kept)
  }

  @Test func `A word that has not changed is found where it stands`() {
    #expect(Self.changes("Anna of Bonn", "Xyzw ab Bomn"))
    #expect(!Self.changes("Anna of Bonn", "Xyzw ab Bonn"))
    #expect(Self.changes("Anna of Bonn", "Xyzw ab Bonn", kept: [8..<12]))
    #expect(!Self.changes("東京都庁", "東京都庁"))
    // Fewer than four letters, and another length.
    #expect(Self.changes("abc 12345", "abc 12345"))
    #expect(!Self.changes("abc", "abcd"))
  }

  @Test(arguments: ["anna", "the ANNA's", "x/Anna/y", #"{"k":"Anna"}"#, "Москва"])
  func `A word of the store is found wherever it stands, in any case`(text: String) {
    var leaks = LeakCheck(LetterTable())
    _ = leaks.note(Self.bytes("Anna Москва"), replacedBy: Self.bytes("Xyzw Абвгде"), kept: [])
    #expect(leaks.finds(in: Self.bytes(text)))
    leaks.allow(Self.bytes(text))
    #expect(!leaks.finds(in: Self.bytes(text)))
  }

  @Test func `Long words are found in the bytes of a file`() {
    var leaks = LeakCheck(LetterTable())
    _ = leaks.note(Self.bytes("Confidential"), replacedBy: Self.bytes("Xyzabcdefghi"), kept: [])
    let page: [UInt8] = [0, 255, 7] + Self.bytes("confidential") + [0, 1]
    #expect(leaks.finds(inFile: page, hasZeros: false))
    let wide: [UInt8] = Self.bytes("Confidential").flatMap { [$0, 0] as [UInt8] }
    #expect(leaks.finds(inFile: wide + [3], hasZeros: true))
    #expect(!leaks.finds(inFile: Self.bytes("xyzabcdefghi"), hasZeros: false))
  }
}
