import Foundation
import TestSupport
import Testing

/// The permissions of new files: those that the umask or the folder's list gives, and no more than the sources have.
@Suite("Permissions of new files")
struct NewFileModeTests {
  /// A command that makes files, as words of a shell in a folder with sources.
  private struct Maker: Sendable, CustomTestStringConvertible {
    /// The commands whose written paths it names.
    let command: String
    let script: String
    /// The files that it makes.
    let files: [String]
    /// What the files are made from.
    let sources: [String]
    var testDescription: String { script }

    init(_ command: String, _ script: String, _ files: String..., from sources: [String]) {
      (self.command, self.script, self.files, self.sources) = (command, script, files, sources)
    }
  }

  private static let makers = [
    Maker("migrate", "$TOOL V1.sqlite --output N.sqlite", "N.sqlite", "N.sqlite.migration.json", from: ["V1.sqlite"]),
    Maker("migrate", "$TOOL V1.sqlite --stats s.json", "s.json", "V1.sqlite.rejects.ndjson", from: ["V1.sqlite"]),
    Maker("migrate", "$TOOL V1.sqlite --decisions d.tsv --output N.sqlite", "N.sqlite", from: ["d.tsv"]),
    Maker(
      "import", "$TOOL import feed N.sqlite --stats s.json", "N.sqlite", "N.sqlite.rejects.ndjson", "s.json",
      from: ["feed"]),
    Maker(
      "import", "$TOOL import feed V2.sqlite --stats s.json", "V2.sqlite.rejects.ndjson", "s.json",
      from: ["feed", "V2.sqlite"]),
    Maker("import", "$TOOL import - N.sqlite < feed", "N.sqlite", from: ["feed"]),
    Maker("export", "$TOOL export V2.sqlite --output o", "o", from: ["V2.sqlite"]),
    Maker("export", "$TOOL export V2.sqlite --entity Track --output o", "o", from: ["V2.sqlite"]),
    Maker("extract", "$TOOL extract feed --first-key 1 --output o", "o", from: ["feed"]),
    Maker(
      "extract", "$TOOL extract - --first-key 1 --decisions d.tsv --output o < feed", "o", from: ["feed", "d.tsv"]),
    Maker("stats", "$TOOL stats V2.sqlite --output o", "o", from: ["V2.sqlite"]),
    Maker("report", "$TOOL report V2.sqlite --output o", "o", from: ["V2.sqlite"]),
    Maker("report", "$TOOL report V2.sqlite --output o", "o", from: ["V2.sqlite.migration.json"]),
    Maker("artists review", "$TOOL artists review V2.sqlite --output o", "o", from: ["V2.sqlite"]),
    Maker("redact", "$TOOL redact V1.sqlite --output N.sqlite", "N.sqlite", from: ["V1.sqlite"]),
    Maker("salvage", "$TOOL salvage V1.sqlite --output N.sqlite", "N.sqlite", from: ["V1.sqlite"]),
    Maker("sample", "$TOOL sample 5 N.sqlite --wal", "N.sqlite", "N.sqlite-wal", from: []),
    Maker("sample", "$TOOL sample 5 N.sqlite --example notes", "N.sqlite", from: []),
    Maker(
      "fixture new", "$TOOL fixture new --model M.xcdatamodeld N.sqlite", "N.sqlite",
      from: ["M.xcdatamodeld/1.xcdatamodel/contents"]),
    Maker(
      "rehearse", "$TOOL rehearse --model M.xcdatamodeld --junit j --markdown m", "j", "m",
      from: ["M.xcdatamodeld/1.xcdatamodel/contents"]),
    Maker(
      "models compile", "$TOOL models compile M.xcdatamodeld --output C.momd", "C.momd", "C.momd/1.mom",
      from: ["M.xcdatamodeld/1.xcdatamodel/contents"]),
    Maker(
      "models freeze", "$TOOL models freeze M.xcdatamodeld --output C.xcdatamodeld",
      "C.xcdatamodeld/1.xcdatamodel/contents", "C.xcdatamodeld/.xccurrentversion",
      from: ["M.xcdatamodeld/1.xcdatamodel/contents"]),
    Maker(
      "models show", "$TOOL models show M.xcdatamodeld --as xcdatamodel --output C.xcdatamodel",
      "C.xcdatamodel/contents", from: ["M.xcdatamodeld/1.xcdatamodel/contents"]),
    Maker(
      "models diff", "$TOOL models diff M.xcdatamodeld M.xcdatamodeld --as xcmappingmodel --output C.xcmappingmodel",
      "C.xcmappingmodel/xcmapping.xml", from: ["M.xcdatamodeld/1.xcdatamodel/contents"]),
    Maker(
      "assemble", "$TOOL assemble --manifest manifest.json --output N.sqlite", "N.sqlite",
      from: ["manifest.json", "tracks"]),
    Maker(
      "batch run", "$TOOL batch V1.sqlite --results r --output-dir out", "r", "out", "out/V1.sqlite",
      "out/V1.sqlite.migration.json", from: ["V1.sqlite"]),
    Maker("batch run", "echo V1.sqlite | $TOOL batch --files-from - --results r", "r", from: ["V1.sqlite"]),
  ]

  /// Everything that the makers read, open to all.
  private static func sources() throws -> TemporaryFolder {
    let folder = try TemporaryFolder(isInMemory: true)
    try LibraryBuilder().write(to: folder.file("V1.sqlite"))
    try Files.copy(folder.file("V1.sqlite"), to: folder.file("V2.sqlite"))
    try successfully(folder.file("V2.sqlite"), "--no-backup")
    Files.remove(folder.file("V2.sqlite.rejects.ndjson"))
    try folder.write(Array("{\"title\":\"x\",\"artists\":[\"y\"]}\nbroken\n".utf8), to: "feed")
    try folder.write(Array("decision\tartist\tid\tinto\tinto_id\ttracks\tevidence\n".utf8), to: "d.tsv")
    _ = try folder.models(
      "M.xcdatamodeld",
      ["1": #"<entity name="A"><attribute name="n" optional="YES" attributeType="String"/></entity>"#], current: "1")
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    let run = #"{"count":0,"files":[{"path":"tracks","count":0,"sha256":"\#(empty)"}]}"#
    try folder.write([], to: "tracks")
    try folder.write(
      Array(#"{"format_version":1,"tracks":\#(run),"artists":\#(run),"links":\#(run)}"#.utf8), to: "manifest.json")
    for name in try folder.listing() where name != "M.xcdatamodeld" { chmod(folder.file(name), 0o644) }
    return folder
  }

  private static func make(_ maker: Maker, umask: String, in folder: TemporaryFolder) throws -> [(String, UInt32)] {
    let result = try CommandRunner.shell("umask \(umask); \(maker.script)", in: folder.path).run()
    #expect(result.end != .timedOut)
    return try maker.files.map { name in
      try #require(Files.exists(folder.file(name)), "\(name) \(result)")
      return (name, try Files.access(folder.file(name)).mode)
    }
  }

  @Test func `Every command that writes is among the makers`() {
    let changing = ["restore", "doctor", "artists apply"]
    let commands = Set(PathArgument.all(where: \.isWriting).map { $0.command.joined(separator: " ") })
    #expect(commands.subtracting(changing) == Set(Self.makers.map(\.command)))
  }

  @Test(arguments: makers)
  private func `A new file takes the umask`(maker: Maker) throws {
    let modes: [(String, UInt32)] = [("027", 0o640), ("077", 0o600), ("022", 0o644)]
    for (umask, mode) in Rounds.some(1, of: modes) {
      for (name, found) in try Self.make(maker, umask: umask, in: Self.sources()) {
        #expect(found & 0o666 == mode, "\(name) \(umask)")
      }
    }
  }

  @Test(arguments: makers)
  private func `A new file is not open to more people than any of its sources`(maker: Maker) throws {
    for source in maker.sources {
      for (mode, expected) in Rounds.some(1, of: [(0o640, 0o640), (0o600, 0o600)] as [(mode_t, UInt32)]) {
        let folder = try Self.sources()
        chmod(folder.file(source), mode)
        for (name, found) in try Self.make(maker, umask: "022", in: folder) where name != "out" {
          #expect(found & 0o666 == expected, "\(name) from \(source)")
        }
      }
    }
  }

  @Test(arguments: ["L.sqlite-wal", ".L_SUPPORT", ".L_SUPPORT/_EXTERNAL_DATA/F"])
  func `A new file is not open to more people than what lies beside the store that it is made from`(
    name: String
  ) throws {
    for (script, files) in [
      ("$TOOL L.sqlite --output N.sqlite", ["N.sqlite", "N.sqlite.migration.json"]),
      ("$TOOL stats L.sqlite --output N", ["N"]), ("$TOOL L.sqlite", ["L.sqlite.migration.json"]),
      ("$TOOL batch L.sqlite --output-dir out --results r", ["out/L.sqlite", "r"]),
    ] {
      let folder = try Self.sources()
      var builder = LibraryBuilder()
      builder.writeAheadLogStart = 2
      try builder.write(to: folder.file("L.sqlite"))
      _ = try folder.makeFolder(".L_SUPPORT")
      _ = try folder.makeFolder(".L_SUPPORT/_EXTERNAL_DATA")
      let file = ".L_SUPPORT/_EXTERNAL_DATA/00000001-ABCD-4EF0-8123-456789ABCDEF"
      try folder.write(Array("x".utf8), to: file)
      for open in ["L.sqlite", "L.sqlite-wal", file] { chmod(folder.file(open), 0o644) }
      let source = folder.file(name.hasSuffix("/F") ? file : name)
      chmod(source, FileManager.default.fileExists(atPath: source + "/_EXTERNAL_DATA") ? 0o700 : 0o600)
      let result = try CommandRunner.shell("umask 022; \(script)", in: folder.path).run()
      #expect(result.status == 0, "\(result)")
      for made in files { #expect(try Files.access(folder.file(made)).mode & 0o666 == 0o600, "\(made) \(script)") }
    }
  }

  @Test(arguments: makers)
  private func `A new file takes the default list of its folder instead of the umask`(maker: Maker) throws {
    let folder = try Self.sources()
    let list = Files.accessList(owner: 7, user: (65534, 5), group: 5, others: 0)
    guard Files.setAttribute("system.posix_acl_default", list, of: folder.path) else { return }
    for (name, found) in try Self.make(maker, umask: "000", in: folder) {
      #expect(found & 0o007 == 0, "\(name)")
      #expect(found & 0o020 == 0, "\(name)")
    }
  }

  @Test(arguments: [("077", 0o700), ("027", 0o750), ("022", 0o755)] as [(String, UInt32)])
  func `A new folder can be entered by all who can list it`(umask: String, mode: UInt32) throws {
    let folder = try Self.sources()
    for (name, command) in [
      ("C.momd", "models compile M.xcdatamodeld --output C.momd"),
      ("C.xcdatamodeld", "models freeze M.xcdatamodeld --output C.xcdatamodeld"),
      ("C.xcdatamodel", "models show M.xcdatamodeld --as xcdatamodel --output C.xcdatamodel"),
      (
        "C.xcmappingmodel",
        "models diff M.xcdatamodeld M.xcdatamodeld --as xcmappingmodel --output C.xcmappingmodel"
      ),
    ] {
      let result = try CommandRunner.shell("umask \(umask); $TOOL \(command)", in: folder.path).run()
      #expect(result.status == 0, "\(result)")
      #expect(try Files.access(folder.file(name)).mode & 0o777 == mode, "\(name)")
    }
  }

  @Test func `The folders of results hand on the group of the folder that they are in`() throws {
    let folder = try Self.sources()
    // Not everybody may give a group away; the bit is handed on all the same.
    let script = """
      umask 022; mkdir inner shared; cp V1.sqlite inner/L.sqlite; chgrp 5 shared 2>/dev/null; chmod 2775 shared
      mkdir -p shared/beside/inner; $TOOL batch inner/L.sqlite --output-dir shared/out
      """
    let result = try CommandRunner.shell(script, in: folder.path).run()
    #expect(result.status == 0, "\(result)")
    for name in ["", "/inner"] {
      var (made, beside) = (stat(), stat())
      #expect(lstat(folder.file("shared/out\(name)"), &made) == 0)
      #expect(lstat(folder.file("shared/beside\(name)"), &beside) == 0)
      #expect(made.st_mode == beside.st_mode && made.st_gid == beside.st_gid, "\(name)")
    }
  }

  @Test func `The folders of results are not open to more people than those of the libraries`() throws {
    let folder = try Self.sources()
    let inner = try folder.makeFolder("private")
    try Files.copy(folder.file("V1.sqlite"), to: inner + "/L.sqlite")
    chmod(inner, 0o700)
    try successfully("batch", "private/L.sqlite", "--output-dir", "out", in: folder.path)
    #expect(try Files.access(folder.file("out/private")).mode == 0o700)
  }
}
