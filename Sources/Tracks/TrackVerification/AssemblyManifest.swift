internal import Foundation
package import MigrationDiagnostics
internal import PersistentStore

/// The list of files of which a store is assembled: tracks, artists and links, each sorted by its keys.
///
/// docs/cluster.md has the format. The files of one kind follow each other, so that reading them in turn gives all rows
/// in order. The assembly and its verification read it by the same rules, so that neither refuses what the other takes.
package struct AssemblyManifest: Sendable {
  /// The rows of one kind.
  package struct Run: Sendable {
    /// The number of rows in all files.
    package let count: Int
    package let files: [File]
  }

  /// One file of rows.
  package struct File: Sendable {
    /// The path of the file, from the manifest's folder on.
    package let path: String
    /// The number of its lines.
    package let count: Int
    /// The digest of the file's bytes, in hexadecimal.
    package let sha256: String

    /// The reason why the path cannot be that of a file in the manifest's folder; `nil` if it can.
    ///
    /// A manifest may come from elsewhere: what it names is read, and said to be unusable.
    fileprivate var pathProblem: String? {
      if path.isEmpty { return "is empty" }
      if path.utf8.contains(0) { return "has a NUL" }
      if path.utf8.first == UInt8(ascii: "/") { return "is not relative to the manifest's folder" }
      return path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
        ? "leads out of the manifest's folder" : nil
    }

    /// The path of the file itself.
    ///
    /// - Throws: `MigrationError` if a link leads out of the manifest's folder. Links within it are those of a
    ///   cluster's volumes: Kubernetes mounts every file as one.
    package func resolved(besides manifestPath: String) throws(MigrationError) -> String {
      let file = FileSystem.sibling(of: manifestPath, named: path)
      guard let folder = FileSystem.resolved(FileSystem.split(manifestPath).folder),
        let resolved = FileSystem.resolved(file)
      else { throw FileSystem.failure(.unreadable, file) }
      guard !FileSystem.areSame(resolved, folder) else {
        throw MigrationError(.unusableManifest, path: file, detail: "it is the manifest's folder, not a file in it")
      }
      guard FileSystem.suffix(of: resolved, after: folder == "/" ? folder : folder + "/") != nil else {
        throw MigrationError(
          .unusableManifest, path: file, detail: "it is a link that leads out of the manifest's folder")
      }
      return resolved
    }
  }

  /// The file.
  package let path: String
  /// Rows ordered by the track's key.
  package let tracks: Run
  /// Rows ordered by the artist's key, which is the rank of its first mention.
  package let artists: Run
  /// Rows ordered by the artist's key, and then by the track's.
  package let links: Run
  /// The UUID of the store; without one, it follows from the store's rows.
  package let uuid: String?

  /// The paths of the files of all rows.
  package var filePaths: [String] {
    [tracks, artists, links].flatMap(\.files).map { FileSystem.sibling(of: path, named: $0.path) }
  }

  /// A larger one is not a manifest: each of its lines is for one file.
  private static let sizeLimit = 256 << 20
  /// More rows than a SQLite file can hold.
  private static let rowLimit = 1 << 40
  private static let uuidLength = 36

  /// Reads a manifest.
  ///
  /// - Throws: `MigrationError`, with `unusableManifest` if it is none or contradicts itself.
  package init(path: String) throws(MigrationError) {
    guard try FileSystem.isThere(path) else {
      var error = MigrationError(.missing, path: path)
      error.advice = "Nothing was written. Name the manifest that lists the files with the rows."
      throw error
    }
    let bytes = try FileSystem.contents(ofInput: path)
    do throws(ManifestProblem) {
      guard bytes.count <= Self.sizeLimit else { throw ManifestProblem("it is larger than 256 MiB") }
      let members = try ManifestMembers(bytes)
      let version = try members.integer("format_version", of: 0)
      let uuid = try members.optionalText("uuid", of: 0)
      let runs = try ["tracks", "artists", "links"].map { name throws(ManifestProblem) in try Self.run(name, members) }
      guard version == 1 else { throw ManifestProblem("its format_version is \(version), not 1") }
      // Foundation's reader stops at a NUL.
      if let uuid, UUID(uuidString: uuid) == nil || uuid.utf8.count != Self.uuidLength {
        throw ManifestProblem("'\(uuid)' is not a UUID")
      }
      (self.path, self.uuid, tracks, artists, links) = (path, uuid, runs[0], runs[1], runs[2])
    } catch {
      throw MigrationError(.unusableManifest, path: path, detail: error.detail)
    }
  }

  private static func run(_ name: String, _ members: ManifestMembers) throws(ManifestProblem) -> Run {
    let node = try members.member(name, .object, of: 0)
    let count = try members.integer("count", of: node, "\(name).")
    let list = members.children(of: try members.member("files", .array, of: node, "\(name)."))
    var (files, sum): ([File], Int) = ([], 0)
    for (number, node) in list.enumerated() {
      let place = "\(name).files[\(number)]"
      try members.require(.object, node, place)
      let file = File(
        path: try members.text("path", of: node, place + "."),
        count: try members.integer("count", of: node, place + "."),
        sha256: try members.text("sha256", of: node, place + "."))
      if let problem = file.pathProblem { throw ManifestProblem("'\(place).path' \(problem)") }
      guard (0...rowLimit).contains(file.count) else {
        throw ManifestProblem("'\(place).count' is negative or above 2^40")
      }
      files.append(file)
      sum &+= file.count
    }
    guard sum == count, sum <= rowLimit else {
      throw ManifestProblem("\(name) counts \(count) rows, and its files \(sum)")
    }
    return Run(count: count, files: files)
  }
}

/// A reason why a text is no manifest.
private struct ManifestProblem: Error {
  let detail: String

  init(_ detail: String) { self.detail = detail }
}

/// The members of a manifest, which are found by their exact names; others are passed over.
private struct ManifestMembers {
  private static let names = [
    "format_version", "uuid", "tracks", "artists", "links", "count", "files", "path", "sha256",
  ]
  private let tree: DocumentTree

  init(_ manifest: [UInt8]) throws(ManifestProblem) {
    var reader = DocumentReader(keys: Self.names, textLimit: .max)
    reader.begin()
    manifest.withUnsafeBytes { reader.read($0) }
    guard reader.finish() == .readable else {
      throw ManifestProblem("it is not JSON, or was cut, or has half a surrogate pair")
    }
    tree = reader.tree
    guard tree.nodes.first?.kind == .object else { throw ManifestProblem("it is not a JSON object") }
    if let member = tree.repeatedMember { throw ManifestProblem("it has '\(place(of: member.node))' twice") }
  }

  func children(of node: Int) -> [Int] { tree.children(of: node) }

  /// Finds a member of an object.
  ///
  /// - Parameter place: The way to the object, from the outermost member on, and a dot.
  func member(
    _ name: String, _ kind: DocumentTree.Kind, of node: Int, _ place: String = ""
  ) throws(ManifestProblem) -> Int {
    guard let member = find(name, of: node) else { throw ManifestProblem("'\(place)\(name)' is missing") }
    try require(kind, member, "\(place)\(name)")
    return member
  }

  func require(_ kind: DocumentTree.Kind, _ node: Int, _ place: String) throws(ManifestProblem) {
    let found = tree.nodes[node].kind
    guard found != kind else { return }
    throw ManifestProblem("'\(place)' " + (found == .null ? "is null" : "has another type than it should have"))
  }

  func text(_ name: String, of node: Int, _ place: String = "") throws(ManifestProblem) -> String {
    let member = try member(name, .text, of: node, place)
    return tree.string(tree.nodes[member].text)
  }

  func optionalText(_ name: String, of node: Int) throws(ManifestProblem) -> String? {
    guard let member = find(name, of: node), tree.nodes[member].kind != .null else { return nil }
    return try text(name, of: node)
  }

  func integer(_ name: String, of node: Int, _ place: String = "") throws(ManifestProblem) -> Int {
    let member = try member(name, .number, of: node, place)
    let text = tree.string(tree.nodes[member].text)
    // Some programs write 1000 as 1000.0 or 1e3.
    guard let integer = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) }) else {
      throw ManifestProblem("'\(place)\(name)' is not a whole number, or is too large")
    }
    return integer
  }

  private func find(_ name: String, of node: Int) -> Int? {
    Self.names.firstIndex(of: name).flatMap { tree.member($0, of: node) }
  }

  /// The way to a node, from the outermost member on, such as `tracks.files[2].path`.
  private func place(of node: Int) -> String {
    var (parent, place) = (0, "")
    while parent != node {
      let children = tree.children(of: parent)
      guard let index = children.lastIndex(where: { $0 <= node }) else { break }
      let key = tree.nodes[children[index]].key
      place += key < 0 ? "[\(index)]" : (place.isEmpty ? "" : ".") + Self.names[key]
      parent = children[index]
    }
    return place
  }
}
