import Foundation
import TestSupport
import Testing

/// Runs cases made from seeds and reports those with an unexpected result.
enum Differential {
  /// The outcome of a case.
  enum Verdict {
    /// Both results are the same; `kind` describes them.
    case same(_ kind: String)
    /// The random choices gave nothing to compare.
    case nothing
    case different(String)

    /// The results differ; the text includes the case itself.
    func inUserTerms(by text: @autoclosure () -> String) -> Verdict {
      if case .different(let difference) = self { .different("\(difference)\n\(text())") } else { self }
    }
  }

  /// Runs the cases of one kind.
  ///
  /// - Parameters:
  ///   - name: The name of the comparison.
  ///   - count: The default number of cases.
  ///   - kinds: The kinds that must occur, so a test that compares nothing fails.
  static func run(
    _ name: String, count: Int, kinds: [String], of check: (UInt64) throws -> Verdict
  ) throws {
    let seeds = Rounds.seeds(count)
    var counts: [String: Int] = [:]
    var differences = 0
    for seed in seeds {
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
    print("differential: \(name): \(seeds.count) cases, \(differences) differences (\(text))")
    guard seeds.count >= count else { return }
    for kind in kinds { #expect(counts[kind, default: 0] > 0, "\(name): \(kind) never came up: \(text)") }
  }

  private static func report(_ seed: UInt64, _ difference: String) {
    Issue.record("seed \(seed): \(difference)\nagain: DIFFERENTIAL_SEED=\(seed) swift test --filter DifferentialTests")
  }
}

extension Array where Element: Equatable & CustomStringConvertible {
  /// Returns the first difference between two lists in words; `nil` if they are equal.
  func difference(from expected: [Element], _ name: String) -> String? {
    guard self != expected else { return nil }
    let place = zip(self, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? Swift.min(count, expected.count)
    func text(_ list: [Element]) -> String { place < list.count ? list[place].description : "nothing" }
    return "\(name), place \(place) of \(count) and \(expected.count): is \(text(self)), expected \(text(expected))"
  }
}
