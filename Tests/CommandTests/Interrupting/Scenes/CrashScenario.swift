import Foundation
import TestSupport
import Testing

/// A migration to disturb: its initial files and its command line.
struct CrashScenario: Sendable {
  let name: String
  /// The store's path on the command line, relative to the folder.
  var store = "Library.sqlite"
  /// The store's actual file, if it differs from that path.
  var storeFile: String?
  /// The output, relative to the folder.
  var output: String?
  var arguments: [String] = []
  /// The feed that is imported into the store, relative to the folder; without one the store is migrated.
  var feed: String?
  /// Environment variables of the command.
  var environment: [String: String] = [:]
  /// Whether a migration is undone.
  var isRestoration = false
  /// The error number with which hard links are refused, as on some file systems.
  var denial: Int32?
  /// The error number with which leases are refused, as on most file servers.
  var leaseDenial: Int32?
  /// An entity of which other programs create instances.
  var entity = "Track"
  /// Creates the files in an empty folder.
  let make: @Sendable (TemporaryFolder) throws -> Void

  /// The path that is replaced or created.
  var target: String { output ?? storeFile ?? store }

  static let all = tracks + spills + apps + copies + restorations

  /// The scenes in which other programs are active at the same time.
  static let namesOfShared: Set<String> = [
    "log", "no backup", "output", "journal", "symbolic link", "no second names", "no leases", "app", "app, output",
    "columns", "restore", "restore, app",
  ]
}

extension CrashScenario {
  /// Track libraries: one hop.
  static let tracks: [CrashScenario] = {
    let live: @Sendable (TemporaryFolder) throws -> Void = { folder in
      _ = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: 2))
      chmod(folder.file("Library.sqlite"), 0o640)
    }
    return [
      CrashScenario(name: "log", make: live),
      CrashScenario(name: "no backup", arguments: ["--no-backup"], make: live),
      CrashScenario(name: "output", output: "new/New.sqlite") { folder in
        _ = try folder.makeFolder("new")
        try live(folder)
      },
      CrashScenario(name: "journal") { _ = try $0.library() },
      CrashScenario(name: "unfinished transaction") { try unfinished($0) },
      CrashScenario(name: "symbolic link", store: "Link.sqlite", storeFile: "inner/Real.sqlite") { folder in
        try LibraryBuilder(writeAheadLogStart: 2).write(to: "\(try folder.makeFolder("inner"))/Real.sqlite")
        try Files.link(folder.file("Link.sqlite"), to: "inner/Real.sqlite")
      },
      CrashScenario(name: "hard link") { folder in
        try Files.hardLink(folder.file("Other.sqlite"), to: try folder.library())
      },
      CrashScenario(name: "no second names", denial: EPERM, make: live),
      CrashScenario(name: "no leases", leaseDenial: EINVAL, make: live),
      CrashScenario(name: "many") { folder in
        let pragmas = "PRAGMA page_size = 1024; PRAGMA auto_vacuum = 2"
        _ = try folder.library(
          "Library.sqlite", LibraryBuilder(tracks: .many(400), writeAheadLogStart: 200, pragmas: pragmas))
      },
    ]
  }()

  /// Libraries whose links are written into a file beside the new one before they are merged.
  static let spills: [CrashScenario] = {
    let environment = ["TRACKS_MIGRATE_TEST_RUN_LENGTH": "150"]
    return [
      CrashScenario(name: "spilled links", environment: environment) {
        _ = try $0.library("Library.sqlite", .many(600))
      },
      CrashScenario(name: "spilled links, import", feed: "feed.ndjson", environment: environment) { folder in
        let library = try folder.library("Library.sqlite", .many(100))
        try successfully(library, "--quiet", "--no-backup")
        let lines = (1001...1300).map { number in
          #"{"key":\#(number),"title":"T","artists":["A \#(number % 40)","B \#(number % 7)"]}"#
        }
        try folder.write(Array((lines + ["broken"]).joined(separator: "\n").utf8), to: "feed.ndjson")
      },
    ]
  }()

  /// Apps' stores with several hops, external data files and tables of the app's own.
  static let apps: [CrashScenario] = {
    guard let store = try? PictureStore() else { return [] }
    let make: @Sendable (TemporaryFolder) throws -> Void = { _ = try store.copy(to: $0) }
    let model = ["--model", store.model]
    return [
      CrashScenario(name: "app", store: "App.sqlite", arguments: model, entity: "Picture", make: make),
      CrashScenario(name: "app, no backup", store: "App.sqlite", arguments: model + ["--no-backup"], make: make),
      CrashScenario(
        name: "app, output", store: "App.sqlite", output: "new/New.sqlite", arguments: model, entity: "Picture"
      ) { folder in
        _ = try folder.makeFolder("new")
        try make(folder)
      },
      CrashScenario(name: "app, no second names", store: "App.sqlite", arguments: model, denial: EXDEV, make: make),
      sample("Notes"), sample("Books"),
    ]
  }()

  /// Stores that only lack a column and are large enough to be copied.
  static let copies: [CrashScenario] = {
    guard let store = try? LargeStore(), let other = try? LargeStore(journalMode: "DELETE") else { return [] }
    let model = ["--model", store.model]
    return [
      CrashScenario(name: "columns", store: "App.sqlite", arguments: model, entity: "Note") {
        _ = try store.copy(to: $0)
      },
      CrashScenario(name: "columns, output", store: "App.sqlite", output: "new/New.sqlite", arguments: model) {
        folder in
        _ = try folder.makeFolder("new")
        _ = try other.copy(to: folder)
      },
    ]
  }()

  /// Migrations that are undone.
  ///
  /// Here the old store is the migrated one and the new store is the backup.
  static let restorations: [CrashScenario] = {
    guard let store = try? PictureStore() else { return [] }
    let tracks: @Sendable (TemporaryFolder) throws -> Void = { folder in
      let library = try folder.library("Library.sqlite", LibraryBuilder(writeAheadLogStart: 2))
      try successfully(library, "--quiet")
      // The app has written to it since then.
      try Database.run("PRAGMA journal_mode = WAL", in: library)
      try Database.leaveLog("UPDATE ZTRACK SET ZTITLE = 'since'", in: library)
    }
    let app: @Sendable (TemporaryFolder) throws -> Void = { folder in
      try successfully(try store.copy(to: folder), "--model", store.model, "--quiet")
    }
    return [
      CrashScenario(name: "restore", isRestoration: true, make: tracks),
      CrashScenario(name: "restore, no second names", isRestoration: true, denial: EPERM, make: tracks),
      CrashScenario(name: "restore, app", store: "App.sqlite", isRestoration: true, entity: "Picture", make: app),
    ]
  }()

  private static func sample(_ example: String) -> CrashScenario {
    CrashScenario(
      name: example, store: "App.sqlite",
      arguments: ["--model", SampleStore.data("\(example)/\(example).xcdatamodeld")]
    ) { folder in
      try folder.write(try Files.bytes(SampleStore.data("\(example)/library-v1.sqlite")), to: "App.sqlite")
    }
  }

  /// Makes a library that a program left in the middle of a change, so its journal must be rolled back.
  private static func unfinished(_ folder: TemporaryFolder) throws {
    let inner = try TemporaryFolder(isInMemory: true)
    let path = try inner.library("Library.sqlite", .many(200))
    let change = """
      PRAGMA cache_size = 1; BEGIN; UPDATE ZTRACK SET ZTITLE = ZTITLE || ' changed', ZJSON = ZJSON || '  ';
      """
    try Database.leaveUnfinished(change, in: path) {
      for suffix in ["", "-journal"] {
        try folder.write(try Files.bytes(path + suffix), to: "Library.sqlite" + suffix)
      }
    }
  }
}
