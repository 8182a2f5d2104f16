/// What is printed in the end, in Markdown.
struct Record {
  let options: Options
  let machine: String
  let rows: [String]

  var text: String {
    let names = options.rowNames.isEmpty ? "" : " ROWS=\(options.rowNames.joined(separator: ","))"
    let table = [
      "| row | what | ours | peer | result | bar | verdict | CPU |", "|---|---|---|---|---|---|---|---|",
    ]
    return """
      \(machine)
      `make bench TRACKS=\(options.trackCount) RUNS=\(options.rounds)\(names)`: medians of \(options.rounds) runs in \
      turns, least and greatest in parentheses; what takes milliseconds ran \(options.rounds * 4) times. Ours syncs and \
      checks what it writes, the peers do not. CPU is the ratio of the processor times, for which there is no bar.

      \((table + rows).joined(separator: "\n"))
      """
  }
}
