import Foundation
import MigrationDiagnostics
import TestSupport
import Testing

struct ErrorMessageTests {
  private static let codes = MigrationError.Code.allCases

  private func message(_ code: MigrationError.Code, path: String = "L.sqlite") -> ErrorMessage {
    ErrorMessage(MigrationError(code, MigrationError.Subject(path: path, name: "N"), detail: "the reason"))
  }

  @Test(arguments: codes)
  func `An error message says what is wrong and what to do`(code: MigrationError.Code) {
    let message = message(code)
    #expect(code == .interrupted || message.problem.contains("L.sqlite"), "\(message.problem)")
    #expect(!message.problem.hasSuffix("."))
    #expect(message.advice.hasSuffix(".") || message.advice.contains("with: "), "\(message.advice)")
    let rest = message.advice.replacing("Nothing was changed.", with: "").replacing("No data was changed.", with: "")
    #expect(rest.contains { $0.isLetter }, "only that nothing was changed is no advice")
  }

  /// To take over a change that is wanted, set `RECORD_TRANSCRIPTS` and look at the difference.
  @Test func `every error is worded as in the list of all errors`() throws {
    let subjects: [(MigrationError.Subject, String?)] = [
      (MigrationError.Subject(), nil), (MigrationError.Subject(path: "L.sqlite"), nil),
      (MigrationError.Subject(path: "L.sqlite", name: "N"), "the reason"),
      (MigrationError.Subject(path: "a b", entity: "E", property: "p", row: 7), "the reason"),
      (MigrationError.Subject(entity: "E"), "the reason"), (MigrationError.Subject(property: "p", name: "N"), nil),
    ]
    let texts = Self.codes.map { code in
      let lines = subjects.map { subject, detail in
        let message = ErrorMessage(MigrationError(code, subject, detail: detail))
        return "  \(message.problem) | \(message.advice)\n"
      }
      return "\(code.rawValue) (\(MigrationError(code).exitStatus))\n\(lines.joined())"
    }
    let file = Checkout.root.appending(path: "Tests/Transcripts/errors.txt")
    if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] != nil {
      try Data(texts.joined().utf8).write(to: file)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    for text in texts { #expect(expected.contains(text)) }
    #expect(expected == texts.joined())
  }

  @Test(arguments: codes)
  func `An error has the exit status of its kind`(code: MigrationError.Code) {
    let status = MigrationError(code).exitStatus
    let surprises: [MigrationError.Code] = [
      .oldFileInUse, .permissionsNotKept, .workerEnded, .redactionIncomplete,
    ]
    guard !surprises.contains(code) else { return #expect(status == 70) }
    #expect([1, 3, 64, 65, 66, 69, 73, 74, 75, 76, 78].contains(status), "\(code.rawValue)")
  }

  @Test func `An error can carry its own advice`() {
    var error = MigrationError(.unusableModel, path: "M.momd")
    error.advice = "Do this."
    #expect(ErrorMessage(error).advice == "Do this.")
  }

  @Test func `Advice uses the name of an option that its reader knows`() {
    var error = MigrationError(.noBackup, path: "L.sqlite")
    error.advice = "Name it with \(.backup): \("at once")" + ", or \("look" as Advice) with \(.info("a b"))."
    #expect(ErrorMessage(error).advice.hasPrefix("Name it with 'backupPath': at once, or look with 'MigrationTool."))
    let advice = ErrorMessage(error) { way in
      switch way {
      case .backup: "--backup"
      case .info(let path): "info \(path)"
      default: "?"
      }
    }.advice
    #expect(advice == "Name it with --backup: at once, or look with info a b.")
  }

  @Test func `A prefix of the advice is replaced only if it matches`() {
    let advice: Advice = "Nothing was changed. Go on."
    #expect(advice.replacingPrefix("Nothing was changed.", with: "No.") == "No. Go on.")
    #expect(advice.replacingPrefix("Go on.", with: "No.") == advice)
    #expect(("\(.backup)." as Advice).replacingPrefix(".", with: "No.") == "\(.backup).")
  }

  @Test func `A path that is not UTF-8 is quoted for a shell byte by byte`() {
    let path = String(pathBytes: Array("L 'ä'\\~".utf8) + [0x09, 0x1F, 0x7F, 0x80, 0xE9] + Array(".sqlite".utf8))
    #expect(ErrorMessage.shellWord(path) == #"$'L \047\303\244\047\134~\011\037\177\200\351.sqlite'"#)
    #expect(ErrorMessage.shellWord("it's; rm -rf *.sqlite") == #"'it'\''s; rm -rf *.sqlite'"#)
  }
}
