import Testing

@testable import TerminalOutput

@Suite struct ProgressBarTests {
  private static let bar = ProgressBar(
    completed: 420_000, total: 1_000_000, unit: "tracks", elapsed: .milliseconds(2780))

  private static let widths: [(width: Int, line: String)] = [
    (200, "  42% ████████████████▊                        420,000/1,000,000 tracks  151,000/s  0:04 left"),
    (80, "  42% ██████████               420,000/1,000,000 tracks  151,000/s  0:04 left"),
    (67, "  42% ████▌       420,000/1,000,000 tracks  151,000/s  0:04 left"),
    (64, "  42% ███▎     420,000/1,000,000 tracks  151,000/s  0:04 left"),
    (63, "  42% ███████▌           420,000/1,000,000 tracks  0:04 left"),
    (53, "  42% ███▎     420,000/1,000,000 tracks  0:04 left"),
    (52, "  42% 420,000/1,000,000 tracks  0:04 left"),
    (41, "  42% 420,000/1,000,000 tracks  0:04 left"),
    (40, "  42% 420,000/1,000,000 tracks"),
    (31, "  42% 420,000/1,000,000 tracks"),
    (30, "  42% 420,000/1,000,000 tracks"),
    (29, "  42%"),
    (5, "  42%"),
    (4, ""),
    (0, ""),
    (-1, ""),
  ]

  @Test(arguments: widths) func `A narrow terminal drops parts of the bar`(width: Int, line: String) {
    #expect(Self.bar.render(width: width) == line)
  }

  private static let states: [(bar: ProgressBar, line: String)] = [
    (
      ProgressBar(completed: 0, total: 10, unit: "files", elapsed: .zero),
      "   0%                           0/10 files"
    ),
    (
      ProgressBar(completed: 29, total: 100, unit: "files", elapsed: .seconds(10)),
      "  29% ██████▋                 29/100 files  2.9/s  0:24 left"
    ),
    (
      ProgressBar(completed: 10, total: 10, unit: "files", elapsed: .seconds(4)),
      " 100% █████████████████████████ 10/10 files  2.5/s  0:00 left"
    ),
    (
      ProgressBar(completed: 12, total: 10, unit: "files", elapsed: .seconds(4)),
      " 100% █████████████████████████ 12/10 files  3.0/s  0:00 left"
    ),
    (
      ProgressBar(completed: -1, total: 10, unit: "files", elapsed: .seconds(4)),
      "   0%                           -1/10 files"
    ),
    (ProgressBar(completed: 1234, total: nil, unit: "rows", elapsed: .seconds(1)), " 1,234 rows  1,230/s"),
    (ProgressBar(completed: 0, total: 0, unit: "rows", elapsed: .seconds(1)), " 0 rows"),
  ]

  @Test(arguments: states) func `The state is written out beside the bar`(bar: ProgressBar, line: String) {
    #expect(bar.render(width: 66) == line)
  }

  @Test func `A tail that outgrows its place loses the rate`() {
    let bar = ProgressBar(completed: 1000, total: 10_000_000, unit: "rows", elapsed: .seconds(30))
    #expect(bar.render(width: 66) == "   0%            1,000/10,000,000 rows  33/s  83:19:30 left")
    let fast = ProgressBar(completed: 10_000_000, total: 10_000_000, unit: "rows", elapsed: .seconds(2))
    #expect(fast.render(width: 66) == " 100% ██████████ 10,000,000/10,000,000 rows  0:00 left")
  }

  @Test func `An excessive remaining time is left out`() {
    let bar = ProgressBar(completed: 1, total: .max, unit: "rows", elapsed: .seconds(1))
    #expect(!bar.render(width: 120).contains("left"))
  }

  @Test(arguments: [0, 1, 999, 1_000_000, Int.max]) func `The line never exceeds the width`(total: Int) {
    for completed in [0, 1, 500, total / 2, total] {
      for width in 0...130 {
        for elapsed in [Duration.zero, .nanoseconds(1), .seconds(7), .seconds(1_000_000)] {
          let bar = ProgressBar(completed: completed, total: total, unit: "曲", elapsed: elapsed)
          #expect(DisplayWidth.of(bar.render(width: width)) <= width)
        }
      }
    }
  }

  @Test func `The bar grows without moving the text after it`() {
    let starts = Set(
      (1000...2000).map { completed in
        let line = ProgressBar(completed: completed, total: 2000, unit: "files", elapsed: .zero).render(width: 70)
        return line.split(separator: "/")[0].count
      })
    #expect(starts.count == 1)
  }
}
