import Foundation
import TerminalOutput
import Testing

@Suite struct StandardOutputTests {
  /// The two ends of a pipe, closed on deinitialization.
  private final class TestPipe {
    let reading: Int32
    private(set) var writing: Int32

    init(nonblocking: Bool = false) throws {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      (reading, writing) = (ends[0], ends[1])
      if nonblocking { try #require(fcntl(writing, F_SETFL, O_NONBLOCK) == 0) }
    }

    func closeWriting() {
      close(writing)
      writing = -1
    }

    deinit {
      close(reading)
      if writing >= 0 { close(writing) }
    }
  }

  private static func readAll(_ descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 { all += chunk[..<count] }
    return all
  }

  @Test func `Writes arrive in order after a flush`() throws {
    let pipe = try TestPipe()
    let output = StandardOutput(descriptor: pipe.writing)
    try output.write("a")
    try output.write(utf8: [0x62, 0x63])
    try output.writeLine("é")
    try output.writeLine()
    try output.flush()
    try output.flush()
    pipe.closeWriting()
    #expect(Self.readAll(pipe.reading) == Array("abcé\n\n".utf8))
  }

  @Test func `Nothing is written before the buffer is full`() throws {
    let pipe = try TestPipe()
    let output = StandardOutput(descriptor: pipe.writing, capacity: 4)
    var waiting = pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0)
    try output.write("abc")
    #expect(poll(&waiting, 1, 0) == 0)
    try output.write("d")
    #expect(poll(&waiting, 1, 0) == 1)
  }

  @Test(arguments: [false, true]) func `A slow reader gets everything`(nonblocking: Bool) throws {
    // More than the capacity of a pipe, so writes are partial or block.
    let text = String(repeating: "0123456789abcdef", count: 65536)
    let pipe = try TestPipe(nonblocking: nonblocking)
    let (reading, writing) = (pipe.reading, pipe.writing)
    Thread.detachNewThread {
      let output = StandardOutput(descriptor: writing, capacity: 1 << 20)
      try? output.write(text)
      try? output.flush()
    }
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 5000)
    while all.count < text.utf8.count {
      usleep(50)
      let count = read(reading, &chunk, chunk.count)
      try #require(count > 0)
      all += chunk[..<count]
    }
    #expect(all == Array(text.utf8))
  }

  @Test func `A closed reader is a broken pipe`() throws {
    BrokenPipe.ignoreSignal()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let output = StandardOutput(descriptor: ends[1])
    try output.write("a")
    #expect(throws: BrokenPipe()) { try output.flush() }
    // Bytes that could not be written are not retried.
    try output.flush()
  }

  @Test(arguments: OutputFormat.allCases) func `Every format passes on the broken pipe`(format: OutputFormat) throws {
    BrokenPipe.ignoreSignal()
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let writer = format.makeWriter(to: StandardOutput(descriptor: ends[1], capacity: 1000), terminal: Terminal())
    #expect(throws: BrokenPipe()) {
      try writer.begin(columns: ["a"])
      for row in 0..<5000 { try writer.write([FieldValue(row)]) }
      try writer.end()
    }
  }

  @Test func `A full disk is an error`() throws {
    let descriptor = open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let output = StandardOutput(descriptor: descriptor)
    try output.write("a")
    let error = #expect(throws: OutputError.self) { try output.flush() }
    #expect(error == OutputError(errorNumber: ENOSPC))
    #expect(error?.reason == "No space left on device")
    #expect(error?.description == "cannot write the output: No space left on device")
  }

  @Test func `A closed descriptor is an error`() throws {
    let output = StandardOutput(descriptor: -1, capacity: 1)
    #expect(throws: OutputError(errorNumber: EBADF)) { try output.write("a") }
  }

  @Test func `Other outputs only need to take bytes`() throws {
    let output = CountingOutput()
    try output.writeLine("é")
    #expect(output.bytes == 3)
  }
}
