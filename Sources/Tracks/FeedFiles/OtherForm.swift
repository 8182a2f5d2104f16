internal import MigrationDiagnostics

/// A form of files that are no feeds, with the way to make one of them.
enum OtherForm {
  /// Throws if the bytes are known to be something else.
  static func refuse(_ content: PeekedBytes, _ name: String) throws(MigrationError) {
    let head = content.peek(512)
    for form in all where form.matches(head) {
      throw feedError(name, form.words, "Nothing was changed. \(form.advice)")
    }
    let text = head.drop { ListFinder.isSpace($0) || [0xEF, 0xBB, 0xBF].contains($0) }
    if head.contains(0), text.first != UInt8(ascii: "{"), text.first != UInt8(ascii: "[") {
      throw feedError(
        name, "it is not text",
        "Nothing was changed. Name a feed: JSON, one object per line or in a list, or a table (CSV).")
    }
    guard text.first == UInt8(ascii: "<") else { return }
    let known = documents.first { head.contains($0.word) }
    throw feedError(
      name, known?.words ?? "it is XML or a page of the web",
      "Nothing was changed. \(known?.advice ?? "Choose JSON or CSV where it is exported, or convert it.")")
  }

  private struct Form {
    let beginning: [UInt8]
    var offset = 0
    let words: String
    let advice: Advice

    func matches(_ head: ArraySlice<UInt8>) -> Bool { head.dropFirst(offset).starts(with: beginning) }
  }

  private static let all =
    [
      Form(
        beginning: Array("SQLite format 3\0".utf8), words: "it is an SQLite database",
        advice: "A library of tracks is migrated by itself, and exported as a feed with \(.export)."),
      Form(
        beginning: [0x28, 0xB5, 0x2F, 0xFD], words: "it is compressed with zstd",
        advice: "Unpack it into standard input: zstd -dc FILE, with '-' as the feed."),
      Form(
        beginning: [0xFD, 0x37, 0x7A, 0x58, 0x5A], words: "it is compressed with xz",
        advice: "Unpack it into standard input: xz -dc FILE, with '-' as the feed."),
      Form(
        beginning: Array("BZh".utf8), words: "it is compressed with bzip2",
        advice: "Unpack it into standard input: bzip2 -dc FILE, with '-' as the feed."),
      Form(
        beginning: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], words: "it is a 7z archive",
        advice: "Unpack it first: 7z x FILE"),
      Form(beginning: Array("Rar!".utf8), words: "it is a RAR archive", advice: "Unpack it first: unrar x FILE"),
      Form(
        beginning: Array("ustar".utf8), offset: 257, words: "it is a tar archive",
        advice: "Unpack one of its files into standard input: tar -xOf FILE MEMBER, with '-' as the feed."),
      Form(
        beginning: Array("bplist00".utf8), words: "it is a binary property list",
        advice: "Convert it, for instance with: plistutil -i FILE -f json"),
      Form(beginning: Array("%PDF".utf8), words: "it is a PDF", advice: "Export the tracks as JSON or CSV."),
      Form(
        beginning: [0xD0, 0xCF, 0x11, 0xE0], words: "it is a document of an older office program",
        advice: "Save the sheet as CSV."),
    ]
    + [
      ("UTF-16", [0xFF, 0xFE]), ("UTF-16", [0xFE, 0xFF]), ("UTF-16LE", [0x7B, 0]), ("UTF-16LE", [0x5B, 0]),
      ("UTF-16BE", [0, 0x7B]), ("UTF-16BE", [0, 0x5B]),
    ].map { name, beginning in
      Form(
        beginning: beginning, words: "it is UTF-16",
        advice: "Convert it into standard input: iconv -f \(name) -t UTF-8 FILE, with '-' as the feed.")
    }

  /// Documents in XML, by a word in their beginning.
  private static let documents: [(word: [UInt8], words: String, advice: Advice)] = [
    ("<DJ_PLAYLISTS", "it is a Rekordbox collection, which is XML", xml("TRACK", "Name", "Artist")),
    ("<NML", "it is a Traktor collection, which is XML", xml("ENTRY", "TITLE", "ARTIST")),
    (
      "<plist", "it is a property list, as iTunes and Music export their library",
      "Convert it into standard input: python3 -c 'import json, plistlib, sys; [print(json.dumps({\"title\": t.get(\"Name\"), "
        + "\"artistName\": t.get(\"Artist\")})) for t in plistlib.load(sys.stdin.buffer)[\"Tracks\"].values()]' < FILE, "
        + "with '-' as the feed."
    ),
    (
      "<lfm", "it is an answer of Last.fm in XML", "Ask for it as JSON, with format=json in its address."
    ),
    (
      "<html", "it is a page of the web",
      "Where it was exported there is a choice of JSON: Google Takeout has it below 'Multiple formats'."
    ),
    (
      "<!DOCTYPE html", "it is a page of the web",
      "Where it was exported there is a choice of JSON: Google Takeout has it below 'Multiple formats'."
    ),
  ].map { (Array($0.0.utf8), $0.1, $0.2) }

  /// A program that makes a feed of the elements of a name.
  private static func xml(_ element: String, _ title: String, _ artist: String) -> Advice {
    "Convert it into standard input: python3 -c 'import json, sys, xml.etree.ElementTree as x; "
      + "[print(json.dumps({\"title\": t.get(\"\(title)\"), \"artistName\": t.get(\"\(artist)\")})) "
      + "for t in x.parse(sys.stdin).iter(\"\(element)\") if t.get(\"\(title)\")]' < FILE, with '-' as the feed."
  }
}

extension ArraySlice<UInt8> {
  fileprivate func contains(_ word: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: word) }
  }
}
