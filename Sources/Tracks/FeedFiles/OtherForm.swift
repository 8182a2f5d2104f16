internal import MigrationDiagnostics
internal import SystemC

/// Refuses files that are not feeds, with the way to make a feed of one.
enum OtherForm {
  /// Throws if the bytes are known to be something else.
  ///
  /// - Parameter file: The file as a word of a command.
  static func refuse(_ content: PeekedBytes, file: String, _ name: String) throws(MigrationError) {
    let head = content.peek(512)
    if let form = FileForm(head) { throw feedError(name, form.words, "Nothing was changed. \(advice(form, head))") }
    let text = head.drop { ListFinder.isSpace($0) || [0xEF, 0xBB, 0xBF].contains($0) }
    if head.contains(0), text.first != UInt8(ascii: "{"), text.first != UInt8(ascii: "[") {
      throw feedError(name, "it is not text", "Nothing was changed. \(feeds)")
    }
    let beginning = String(decoding: text.prefix(64), as: UTF8.self).uppercased()
    if sqlWords.contains(where: beginning.hasPrefix) {
      throw feedError(
        name, "it is SQL, such as a database is dumped as",
        "Nothing was changed. Make a database of it with: sqlite3 New.sqlite < \(file) - then migrate it with: "
          + "\(.migrate("New.sqlite")) - or, if it is a current library, export its tracks as a feed with \(.export).")
    }
    if playlistWords.contains(where: beginning.hasPrefix) {
      throw feedError(
        name, "it is a list of files for a player (M3U or PLS)",
        "Nothing was changed. Convert its titles into standard input: python3 -c 'import json, re, sys; "
          + "[print(json.dumps({\"artistName\": m[1], \"title\": m[2].strip()})) for m in "
          + "(re.match(r\"(?:#EXTINF:[^,]*,|Title\\d+=)(.*?) - (.*)\", l) for l in sys.stdin) if m]' < \(file), with '-' "
          + "as the feed.")
    }
    guard text.first == UInt8(ascii: "<") else { return }
    let known = documents.first { head.firstRange(of: $0.word) != nil }
    throw feedError(
      name, known?.words ?? "it is XML or a page of the web",
      "Nothing was changed. \(known?.advice ?? "Choose JSON or CSV where it is exported, or convert it.")")
  }

  /// Refuses text in an encoding of one byte for each character, in which tables are saved on Windows.
  static func refuseEncoding(of text: ArraySlice<UInt8>, file: String, _ name: String) throws(MigrationError) {
    // The last character may have been cut off.
    let text = text[..<(text.lastIndex { $0 < 0x80 } ?? text.startIndex)]
    guard String(validating: text, as: UTF8.self) == nil else { return }
    // Text that has other characters in UTF-8 has only some damaged rows.
    let others = String(decoding: text, as: UTF8.self).unicodeScalars.lazy.filter { !$0.isASCII }
    guard others.allSatisfy({ $0 == "\u{FFFD}" }) else { return }
    throw feedError(
      name, "its text is not UTF-8, but likely Windows-1252 (Latin-1)",
      "Nothing was changed. Convert it into standard input: iconv -f WINDOWS-1252 -t UTF-8 \(file), with '-' as the "
        + "feed. If its letters are then wrong, it has another encoding: name that one.")
  }

  /// The error of text that has no columns.
  static func plainText(_ line: String, _ name: String) -> MigrationError {
    let line = String(line.prefix(60))
    return feedError(
      name, "it is text with one column, '\(line)'",
      "Nothing was changed. Make a table of it, with columns for titles and artists and a first row such as "
        + "title,artist; or take its lines below the first one for titles, with \(.feedFormat) csv and \(.titlePath) "
        + "as $['\(line)'].")
  }

  private static let sqlWords = [
    "PRAGMA ", "BEGIN;", "BEGIN TRANSACTION", "CREATE TABLE ", "INSERT INTO ", "DROP TABLE ",
  ]
  private static let playlistWords = ["#EXTM3U", "#EXTINF", "[PLAYLIST]"]

  private static let feeds: Advice = "Name a feed: JSON, one object per line or in a list, or a table (CSV)."

  /// The way to make a feed of a file.
  private static func advice(_ form: FileForm, _ head: ArraySlice<UInt8>) -> Advice {
    switch form {
    case .sqlite: "A library of tracks is migrated by itself, and exported as a feed with \(.export)."
    case .zip: "Unpack it first: unzip FILE"
    case .gzip: unpacking("gzip")
    case .zstd: unpacking("zstd")
    case .xz: unpacking("xz")
    case .bzip2: unpacking("bzip2")
    case .sevenZip: "Unpack it first: 7z x FILE"
    case .rar: "Unpack it first: unrar x FILE"
    case .tar: "Unpack one of its files into standard input: tar -xOf FILE MEMBER, with '-' as the feed."
    case .binaryPropertyList: "Convert it, for instance with: plistutil -i FILE -f json"
    case .pdf: "Export the tracks as JSON or CSV."
    case .officeDocument: "Save the sheet as CSV."
    case .utf16:
      "Convert it into standard input: iconv -f \(encoding(head)) -t UTF-8 FILE, with '-' as the feed."
    case .gitLFSPointer: "Get the file itself with: git lfs pull"
    case .sqliteLog, .sqliteLogIndex, .sqliteJournal, .coreDataXML, .coreDataBinary, .realm, .media, .encrypted: feeds
    }
  }

  private static func unpacking(_ program: String) -> Advice {
    "Unpack it into standard input: \(program) -dc FILE, with '-' as the feed."
  }

  /// The name of an encoding of two bytes: without a mark, the byte that is zero tells their order.
  private static func encoding(_ head: ArraySlice<UInt8>) -> String {
    head.first == 0 ? "UTF-16BE" : head.dropFirst().first == 0 ? "UTF-16LE" : "UTF-16"
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
