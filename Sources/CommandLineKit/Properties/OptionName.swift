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
  /// The name that messages use: the first long one, since that is the one that explains itself.
  var preferred: OptionName? { first { !$0.isShort } ?? first }

  /// Short names first, the order in which help and man pages list them.
  var shortFirst: [OptionName] { filter(\.isShort) + filter { !$0.isShort } }
}
