/// The names of an option or flag, most often made from the name of the property.
///
/// A property `minTracks` is `--min-tracks` by default; `[.customShort("m"), .long]` adds `-m`.
public struct NameSpecification: ExpressibleByArrayLiteral, Sendable {
  /// One name of a specification.
  public struct Element: Hashable, Sendable {
    enum Representation: Hashable {
      case long
      case customLong(String)
      case short
      case customShort(Character)
    }

    var representation: Representation

    /// The property's name in kebab case, after two dashes.
    public static var long: Self { Self(representation: .long) }

    /// The first letter of the property's name, after one dash.
    public static var short: Self { Self(representation: .short) }

    /// The given name, after two dashes.
    public static func customLong(_ name: String) -> Self { Self(representation: .customLong(name)) }

    /// The given letter, after one dash.
    public static func customShort(_ character: Character) -> Self { Self(representation: .customShort(character)) }
  }

  var elements: [Element]

  /// Creates a specification of these names.
  public init(_ elements: some Sequence<Element>) {
    self.elements = Array(elements)
  }

  /// Creates a specification of these names.
  public init(arrayLiteral elements: Element...) {
    self.elements = elements
  }
}

extension NameSpecification {
  /// The property's name in kebab case, after two dashes.
  public static var long: Self { [.long] }

  /// The first letter of the property's name, after one dash.
  public static var short: Self { [.short] }

  /// Both the long and the short name.
  public static var shortAndLong: Self { [.long, .short] }

  /// The given name, after two dashes.
  public static func customLong(_ name: String) -> Self { [.customLong(name)] }

  /// The given letter, after one dash.
  public static func customShort(_ character: Character) -> Self { [.customShort(character)] }
}

extension NameSpecification {
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
