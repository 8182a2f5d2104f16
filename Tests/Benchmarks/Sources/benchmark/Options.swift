/// What a person may choose about the comparison.
struct Options {
  static let usage = """
    usage: benchmark --tool FILE --checkout FOLDER [--tracks NUMBER] [--runs NUMBER] [--rows NAME,…] [--record FILE]
                     [--work FOLDER]

      --tool      The release build of tracks-migrate.
      --checkout  The checkout, for the peers and the models.
      --tracks    The size of the library; 1000000 by default.
      --runs      How often each program runs; 5 by default. What takes milliseconds runs 4 times as often.
      --rows      Only these rows of the table.
      --record    Write the table, the machine and the versions to this file too.
      --work      Where the libraries are made: 4 GB for a million tracks. TMPDIR by default.
    """

  var tool = ""
  var checkout = ""
  var trackCount = 1_000_000
  var rounds = 5
  var rowNames: [String] = []
  var recordPath: String?
  var workFolder: String?

  init(_ arguments: [String]) throws(BenchmarkError) {
    var words = arguments[...]
    while let name = words.popFirst() {
      guard let value = words.popFirst() else { throw BenchmarkError(Self.usage) }
      switch name {
      case "--tool": tool = value
      case "--checkout": checkout = value
      case "--tracks": trackCount = try Self.number(value)
      case "--runs": rounds = try Self.number(value)
      case "--rows": rowNames = value.split(separator: ",").map { String($0) }
      case "--record": recordPath = value
      case "--work": workFolder = value
      default: throw BenchmarkError("there is no option '\(name)'\n\(Self.usage)")
      }
    }
    if tool.isEmpty || checkout.isEmpty { throw BenchmarkError(Self.usage) }
  }

  private static func number(_ text: String) throws(BenchmarkError) -> Int {
    guard let number = Int(text), 1...100_000_000 ~= number else {
      throw BenchmarkError("'\(text)' is no number from 1 to 100000000")
    }
    return number
  }

  /// Python with the packages of `requirements.txt`.
  var python: String { checkout + "/.build/benchmarks/bin/python" }

  /// A program that is built beside this one.
  func program(_ name: String) -> String {
    let own = CommandLine.arguments.first ?? ""
    return (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "") + name
  }
}
