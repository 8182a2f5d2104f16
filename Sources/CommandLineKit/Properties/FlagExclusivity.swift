/// What happens when flags that exclude each other are given together.
public struct FlagExclusivity: Sendable, Hashable {
  enum Representation { case exclusive, chooseFirst, chooseLast }

  var representation: Representation

  /// An error.
  public static var exclusive: Self { Self(representation: .exclusive) }

  /// The first counts.
  public static var chooseFirst: Self { Self(representation: .chooseFirst) }

  /// The last counts.
  public static var chooseLast: Self { Self(representation: .chooseLast) }
}
