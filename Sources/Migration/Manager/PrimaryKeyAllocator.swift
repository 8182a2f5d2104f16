internal import Diagnostics

/// Hands out primary keys, in order and each once.
final class PrimaryKeyAllocator {
  private var greatest: [String: Int64] = [:]

  func next(forRootEntityNamed name: String) throws(MigrationError) -> Int64 {
    let (next, isBeyond) = greatest[name, default: 0].addingReportingOverflow(1)
    guard !isBeyond else {
      throw MigrationError(
        .migrationFailed, MigrationError.Subject(entity: name), detail: "there are no primary keys left")
    }
    greatest[name] = next
    return next
  }

  /// Makes sure that keys up to this one are not handed out.
  func reserve(upTo key: Int64, forRootEntityNamed name: String) {
    greatest[name] = max(greatest[name, default: 0], key)
  }
}
