import TestSupport

/// Another program, and its work with a store while a migration of the store is stopped.
struct Neighbour: Sendable {
  /// When it begins.
  ///
  /// At the place of the trial it acts in any case.
  enum Arrival: Sendable {
    /// Before the migration.
    case before
    /// At a place before that of the trial.
    case meanwhile
    /// At the place.
    case there
  }

  /// The actions of an app with a store, in the words of `neighbour.c`.
  enum Step: Sendable {
    case open, close
    /// Nothing until the next moment: first the place, then the end of the migration.
    case rest
    /// The app ends without closing anything.
    case die
    case sleep(milliseconds: Int)
    /// How long the app tries to get a lock.
    case wait(milliseconds: Int)
    case sql(String)
    /// A transaction that adds a row with this number.
    case insert(Int)
    /// A transaction with such a row is started and stays open until `commit`.
    case begin(Int), commit(Int)
  }

  /// Things that can be planted at a name that a migration uses.
  enum Plant: String, Sendable, CaseIterable { case link, danglingLink, pipe, file, folder }

  enum Deed: Sendable {
    case app([Step])
    /// The command itself. Without arguments, the same migration runs again.
    case command([String]?)
    case plant(Plant)
    /// The store, or its folder, gets other permissions.
    case permissions(Int, ofFolder: Bool)
  }

  let name: String
  var arrival = Arrival.there
  /// Whether the store stays open to the very end, so waiting for its release is pointless.
  var staysOpen = false
  /// Whether SQLite writes to the store's file without checking that it still has its name.
  var looksAway = false
  let deed: Deed

  /// The exit statuses besides 0 that the migration may have.
  var statuses: Set<Int32> {
    switch deed {
    // The remains of a dead program may be unreadable to a run that may not change anything.
    case .app: [65, 75]
    case .command: [66, 73, 75]
    case .plant: [65, 66, 73, 74, 75]
    case .permissions: [66, 73, 75]
    }
  }

  static let all = apps + idlers + others

  /// Apps that use the store in ordinary ways.
  private static let apps = [
    app("commits", [.open, .insert(1), .close]),
    app("waits to commit", [.wait(milliseconds: 20_000), .open, .insert(1), .close]),
    app("has waited to commit", since: .meanwhile, [.wait(milliseconds: 20_000), .open, .insert(1), .close]),
    app(
      "commits twice", [.wait(milliseconds: 20_000), .open, .insert(1), .sleep(milliseconds: 20), .insert(2), .close]),
    app("commits and comes again", [.open, .insert(1), .close, .rest, .open, .insert(2), .close]),
    app("commits slowly", [.open, .begin(1), .sleep(milliseconds: 30), .commit(1), .close]),
    app("has read it, and commits", since: .meanwhile, [.open, look, .rest, .insert(1), .close]),
    app(
      "reads it to the end", [.open, .sql("BEGIN"), look, .rest, .sql("COMMIT"), .insert(1), .close], staysOpen: true),
    app("writes to the end", [.open, .begin(1), .rest, .commit(1), .close], staysOpen: true),
    app(
      "kept it open, and commits", since: .before, [.open, look, .rest, .insert(1), .rest, .insert(2), .close],
      staysOpen: true),
    app("commits and dies", [.open, .insert(1), .die]),
    app("dies while it writes", [.open, .insert(1), .sql(half), .die]),
    app("vacuums", [.open, .sql("VACUUM"), .insert(1), .close]),
    app("folds the log", [.open, .insert(1), .sql("PRAGMA wal_checkpoint(TRUNCATE)"), .close]),
    app("keeps a log from now on", [.open, .sql("PRAGMA journal_mode = WAL"), .insert(1), .close]),
    app("keeps no log any more", [.open, .sql("PRAGMA journal_mode = DELETE"), .insert(1), .close]),
  ]

  /// Apps that open the store during the migration, hold no lock, and commit in different journal modes.
  ///
  /// Only in some of these modes SQLite checks whether the file still has its name.
  private static let idlers = ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"].flatMap { mode in
    let looksAway = ["MEMORY", "OFF"].contains(mode)
    let begin: [Step] = [.open, .sql("PRAGMA journal_mode = \(mode)"), look, .rest]
    return [
      app("commits with journal \(mode)", since: .meanwhile, begin + [.insert(1), .close], looksAway: looksAway),
      app(
        "commits with journal \(mode) at the end", begin + [.insert(1), .close], staysOpen: true, looksAway: looksAway),
      app("kept it open with journal \(mode)", since: .before, begin + [.insert(1), .close], looksAway: looksAway),
    ]
  }

  private static let others =
    [
      Neighbour(name: "beside another migration", deed: .command(nil)),
      Neighbour(name: "beside a restoration", deed: .command(["restore"])),
    ]
    + Plant.allCases.map { Neighbour(name: "beside a planted \($0.rawValue)", deed: .plant($0)) }
    + [
      Neighbour(name: "beside chmod 0600", deed: .permissions(0o600, ofFolder: false)),
      Neighbour(name: "beside chmod 0444", deed: .permissions(0o444, ofFolder: false)),
      Neighbour(name: "beside chmod 0555 of the folder", deed: .permissions(0o555, ofFolder: true)),
    ]

  /// Too much for the cache, so pages reach the file or its log before the commit.
  private static let half = """
    PRAGMA cache_size = 1; BEGIN; CREATE TABLE half (a);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO half SELECT printf('%.200c', 'x') FROM n
    """

  private static let look = Step.sql("SELECT count(*) FROM Z_PRIMARYKEY")

  private static func app(
    _ name: String, since arrival: Arrival = .there, _ steps: [Step], staysOpen: Bool = false,
    looksAway: Bool = false
  ) -> Neighbour {
    Neighbour(
      name: "beside an app that \(name)", arrival: arrival, staysOpen: staysOpen, looksAway: looksAway,
      deed: .app(steps))
  }
}

extension Neighbour.Step {
  /// The arguments for `neighbour.c`.
  func words(entity: String) -> [String] {
    switch self {
    case .open: ["open"]
    case .close: ["close"]
    case .rest: ["rest"]
    case .die: ["die"]
    case .sleep(let time): ["sleep", "\(time)"]
    case .wait(let time): ["wait", "\(time)"]
    case .sql(let sql): [sql]
    case .insert(let number): [Self.insertion(number, entity)]
    case .begin(let number): ["BEGIN IMMEDIATE; " + Self.insertion(number, entity)]
    case .commit(let number): ["COMMIT -- \(Self.key(number))"]
    }
  }

  private static func key(_ number: Int) -> Int { 900_000 + number }

  /// Returns a row in a form that stores of all versions share, with its key at the end of the line.
  ///
  /// The greatest key is noted first, as Core Data does.
  private static func insertion(_ number: Int, _ entity: String) -> String {
    "UPDATE Z_PRIMARYKEY SET Z_MAX = \(key(number)) WHERE Z_NAME = '\(entity)'; "
      + "INSERT INTO Z\(entity.uppercased()) (Z_PK, Z_ENT, Z_OPT) VALUES "
      + "(\(key(number)), (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'), 1) -- \(key(number))"
  }

  /// Returns the keys of the rows that were confirmed to the app, from its output.
  static func acknowledgedKeys(in output: [String]) -> [Int] {
    output.filter { $0.hasPrefix("acknowledged ") }.compactMap { line in
      line.split(separator: " -- ").last.flatMap { Int($0) }
    }
  }
}
