package import SystemC

/// The help of an argument, option or flag; a string literal is the abstract.
package struct ArgumentHelp: ExpressibleByStringInterpolation {
  /// One sentence, shown next to the name.
  var abstract: String

  /// The name of the value, as in `--limit <count>`.
  ///
  /// Nil makes it from the option's name.
  var valueName: String?

  var visibility: ArgumentVisibility

  /// The environment variable that an option takes its value from if the command line does not name it.
  var environmentVariable: String?

  /// Names without dashes that people try who do not know the option's name: errors suggest the option for them.
  var otherNames: [String]

  /// Creates help.
  package init(
    _ abstract: String = "", valueName: String? = nil, visibility: ArgumentVisibility = .default,
    environmentVariable: String? = nil, otherNames: [String] = []
  ) {
    self.abstract = abstract
    self.valueName = valueName
    self.visibility = visibility
    self.environmentVariable = environmentVariable
    self.otherNames = otherNames
  }

  /// Creates help that consists of an abstract.
  package init(stringLiteral value: String) {
    self.init(value)
  }
}

/// The visibility of an argument, option or flag.
package enum ArgumentVisibility: Sendable {
  /// In help, completions and the manual page.
  case `default`
  /// In the output of `--help-hidden` only.
  case hidden
}

/// The completions that a shell offers for a value, and the command's use of a value that is a path.
package enum CompletionKind: Sendable, Equatable {
  /// Nothing, or the cases of an enumeration.
  case `default`
  /// These words.
  case list([String])
  /// The names of files, of any kind or with one of these extensions.
  case file(FileUse, extensions: [String] = [])
  /// The names of directories.
  case directory(FileUse)
  /// The lines that the command itself prints when it is called with `---complete`, this name, the word at the cursor
  /// and the words of the command line; and the names of files with one of these extensions.
  case command(String, filesWith: [String] = [])

  /// The command's use of the file that the value names; `nil` if the value is not a path.
  var fileUse: FileUse? {
    switch self {
    case .default, .list: nil
    case .file(let use, _), .directory(let use): use
    case .command(_, let extensions): extensions.isEmpty ? nil : .reads
    }
  }
}

/// The names of an option or flag, usually derived from the name of the property.
///
/// A property `minTracks` is `--min-tracks` by default; `.shortAndLong` adds `-m`.
package enum NameSpecification: Sendable {
  /// The property's name in kebab case, after two dashes.
  case long
  /// Both that name and its first letter, after one dash.
  case shortAndLong
  /// The given name, after two dashes.
  case customLong(String)

  /// The names that this specification gives to a property.
  func names(for property: String) -> [OptionName] {
    let name = property.kebabCased
    return switch self {
    case .long: [.long(name)]
    case .shortAndLong: [.long(name)] + name.prefix(1).map(OptionName.short)
    case .customLong(let name): [.long(name)]
    }
  }
}

/// One spelling of an option or flag, resolved from a ``NameSpecification``.
enum OptionName: Hashable {
  case long(String)
  case short(Character)

  /// A long name after one dash: never declared, but typed by people who know other tools.
  case singleDash(String)

  /// The name as a user types it: `--limit` or `-n`.
  var spelling: String {
    switch self {
    case .long(let name): "--\(name)"
    case .short(let character): "-\(character)"
    case .singleDash(let name): "-\(name)"
    }
  }

  /// The name without its two dashes; nil for names after one dash.
  var long: String? {
    if case .long(let name) = self { name } else { nil }
  }

  var isShort: Bool {
    if case .short = self { true } else { false }
  }
}

extension [OptionName] {
  /// The name that messages use: the first long one, because it is self-explanatory.
  var preferred: OptionName? { first { !$0.isShort } ?? first }

  /// Short names first, the order in which help and man pages list them.
  var shortFirst: [OptionName] { filter(\.isShort) + filter { !$0.isShort } }
}
