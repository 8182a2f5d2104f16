import Testing

@testable import TrackLibrary

@Suite("Names that look alike")
struct LookAlikeTests {
  @Test(
    arguments: [
      ("Beyoncé", "BEYONCE", "case and accents"), ("Beyoncé", "Beyonce\u{301}", "code points"),
      ("ABBA", "\u{FF21}\u{FF22}\u{FF22}\u{FF21}", "width"), ("\u{30AC}", "\u{FF76}\u{FF9E}", "width"),
      ("Sade", "Sa\u{200B}de\u{FEFF}", "characters that are not visible"),
      ("Sade", "S\u{AD}ade", "characters that are not visible"),
      ("Daft Punk", " Daft\u{A0}\u{2003}Punk ", "blanks"), ("Daft Punk", "Daft\u{A0}Punk", "blanks"),
      ("Ann", " Ann", "blanks"), ("Ann", "Ann ", "blanks"), ("Ann", "\u{3000}Ann", "blanks"),
      ("Jay-Z", "Jay\u{2010}Z", "dashes"),
      ("A\u{2013}B", "A\u{2212}B", "dashes"), ("Guns N' Roses", "Guns N\u{2019} Roses", "quotation marks"),
      ("\"Weird Al\"", "\u{201C}Weird Al\u{201D}", "quotation marks"),
      ("Metallica", "Met\u{430}llica", "letters of another alphabet"),
      ("The Beatles", "Beatles, The", "the place of 'The'"),
      ("Simon & Garfunkel", "Simon and Garfunkel", "'&' for 'and'"),
      ("J.J. Cale", "J. J. Cale", "the spelling of initials"), ("N.W.A", "NWA", "the spelling of initials"),
      ("The Jacksons & Co", "jacksons and co, the", "case, '&' for 'and' and the place of 'The'"),
    ])
  func `Names are alike, and what they differ in is named`(first: String, second: String, words: String) {
    #expect(LookAlike.key(first) == LookAlike.key(second))
    #expect(LookAlike.evidence(first, second) == words)
  }

  @Test(
    arguments: [
      ("Beatles", "The Beatles"), ("AB", "A B"), ("Мир", "Mup"), ("Кино", "Kino"), ("will.i.am", "william"),
      ("U2", "U 2"),
      ("Blink-182", "Blink 182"), ("Yes", "Yes!"), ("3+2", "3 and 2"), ("", "-"), ("M.", "N."), ("And", "&x"),
      ("Αθήνα", "Athena"), ("Mr. Big", "Mr Big"), ("The The", "The"),
    ])
  func `Other names are not`(first: String, second: String) {
    #expect(LookAlike.key(first) != LookAlike.key(second))
  }

  @Test(
    arguments: [
      "Ann Lee", "Björk", "Bjo\u{308}rk", "Beatles, The", "J. J. Cale", "Guns N\u{2019} Roses", "ＡＢＢＡ", "夏 川", "Метро",
      "می\u{200C}خواهم", "İbo", "ŉ", "½ & ﬁ", "",
    ])
  func `A name without a mistake is not spoiled`(name: String) { #expect(!LookAlike.isSpoiled(name)) }

  @Test(
    arguments: [
      "Ann  Lee", " Ann", "Ann ", "Ann\u{200B}", "Ann\u{200D}", "Ann\u{A0}Lee", "Ann\tLee", "Met\u{430}llica",
      "Метро\u{FEFF}",
    ])
  func `A name with a mistake is spoiled`(name: String) { #expect(LookAlike.isSpoiled(name)) }

  /// Plain names take a shorter way.
  @Test func `A plain name is spoiled if its keys say so`() {
    let parts = ["", " ", "  ", "a", "B.", "J.", "&", "and", "The", "Beatles,", "-", "'", "x y", "J. J."]
    for first in parts {
      for second in parts {
        for third in parts {
          let name = [first, second, third].joined(separator: first.count.isMultiple(of: 2) ? " " : "")
          #expect(LookAlike.plainIsSpoiled(name) == LookAlike.keysTellSpoiled(name), "'\(name)'")
        }
      }
    }
    #expect(LookAlike.plainIsSpoiled("Björk") == nil)
  }

  /// Names in Latin letters take a shorter way.
  @Test func `A letter is folded alike in each name`() {
    for number in UInt32(0x20)..<0x180 where !(0x7F..<0xA0).contains(number) {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let name = "x\(Character(scalar))y"
      #expect(LookAlike.key("\(name) 一") == LookAlike.key(name) + " 一", "U+\(String(number, radix: 16))")
    }
  }

  /// Names as people have them, none of which is another one.
  @Test func `There are no false alarms among ten thousand names`() {
    let first = [
      "Anna", "Ben", "Cho", "Dídac", "Eva", "Fritz", "Gül", "Håkan", "Inês", "Jörg", "K. D.", "Lil", "DJ", "MC", "Nina",
      "O",
      "Pär", "Q-Tip", "Renée", "Søren", "Tom", "Uschi", "Ví", "Wu", "Xu", "Yuki", "Zoë", "The", "Big", "J. J.",
    ]
    let middle = ["", "van ", "de ", "O'", "Mc", "El ", "von ", "B. ", "& the ", "al-", "St. "]
    let last = [
      "Abel", "Bach", "Cash", "Dion", "Eno", "Ford", "Gray", "Hill", "Ito", "Jones", "Kuti", "Lund", "Ma", "Nas", "Ono",
      "Pop",
      "Queen", "Reed", "Simone", "Tosh", "Usher", "Vega", "West", "Xiu", "Young", "Zappa", "Ångström", "Çelik", "Šimon",
      "Ōta", "Łoś",
    ]
    let names = first.flatMap { name in middle.flatMap { between in last.map { "\(name) \(between)\($0)" } } }
    #expect(names.count > 10_000)
    let keys = Set(names.map { LookAlike.key($0) })
    #expect(keys.count == names.count)
  }
}
