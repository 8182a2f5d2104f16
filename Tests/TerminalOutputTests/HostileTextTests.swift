import Foundation
import TerminalOutput
import Testing

@Suite struct HostileTextTests {
  @Test(arguments: RecordSample.hostileTexts)
  func `A table cell with hostile text stays on one inert line`(text: String) throws {
    for terminal in [Terminal(), Terminal(isTerminal: true, width: 40, usesColor: true)] {
      var table = try RecordSample.text(.table, [text, "b"], [[.string(text), .integer(1)]], terminal: terminal)
      if terminal.usesColor {
        // The header is bold: once, and by nothing but that.
        #expect(table.hasPrefix("\u{1B}[1m"))
        table = table.replacing("\u{1B}[1m", with: "", maxReplacements: 1)
          .replacing("\u{1B}[0m\n", with: "\n", maxReplacements: 1)
      }
      #expect(table.unicodeScalars.count { $0 == "\n" } == 2)
      #expect(!table.unicodeScalars.contains { $0 != "\n" && Self.isObeyed($0) })
    }
  }

  @Test(arguments: RecordSample.hostileTexts)
  func `JSON with hostile text is inert and can be read back`(text: String) throws {
    let line = try RecordSample.text(.ndjson, ["a"], [[.strings([text])]])
    #expect(line.unicodeScalars.count { $0 == "\n" } == 1)
    #expect(!line.unicodeScalars.contains { $0 != "\n" && Self.isObeyed($0) })
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: [String]]
    let readBack = try #require(object?["a"]?.first)
    #expect(readBack.unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test(arguments: RecordSample.hostileTexts)
  func `CSV with hostile text is inert on a terminal and exact elsewhere`(text: String) throws {
    let screen = try RecordSample.text(.csv, ["a"], [[.string(text)]], terminal: Terminal(isTerminal: true))
    #expect(!screen.unicodeScalars.contains { $0 != "\n" && Self.isObeyed($0) })

    let file = try RecordSample.text(.csv, ["a"], [[.string(text)]])
    #expect(Self.unquoted(file.dropFirst("a\n".count).dropLast()).elementsEqual(text.unicodeScalars))
  }

  /// Returns the scalars of a field with each pair of quotes reduced to one.
  private static func unquoted(_ field: Substring) -> [Unicode.Scalar] {
    guard field.hasPrefix("\"") else { return Array(field.unicodeScalars) }
    var isFirstOfPair = false
    return field.unicodeScalars.dropFirst().dropLast().filter { scalar in
      guard scalar == "\"" else { return true }
      isFirstOfPair.toggle()
      return isFirstOfPair
    }
  }

  private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || (0x2028...0x202E).contains(scalar.value)
      || (0x2066...0x2069).contains(scalar.value)
  }
}
