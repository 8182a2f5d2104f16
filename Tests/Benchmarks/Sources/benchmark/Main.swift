internal import ProcessControl

/// Runs ours and what a person would use instead side by side, and prints how they compare.
@main
struct Main {
  static func main() {
    // There is a folder of gigabytes to remove.
    note_interruptions()
    do throws(BenchmarkError) {
      try run(Options(Array(CommandLine.arguments.dropFirst())))
    } catch {
      say("benchmark: \(error)")
      exit(1)
    }
  }

  private static func run(_ options: Options) throws(BenchmarkError) {
    if let unknown = options.rowNames.first(where: { !Suite.rowNames.contains($0) }) {
      throw BenchmarkError("there is no row '\(unknown)'; there are \(Suite.rowNames.joined(separator: ", "))")
    }
    guard let test = try? Command(["sqlite3", "--version"]).run(), test.status == 0 else {
      throw BenchmarkError("the sqlite3 shell is missing; 'make bench' installs it")
    }
    limit_cores(2)
    let workspace = try Workspace(options, say: say)
    defer { workspace.discard() }
    let machine = try workspace.output(of: [options.checkout + "/Tests/Benchmarks/machine.sh"])
    var lines: [String] = []
    for makeGroup in Suite(workspace).groups {
      guard let group = try makeGroup() else { continue }
      lines += try group.lines(in: workspace, say: say)
    }
    let text = Record(options: options, machine: machine, rows: lines).text
    print(text)
    if let path = options.recordPath { try save("# Results\n\n" + text + "\n", to: path) }
  }

  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  private static func save(_ text: String, to path: String) throws(BenchmarkError) {
    guard let file = fopen(path, "w") else { throw BenchmarkError("cannot write '\(path)'") }
    fputs(text, file)
    guard fclose(file) == 0 else { throw BenchmarkError("cannot write '\(path)'") }
  }
}
