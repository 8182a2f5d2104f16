/// A line of the table: something that is done over and over, and how it is counted.
struct Case {
  let name: String
  let unit: Unit
  let measure: () throws -> Timing

  enum Unit {
    /// Millions of bytes a second, of so many.
    case megabytes(of: Int)
    /// So many things a second.
    case rate(of: Int, String)
    /// Nanoseconds for each of so many.
    case nanoseconds(of: Int)

    var name: String {
      switch self {
      case .megabytes: "MB/s"
      case .rate(_, let things): "\(things)/s"
      case .nanoseconds: "ns"
      }
    }

    func value(_ seconds: Double) -> Double {
      switch self {
      case .megabytes(let count): Double(count) / 1e6 / seconds
      case .rate(let count, _): Double(count) / seconds
      case .nanoseconds(let count): seconds * 1e9 / Double(count)
      }
    }
  }

  init(_ name: String, _ unit: Unit, _ measure: @escaping () throws -> Timing) {
    self.name = name
    self.unit = unit
    self.measure = measure
  }

  /// The line, in Markdown.
  func line() throws -> String {
    let figures = try measure().figures
    let range = [figures.least, figures.greatest].map(unit.value).sorted().map(Self.text)
    return "| \(name) | \(Self.text(unit.value(figures.median))) | \(range.joined(separator: "–")) | \(unit.name) |"
  }

  /// Three digits at least, and separators.
  private static func text(_ value: Double) -> String {
    if value < 100 { return String((value * 10).rounded() / 10) }
    var (digits, groups) = (String(Int(value.rounded())), [String]())
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
