internal import CommandLineArguments
import JSONPresets
import MigrationDiagnostics
import PersistentStore
import SystemC
internal import TerminalOutput

/// The contents of a file that an option names.
private func contents(ofFile path: String) throws -> [UInt8] {
  var bytes: [UInt8] = []
  try reportingErrors { bytes = try FileSystem.contents(ofInput: path) }
  return bytes
}

/// The option for a person's decisions about artists.
struct DecisionsOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Merge, split, rename or ignore artists as this file says; see 'tracks-migrate help artists review'.",
      valueName: "file"), completion: .file(.reads, extensions: ["tsv"]))
  var decisions: String?

  /// The file, if there is one.
  var paths: [String] { [decisions].compactMap { $0 } }

  /// The decisions in the file.
  var value: ArtistDecisions? {
    get throws { try decisions.map(Self.read) }
  }

  /// Reads a file of decisions.
  static func read(_ path: String) throws -> ArtistDecisions {
    let advice = "Make one with: tracks-migrate artists review LIBRARY --output decisions.tsv"
    guard FileSystem.exists(path) else { throw ValidationError("there is no file of decisions '\(path)'. \(advice)") }
    if MistakenWords.isDatabase(path) {
      throw ValidationError("'\(path)' is a SQLite database, not a file of decisions. The library comes first.")
    }
    let bytes = try contents(ofFile: path)
    do throws(ArtistDecisions.FileError) {
      return try ArtistDecisions(file: bytes)
    } catch {
      // A file without the header was not made by a review.
      let hint = error.lacksHeader ? " \(advice)" : ""
      throw ValidationError("the decisions in '\(path)' cannot be used: \(error).\(hint)")
    }
  }
}

/// The options for the places of artists in the JSON of tracks, and for the choice among them.
struct JSONOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where artists stand in the JSON: auto (the first built-in preset that matches), the name of a preset, or a preset "
        + "file; repeat to try several in order; see 'tracks-migrate presets'. (default: auto)", valueName: "preset",
      otherNames: ["preset", "json-preset", "service"]),
    completion: .preset)
  var json: [String] = []

  @Option(
    help: ArgumentHelp(
      "Where artists stand, as a JSONPath such as '$.ar[*]', instead of a preset.", valueName: "path"))
  var artistsPath: String?

  @Option(help: ArgumentHelp("Where an artist has its name. (default: name)", valueName: "path"))
  var namePath: String?

  @Option(help: ArgumentHelp("Where an artist has its id; repeat for more, in order. (default: id)", valueName: "path"))
  var idPath: [String] = []

  @Option(
    help: ArgumentHelp(
      "Where an artist has its image; repeat for more, in order. (default: imageURL)", valueName: "path"))
  var imagePath: [String] = []

  @Option(help: ArgumentHelp("Where an artist has its role.", valueName: "path"))
  var rolePath: String?

  @Option(
    help: ArgumentHelp(
      "Only artists with one of these roles: main, featured, remixer, other; separated by commas. An artist without a "
        + "role counts as main. (default: all)", valueName: "roles"))
  var roles: String?

  @Flag(
    name: .customLong("split-by-ids"),
    help: "Split a joined name such as 'A & B' if the JSON has as many ids for it as it has parts.")
  var splitsByIDs = false

  mutating func validate() throws {
    if artistsPath == nil {
      let given = [
        ("--name-path", namePath != nil), ("--id-path", !idPath.isEmpty), ("--image-path", !imagePath.isEmpty),
        ("--role-path", rolePath != nil),
      ].first { $0.1 }
      if let given { throw ValidationError("'\(given.0)' requires '--artists-path', where the artists stand.") }
    } else if !json.isEmpty {
      throw ValidationError("'--json' and '--artists-path' cannot be used together.")
    }
    if let twice = json.indices.first(where: { json[..<$0].contains(json[$0]) }) {
      throw ValidationError("'--json \(json[twice])' is given twice.")
    }
    _ = try source
    _ = try wantedRoles
  }

  /// Whether any of the options was given.
  var isGiven: Bool { !json.isEmpty || artistsPath != nil || roles != nil || splitsByIDs }

  /// The options that were given, as on a command line.
  var words: [String] {
    [
      artistsPath.map { "--artists-path=\($0)" }, namePath.map { "--name-path=\($0)" },
      rolePath.map { "--role-path=\($0)" }, roles.map { "--roles=\($0)" }, splitsByIDs ? "--split-by-ids" : nil,
    ].compactMap { $0 } + json.map { "--json=\($0)" } + idPath.map { "--id-path=\($0)" }
      + imagePath.map { "--image-path=\($0)" }
  }

  /// The places of artists; `nil` if no option gives them.
  var shape: JSONShape? {
    get throws {
      var shape = JSONShape.auto
      if let source = try source {
        shape = .paths(source)
        shape.placeNames = [
          .artists: "--artists-path", .name: "--name-path", .id: "--id-path", .image: "--image-path",
          .role: "--role-path",
        ]
      } else if json.isEmpty, !splitsByIDs {
        return nil
      } else {
        shape = .joined(
          try json.map { $0 == "auto" ? .auto : .preset(try Preset.named($0) ?? Self.preset(inFile: $0)) })
        let own = shape.ownPresets
        if let twice = own.indices.first(where: { place in own[..<place].contains { $0.name == own[place].name } }) {
          throw ValidationError("two of the preset files have the name '\(own[twice].name)'; change one of them.")
        }
        guard own.reduce(0, { $0 + $1.countedTests }) <= Preset.countedTestsLimit else {
          throw ValidationError("the preset files have more than \(Preset.countedTestsLimit) conditions together.")
        }
      }
      shape.splitsByIDs = splitsByIDs
      return shape
    }
  }

  /// The roles that are wanted; `nil` for all.
  var wantedRoles: Set<ArtistRole>? {
    get throws {
      guard let roles else { return nil }
      let words = roles.split(separator: ",", omittingEmptySubsequences: false).map {
        $0.trimmingPrefix { $0 == " " }
      }
      return Set(
        try words.map { word in
          guard let role = ArtistRole(rawValue: String(word)) else {
            let known = ArtistRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'--roles' has the unknown role '\(word)'. The roles are \(known).")
          }
          return role
        })
    }
  }

  private var source: Preset.Source? {
    get throws {
      guard let artistsPath else { return nil }
      let path = try Self.path(artistsPath, "--artists-path")
      if path.steps.contains(.last) {
        throw ValidationError("'--artists-path' must not have [-1], which only a path to a detail may have.")
      }
      func detail(_ text: String, _ option: String) throws -> JSONPath {
        let path = try Self.path(text, option)
        if path.filter != nil {
          throw ValidationError("'\(option)' must not have a filter, which only '--artists-path' may have.")
        }
        return path
      }
      var source = Preset.Source(path)
      source.name = [try detail(namePath ?? "name", "--name-path")]
      source.id = try idPath.isEmpty ? [Preset.Source.usualID] : idPath.map { try detail($0, "--id-path") }
      source.image =
        try imagePath.isEmpty ? [Preset.Source.usualImage] : imagePath.map { try detail($0, "--image-path") }
      source.role = try rolePath.map { [try detail($0, "--role-path")] } ?? []
      return source
    }
  }

  /// The options that name a place of artists, as they are typed in a shell.
  static func arguments(for source: Preset.Source) -> String {
    let options =
      [("--artists-path", source.path.fromRoot)] + source.name.map { ("--name-path", $0.description) }
      + source.id.map { ("--id-path", $0.description) } + source.image.map { ("--image-path", $0.description) }
    return options.map(ErrorMessage.shellOption).joined(separator: " ")
  }

  static func path(_ text: String, _ option: String) throws -> JSONPath {
    do throws(JSONPathError) {
      return try JSONPath(text)
    } catch {
      throw ValidationError(lines: "the value of '\(option)' is not a path: \(error)")
    }
  }

  /// Reads the preset in a file.
  static func preset(inFile path: String) throws -> Preset {
    guard FileSystem.exists(path) else {
      let suggestion = nearest(to: path, in: Preset.builtIn.map(\.name)).map { " Did you mean '\($0)'?" } ?? ""
      throw ValidationError(
        "there is no preset and no file named '\(path)'.\(suggestion) Run 'tracks-migrate presets' to list the presets."
      )
    }
    let bytes = try contents(ofFile: path)
    do throws(Preset.FileError) {
      return try Preset(json: bytes)
    } catch {
      // A mistake in a path is shown in lines of its own.
      let problem = "\(error)"
      throw ValidationError(
        lines: "the preset in '\(path)' cannot be used: \(problem)\(problem.contains("\n") ? "" : ".")")
    }
  }
}
