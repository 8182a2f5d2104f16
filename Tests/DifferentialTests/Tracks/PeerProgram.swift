import Foundation
import TestSupport

/// The alternative from the benchmarks: the same migration in a few SQL statements, for libraries without oddities.
enum PeerProgram {
  static let script = Checkout.root.appending(path: "Tests/Benchmarks/peer_sql.sh").path(percentEncoded: false)

  /// The tables that both programs write.
  static let queries = [
    "SELECT Z_PK, Z_ENT, Z_OPT, ZLASTPLAYEDAT, ZIMAGEURL, ZTITLE FROM ZTRACK ORDER BY 1",
    "SELECT Z_PK, Z_ENT, Z_OPT, ZID, ZIMAGEURL, ZNAME FROM ZARTIST ORDER BY 1",
    "SELECT Z_1ARTISTS, Z_2TRACKS FROM Z_1TRACKS ORDER BY 1, 2",
  ]

  static func migrate(_ path: String, to output: String) throws {
    let (status, errors) = try Command.run("/bin/sh", [script, path, output])
    guard status == 0 else { throw Failure(description: errors) }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }
}
