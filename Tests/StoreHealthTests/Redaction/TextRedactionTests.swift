import Testing

@testable import StoreHealth

@Suite("Redaction of text")
struct TextRedactionTests {
  private let redactor = Redactor(
    key: RedactionKey(1, 2),
    vocabulary: RedactionVocabulary(words: ["feat"], phrases: [" - Topic"], values: ["type": ["track"]]))

  private func text(_ text: String) -> String { String(decoding: redactor.text(Array(text.utf8)), as: UTF8.self) }

  private static let texts = [
    "Anna", "Björk Guðmundsdóttir", "ÉCOLE Müller", "Ελλάδα ΑΒΓ", "Москва МИР", "東京都 電気", "한국어 노래", "مرحبا بالعالم",
    "नमस्ते दुनिया", "ไทย", "cafe\u{301} Zoe\u{308}", "ひらがな カタカナ", "𝒜𝒷𝒸𝒹 𠀀𠀁", "don't stop (live) — 2^10!", "a\tb\nc\u{0}d",
    "🎹 Keys 👩‍🎤",
    "x1y2Z3", "e-mail: anna.smith@example.com", "ß ª ŉ ǅ ﬁ",
  ]

  @Test(arguments: texts) func `Text keeps its length, case, scripts and punctuation`(original: String) {
    let redacted = text(original)
    #expect(redacted.utf8.count == original.utf8.count)
    #expect(redacted.utf16.count == original.utf16.count)
    #expect(redacted.unicodeScalars.count == original.unicodeScalars.count)
    for (scalar, other) in zip(original.unicodeScalars, redacted.unicodeScalars) {
      let (category, found) = (scalar.properties.generalCategory, other.properties.generalCategory)
      #expect(category == found, "\(scalar) \(other)")
      let isReplaced = scalar.properties.isAlphabetic || category == .decimalNumber || category == .otherNumber
      if !isReplaced || category == .nonspacingMark || category == .spacingMark {
        #expect(scalar == other, "\(original) \(redacted)")
      }
      // The blocks of scripts begin at multiples of 128, and those with more letters are larger.
      if scalar.value < 0x3000 { #expect(scalar.value >> 7 == other.value >> 7, "\(scalar) \(other)") }
    }
  }

  @Test(arguments: texts) func `No word of two or more letters stays`(original: String) {
    let words = original.split { !$0.isLetter }.filter { $0.unicodeScalars.count { $0.properties.isAlphabetic } > 1 }
    let redacted = Set(text(original).split { !$0.isLetter })
    for word in words { #expect(!redacted.contains(word), "\(original) \(word)") }
  }

  @Test(arguments: [
    "ⓈⓔⓒⓡⓔⓣⒶ", "🅰🅻🅸🅲🅴", "⠎⠑⠉⠗⠑⠞", "①②③④⑤⑥⑦", "¹²³⁴⁵⁶⁷", "ⅫⅧⅣⅤ", "🇩🇪🇫🇷", "⼀⼁⼂⼃", "㌀㌁㌂㌃", "㍐㊊㈱㉿",
    "\u{E0061}\u{E006C}\u{E0069}\u{E0063}\u{E0065}", "\u{E001}\u{E002}\u{E003}\u{E004}",
    "\u{F0001}\u{F0002}\u{F0003}\u{F0004}",
    "🄰🄱🄲🄳", "⒜⒝⒞⒟", "𐄇𐄈𐄉𐄊", "x\u{E0101}\u{E0112}\u{E0113}\u{E0114}",
  ])
  func `Signs that write text are replaced by signs of their kind`(original: String) {
    let redacted = text(original)
    #expect(redacted.utf8.count == original.utf8.count)
    for (scalar, other) in zip(original.unicodeScalars, redacted.unicodeScalars) {
      #expect(
        scalar.properties.generalCategory == other.properties.generalCategory && scalar.value >> 7 == other.value >> 7)
    }
    let sameCount = zip(original.unicodeScalars, redacted.unicodeScalars).count { $0 == $1 }
    #expect(sameCount * 2 <= original.unicodeScalars.count, "\(redacted)")
    // The search for leaks knows them, too.
    var leaks = LeakCheck(LetterTable())
    let bytes = Array(original.utf8)
    #expect(original.unicodeScalars.count < 4 || !leaks.note(bytes, replacedBy: bytes, kept: []))
  }

  @Test(arguments: ["see (Alicesmith://h)", "Percivalpw://z", #"{"u":"Percival:\/\/x"}"#])
  func `A word before an address that is no scheme known to all is replaced`(original: String) {
    #expect(!text(original).contains("Alicesmith") && !text(original).contains("Percival"))
    let address = String(decoding: redactor.text(Array("Percival.Smith:path".utf8), isURI: true), as: UTF8.self)
    #expect(!address.contains("Percival") && !address.contains("Smith"))
  }

  /// All words of up to three letters, in the order of the alphabet.
  private static func words(ofLetters count: Int) -> [String] {
    guard count > 0 else { return [""] }
    return words(ofLetters: count - 1).flatMap { word in "abcdefghijklmnopqrstuvwxyz".map { word + String($0) } }
  }

  @Test(arguments: 1...2) func `Each word becomes a word of its own`(count: Int) {
    let words = Self.words(ofLetters: count)
    let redacted = words.map(text)
    #expect(Set(redacted) == Set(words))
    #expect(zip(words, redacted).allSatisfy { $0 != $1 })
  }

  private static let kept: Set = ["ft", "vs", "x", "the"]

  /// Words of one kind, and those of them that stay.
  private static let kinds: [(name: String, texts: [String], staying: Set<String>)] = [
    ("letter", words(ofLetters: 1), ["x"]), ("two letters", words(ofLetters: 2), ["ft", "vs"]),
    ("capitals", words(ofLetters: 2).map { $0.uppercased() }, ["FT", "VS"]),
    ("three letters", words(ofLetters: 3), ["the"]),
    (
      "behind a sign", words(ofLetters: 2).map { "5%\($0)" },
      // Bytes that are spelled with a percent sign.
      Set("abcdef".flatMap { first in "abcdef".map { "5%\(first)\($0)" } } + ["5%ft", "5%vs"])
    ),
    ("entities", words(ofLetters: 2).map { "&\($0);" }, ["&ft;", "&vs;", "&lt;", "&gt;"]),
    ("numbers of entities", (10...99).map { "&#\($0);" }, ["&#34;", "&#38;", "&#39;"]),
    ("two digits", (100...199).map { String("\($0)".dropFirst()) }, []),
    ("three digits", (1000...1999).map { String("\($0)".dropFirst()) }, []),
    ("letter and digits", words(ofLetters: 1).flatMap { word in (0...99).map { "\(word)\($0)" } }, []),
    ("other script", "αβγδεζηθικλμ".flatMap { first in "αβγδεζηθικλμ".map { "\(first)\($0)" } }, []),
    (
      "key of a format", words(ofLetters: 2).map { #"{"type":"\#($0)"}"# },
      [#"{"type":"ab"}"#, #"{"type":"ft"}"#, #"{"type":"vs"}"#]
    ),
    (
      "dates, with some that do not exist",
      (100...112).flatMap { month in (100...139).map { "2020-\("\(month)".dropFirst())-\("\($0)".dropFirst())" } },
      []
    ),
  ]

  @Test func `Each text becomes one of its own, and only those that are kept stay`() {
    let redactor = Redactor(
      key: RedactionKey(3, 1), vocabulary: RedactionVocabulary(words: Array(Self.kept), values: ["type": ["ab"]]))
    for kind in Self.kinds {
      let results = kind.texts.map { String(decoding: redactor.text(Array($0.utf8)), as: UTF8.self) }
      #expect(Set(results).count == kind.texts.count, "\(kind.name)")
      let staying = Set(zip(kind.texts, results).filter { $0 == $1 }.map(\.0))
      #expect(staying == kind.staying, "\(kind.name)")
    }
  }

  @Test func `A word of the vocabulary stays however its letters are spelled`() {
    let result = String(decoding: redactor.text(Array(#"["\u0066eat","\u0067eat"]"#.utf8)), as: UTF8.self)
    #expect(result.hasPrefix(#"["\u0066eat","#) && !result.contains("geat") && !result.contains("0067eat"))
  }

  @Test func `Longer words, with digits too, stay different`() {
    var redacted: Set<String> = []
    for number in 0..<2000 { redacted.insert(text("id\(number)x")) }
    #expect(redacted.count == 2000)
  }

  @Test func `Equal words are equal in every text, whatever their case`() {
    let joined = text("Ann feat. Bob & ANN/ann")
    let (ann, bob) = (text("Ann"), text("Bob"))
    #expect(joined == "\(ann) feat. \(bob) & \(ann.uppercased())/\(ann.lowercased())")
  }

  @Test func `Words of the vocabulary stay, and only where they stand alone`() {
    #expect(text("Ann - Topic").hasSuffix(" - Topic"))
    #expect(!text("Ann - Topics and feats").contains("feats"))
    #expect(text("A FEAT. B").contains(" FEAT. "))
    #expect(text("Tom &amp; Jerry").contains(" &amp; "))
  }

  @Test(arguments: [
    ("https://www.example.com:8080/Path/x?q=Anna%20Smith#top", "https://"), ("see http://a.example/b", "http://"),
    (#"{"u":"https:\/\/host.example\/a%C3%B6b"}"#, #"https:\/\/"#), ("spotify:track:4iV5W9uYEdYUVa79Axb7Rg", ""),
  ])
  func `An address keeps its scheme and shape`(original: String, scheme: String) {
    let redacted = text(original)
    #expect(scheme.isEmpty || redacted.contains(scheme))
    func shape(_ text: String) -> String {
      String(text.map { $0.isLetter ? ($0.isUppercase ? "A" : "a") : $0.isNumber ? "0" : $0 })
    }
    // A byte that is spelled with a percent sign stays one, of another letter.
    let hidden = #/%[0-9A-F]{2}/#
    #expect(shape(redacted.replacing(hidden, with: "%")) == shape(original.replacing(hidden, with: "%")))
    #expect(redacted.matches(of: hidden).count == original.matches(of: hidden).count)
    #expect(!redacted.contains("example") && !redacted.contains("nna"))
  }

  @Test func `A URI keeps its scheme whatever follows it`() {
    let redacted = String(decoding: redactor.text(Array("mailto:anna@example.com".utf8), isURI: true), as: UTF8.self)
    #expect(redacted.hasPrefix("mailto:") && !redacted.contains("anna"))
  }

  @Test func `Dates in text move by the same days, and keep their time`() throws {
    let days = redactor.dayOffset
    #expect(days <= -100)
    for (date, time) in [("2024-02-29", "T10:20:30.123Z"), ("1999-12-31", ""), ("2001-01-01", " 23:59:59 +02:00")] {
      let redacted = text("at \(date)\(time), then")
      let found = try #require(redacted.firstMatch(of: #/(\d{4})-(\d\d)-(\d\d)/#))
      #expect(redacted.contains("\(found.0)\(time), "))
      func day(_ date: Substring) -> Int? {
        let parts = date.split(separator: "-").compactMap { Int($0) }
        var days = parts[2]
        for year in 1990..<parts[0] { days += year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365 }
        let months = [31, parts[0] % 4 == 0 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return days + months.prefix(parts[1] - 1).reduce(0, +)
      }
      #expect(try #require(day(found.0)) - #require(day(date[...])) == Int(days), "\(date) \(found.0)")
    }
    // No dates.
    for original in ["2024-13-01", "2024-02-30", "12024-01-01x", "2024-01-01X"] {
      #expect(text(original) != original)
    }
  }

  @Test func `A UUID in text is that of the same data`() throws {
    let (lower, upper) = ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
    let redacted = text("<\(lower)>")
    #expect(redacted.dropFirst().dropLast().uppercased() == text(upper))
    let bytes = redactor.data([
      0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8,
    ])
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(text(lower).replacing("-", with: "") == hex)
    // The version and the variant.
    #expect(text(lower)[text(lower).index(text(lower).startIndex, offsetBy: 14)] == "1")
  }

  @Test func `Bytes that are not UTF-8 stay where they are`() {
    let original: [UInt8] = Array("Bj".utf8) + [0xF6] + Array("rn".utf8) + [0xFF, 0xC3] + Array(" Åke".utf8)
    let redacted = redactor.text(original)
    #expect(redacted.count == original.count)
    for place in [2, 5, 6, 7] { #expect(redacted[place] == original[place]) }
    #expect(redacted[0..<2] != original[0..<2] && redacted[8...] != original[8...])
  }

  @Test func `Another key gives another result, and the same key the same`() {
    let other = Redactor(key: RedactionKey(), vocabulary: RedactionVocabulary())
    let again = Redactor(key: RedactionKey(1, 2), vocabulary: RedactionVocabulary())
    let original = Array("A long enough sentence, Москва and 東京都".utf8)
    #expect(other.text(original) != redactor.text(original))
    #expect(again.text(original) == redactor.text(original))
  }
}
