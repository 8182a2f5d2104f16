import Foundation
import TestSupport

/// The shared library of `Tests/FaultInjector`, which makes a call fail or ends the process before it.
///
/// It is preloaded into the real command, so it sees the calls of SQLite and of the command alike, in their true order.
struct FaultInjector: Sendable {
  private let folder: TemporaryFolder

  /// `nil` without a C compiler or a way to preload a library.
  ///
  /// A sanitizer intercepts calls before this library, which then sees only a few of them.
  static let shared: FaultInjector? = try? FaultInjector()

  private init?() throws {
    guard !Sanitizer.isOn else { return nil }
    folder = try TemporaryFolder()
    let sources = Checkout.root.appending(path: "Tests/FaultInjector").path(percentEncoded: false)
    var runner = CommandRunner.shell(
      """
      CC=${CC:-$(command -v cc || command -v clang)}
      $CC -shared -fPIC -O1 -o injector.so "$1/injector.c" -ldl && $CC -O1 -o neighbour "$1/neighbour.c" -lsqlite3
      """, sources, in: folder.path)
    runner.timeout = 120
    guard Program.find("cc") ?? Program.find("clang") != nil else { return nil }
    let result = try runner.run()
    // Otherwise all tests that need the injector would pass without testing anything.
    precondition(result.status == 0, "the library of Tests/FaultInjector does not compile: \(result.stderr)")
  }

  /// Returns the environment that makes a process load the library.
  ///
  /// - Parameters:
  ///   - root: The folder whose files count.
  ///   - variables: The instructions for the library, without the prefix `STRIKE_`.
  func environment(root: String, _ variables: [String: String]) -> [String: String] {
    var environment = ["LD_PRELOAD": folder.file("injector.so"), "STRIKE_ROOT": root]
    for (name, value) in variables { environment["STRIKE_\(name)"] = value }
    return environment
  }

  /// The program of `neighbour.c`.
  var neighbourPath: String { folder.file("neighbour") }

  /// Returns the number of calls of each kind, as the library has written them to `STRIKE_COUNTS`.
  static func counts(in path: String) throws -> [Fault.Kind: Int] {
    let lines = try Files.text(path).split(separator: "\n").map { $0.split(separator: " ") }
    return Dictionary(
      uniqueKeysWithValues: lines.compactMap { line in
        Fault.Kind(rawValue: String(line[0])).map { ($0, Int(line[1]) ?? 0) }
      })
  }
}
