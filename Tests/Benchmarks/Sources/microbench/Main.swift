internal import Foundation

/// Measures the parts of the engine one by one, so that one sees where the time goes.
@main
struct Main {
  static func main() throws {
    // The beginnings of the names that are wanted; none is all.
    let wanted = CommandLine.arguments.dropFirst()
    print("| part | median | range of \(Timing.rounds) | unit |\n|---|---|---|---|")
    let groups: [(name: String, make: () throws -> [Case])] = [
      ("parser", { parserCases(Documents()) }), ("presets", { try presetCases(Documents()) }), ("lookup", lookupCases),
      ("writer", writerCases),
      ("expression", expressionCases),
    ]
    for group in groups where wanted.isEmpty || wanted.contains(group.name) {
      for part in try group.make() {
        print(try part.line())
        fflush(nil)
      }
    }
  }
}
