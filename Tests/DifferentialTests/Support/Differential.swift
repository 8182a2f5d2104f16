import Foundation
import TestSupport
import Testing

/// Runs cases made of seeds, and tells of those whose result is not the expected one.
///
/// `DIFFERENTIAL_SEED` names the first seed, and the only one unless `DIFFERENTIAL_COUNT` wants more.
enum Differential {
  /// What came of a case.
  enum Verdict {
    /// Both come to the same; `kind` says what that is.
    case same(_ kind: String)
    /// Chance has made nothing that could be compared.
    case nothing
    case different(String)

    /// With the case itself behind a difference.
    func inUserTerms(by text: @autoclosure () -> String) -> Verdict {
      if case .different(let difference) = self { .different("\(difference)\n\(text())") } else { self }
    }
  }

  /// Runs the cases of one kind.
  ///
  /// - Parameters:
  ///   - name: What is compared.
  ///   - count: How many cases there are where nobody asks for more.
  ///   - kinds: What must come up now and then, so that a test that compares nothing fails.
  static func run(
    _ name: String, count: Int, kinds: [String], of check: (UInt64) throws -> Verdict
  ) throws {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["DIFFERENTIAL_SEED"].flatMap { UInt64($0) }
    let wanted = environment["DIFFERENTIAL_COUNT"].flatMap { Int($0) }
    let total = wanted ?? (first == nil ? count : 1)
    var counts: [String: Int] = [:]
    var differences = 0
    for place in 0..<UInt64(max(0, total)) {
      let seed = (first ?? 1) &+ place
      do {
        switch try check(seed) {
        case .same(let kind): counts[kind, default: 0] += 1
        case .nothing: counts["nothing", default: 0] += 1
        case .different(let difference):
          differences += 1
          report(seed, difference)
        }
      } catch {
        differences += 1
        report(seed, "\(error)")
      }
    }
    let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("differential: \(name): \(total) cases, \(differences) differences (\(text))")
    guard total >= count else { return }
    for kind in kinds { #expect(counts[kind, default: 0] > 0, "\(name): \(kind) never came up: \(text)") }
  }

  private static func report(_ seed: UInt64, _ difference: String) {
    Issue.record("seed \(seed): \(difference)\nagain: DIFFERENTIAL_SEED=\(seed) swift test --filter DifferentialTests")
  }
}

extension Array where Element: Equatable & CustomStringConvertible {
  /// The first place where two lists differ, in words; `nil` where they are the same.
  func difference(from expected: [Element], _ name: String) -> String? {
    guard self != expected else { return nil }
    let place = zip(self, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? Swift.min(count, expected.count)
    func text(_ list: [Element]) -> String { place < list.count ? list[place].description : "nothing" }
    return "\(name), place \(place) of \(count) and \(expected.count): is \(text(self)), expected \(text(expected))"
  }
}
