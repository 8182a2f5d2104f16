import Foundation
import TestSupport
import Testing

@Suite("The same documents on every road")
struct OneRoadTests {
  /// A way into a library.
  enum Road: String, CaseIterable, Sendable {
    case batch
    case nested = "import of nested JSON"
    case text = "import of JSON as text"
    case added = "import into a library"
    case answers = "import of whole answers"
    case rows = "extract of rows"
    case feed = "extract of a feed"

    /// Whether a document can be read on this road.
    func admits(_ document: RoadDocument) -> Bool {
      switch self {
      case .batch, .rows: true
      case .text, .added, .feed: document.form != .bytes
      case .nested: document.form == .nested
      // A list of artists alone is a line's own, whose members give roles; those of v1 JSON do not.
      case .answers:
        document.form == .nested
          && !(document.excerpt.hasPrefix(#"{"artists""#) && document.excerpt.contains(#""role":""#))
      }
    }

    /// The facts that cannot be the same, each for a reason of the road.
    var otherFacts: Set<String> {
      switch self {
      case .batch, .nested, .text, .added: []
      // A list of artists alone is a line's own members, which are no service's answer.
      case .answers: ["documents_count_by_preset.v1"]
      // What contradicts what in the whole library is known when the shards are together.
      case .rows, .feed:
        [
          "late_details_count", "image_conflicts_count", "name_conflicts_count", "id_conflicts_count",
        ]
      }
    }
  }

  /// What came of documents.
  struct Account: Equatable {
    var tracks: [String] = []
    var artists: [String] = []
    var links: [String] = []
    var facts: [String: Int] = [:]
    /// The numbers of the documents, with reasons.
    var rejects: [String] = []

    /// Says what differs, as a name and both values; nothing if they are equal.
    func differences(from other: Account, ignoring ignored: Set<String>) -> [String] {
      func lists(_ name: String, _ own: [String], _ expected: [String]) -> [String] {
        let (missing, more) = (Set(expected).subtracting(own), Set(own).subtracting(expected))
        guard missing.isEmpty, more.isEmpty else {
          return ["\(name): lacks \(missing.sorted().prefix(3)), has \(more.sorted().prefix(3))"]
        }
        return own == expected ? [] : ["\(name): other order"]
      }
      let names = Set(facts.keys).union(other.facts.keys).subtracting(ignored).sorted()
      return lists("tracks", tracks, other.tracks) + lists("artists", artists, other.artists)
        + lists("links", links, other.links) + lists("rejects", rejects, other.rejects)
        + names.filter { facts[$0] != other.facts[$0] }.map {
          "\($0): is \(facts[$0] ?? 0), a migration says \(other.facts[$0] ?? 0)"
        }
    }
  }

  typealias Documents = [(number: Int, document: RoadDocument)]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(isInMemory: true) }

  private static let options = [[], ["--identity", "id"], ["--roles", "main", "--split-by-ids"]]

  @Test(arguments: Road.allCases, options)
  func `Every road has the tracks, artists, facts and rejects of a migration`(
    road: Road, options: [String]
  ) throws {
    #expect(RoadDocument.all.count >= 150)
    // A feed says nothing of the service whose ids an existing library has.
    guard road != .added || options.first != "--identity" else { return }
    try compare(RoadDocument.all, road, options)
  }

  @Test(arguments: Road.allCases, Rounds.seeds(1))
  func `Random documents are the same on every road`(road: Road, seed: UInt64) throws {
    try compare(RoadDocument.random(count: 150, seed: seed), road, [])
  }

  @Test func `Strict refuses of a feed what it refuses of a library, in the same words`() throws {
    let documents = Array(RoadDocument.all.enumerated()).filter { Road.text.admits($0.element) }
      .map { (number: $0.offset + 1, document: $0.element) }
    var words: Set<String> = []
    for command in [
      ["migrate", try library(documents)], ["import", try feed(documents, .text), folder.file("New.sqlite")],
    ] {
      let result = try CommandRunner(command + ["--strict"]).run()
      #expect(result.status == 65)
      let detail = try #require(result.stderr.firstRange(of: "because of --strict: "))
      words.insert(String(result.stderr[detail.upperBound...].prefix { $0 != ";" }))
    }
    #expect(words.count == 1, "\(words)")
  }

  // MARK: - Roads

  private func compare(_ all: [RoadDocument], _ road: Road, _ options: [String]) throws {
    var documents: Documents = all.enumerated().filter { road.admits($0.element) }.map { ($0.offset + 1, $0.element) }
    if road == .answers { documents = try withArtists(documents, options) }
    guard let differences = try differences(documents, road, options) else { return }
    var culprits: [String] = []
    try bisect(documents, road, options, &culprits)
    Issue.record(
      "\(road.rawValue) \(options): \(differences.joined(separator: "\n"))\n\(culprits.joined(separator: "\n"))")
  }

  /// Finds the documents that differ by themselves, at most a few.
  private func bisect(_ documents: Documents, _ road: Road, _ options: [String], _ culprits: inout [String]) throws {
    guard culprits.count < 5, let differences = try differences(documents, road, options) else { return }
    guard documents.count > 1 else {
      culprits += documents.map { "\($0.number) \($0.document.excerpt): \(differences.joined(separator: "; "))" }
      return
    }
    let (half, before) = (documents.count / 2, culprits.count)
    try bisect(Array(documents[..<half]), road, options, &culprits)
    try bisect(Array(documents[half...]), road, options, &culprits)
    if culprits.count == before { culprits.append("only together: \(documents.map(\.number))") }
  }

  private func differences(_ documents: Documents, _ road: Road, _ options: [String]) throws -> [String]? {
    let expected = try migrated(documents, "migrate", options)
    let found = try account(documents, road, options)
    var ignored = road.otherFacts
    var compared = expected
    if road == .answers { (compared.tracks, ignored) = (found.tracks, ignored.union(["rejects_count"])) }
    let differences = found.differences(from: compared, ignoring: ignored)
    return differences.isEmpty ? nil : differences
  }

  private func account(_ documents: Documents, _ road: Road, _ options: [String]) throws -> Account {
    switch road {
    case .batch: return try migrated(documents, "batch", options)
    case .nested, .text, .answers: return try imported(documents, road, options)
    case .added:
      Files.remove(folder.file("New.sqlite"))
      let first = try folder.write(
        Array(#"{"key":100000,"title":"First","artists":["Before all"]}"#.utf8), to: "first.ndjson")
      try successfully("import", first, folder.file("New.sqlite"))
      return try imported(documents, road, options)
    case .rows: return try extracted(try library(documents), options)
    case .feed: return try extracted(try feed(documents, .text), options)
    }
  }

  /// The documents that name artists, whatever is beside them.
  private func withArtists(_ documents: Documents, _ options: [String]) throws -> Documents {
    let library = try library(documents)
    try successfully(["migrate", library, "--no-backup", "--force", "-q"] + options)
    let links = try Database.rows(Self.links, in: library)
    let rejects = Set(
      try reasons(library, "primaryKey").compactMap { $0.split(separator: " ").first.flatMap { Int($0) } })
    let names = Dictionary(grouping: links.map { $0.split(separator: "|", maxSplits: 1).map(String.init) }) { $0[0] }
    return documents.filter { number, document in
      guard let found = names["\(number)"], !rejects.contains(number) else { return false }
      return found.map { $0[1] } != [document.artistName]
    }
  }

  private func library(_ documents: Documents) throws -> String {
    let path = folder.file("Old.sqlite")
    for name in try folder.listing() where name.hasPrefix("Old.sqlite") { Files.remove(folder.file(name)) }
    let rows = documents.map { number, document in
      TrackRow(
        title: .text("T\(number)"), artistName: .text(document.artistName), json: .rawText(document.bytes),
        imageURL: .text("i\(number)"), lastPlayedAt: .real(Double(number) + 0.5))
    }
    try LibraryBuilder(tracks: rows).write(to: path)
    // The keys are the numbers of the documents, which only grow.
    let moves = documents.enumerated().reversed().filter { $0.offset + 1 != $0.element.number }
      .map { "UPDATE ZTRACK SET Z_PK = \($0.element.number) WHERE Z_PK = \($0.offset + 1);" }
    try Database.run(
      "\(moves.joined()) UPDATE Z_PRIMARYKEY SET Z_MAX = \(documents.last?.number ?? 0)", in: path)
    return path
  }

  private func feed(_ documents: Documents, _ road: Road) throws -> String {
    var bytes: [UInt8] = []
    for (number, document) in documents {
      let plain = document.bytes.map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }
      if road == .answers {
        bytes += plain + [0x0a]
        continue
      }
      let name = try JSONEncoder().encode(document.artistName)
      bytes +=
        #"{"key":\#(number),"title":"T\#(number)","imageURL":"i\#(number)","secondsSince2001":\#(number).5,"#.utf8
      bytes += Array(#""artistName":"#.utf8) + Array(name) + Array(#","json":"#.utf8)
      bytes +=
        road == .nested ? plain : Array(try JSONEncoder().encode(String(decoding: document.bytes, as: UTF8.self)))
      bytes += Array("}\n".utf8)
    }
    return try folder.write(bytes, to: "feed.ndjson")
  }

  private func migrated(_ documents: Documents, _ command: String, _ options: [String]) throws -> Account {
    let library = try library(documents)
    let result = try CommandRunner([command, library, "--no-backup", "--force"] + options).run()
    try #require(result.status == 0, "\(result)")
    return try account(of: library, facts: facts(library + ".migration.json"), rejects: reasons(library, "primaryKey"))
  }

  private func imported(_ documents: Documents, _ road: Road, _ options: [String]) throws -> Account {
    let (path, stats) = (folder.file("New.sqlite"), folder.file("stats.json"))
    let isAdded = road == .added
    for name in try folder.listing() where name.hasPrefix("New.sqlite") && !(isAdded && name == "New.sqlite") {
      Files.remove(folder.file(name))
    }
    try successfully(
      ["import", try feed(documents, road == .added ? .text : road), path, "--stats", stats, "-q"]
        + (isAdded ? ["--no-backup"] : []) + options)
    // A line without a key has the number of its place.
    let numbers = documents.map(\.number)
    let rejects = try reasons(path, "line").map { text in
      let parts = text.split(separator: " ", maxSplits: 1)
      return "\(numbers[(Int(parts[0]) ?? 1) - 1]) \(parts[1])"
    }
    var account = try account(of: path, facts: facts(stats), rejects: rejects)
    if road == .answers {
      account.links = account.links.map { link in
        let parts = link.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        return "\(numbers[(Int(parts[0]) ?? 1) - 1])|\(parts[1])"
      }
    }
    if isAdded {
      account.tracks.removeLast()
      account.links.removeLast()
      account.artists.removeFirst()
    }
    return account
  }

  private func extracted(_ shard: String, _ options: [String]) throws -> Account {
    var steps = ClusterSteps(folder: folder)
    steps.options = options
    for name in try folder.listing() where name.hasPrefix("Whole.sqlite") || name.hasPrefix("rows") {
      Files.remove(folder.file(name))
    }
    let path = try steps.assemble(try steps.reduce([shard]), to: "Whole.sqlite")
    let lines = try Files.text(folder.file("rows-0.out")).split(separator: "\n")
    let summary = try #require(lines.last)
    let key = shard.hasSuffix(".sqlite") ? "primaryKey" : "line"
    let rejects = try Self.reasons(lines.filter { $0.hasPrefix(#"{"kind":"reject""#) }, key)
    var account = try account(of: path, facts: try Self.facts(Data(summary.utf8)), rejects: rejects)
    account.facts["fallback_tracks_count"] = account.facts.reduce(0) {
      $0 + ($1.key.hasPrefix("fallback_tracks_count_by_reason.") ? $1.value : 0)
    }
    return account
  }

  // MARK: - Accounts

  private static let links = """
    SELECT l.Z_2TRACKS, a.ZNAME FROM Z_1TRACKS l JOIN ZARTIST a ON a.Z_PK = l.Z_1ARTISTS
    ORDER BY l.Z_2TRACKS, a.Z_PK
    """

  private func account(of path: String, facts: [String: Int], rejects: [String]) throws -> Account {
    let digest = "CASE WHEN length(ZID) > 99 THEN length(ZID) ELSE ZID END"
    return Account(
      tracks: try Database.rows("SELECT Z_PK, ZTITLE, ZIMAGEURL, ZLASTPLAYEDAT FROM ZTRACK ORDER BY Z_PK", in: path),
      artists: try Database.rows("SELECT ZNAME, \(digest), ZIMAGEURL FROM ZARTIST ORDER BY Z_PK", in: path).map {
        String($0.prefix(400))
      },
      links: try Database.rows(Self.links, in: path).map { String($0.prefix(400)) }, facts: facts, rejects: rejects)
  }

  private func facts(_ path: String) throws -> [String: Int] { try Self.facts(Data(Files.bytes(path))) }

  /// All but `unmatched_json` and `suggested_presets`, which are only said of rows.
  private static let counters: Set<String> = [
    "fallback_tracks_count", "tracks_without_artist_count", "nameless_artists_count", "duplicate_keys_count",
    "long_values_count", "split_names_count", "late_details_count", "image_conflicts_count", "name_conflicts_count",
    "id_conflicts_count", "rejects_count",
  ]
  private static let groups: Set<String> = [
    "fallback_tracks_count_by_reason", "documents_count_by_preset", "mentions_count_by_role",
  ]

  private static func facts(_ json: Data) throws -> [String: Int] {
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    var facts: [String: Int] = [:]
    for name in counters { facts[name] = object[name] as? Int }
    for name in groups {
      for (key, count) in object[name] as? [String: Int] ?? [:] { facts["\(name).\(key)"] = count }
    }
    return facts.filter { $0.value != 0 }
  }

  private func reasons(_ library: String, _ key: String) throws -> [String] {
    let path = library + ".rejects.ndjson"
    return Files.exists(path) ? try Self.reasons(Files.text(path).split(separator: "\n"), key) : []
  }

  private static func reasons(_ lines: [Substring], _ key: String) throws -> [String] {
    try lines.map { line in
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return "\(object[key] as? Int ?? 0) \(object["reason"] as? String ?? "")"
    }
  }
}
