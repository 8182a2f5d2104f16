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

  @Test func `Each of many parts that stay counts where it stands`() {
    let kept = [0..<1, 5..<9, 10..<14, 20..<24]
    #expect(Self.changes("Anna Bonn Cuba Oslo Rome", "Xyzw Bonn Cuba Abcd Rome", kept: kept))
    #expect(!Self.changes("Anna Bonn Cuba Oslo Rome", "Xyzw Bonn Cuba Oslo Rome", kept: kept))
  }

  @Test(arguments: [(#"pr\u00e9sent"#, #"ab\u00e9sent"#), ("sent%C3%A9s", "sent%C3%B4x"), (#"C:\Users"#, #"X:\Tsers"#)])
  func `A short part of a word with a spelled-out character can stay by chance, and a long one cannot`(
    value: String, other: String
  ) {
    #expect(Self.changes(value, other))
    #expect(!Self.changes("\(value) sent", "\(other) sent"))
    #expect(!Self.changes(#"x\/sent%20y"#, #"y\/sent%20z"#))
    #expect(!Self.changes(#"\u00e9confidential"#, #"\u00f4confidential"#))
  }

  @Test(arguments: ["anna", "the ANNA's", "x/Anna/y", #"{"k":"Anna"}"#, "Москва"])
  func `A word of the store is found wherever it stands, in any case`(text: String) {
    var leaks = LeakCheck(LetterTable())
    _ = leaks.note(Self.bytes("Anna Москва"), replacedBy: Self.bytes("Xyzw Абвгде"), kept: [])
    #expect(leaks.finds(in: Self.bytes(text)))
    leaks.allow(Self.bytes(text))
    #expect(!leaks.finds(in: Self.bytes(text)))
  }

  @Test func `A word of a text that was left out is found`() {
    var leaks = LeakCheck(LetterTable())
    leaks.seek(Self.bytes("-- asked Anna"))
    #expect(leaks.finds(in: Self.bytes("of Anna")))
    #expect(!leaks.finds(in: Self.bytes("of Bertram")))
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
