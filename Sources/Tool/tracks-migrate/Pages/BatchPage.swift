import Foundation
import JSONPresets
import Pictures
import TerminalOutput
import TrackLibrary

/// A page about a batch: how many libraries are done, what failed and why, and each library to be searched for.
struct BatchPage {
  let summary: BatchSummary
  /// The number of the slowest libraries that are drawn.
  let slowestCount: Int

  /// The page.
  var html: String {
    Page(
      "Batch", subtitle: subtitle, verdict: verdict,
      [
        Page.Section("summary", "Summary", figures), Page.Section("failures", "Failures", failures),
        Page.Section("slowest", "Slowest libraries", slowest), Page.Section("libraries", "All libraries", libraries),
      ]
    ).html.text
  }

  private var subtitle: HTML {
    let all = summary.libraries.count
    let count: HTML = "\(HTML.number(all)) \(all == 1 ? "library" : "libraries")"
    return folder.isEmpty ? "\(count)." : "\(count) in <code>\(folder)</code>."
  }

  /// The folder that all libraries are in, which would fill the columns that name them.
  private var folder: String {
    let paths = summary.libraries.map(\.path)
    guard var folder = paths.first else { return "" }
    for path in paths { while !path.hasPrefix(folder) { folder.removeLast() } }
    return folder.lastIndex(of: "/").map { String(folder[...$0]) } ?? ""
  }

  private func name(_ result: BatchResult, _ folder: String) -> String { String(result.path.dropFirst(folder.count)) }

  private var verdict: HTML {
    let (all, failed) = (summary.libraries.count, summary.count(.failed))
    guard all > 0 else { return "There are no libraries in the results." }
    let every: HTML = all == 1 ? "The library" : "All \(HTML.number(all)) libraries"
    guard failed > 0 else { return "\(every) \(all == 1 ? "has" : "have") the current version." }
    guard failed < all else { return "<a href=\"#failures\">\(every) failed</a>." }
    return """
      <a href="#failures">\(HTML.number(failed)) of \(HTML.number(all)) libraries failed</a>; \
      \(all - failed == 1 ? "the other has" : "the others have") the current version.
      """
  }

  private var figures: HTML {
    let cards = summary.figures.compactMap { figure -> (name: String, value: HTML, before: HTML?)? in
      switch figure.value {
      case .integer(0) where !figure.name.contains("libraries"): nil
      case .integer(let number):
        (figure.help, figure.name.hasSuffix("_bytes") ? .size(number) : .number(Int(number)), nil)
      case .real(let seconds): (figure.help, .duration(seconds), nil)
      default: nil
      }
    }
    let states = BatchResult.Status.allCases.map { ChartValue($0.rawValue, summary.count($0), isFault: $0 == .failed) }
    return Page.cards(cards) + Chart(.bars, "Libraries by status", states, label: "Status", value: "Libraries").html
  }

  private var failures: HTML {
    guard !summary.failures.isEmpty else { return "<p class=\"none\">No library failed.</p>" }
    let values = summary.failures.map { ChartValue($0.code, $0.count, note: $0.first.reason, isFault: true) }
    let (failed, folder) = (summary.libraries.filter { $0.status == .failed }, folder)
    let rows = failed.prefix(Self.failureLimit).map { result -> [HTML] in
      [.name(name(result, folder)), "\(result.errorCode ?? "")", "<span class=\"fault-text\">\(result.reason)</span>"]
    }
    let rest: HTML =
      failed.count > rows.count
      ? "<p class=\"note\">The first \(rows.count) of \(HTML.number(failed.count)); the table of all libraries has the others.</p>"
      : ""
    return Chart(.bars, "Failures by code", values, label: "Code", value: "Libraries").html
      + .table(["Library", "Code", "Reason"], Array(rows), caption: "The libraries that failed") + rest
  }

  private static let failureLimit = 100

  private var slowest: HTML {
    let folder = folder
    let values = summary.slowest(slowestCount).filter { $0.elapsedSeconds != nil }.map { result in
      // The beginning is what paths have in common.
      let name = name(result, folder)
      return ChartValue(
        name.count > 24 ? "…\(name.suffix(23))" : name, Int(picturing: (result.elapsedSeconds ?? 0) * 1000))
    }
    return Chart(.bars, "Slowest libraries, in milliseconds", values, label: "Library", value: "Milliseconds").html
  }

  private static let listLimit = 20_000

  private var libraries: HTML {
    // Who looks at this page looks for what failed.
    let order = summary.libraries.filter { $0.status == .failed } + summary.libraries.filter { $0.status != .failed }
    let folder = folder
    let rows = order.prefix(Self.listLimit).map { result -> [FieldValue] in
      [
        .string(name(result, folder)), .string(result.status.rawValue),
        FieldValue(result.facts[.tracks] ?? result.facts[.instances]),
        FieldValue(result.elapsedSeconds), result.status == .failed ? .string(result.reason) : .null,
      ]
    }
    return Page.search(
      "libraries",
      columns: [
        Page.Column("Library"), Page.Column("Status"), Page.Column("Tracks or instances", .number),
        Page.Column("Seconds", .number), Page.Column("Reason", .fault),
      ],
      rows: Array(rows), total: summary.libraries.count,
      more: rows.count < summary.libraries.count
        ? "The first \(HTML.number(rows.count)), those that failed before the others; the results file has all." : "")
  }
}
