/// What to do next, in words that leave open how the reader does it.
///
/// The engine knows which setting would help, and not what it is called where the reader sits: an app's team sets a
/// property, the command has an option. So a text names a way out by interpolation, and whoever talks to a person gives
/// it the name that this person knows.
///
///     error.advice = "Nothing was changed. Name another backup with \(.backup)."
public struct Advice: Sendable, Hashable, ExpressibleByStringInterpolation {
  fileprivate enum Part: Sendable, Hashable {
    case text(String)
    case wayOut(WayOut)
  }

  private var parts: [Part]

  /// A text without a way out.
  public init(stringLiteral text: String) {
    parts = [.text(text)]
  }

  /// A text with ways out.
  public init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.parts
  }

  /// The text for a reader.
  ///
  /// - Parameter name: What this reader calls a way out.
  public func worded(_ name: (WayOut) -> String) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let words): text += words
      case .wayOut(let wayOut): text += name(wayOut)
      }
    }
  }

  /// The same advice with another beginning; itself where it does not begin so.
  package func replacingPrefix(_ prefix: String, with replacement: String) -> Advice {
    guard case .text(let text)? = parts.first, text.hasPrefix(prefix) else { return self }
    var advice = self
    advice.parts[0] = .text(replacement + text.dropFirst(prefix.count))
    return advice
  }

  /// A long text, in two lines of the source.
  public static func + (left: Advice, right: Advice) -> Advice {
    var advice = left
    advice.parts += right.parts
    return advice
  }

  /// What a string literal is taken apart into.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    /// Creates an empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds words.
    public mutating func appendLiteral(_ text: String) {
      // So that a text can be asked what it begins with, however it was put together.
      guard case .text(let words)? = parts.last else { return parts.append(.text(text)) }
      parts[parts.count - 1] = .text(words + text)
    }

    /// Adds words that are known only now.
    public mutating func appendInterpolation(_ text: String) { appendLiteral(text) }

    /// Adds the words of another advice.
    public mutating func appendInterpolation(_ advice: Advice) { parts += advice.parts }

    /// Adds a way out.
    public mutating func appendInterpolation(_ wayOut: WayOut) { parts.append(.wayOut(wayOut)) }
  }
}

extension Advice {
  /// A setting that changes what happens, or a question that can be asked.
  public enum WayOut: Sendable, Hashable {
    /// Entities that have rows may be removed.
    case allowLoss
    /// Which backup is meant.
    case backup
    /// JSON that was not understood may be gone for good.
    case force
    /// The relationship that names a join table.
    case joinTable
    /// The mapping models.
    case mapping
    /// The model with its versions.
    case model
    /// The old file is not kept.
    case noBackup
    /// A disk that seems too small is no reason to stop.
    case noSpaceCheck
    /// A new file for the result.
    case output
    /// Which policy stands for one that a mapping model names.
    case policy
    /// The old library that a new one is compared with.
    case source
    /// Anything that is lost stops the migration.
    case strict
    /// All remarks and examples are told.
    case verbose
    /// The version that is wanted.
    case version
    /// Finding artists by a part of their name.
    case artists(_ path: String, name: String)
    /// Looking at what a store holds.
    case info(_ path: String)
    /// Migrating a library.
    case migrate(_ path: String)

    /// The way out in Swift, for those whose program calls the engine.
    public var swiftName: String {
      switch self {
      case .allowLoss: "'allowsLoss'"
      case .backup: "'backupPath'"
      case .force: "'discardsUnmatchedJSON'"
      case .joinTable: "'joinTableRelationships'"
      case .mapping: "'mappingModelPaths'"
      case .model: "'modelPath'"
      case .noBackup: "'keepsBackup = false'"
      case .noSpaceCheck: "'checksSpace = false'"
      case .output: "'outputPath'"
      case .policy: "'PolicyRegistry.alias'"
      case .source: "'sourcePath'"
      case .strict: "'isStrict'"
      case .verbose: "'isVerbose'"
      case .version: "'destinationVersionName'"
      case .artists: "'ArtistQuery'"
      case .info: "'MigrationTool.context(ofStoreAt:)'"
      case .migrate: "'MigrationTool.migrate(storeAt:)'"
      }
    }
  }
}
