import Foundation

/// A system error in the test support code.
struct SystemFailure: Error, CustomStringConvertible {
  let call: String
  let number = errno

  var description: String { "\(call): \(String(cString: strerror(number)))" }
}

/// Pipes between the tests and a process.
enum Pipes {
  typealias Ends = (read: Int32, write: Int32)

  static let none: Ends = (-1, -1)

  static func make() throws -> Ends {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure(call: "pipe") }
    keepFromOthers(ends)
    return (ends[0], ends[1])
  }

  /// Returns a descriptor that provides these bytes and then ends, without a concurrent writer.
  static func reading(_ bytes: [UInt8]) throws -> Int32 {
    guard !bytes.isEmpty else { return open("/dev/null", O_RDONLY | O_CLOEXEC) }
    var template = Array("/tmp/tracks-migrate-input-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemFailure(call: "mkstemp") }
    keepFromOthers([descriptor])
    unlink(template)
    guard write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw SystemFailure(call: "write")
    }
    return descriptor
  }

  /// The process's own ends become descriptors 0 to 2, and it gets no others.
  static func keepFromOthers(_ descriptors: [Int32]) {
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }
}

/// A terminal without a screen.
enum PseudoTerminal {
  static func make(width: UInt16) throws -> Pipes.Ends {
    var ends: Pipes.Ends = (-1, -1)
    var size = winsize(ws_row: 24, ws_col: width, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&ends.read, &ends.write, nil, nil, &size) == 0 else { throw SystemFailure(call: "openpty") }
    Pipes.keepFromOthers([ends.read, ends.write])
    return ends
  }
}
