import Foundation
import TestSupport
import Testing

/// A command that writes files, with the files that it is run on.
struct Road: Sendable, CustomTestStringConvertible {
  /// The words of the command line, with paths in the folder.
  let words: [String]
  /// The files and folders of the template that it needs, by the beginnings of their names.
  let files: [String]
  /// The files and folders that it makes or replaces; the rest appears with them.
  let results: [String]
  /// A command line that finishes what an earlier run has begun, once the result is there; by default the same one.
  var finishing: [String]?
  /// Whether each run makes another result of the same form.
  var isRandom = false

  var testDescription: String { words.joined(separator: " ") }

  /// The subcommand, as `help` names it.
  var command: String {
    Self.groups.contains(words[0]) ? words.prefix(2).joined(separator: " ") : words[0]
  }

  static let groups: Set = ["artists", "models", "presets", "fixture"]

  static let all = [
    Road(words: ["migrate", "Old.sqlite"], files: ["Old."], results: ["Old.sqlite"]),
    Road(words: ["migrate", "Old.sqlite", "--output", "New.sqlite"], files: ["Old."], results: ["New.sqlite"]),
    Road(
      words: ["migrate", "Notes.sqlite", "--model", "Notes.xcdatamodeld"], files: ["Notes", ".Notes"],
      results: ["Notes.sqlite"]),
    Road(words: ["restore", "Moved.sqlite"], files: ["Moved."], results: ["Moved.sqlite"]),
    Road(
      words: ["batch", "--jobs", "2", "Old.sqlite", "Other.sqlite"], files: ["Old.", "Other."],
      results: ["Old.sqlite", "Other.sqlite"]),
    Road(
      words: ["import", "Feed.ndjson", "New.sqlite"], files: ["Feed.", "Empty."], results: ["New.sqlite"],
      finishing: ["import", "Empty.ndjson", "New.sqlite"]),
    Road(
      words: ["import", "More.ndjson", "Library.sqlite"], files: ["Library.", "More.", "Empty."],
      results: ["Library.sqlite"], finishing: ["import", "Empty.ndjson", "Library.sqlite"]),
    Road(
      words: ["artists", "apply", "Library.sqlite", "decisions.tsv"], files: ["Library.", "decisions."],
      results: ["Library.sqlite"], finishing: ["migrate", "Library.sqlite"]),
    Road(
      words: ["artists", "review", "Library.sqlite", "--output", "Review.tsv"], files: ["Library."],
      results: ["Review.tsv"]),
    Road(
      words: ["export", "Library.sqlite", "--what", "links", "--format", "csv", "--output", "Links.csv"],
      files: ["Library."], results: ["Links.csv"]),
    Road(
      words: ["export", "Library.sqlite", "--format", "sqlite", "--output", "Browse.db"], files: ["Library."],
      results: ["Browse.db"]),
    Road(words: ["report", "Library.sqlite", "--output", "Page.html"], files: ["Library."], results: ["Page.html"]),
    Road(
      words: ["stats", "Library.sqlite", "--format", "prometheus", "--output", "tracks.prom"], files: ["Library."],
      results: ["tracks.prom"]),
    Road(words: ["sample", "30", "New.sqlite"], files: [], results: ["New.sqlite"]),
    Road(words: ["doctor", "Sick.sqlite", "--repair"], files: ["Sick."], results: ["Sick.sqlite"]),
    Road(words: ["salvage", "Damaged.sqlite", "--output", "New.sqlite"], files: ["Damaged."], results: ["New.sqlite"]),
    Road(
      words: ["redact", "Old.sqlite", "--output", "New.sqlite"], files: ["Old."], results: ["New.sqlite"],
      isRandom: true),
    Road(
      words: ["fixture", "new", "--model", "Notes.xcdatamodeld", "New.sqlite"], files: ["Notes.xc"],
      results: ["New.sqlite"]),
    Road(
      words: ["models", "compile", "Notes.xcdatamodeld", "--output", "Notes.momd"], files: ["Notes.xc"],
      results: ["Notes.momd"]),
    Road(
      words: ["models", "show", "Notes.xcdatamodeld", "--as", "xcdatamodel", "--output", "New.xcdatamodel"],
      files: ["Notes.xc"], results: ["New.xcdatamodel"]),
    Road(
      words: [
        "models", "diff", "Notes.xcdatamodeld:Notes", "Notes.xcdatamodeld:Notes 2", "--as", "xcmappingmodel",
        "--output",
        "New.xcmappingmodel",
      ], files: ["Notes.xc"], results: ["New.xcmappingmodel"]),
    Road(
      words: ["models", "guard", "Notes.xcdatamodeld", "--update"], files: ["Notes.xc"],
      results: ["models.lock"]),
    Road(words: ["extract", "Old.sqlite", "--output", "Old.out"], files: ["Old."], results: ["Old.out"]),
    Road(
      words: ["assemble", "--manifest", "rows/manifest.json", "--output", "New.sqlite"], files: ["rows"],
      results: ["New.sqlite"]),
  ]

  /// The commands that leave no file behind, or write in another way, with the reason.
  static let others = [
    "verify": "it reads", "artists list": "it reads", "artist": "it reads", "tracks": "it reads", "info": "it reads",
    "presets list": "it reads", "presets show": "it reads", "presets test": "it reads", "presets new": "it prints",
    "models hash": "it reads", "models explain": "it reads", "models lint": "it reads", "query": "it reads",
    "diff": "it reads", "rehearse": "its stores are in the folder for temporary files",
    "models freeze": "it writes as models show does, after the Swift compiler",
  ]

  /// The files that roads begin with.
  static let template = Result { () throws -> TemporaryFolder in
    let folder = try TemporaryFolder()
    for (name, count) in [("Old", 30), ("Other", 20), ("Moved", 20), ("Damaged", 60)] {
      try successfully("sample", "\(count)", "\(name).sqlite", in: folder.path)
    }
    try successfully("migrate", "Moved.sqlite", "-q", in: folder.path)
    try folder.write([], to: "Empty.ndjson")
    for (name, artists) in [("Feed", ["Ann", "Bob"]), ("More", ["Bob", "Cid"])] {
      let lines = (0..<40).map { #"{"title":"\#(name) \#($0)","artists":["\#(artists[$0 % 2])","Eve"]}"# }
      try folder.write(Array(lines.joined(separator: "\n").utf8), to: "\(name).ndjson")
    }
    try successfully("import", "Feed.ndjson", "Library.sqlite", "-q", in: folder.path)
    try folder.write(Array("decision\tartist\tinto\nrename\tAnn\tAnna\n".utf8), to: "decisions.tsv")
    try Files.copy(folder.file("Library.sqlite"), to: folder.file("Sick.sqlite"))
    try Database.run("DROP INDEX Z_1TRACKS_Z_2TRACKS_INDEX", in: folder.file("Sick.sqlite"))
    var bytes = try Files.bytes(folder.file("Damaged.sqlite"))
    bytes.replaceSubrange(4096 * 9..<4096 * 10, with: repeatElement(0, count: 4096))
    try Files.write(bytes, to: folder.file("Damaged.sqlite"))
    let samples = Checkout.root.appending(path: "SampleData").path
    try Files.copy("\(samples)/Notes/Notes.xcdatamodeld", to: folder.file("Notes.xcdatamodeld"))
    try successfully(
      "fixture", "new", "--model", "Notes.xcdatamodeld:Notes", "--rows", "12", "Notes.sqlite", in: folder.path)
    if ClusterSteps.python != nil {
      _ = try ClusterSteps(folder: folder).reduce([folder.file("Old.sqlite")])
    }
    return folder
  }

  /// A new folder with the files that the road begins with.
  func prepare() throws -> TemporaryFolder {
    let folder = try TemporaryFolder(isInMemory: true)
    let template = try Self.template.get()
    for name in try template.listing() where files.contains(where: name.hasPrefix) {
      try Files.copy(template.file(name), to: folder.file(name))
    }
    return folder
  }
}
