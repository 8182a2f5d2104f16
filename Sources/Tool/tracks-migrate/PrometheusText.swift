import SystemC
import TrackLibrary

/// Metrics in the text format of Prometheus.
///
/// Counters end in `_total`, and everything is in base units, as `promtool check metrics` wants it.
struct PrometheusText {
  enum Kind: String { case counter, gauge }

  private(set) var text = ""

  /// Adds a metric with a sample for each of some labels.
  mutating func add(
    _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: String)]
  ) {
    let name = "tracks_migrate_\(name)"
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for (labels, value) in samples {
      let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
      text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }
  }

  /// Adds a figure with one sample.
  ///
  /// - Parameter isCounted: Whether it counts what a run did, rather than what there is.
  mutating func add(_ figure: Figure, scope: String, _ labels: [(String, String)] = [], isCounted: Bool) {
    var name = "\(scope)_\(figure.name)"
    var kind = Kind.gauge
    if name.hasSuffix("_count") {
      name = String(name.dropLast("_count".count))
      if isCounted { (name, kind) = (name + "_total", .counter) }
    }
    let value =
      switch figure.value {
      case .integer(let integer): "\(integer)"
      case .real(let real): "\(real)"
      // No figure is one of these, and none is told as zero that was not counted.
      case .null, .string, .boolean, .strings: "NaN"
      }
    add(name, kind, figure.help, [(labels, value)])
  }

  /// A label's value: a path is any text.
  private static func escaped(_ value: String) -> String {
    value.spellingPathBytes.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": #"\\"#
      case "\"": #"\""#
      case "\n": #"\n"#
      default: String(scalar)
      }
    }.joined()
  }
}
