import JSONPresets
import ModelInspection
import SwiftSchemas

/// A request of a completion script to the command: `---complete SOURCE CURRENT WORDS…`.
///
/// `CURRENT` is the word at the cursor, `WORDS` is the command line so far. The answer is one word on each line; what
/// cannot be read has no answer, because a shell that completes has no place for an error.
struct CompletionRequest {
  enum Source: String {
    /// The versions of the model that `--model` names.
    case versions
    /// The versions of the model before a colon.
    case models
    /// The built-in presets.
    case presets
  }

  private let source: Source
  private let current: String
  private let words: [String]

  /// Takes a command line for a request, if it is one.
  init?(_ arguments: [String]) {
    guard arguments.count >= 3, arguments[0] == "---complete", let source = Source(rawValue: arguments[1]) else {
      return nil
    }
    (self.source, current, words) = (source, arguments[2], Array(arguments[3...]))
  }

  /// The possible words at the cursor.
  var answers: [String] {
    let candidates =
      switch source {
      case .versions: model.map(Self.versions) ?? []
      case .models:
        current.lastIndex(of: ":").map { colon in
          Self.versions(ofModel: String(current[..<colon])).map { "\(current[...colon])\($0)" }
        } ?? []
      case .presets: ["auto"] + Preset.builtIn.map(\.name)
      }
    return candidates.filter { $0.hasPrefix(current) && !$0.contains("\n") }
  }

  /// The value of `--model`; bash takes the '=' before a value for a word.
  private var model: String? {
    let option = "--model"
    for (index, word) in words.enumerated().reversed() {
      if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
      if word == option { return words[(index + 1)...].first { $0 != "=" } }
    }
    return nil
  }

  private static func versions(ofModel path: String) -> [String] {
    // A shell that completes a word does not wait for a compiler.
    SwiftSchemas.settings.compiles = false
    return (try? ModelSource(path: path).bundle().versions.map(\.name)) ?? []
  }
}
