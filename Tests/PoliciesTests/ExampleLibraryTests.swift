import Migration
import MigrationDiagnostics
import Samples
import TestSupport
import Testing

/// Generated libraries of books and notes.
final class ExampleLibraryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ExampleLibrary.Kind.allCases) func `A seed determines every byte`(kind: ExampleLibrary.Kind) throws {
    for (name, seed) in [("a", 1), ("b", 1), ("c", 2)] as [(String, UInt64)] {
      try ExampleLibrary(kind, count: 50, seed: seed).write(to: folder.file(name))
    }
    #expect(try Files.bytes(folder.file("a")) == Files.bytes(folder.file("b")))
    #expect(try Files.bytes(folder.file("a")) != Files.bytes(folder.file("c")))
    #expect(try folder.listing() == ["a", "b", "c"])
  }

  @Test(arguments: ExampleLibrary.Kind.allCases) func `A library has the requested number of rows`(
    kind: ExampleLibrary.Kind
  ) throws {
    for (count, expected) in [(-1, 0), (0, 0), (1, 1), (30, 30)] {
      for isOdd in [false, true] {
        var library = ExampleLibrary(kind, count: count)
        library.includesOddities = isOdd
        let path = folder.file("\(count)-\(isOdd)")
        try library.write(to: path)
        let table = kind == .books ? "ZBOOK" : "ZNOTE"
        #expect(try Database.rows("SELECT count(*) FROM \(table)", in: path) == ["\(expected)"])
        #expect(try Database.integrity(path) == ["ok"])
      }
    }
  }

  @Test func `An existing file is left alone`() throws {
    try Files.write("mine", to: folder.file("x"))
    let error = try #require(throws: MigrationError.self) {
      try ExampleLibrary(.books, count: 1).write(to: folder.file("x"))
    }
    #expect(error.code == .outputExists)
    #expect(try Files.text(folder.file("x")) == "mine")
    #expect(try folder.listing() == ["x"])
  }

  @Test(arguments: ExampleLibrary.Kind.allCases) func `A library reports its progress`(
    kind: ExampleLibrary.Kind
  ) throws {
    var library = ExampleLibrary(kind, count: 5_000)
    var reports: [Int] = []
    library.onProgress = { reports.append($0) }
    try library.write(to: folder.file("x"))
    #expect(reports == [0, 4096, 5_000])
  }

  @Test(arguments: ExampleLibrary.Kind.allCases) func `A cancelled library leaves nothing behind`(
    kind: ExampleLibrary.Kind
  ) throws {
    var library = ExampleLibrary(kind, count: 10_000)
    var reports: [Int] = []
    let cancellation = library.cancellation
    library.onProgress = { completed in
      reports.append(completed)
      if completed > 0 { cancellation.cancel() }
    }
    let error = try #require(throws: MigrationError.self) { try library.write(to: folder.file("x")) }
    #expect(error.code == .interrupted)
    #expect(reports == [0, 4096])
    #expect(try folder.listing().isEmpty)
  }

  @Test func `Ordinary books belong to existing users`() throws {
    try ExampleLibrary(.books, count: 500).write(to: folder.file("x"))
    #expect(
      try Database.rows(
        "SELECT count(*), count(u.Z_PK), count(DISTINCT u.Z_PK) FROM ZBOOK LEFT JOIN ZUSER u ON u.Z_PK = ZUSER",
        in: folder.file("x")) == ["500|500|50"])
  }
}
