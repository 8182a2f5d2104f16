import SystemC
internal import TerminalOutput

/// The process that the command runs in.
///
/// No other file of the parser depends on the process.
enum Platform {
  /// The maximum width of text on standard output, in columns: the user's setting, the terminal's width, or 80.
  static var columns: Int { Terminal.standardOutput.width }

  enum Stream { case output, error }

  /// Writes text so that it ends with exactly one newline; writes nothing if the text is empty.
  static func print(_ text: String, to stream: Stream) {
    // Earlier output of the command must come first.
    fflush(nil)
    let end = text.lastIndex { $0 != "\n" }
    guard let end else { return }
    let isWritten = write("\(text[...end])\n", to: stream == .output ? STDOUT_FILENO : STDERR_FILENO)
    guard !isWritten, stream == .output else { return }
    // Half a completion script or man page must not pass for a complete one.
    let error = OutputError(errorNumber: errno)
    if error == BrokenPipe().outputError { BrokenPipe.endProcess() }
    let name = CommandLine.exactArguments.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? ""
    _ = write("\(errorPrefix(name)) \(error)\n", to: STDERR_FILENO)
    exit(error.exitStatus)
  }

  /// Returns the prefix of each error, in the form that editors and shells know.
  static func errorPrefix(_ name: String) -> String {
    "\(name): \("error:".styled(.error, on: .standardError))"
  }

  static func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  static func exit(_ code: Int32) -> Never {
    SystemC.exit(code)
  }

  /// Writes all of a text.
  ///
  /// - Returns: Whether that succeeded; if not, `errno` holds the reason.
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { SystemC.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension String {
  /// The lowercase words of a camelCase name, joined by dashes: `minTracks` and `exportURL` become `min-tracks` and
  /// `export-url`.
  var kebabCased: String {
    let characters = Array(self)
    var result = ""
    for (index, character) in characters.enumerated() {
      if character.isUppercase, index > 0 {
        let followsWord = !characters[index - 1].isUppercase && characters[index - 1] != "-"
        // The last capital of an acronym starts the next word: "HTTPServer" is "http-server".
        let startsWord = index + 1 < characters.count && characters[index + 1].isLowercase
        if followsWord || (startsWord && characters[index - 1] != "-") { result += "-" }
      }
      result += character.lowercased()
    }
    return result.filter { $0 != "_" }
  }

  // MARK: - Wrapping

  /// Breaks lines between words so that none is longer than `columns`, and indents all of them.
  ///
  /// Lines that start with a space are kept as they are: they are examples and tables, which wrapping would spoil.
  func wrapped(to columns: Int, indent: Int = 0) -> String {
    // In a very narrow terminal, one word per line is worse than lines that run over.
    let width = Swift.max(columns - indent, 20)
    let margin = String(repeating: " ", count: indent)
    return split(separator: "\n", omittingEmptySubsequences: false)
      .flatMap { $0.hasPrefix(" ") ? [String($0)] : Self.lines(of: $0, width: width) }
      .map { $0.isEmpty ? "" : margin + $0 }
      .joined(separator: "\n")
  }

  private static func lines(of paragraph: Substring, width: Int) -> [String] {
    var lines = [""]
    for word in paragraph.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Indents all lines but the first.
  func hanging(by indent: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: " ", count: indent))
  }
}
