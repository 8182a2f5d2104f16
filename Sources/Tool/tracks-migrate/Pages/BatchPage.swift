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
      "Batch", subtitle: "\(HTML.number(summary.libraries.count)) libraries.",
      [
        Page.Section("summary", "Summary", figures), Page.Section("failures", "Failures", failures),
        Page.Section("slowest", "Slowest libraries", slowest), Page.Section("libraries", "All libraries", libraries),
      ], footer: "This page holds all that it shows, and loads nothing."
    ).html.text
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
    let states = BatchResult.Status.allCases.map { ChartValue($0.rawValue, summary.count($0)) }
    return Page.cards(cards) + Chart(.bars, "Libraries by status", states, label: "Status", value: "Libraries").html
  }

  private var failures: HTML {
    guard !summary.failures.isEmpty else { return "<p class=\"none\">No library failed.</p>" }
    let values = summary.failures.map { ChartValue($0.code, $0.count, note: $0.example) }
    let rows = summary.failures.map { [.name($0.code), .number($0.count), .name($0.example)] as [HTML] }
    return Chart(.bars, "Failures by code", values, label: "Code", value: "Libraries").html
      + .table(["Code", "Libraries", "Example"], rows, caption: "The first of each", isNumeric: [1])
  }

  private var slowest: HTML {
    let values = summary.slowest(slowestCount).filter { $0.elapsedSeconds != nil }.map { result in
      ChartValue(result.path, Int(picturing: (result.elapsedSeconds ?? 0) * 1000))
    }
    return Chart(.bars, "Slowest libraries, in milliseconds", values, label: "Library", value: "Milliseconds").html
  }

  private static let listLimit = 20_000

  private var libraries: HTML {
    // Who looks at this page looks for what failed.
    let order = summary.libraries.filter { $0.status == .failed } + summary.libraries.filter { $0.status != .failed }
    let rows = order.prefix(Self.listLimit).map { result -> [FieldValue] in
      [
        .string(result.path), .string(result.status.rawValue),
        FieldValue(result.facts[.tracks] ?? result.facts[.instances]),
        FieldValue(result.elapsedSeconds), FieldValue(result.message),
      ]
    }
    return Page.search(
      "libraries",
      columns: [
        ("Library", false), ("Status", false), ("Tracks or instances", true), ("Seconds", true), ("Error", false),
      ],
      rows: Array(rows), total: summary.libraries.count,
      more: rows.count < summary.libraries.count
        ? "The first \(HTML.number(rows.count)), those that failed before the others; the results file has all." : "")
  }
}
