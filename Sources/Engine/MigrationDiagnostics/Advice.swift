/// The advice after an error, in words that do not depend on the reader's interface.
///
/// The engine knows which setting would help, but not its name in the reader's context: an app's developers set a
/// property, while the command has an option. The text therefore names a way out by interpolation, and the code that
/// presents it supplies the name that the reader knows.
///
///     error.advice = "Nothing was changed. Name another backup with \(.backup)."
public struct Advice: Sendable, Hashable, ExpressibleByStringInterpolation {
  fileprivate indirect enum Part: Sendable, Hashable {
    case text(String)
    case wayOut(WayOut)
    case clause(WayOut, Advice)
    case work(Work.Form, Work)
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

  /// The text for a reader who has all ways out.
  ///
  /// - Parameter name: The reader's name for a way out.
  public func worded(_ name: @escaping (WayOut) -> String) -> String { worded(for: Reader(name: name)) }

  /// The text for a reader.
  public func worded(for reader: Reader) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let words): text += words
      case .wayOut(let wayOut): text += reader.name(wayOut)
      case .clause(let wayOut, let words): text += reader.has(wayOut) ? words.worded(for: reader) : ""
      case .work(let form, let usual): text += (reader.work ?? usual).word(form)
      }
    }
  }

  /// The same advice with a different beginning; unchanged if it does not begin with the prefix.
  package func replacingPrefix(_ prefix: String, with replacement: String) -> Advice {
    guard case .text(let text)? = parts.first, text.hasPrefix(prefix) else { return self }
    var advice = self
    advice.parts[0] = .text(replacement + text.dropFirst(prefix.count))
    return advice
  }

  /// Joins a long text written in two lines of source.
  public static func + (left: Advice, right: Advice) -> Advice {
    var advice = left
    advice.parts += right.parts
    return advice
  }

  /// The parts of a string literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    /// Creates an empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends words.
    public mutating func appendLiteral(_ text: String) {
      // Merged, so that the start of a text can be compared no matter how it was put together.
      guard case .text(let words)? = parts.last else { return parts.append(.text(text)) }
      parts[parts.count - 1] = .text(words + text)
    }

    /// Appends words known only at run time.
    public mutating func appendInterpolation(_ text: String) { appendLiteral(text) }

    /// Appends the words of another advice.
    public mutating func appendInterpolation(_ advice: Advice) { parts += advice.parts }

    /// Appends a way out.
    public mutating func appendInterpolation(_ wayOut: WayOut) { parts.append(.wayOut(wayOut)) }

    /// Appends words for readers who have a way out only.
    public mutating func appendInterpolation(if wayOut: WayOut, _ words: Advice) {
      parts.append(.clause(wayOut, words))
    }

    /// Appends the reader's word for what was being done.
    ///
    /// - Parameter usual: What it is for a reader who does not say.
    public mutating func appendInterpolation(work form: Work.Form, usual: Work = .migration) {
      parts.append(.work(form, usual))
    }
  }
}

extension Advice {
  /// The surroundings in which a message is read: a command, or a program that calls the engine.
  public struct Reader {
    /// Names a way out.
    public var name: (WayOut) -> String
    /// Returns whether there is a way out.
    public var has: (WayOut) -> Bool = { _ in true }
    /// The work that failed, if the reader has a word for it.
    public var work: Work?

    /// Creates a reader who has all ways out.
    public init(name: @escaping (WayOut) -> String = { $0.swiftName }) { self.name = name }
  }

  /// The words for what a command does with a file.
  public struct Work: Sendable, Hashable {
    /// A grammatical form.
    public enum Form: Sendable, Hashable {
      /// As in "was not migrated".
      case participle
      /// As in "during the migration".
      case noun
      /// As in "to migrate anyway".
      case verb
      /// As in "'L.sqlite' was not migrated".
      case refusal(_ file: String)
    }

    private let verb: String
    private let participle: String
    private let noun: String
    private let refusal: String?

    /// Creates words such as "import", "imported" and "import".
    ///
    /// - Parameter refusal: The words before the file in a refusal, if the file is not what the work is done to.
    public init(verb: String, participle: String, noun: String, refusal: String? = nil) {
      (self.verb, self.participle, self.noun, self.refusal) = (verb, participle, noun, refusal)
    }

    /// A migration.
    public static let migration = Work(verb: "migrate", participle: "migrated", noun: "migration")
    /// An import.
    public static let importing = Work(
      verb: "import", participle: "imported", noun: "import", refusal: "the feed was not imported into")
    /// The assembly of a store from rows.
    public static let assembly = Work(verb: "assemble", participle: "assembled", noun: "assembly")

    fileprivate func word(_ form: Form) -> String {
      switch form {
      case .verb: verb
      case .participle: participle
      case .noun: noun
      case .refusal(let file): refusal.map { "\($0) \(file)" } ?? "\(file) was not \(participle)"
      }
    }
  }
}

extension Advice {
  /// A setting that changes what happens, or a command that answers a question.
  public enum WayOut: Sendable, Hashable {
    /// Allows removing entities that have rows.
    case allowLoss
    /// Says where the artists of tracks are in JSON.
    case artistsPath
    /// Selects the backup.
    case backup
    /// Accepts losing what a library holds besides its model.
    case discard
    /// Writes a library as a feed.
    case export
    /// Names the feed that a library was imported from.
    case feed
    /// Says which form a feed has.
    case feedFormat
    /// Accepts losing JSON that was not recognised.
    case force
    /// Says where artists stand in JSON.
    case json
    /// Names the relationship of a join table.
    case joinTable
    /// Names the mapping models.
    case mapping
    /// Names the member of an archive.
    case member
    /// Names the model with its versions.
    case model
    /// Does not keep the old file.
    case noBackup
    /// Skips the free-space check.
    case noSpaceCheck
    /// Writes the result to a new file.
    case output
    /// Substitutes a policy for one that a mapping model names.
    case policy
    /// Ignores the keys of a feed.
    case newKeys
    /// Replaces tracks that have other values.
    case replace
    /// Names the old library to compare a new one with.
    case source
    /// Stops the migration if anything is lost.
    case strict
    /// Names a file that declares types that Swift source uses and the machine does not have.
    case stub
    /// Lists the classes of Swift source that are the model.
    case types
    /// Shows all remarks and examples.
    case verbose
    /// Says where the titles of tracks are in a feed.
    case titlePath
    /// Selects the version to migrate to.
    case version
    /// Finds artists by part of their name.
    case artists(_ path: String, name: String)
    /// Shows the content of a store.
    case info(_ path: String)
    /// Migrates a library.
    case migrate(_ path: String)
    /// Says everything that is wrong with a store.
    case examine(_ path: String)
    /// Mends a store whose tables are not those of its model.
    case repair(_ path: String)
    /// Reads the rows of a damaged store into a new one.
    case salvage(_ path: String)

    /// The name of the way out in Swift, for programs that call the engine.
    public var swiftName: String {
      switch self {
      case .allowLoss: "'allowsLoss'"
      case .artistsPath: "'trackOptions'"
      case .backup: "'backupPath'"
      case .discard: "'allowsLoss'"
      case .export: "'LibraryExport'"
      case .feed: "'FeedVerification'"
      case .feedFormat: "'feedFormat'"
      case .force: "'discardsUnmatchedJSON'"
      case .json: "'trackOptions'"
      case .joinTable: "'joinTableRelationships'"
      case .mapping: "'mappingModelPaths'"
      case .member: "'feedMember'"
      case .model: "'modelPath'"
      case .noBackup: "'keepsBackup = false'"
      case .noSpaceCheck: "'checksSpace = false'"
      case .output: "'outputPath'"
      case .policy: "'PolicyRegistry.alias'"
      case .newKeys: "'ignoresKeys'"
      case .replace: "'replaces'"
      case .source: "'sourcePath'"
      case .strict: "'isStrict'"
      case .stub: "the variable 'TRACKS_MIGRATE_STUB'"
      case .types: "the variable 'TRACKS_MIGRATE_TYPES'"
      case .verbose: "'isVerbose'"
      case .titlePath: "'titlePath'"
      case .version: "'destinationVersionName'"
      case .artists: "'ArtistQuery'"
      case .info: "'MigrationTool.context(ofStoreAt:)'"
      case .migrate: "'MigrationTool.migrate(storeAt:)'"
      case .examine: "'StoreExamination'"
      case .repair: "'StoreRepair'"
      case .salvage: "'StoreSalvage'"
      }
    }
  }
}
