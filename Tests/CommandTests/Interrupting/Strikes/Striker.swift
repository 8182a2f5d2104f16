import Foundation
import TestSupport

/// The shared library of `Tests/Striker`, which makes a call of a process fail, or ends the process in front of it.
///
/// It lies under the real command: so it sees the calls of SQLite and of the command alike, in their true order.
struct Striker: Sendable {
  private let folder: TemporaryFolder

  /// `nil` where there is no C compiler, or no way to load a library before all others.
  ///
  /// A sanitizer stands between a program and the calls too, in front of this library, which then sees few of them.
  static let shared: Striker? = try? Striker()

  private init?() throws {
    guard !Sanitizer.isOn else { return nil }
    folder = try TemporaryFolder()
    let sources = Checkout.root.appending(path: "Tests/Striker").path(percentEncoded: false)
    var runner = CommandRunner.shell(
      """
      CC=${CC:-$(command -v cc || command -v clang)}
      $CC -shared -fPIC -O1 -o striker.so "$1/striker.c" -ldl && $CC -O1 -o neighbour "$1/neighbour.c" -lsqlite3
      """, sources, in: folder.path)
    runner.timeout = 120
    guard try runner.run().status == 0 else { return nil }
  }

  /// What makes a process load the library.
  ///
  /// - Parameters:
  ///   - root: The folder whose files count.
  ///   - variables: What the library is to do, without the prefix `STRIKE_`.
  func environment(root: String, _ variables: [String: String]) -> [String: String] {
    var environment = ["LD_PRELOAD": folder.file("striker.so"), "STRIKE_ROOT": root]
    for (name, value) in variables { environment["STRIKE_\(name)"] = value }
    return environment
  }

  /// The program of `neighbour.c`.
  var neighbourPath: String { folder.file("neighbour") }

  /// How many calls of each kind there were, as the library has written it to `STRIKE_COUNTS`.
  static func counts(in path: String) throws -> [Strike.Kind: Int] {
    let lines = try Files.text(path).split(separator: "\n").map { $0.split(separator: " ") }
    return Dictionary(
      uniqueKeysWithValues: lines.compactMap { line in
        Strike.Kind(rawValue: String(line[0])).map { ($0, Int(line[1]) ?? 0) }
      })
  }
}
