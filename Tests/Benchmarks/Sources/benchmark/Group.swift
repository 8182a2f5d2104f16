/// Programs that run in turns, and the rows that come of it.
struct Group {
  let contenders: [Contender]
  let rows: [Row]
  let rounds: Int

  /// Runs the contenders of the rows, and gives the rows in Markdown.
  ///
  /// - Throws: `BenchmarkError` when a program fails, or when results that should agree do not.
  func lines(in workspace: Workspace, say: (String) -> Void) throws(BenchmarkError) -> [String] {
    var skipped: [String: String] = [:]
    for row in rows {
      let absence = contenders.filter { row.contenders.contains($0.name) }.compactMap(\.absence).first
      if let absence { skipped[row.name] = absence }
    }
    let wanted = Set(rows.filter { skipped[$0.name] == nil }.flatMap(\.contenders))
    let usages = try measure(contenders.filter { wanted.contains($0.name) }, workspace, say)
    return rows.map { row in
      skipped[row.name].map { "| `\(row.name)` | \(row.title) | | | | | skipped: \($0) | |" } ?? row.line(usages)
    }
  }

  private func measure(
    _ contenders: [Contender], _ workspace: Workspace, _ say: (String) -> Void
  ) throws(BenchmarkError) -> [String: [Usage]] {
    var usages: [String: [Usage]] = [:]
    var results: [String: (contender: String, result: String)] = [:]
    for round in 0..<rounds {
      // Each goes first once, so that none always has the same one before it.
      let start = contenders.isEmpty ? 0 : round % contenders.count
      for contender in contenders[start...] + contenders[..<start] {
        let usage = try workspace.run(contender)
        usages[contender.name, default: []].append(usage)
        say(
          "\(contender.name), \(round + 1) of \(rounds): \(Metric.wall.text(usage.wall)), "
            + "\(Metric.processor.text(usage.processor)) CPU, \(Metric.memory.text(usage.memory))")
        guard round == 0, let check = contender.check else { continue }
        let result = try workspace.output(of: check.words)
        let expected = check.expected.map { (contender: "what is expected", result: $0) }
        if let other = expected ?? results[check.subject], other.result != result {
          throw BenchmarkError(
            "'\(other.contender)' and '\(contender.name)' do not agree:\n\(other.result)\n\(result)")
        }
        results[check.subject] = (contender.name, result)
      }
    }
    return usages
  }
}
