import JSONPresets
import Migration
import MigrationDiagnostics
import Policies
import TestSupport
import Testing
import TrackLibrary

/// Random feeds, imported and then compared with what the verification makes of their lines.
struct FeedDifferentialTests {
  @Test func `A library has what a reader finds in the feed that looks at one line after the other`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try Differential.run("feeds", count: 80, kinds: ["imported", "added", "refused"]) { seed in
      var random = SeededGenerator(seed: seed ^ 0xFEED)
      let library = folder.file("L\(seed).sqlite")
      defer {
        for suffix in ["", ".v2-backup", ".rejects.ndjson", ".rejects-2.ndjson"] { Files.remove(library + suffix) }
      }
      var outcome = "imported"
      for pass in 0...(random.chance(50) ? 1 : 0) {
        let lines = (0..<random.number(1...8)).map { _ in RandomFeed.line(&random) }
        let feed = try folder.write(Array(lines.joined(separator: [0x0a])), to: "feed.ndjson")
        var work = LibraryImport(feedPath: feed, path: library)
        work.settings.isVerified = true
        work.settings.checksSpace = false
        work.trackOptions = TrackMigrationOptions(identity: pass == 0 && random.chance(30) ? .id : .name)
        work.trackOptions.json.splitsByIDs = random.chance(20)
        (work.replaces, work.ignoresKeys) = (random.chance(50), random.chance(20))
        if work.ignoresKeys { work.replaces = false }
        var differences: [String] = []
        work.settings.onDifference = { differences.append("\($0)") }
        do {
          _ = try work.run()
        } catch {
          guard let error = error as? MigrationError else { throw error }
          if error.code == .verificationFailed {
            let text = lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
            return .different("pass \(pass), \(work.trackOptions.identity): \(differences)\n\(text)")
          }
          guard [.unusableFeed, .migrationFailed].contains(error.code) else { throw error }
          return .same("refused")
        }
        if pass == 1 { outcome = "added" }
      }
      return .same(outcome)
    }
  }
}

private enum RandomFeed {
  /// A line: a service's answer, fields by their names, or something else.
  static func line(_ random: inout SeededGenerator) -> [UInt8] {
    switch random.number(0...9) {
    case 0...2: Array(RandomAnswer.make(like: Preset.builtIn, &random).json.utf8)
    case 3: RandomDocument.make(&random).filter { $0 != 0x0a }
    default: Array(fields(&random).utf8)
    }
  }

  private static func fields(_ random: inout SeededGenerator) -> String {
    var members: [String] = []
    func add(_ name: String, _ percent: Int, _ value: (inout SeededGenerator) -> String) {
      if random.chance(percent) { members.append("\"\(name)\":\(value(&random))") }
    }
    add("key", 30) { $0.pick("1", "2", "3", "4", "12", "0", "-1", "\"5\"", "null") }
    add("title", 80) { $0.pick("\"T\"", "\"T\"", "\"\"", "\"a\\u0000b\"", "7", "null") }
    add("imageURL", 30) { $0.pick("\"i\"", "\"\"", "null") }
    add("lastPlayedAt", 30) {
      $0.pick(
        "\"2024-02-29\"", "\"2023-02-29\"", "\"2024-05-01T12:30:00.25+02:00\"", "\"2024-05-01 12:30Z\"",
        "\"1999-12-31T23:59:60\"", "\"2024-05-01T12:30:00-0530\"", "978307201", "1714559400000", "\"1714559400.5\"",
        "true",
        "\"x\"", "null", "0", "\"2021\"", "20240229", "20230229", "1714559400000000", "1.71456E+12", "5e9", "-1")
    }
    add("secondsSince2001", 5) { $0.pick("1e-7", "\"-3\"", "null", "\"nan\"") }
    add("artistName", 40) { $0.pick("\"A\"", "\"B\"", "\"\"", "null", "3") }
    add("artists", 50) { random in
      "[" + (0..<random.number(0...3)).map { _ in artist(&random) }.joined(separator: ",") + "]"
    }
    add("artist", 8) { $0.pick("\"A\"", "null", artist(&$0)) }
    add("json", 25) { random in
      let answer =
        random.chance(50) ? RandomAnswer.make(like: [Preset.named("v1") ?? Preset.builtIn[0]], &random).json : "{}"
      return random.pick(answer, answer, RandomAnswer.Value.quoted(answer), "\"{\"", "\"\"", "null", "7")
    }
    if random.chance(5) { members.append("\"other\":1") }
    members.shuffle(using: &random)
    return "{" + members.joined(separator: ",") + "}"
  }

  private static func artist(_ random: inout SeededGenerator) -> String {
    if random.chance(30) { return random.pick("\"A\"", "\"B\"", "\"A & B\"", "\"\"", "7", "null") }
    var members: [String] = []
    func add(_ name: String, _ percent: Int, _ values: String...) {
      if random.chance(percent) { members.append("\"\(name)\":\(random.pick(from: values, or: "null"))") }
    }
    add("name", 90, "\"A\"", "\"B\"", "\"C\"", "\"\"", "null")
    add("id", 50, "\"1\"", "2", "\"\"", "null")
    add("imageURL", 40, "\"u\"", "\"\"", "null")
    add("key", 25, "1", "2", "7", "\"8\"", "null")
    add("role", 20, "\"main\"", "\"featured\"")
    return "{" + members.joined(separator: ",") + "}"
  }
}
