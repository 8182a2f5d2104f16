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
}
