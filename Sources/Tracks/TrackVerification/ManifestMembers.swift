package import MigrationDiagnostics

/// Finds what a manifest says twice, which readers would take from either place.
///
/// The members are those that the assembly and its verification read; docs/cluster.md has them.
package enum ManifestMembers {
  private static let names = [
    "format_version", "uuid", "tracks", "artists", "links", "count", "files", "path", "sha256",
  ]

  /// Returns the first member that an object has twice, with its place, such as `tracks.files[2].path`; `nil` if none has,
  /// or the text is not JSON.
  package static func repeated(in manifest: [UInt8]) -> String? {
    var reader = DocumentReader(keys: names)
    reader.begin()
    manifest.withUnsafeBytes { reader.read($0) }
    guard reader.finish() == .readable, let member = reader.tree.repeatedMember else { return nil }
    return place(of: member.node, in: reader.tree)
  }

  /// Returns the error for such a member.
  package static func error(_ member: String, _ path: String) -> MigrationError {
    MigrationError(.unusableManifest, path: path, detail: "it has '\(member)' twice")
  }

  /// Returns the way to a node, from the outermost member on.
  private static func place(of node: Int, in tree: DocumentTree) -> String {
    var (parent, place) = (0, "")
    while parent != node {
      let children = tree.children(of: parent)
      guard let index = children.lastIndex(where: { $0 <= node }) else { break }
      let key = tree.nodes[children[index]].key
      place += key < 0 ? "[\(index)]" : (place.isEmpty ? "" : ".") + names[key]
      parent = children[index]
    }
    return place
  }
}
