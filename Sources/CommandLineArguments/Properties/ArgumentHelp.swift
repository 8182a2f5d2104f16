/// The help of an argument, option or flag; a string literal is the abstract.
package struct ArgumentHelp: Sendable, ExpressibleByStringInterpolation {
  /// One sentence, shown next to the name.
  package var abstract: String

  /// Longer text, shown below the abstract.
  package var discussion: String

  /// The name of the value, as in `--limit <count>`.
  ///
  /// Nil makes it from the option's name.
  package var valueName: String?

  /// Where the argument is shown.
  package var visibility: ArgumentVisibility

  /// Creates help with everything that can be said.
  package init(
    _ abstract: String = "",
    discussion: String = "",
    valueName: String? = nil,
    visibility: ArgumentVisibility = .default
  ) {
    self.abstract = abstract
    self.discussion = discussion
    self.valueName = valueName
    self.visibility = visibility
  }

  /// Creates help that consists of an abstract.
  package init(stringLiteral value: String) {
    self.init(value)
  }
}

extension ArgumentHelp {
  /// Help that is shown by `--help-hidden` only.
  package static var hidden: Self { Self(visibility: .hidden) }

  /// Help that is never shown.
  package static var `private`: Self { Self(visibility: .private) }
}

/// Where an argument, option or flag is shown.
package struct ArgumentVisibility: Sendable, Hashable {
  enum Representation { case `default`, hidden, `private` }

  var representation: Representation

  /// Shown in help, completions and the manual page.
  package static let `default` = Self(representation: .default)

  /// Shown by `--help-hidden` only.
  package static let hidden = Self(representation: .hidden)

  /// Never shown.
  package static let `private` = Self(representation: .private)
}

/// What a shell offers for a value.
package struct CompletionKind: Sendable, Equatable {
  enum Representation: Equatable {
    case `default`
    case list([String])
    case file(extensions: [String])
    case directory
  }

  var representation: Representation

  /// Whether the value is a path, which is not necessarily UTF-8.
  var isPath: Bool {
    switch representation {
    case .default, .list: false
    case .file, .directory: true
    }
  }

  /// Nothing, or the cases of an enumeration.
  package static var `default`: Self { Self(representation: .default) }

  /// These words.
  package static func list(_ words: [String]) -> Self { Self(representation: .list(words)) }

  /// The names of files, of any kind or with one of these extensions.
  package static func file(extensions: [String] = []) -> Self { Self(representation: .file(extensions: extensions)) }

  /// The names of directories.
  package static var directory: Self { Self(representation: .directory) }
}

/// The names of an option or flag, usually derived from the name of the property.
///
/// A property `minTracks` is `--min-tracks` by default; `[.customShort("m"), .long]` adds `-m`.
package struct NameSpecification: ExpressibleByArrayLiteral, Sendable {
  /// One name of a specification.
  package struct Element: Hashable, Sendable {
    enum Representation: Hashable {
      case long
      case customLong(String)
      case short
      case customShort(Character)
    }

    var representation: Representation

    /// The property's name in kebab case, after two dashes.
    package static var long: Self { Self(representation: .long) }

    /// The first letter of the property's name, after one dash.
    package static var short: Self { Self(representation: .short) }

    /// The given name, after two dashes.
    package static func customLong(_ name: String) -> Self { Self(representation: .customLong(name)) }

    /// The given letter, after one dash.
    package static func customShort(_ character: Character) -> Self { Self(representation: .customShort(character)) }
  }

  var elements: [Element]

  /// Creates a specification of these names.
  package init(_ elements: some Sequence<Element>) {
    self.elements = Array(elements)
  }

  /// Creates a specification of these names.
  package init(arrayLiteral elements: Element...) {
    self.elements = elements
  }
}

extension NameSpecification {
  /// The property's name in kebab case, after two dashes.
  package static var long: Self { [.long] }

  /// The first letter of the property's name, after one dash.
  package static var short: Self { [.short] }

  /// Both the long and the short name.
  package static var shortAndLong: Self { [.long, .short] }

  /// The given name, after two dashes.
  package static func customLong(_ name: String) -> Self { [.customLong(name)] }

  /// The given letter, after one dash.
  package static func customShort(_ character: Character) -> Self { [.customShort(character)] }

  // MARK: - Name specification

  /// The names that this specification gives to a property.
  func names(for property: String) -> [OptionName] {
    elements.compactMap { element in
      switch element.representation {
      case .long: .long(property.kebabCased)
      case .customLong(let name): .long(name)
      case .short: property.kebabCased.first.map(OptionName.short)
      case .customShort(let character): .short(character)
      }
    }
  }
}

/// One spelling of an option or flag, resolved from a ``NameSpecification``.
enum OptionName: Hashable, Sendable {
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
