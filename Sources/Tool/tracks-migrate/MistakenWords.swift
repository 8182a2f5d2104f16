import MigrationDiagnostics
import PersistentStore
import SystemC
import TerminalOutput

/// Words that no argument of a command takes, and what they are likely to mean.
enum MistakenWords {
  /// Returns what words mean that any command may be given by mistake; `nil` if that depends on the command.
  ///
  /// - Parameters:
  ///   - extra: The words that are left over.
  ///   - taken: The words before them, which are the command's arguments.
  static func hint(_ extra: [String], _ taken: [String]) -> String? {
    if let option = extra.lazy.compactMap(hyphenated).first {
      return "It begins with a dash that is not the hyphen of options. Type it again: \(option)"
    }
    guard let first = taken.first, !FileSystem.exists(first), let store = extra.first(where: isDatabase) else {
      return nil
    }
    return "'\(first)' is not a file: name '\(store)' before it."
  }

  /// Returns what a second library means to a command that shows one; `nil` if the words are none.
  static func secondLibrary(_ extra: [String]) -> String? {
    extra.contains(where: isDatabase) ? "It shows one library at a time." : nil
  }

  /// Whether a word is the path of an SQLite database.
  static func isDatabase(_ word: String) -> Bool {
    // What is read from a pipe is gone.
    guard FileStatus(word)?.kind == .regular else { return false }
    return (try? FileSystem.beginning(ofInput: word, count: FileForm.headSize)).flatMap { FileForm($0) } == .sqlite
  }

  /// The option that a word is with hyphens in place of other dashes, which editors and web pages make of them.
  private static func hyphenated(_ word: String) -> String? {
    let dashes = "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}"
    let begin = word.prefix { dashes.contains($0) }
    let name = word.dropFirst(begin.count)
    guard begin.contains(where: { $0 != "-" }), let letter = name.first, letter.isLetter else { return nil }
    return (name.count == 1 ? "-" : "--") + ErrorMessage.shellPath(String(name)).filter { $0 != "'" }
  }
}
