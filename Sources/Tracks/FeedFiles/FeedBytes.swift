internal import MigrationDiagnostics
internal import PersistentStore
internal import SystemC

/// Bytes that are read once, from their beginning.
protocol FeedBytes: AnyObject {
  /// Reads at least one byte; 0 at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int
}

/// The bytes of a file, a pipe or standard input.
final class DescriptorBytes: FeedBytes {
  let descriptor: Int32
  private let name: String
  private let isStandardInput: Bool
  private let onBytes: ((UnsafeRawBufferPointer) -> Void)?
  private let isCancelled: () -> Bool
  private let advice: Advice

  /// Opens a file, or waits for a program that writes into a pipe.
  ///
  /// - Parameters:
  ///   - isFile: Whether it must be a regular file, as one that is read twice.
  ///   - advice: What to do if there is no such file.
  ///   - onBytes: Called with the bytes as they are read.
  ///   - isCancelled: Asked when a signal has ended a wait.
  init(
    path: String, isFile: Bool, advice: Advice, onBytes: ((UnsafeRawBufferPointer) -> Void)?,
    isCancelled: @escaping () -> Bool
  ) throws(MigrationError) {
    isStandardInput = path == "-"
    name = isStandardInput ? "standard input" : path
    (self.onBytes, self.isCancelled, self.advice) = (onBytes, isCancelled, advice)
    var opened: Int32 = -1
    repeat {
      if isFile {
        opened = openRegularFile(path, O_RDONLY, followsLinks: true)
      } else {
        opened = isStandardInput ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
      }
      if opened < 0, errno == EINTR, isCancelled() { throw MigrationError(.interrupted, path: path) }
    } while opened < 0 && errno == EINTR
    descriptor = opened
    // Throwing from here on runs `deinit`, which closes the file.
    guard descriptor >= 0 else { throw failureOfCall() }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func read(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    while true {
      let count = SystemC.read(descriptor, room.baseAddress, room.count)
      if count >= 0 {
        onBytes?(UnsafeRawBufferPointer(rebasing: room[..<count]))
        return count
      }
      guard errno == EINTR else { throw failureOfCall() }
      if isCancelled() { throw MigrationError(.interrupted, path: name) }
    }
  }

  /// Returns the error of the last system call.
  private func failureOfCall() -> MigrationError {
    let number = errno
    guard !isStandardInput else { return FileSystem.standardInputFailure() }
    var error = FileSystem.failure(number == ENOENT ? .missing : .unreadable, name, number: number)
    if [ENOENT, EISDIR, notARegularFile].contains(number) { error.advice = advice }
    return error
  }
}

/// Bytes whose beginning can be looked at before they are read.
final class PeekedBytes: FeedBytes {
  private let bytes: any FeedBytes
  private var head: [UInt8] = []
  /// The number of bytes of the head that were read.
  private var taken = 0
  private var isAtEnd = false
  /// Thrown once the head was read: what stands before counts first.
  private var failure: MigrationError?

  init(_ bytes: any FeedBytes) { self.bytes = bytes }

  /// Returns the first bytes that were not read yet: `count`, or all that there are.
  func peek(_ count: Int) -> ArraySlice<UInt8> {
    while head.count < taken + count, !isAtEnd, failure == nil {
      let start = head.count
      head.append(contentsOf: repeatElement(0, count: 1 << 16))
      var added = 0
      do throws(MigrationError) {
        added = try head.withUnsafeMutableBufferPointer { all throws(MigrationError) in
          try bytes.read(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(all)[start...]))
        }
      } catch {
        failure = error
      }
      head.removeLast(head.count - start - added)
      isAtEnd = added == 0 && failure == nil
    }
    return head[taken...].prefix(count)
  }

  /// Passes over the mark that some programs put at the beginning of a text in UTF-8.
  func skipByteOrderMark() {
    if peek(3).elementsEqual([0xEF, 0xBB, 0xBF]) { skip(3) }
  }

  /// Passes over bytes that were looked at.
  func skip(_ count: Int) { taken += count }

  func read(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    if taken < head.count {
      let part = head[taken...].prefix(room.count)
      room.copyBytes(from: part)
      taken += part.count
      if taken == head.count { (head, taken) = ([], 0) }
      return part.count
    }
    if let failure { throw failure }
    return isAtEnd ? 0 : try bytes.read(into: room)
  }
}

/// Bytes that are made of others, piece by piece.
class MadeBytes: FeedBytes {
  /// The bytes that were made last.
  final var output: [UInt8] = []
  private var given = 0
  /// Thrown once the output was read: what was made before counts first.
  private var failure: MigrationError?

  /// Adds bytes to the output, or none at the end.
  func make() throws(MigrationError) {}

  final func read(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    if given == output.count {
      if let failure { throw failure }
      output.removeAll(keepingCapacity: true)
      given = 0
      do throws(MigrationError) {
        try make()
      } catch {
        guard !output.isEmpty else { throw error }
        failure = error
      }
    }
    let part = output[given...].prefix(room.count)
    room.copyBytes(from: part)
    given += part.count
    return part.count
  }
}
