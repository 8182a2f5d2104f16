import JSONPresets
import Testing

@testable import Policies

struct PresetMatcherTests {
  private let extraction = ArtistExtraction()

  private func read(_ document: String) throws -> ArtistExtraction.Finding { try extraction.read(Array(document.utf8)) }

  @Test func `A word for a role means what each preset says, however often it occurs`() throws {
    for _ in 0..<3 {
      let deezer = try read(
        """
        {"type":"track","artist":{"name":"A"},"duration":1,"rank":1,
         "contributors":[{"name":"A","role":"0"},{"name":"B","role":"Featured"}]}
        """)
      #expect(deezer.artists.map(\.role) == [.other, .featured])
      let song = try read(#"{"SNG_ID":"1","ART_NAME":"A","ARTISTS":[{"ART_NAME":"A","ROLE_ID":"0"}]}"#)
      #expect(song.artists.map(\.role) == [.main])
    }
  }

  @Test func `There may be more words for roles than are remembered, and long ones`() throws {
    let words = (0..<40).map { "word \($0)" } + ["a word that is longer than sixteen bytes", "main", "Featured"]
    let artists = words.map { #"{"name":"\#($0)","id":1,"type":"\#($0)"}"# }.joined(separator: ",")
    for _ in 0..<2 {
      let finding = try read(#"{"audioQuality":"HIGH","artists":[\#(artists)]}"#)
      #expect(finding.artists.map(\.role) == Array(repeating: .other, count: 41) + [.main, .featured])
    }
  }

  /// Nothing is reset between documents, so what belongs to an earlier one must count as missing.
  @Test func `What a document has says nothing about the next`() throws {
    for _ in 0..<2 {
      #expect(try read(#"{"artists":null}"#).reason == .nullArtists)
      #expect(try read(#"{"other":null}"#).reason == .noArtists)
      #expect(try read(#"{"artists":[]}"#).reason == .emptyArtists)
      #expect(try read(#"{"artists":[{"name":"A"}],"artists":1}"#).duplicateKeyCount == 1)
      #expect(try read(#"{"artists":[{"name":"A"},{"name":"B","name":"C"}]}"#).duplicateKeyCount == 1)
      let finding = try read(#"{"artists":[{"name":"A"},{"name":"B"}]}"#)
      #expect(finding.artists.map(\.name) == ["A", "B"] && finding.duplicateKeyCount == 0)
    }
  }

  @Test func `The number of an object is not taken for the index of an element`() throws {
    let source = Preset.Source("$.a[*]", name: "name")
    for index in 0...4 {
      let preset = Preset("own", "", "", [JSONCondition(stringLiteral: "$.a.b[\(index)]")], artists: [source])
      let extraction = ArtistExtraction(.preset(preset))
      let document = Array(#"{"a":{"name":"A","b":[0,1,2,3,4]}}"#.utf8)
      let findings = try (0..<3).map { _ in try extraction.read(document) }
      #expect(Set(findings).count == 1)
    }
  }

  @Test(arguments: ["Mira Sol", " Mira Sol", "Mira Sol ", "\u{200B}Mira Sol", "Mira Sol\u{A0}", "\tMira Sol\u{7F}"])
  func `Whitespace and invisible characters around a name are removed`(name: String) throws {
    let text = name.replacing("\t", with: "\\t")
    let finding = try read(#"{"videoId":"1","artists":[{"name":"\#(text)","id":null}]}"#)
    #expect(finding.artists.map(\.name) == ["Mira Sol"])
  }
}
