/// A set of arguments, options and flags that several commands share.
///
///     struct OutputOptions: ParsableArguments { @Flag var quiet = false }
///
///     @OptionGroup(title: "Output") var output: OutputOptions
@propertyWrapper
public struct OptionGroup<Value: ParsableArguments>: Decodable {
  /// The value, once parsed.
  private var parsed: Value?
  private var visibility = ArgumentVisibility.default

  /// The heading that help shows above the group's options.
  ///
  /// Without a title, they are listed with the others.
  public private(set) var title = ""

  /// Creates a group, with a heading in help if it has a title.
  public init(title: String = "", visibility: ArgumentVisibility = .default) {
    self.title = title
    self.visibility = visibility
  }

  /// Takes the group's values from the command line that is being parsed, and validates them.
  public init(from decoder: any Decoder) throws {
    var value = try Value(from: decoder)
    do {
      try value.validate()
    } catch {
      throw ParserError.userError(error)
    }
    parsed = value
  }

  /// The group.
  public var wrappedValue: Value {
    get {
      guard let parsed else {
        preconditionFailure("Read a property of a command that was not made by parsing.")
      }
      return parsed
    }
    set { parsed = newValue }
  }
}

extension OptionGroup: Sendable where Value: Sendable {}

extension OptionGroup: ArgumentProvider {
  func definitions(property: String, prefix: String) -> [ArgumentDefinition] {
    ArgumentDefinition.all(of: Value.self, prefix: "\(prefix)\(property).").map { definition in
      var definition = definition
      if definition.info.section.isEmpty { definition.info.section = title }
      if definition.info.visibility == .default { definition.info.visibility = visibility }
      return definition
    }
  }
}
