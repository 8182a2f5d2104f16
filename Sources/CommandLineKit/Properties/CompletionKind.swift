/// What a shell offers for a value.
public struct CompletionKind: Sendable, Equatable {
  enum Representation: Equatable {
    case `default`
    case list([String])
    case file(extensions: [String])
    case directory
  }

  var representation: Representation

  /// Whether the value is a path, which need not be UTF-8.
  var isPath: Bool {
    switch representation {
    case .default, .list: false
    case .file, .directory: true
    }
  }

  /// Nothing, or the cases of an enumeration.
  public static var `default`: Self { Self(representation: .default) }

  /// These words.
  public static func list(_ words: [String]) -> Self { Self(representation: .list(words)) }

  /// The names of files, of any kind or with one of these extensions.
  public static func file(extensions: [String] = []) -> Self { Self(representation: .file(extensions: extensions)) }

  /// The names of directories.
  public static var directory: Self { Self(representation: .directory) }
}
