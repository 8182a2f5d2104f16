import MigrationDiagnostics
import SQLiteDatabase
import TestSupport
import Testing

@testable import PersistentStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The waiting time of lock retries.
///
/// The listener's callback advances the clock, so that no test depends on the speed of the machine.
struct WaitingTests {
  private final class Listener {
    var onWait: (Listener) -> Void = { _ in }
    private(set) var count = 0

    func patience() -> WaitPolicy {
      var patience = WaitPolicy(limit: .seconds(2))
      patience.onWait = { _ in
        self.count += 1
        self.onWait(self)
      }
      return patience
    }
  }

  private static func pass() { usleep(2_100_000) }

  /// Does something that fails so many times.
  private func attempt(_ waiting: LockRetry, failing count: Int) throws(MigrationError) {
    var failures = 0
    try waiting.attempt(on: []) { _ throws(MigrationError) in
      if failures < count {
        failures += 1
        throw MigrationError(.locked, path: "x")
      }
    }
  }

  @Test func `The two numbers of a device are told apart, however large`() {
    for (device, numbers) in [
      (0x801, [8, 1]), (0x6780_00AB, [0, 0x6_78AB]), (0x0001_2006_7893_45AB, [0x1_2345, 0x67_89AB]),
    ] as [(UInt64, [UInt64])] {
      let parts = LockHolder.parts(ofDevice: device)
      #expect([parts.major, parts.minor] == numbers)
    }
  }

  @Test func `Only waiting counts, and it accumulates until it is reset`() throws {
    let listener = Listener()
    let waiting = LockRetry(listener.patience())
    // Long work that waits for nobody.
    try waiting.attempt(on: []) { _ in Self.pass() }
    listener.onWait = { _ in Self.pass() }
    try attempt(waiting, failing: 1)
    #expect(listener.count == 1)
    #expect(throws: MigrationError.self) { try self.attempt(waiting, failing: 1) }
    waiting.renew()
    listener.onWait = { _ in }
    try attempt(waiting, failing: 1)
    #expect(listener.count == 2)
  }

  @Test func `A store gets the full waiting time again before it is replaced`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Library.sqlite")
    try TrackLibraryBuilder([TrackRow(1, json: nil)]).write(to: path)
    var other: Connection? = try Connection(path: path, access: .readWrite)
    try other?.execute("BEGIN IMMEDIATE")
    let listener = Listener()
    listener.onWait = { listener in
      if listener.count == 1 { Self.pass() }
      other = nil
    }
    let rewrite = try ReplacementSession(
      path: path, outputPath: nil, target: ReplacementSession.target(path: path, outputPath: nil),
      waiting: LockRetry(listener.patience()))
    let store = try rewrite.open()
    try store.reader.close()
    try Files.write("the new store", to: rewrite.staging.path)
    other = try Connection(path: path, access: .readWrite)
    try other?.execute("BEGIN; SELECT count(*) FROM ZTRACK")
    try rewrite.publish(store, companions: [], backupPath: nil)
    #expect(listener.count == 2)
    #expect(try Files.text(path) == "the new store")
  }

  /// A lock that belongs to an open file and to no process, which the kernel lists with the process -1.
  @Test func `Programs with the store open are found where the kernel names no process`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Library.sqlite")
    try Files.write("a store", to: path)
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    #if canImport(Glibc)
      // F_OFD_SETLK, which the C library names for GNU programs only.
      var lock = flock(
        l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
      try #require(fcntl(descriptor, 37, &lock) == 0)
    #endif
    let reader = try Companion("/bin/sh", ["-c", "exec 3< \"$0\"; echo open; read line", path])
    defer { reader.end() }
    #expect(reader.readLine() == "open")
    let holders = LockHolder.all(of: [path])
    #expect(holders.map(\.name) == ["sh"])
    #expect(holders.allSatisfy { $0.processID > 0 })
  }

  @Test(.enabled(if: Program.flock != nil, "needs flock"), .timeLimit(.minutes(1)))
  func `The holder of a lock is named, and waiting programs are not`() throws {
    let flock = try #require(Program.flock)
    let folder = try TemporaryFolder()
    let path = folder.file("Library.sqlite")
    try Files.write("a store", to: path)
    let holder = try Companion(flock, ["--exclusive", path, "sh", "-c", "echo locked; read line; echo $line"])
    #expect(holder.readLine() == "locked")
    let waiter = try Companion("/bin/sh", ["-c", "echo waits; exec \"$0\" --exclusive \"$1\" true", flock, path])
    #expect(waiter.readLine() == "waits")
    for _ in 0..<10_000 where try !Files.text("/proc/locks").contains("-> FLOCK") { usleep(1000) }
    let holders = LockHolder.all(of: [path])
    // Both let go before anything is judged: what they have started ends with them only then.
    #expect(try holder.ask("done") == "done")
    holder.end()
    waiter.end()
    #expect(holders.map(\.name) == ["flock"])
  }
}
