import CommandLineKit
import DataModel
import Migration
import PersistentStore

/// Prints version hashes.
struct HashModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hash",
    abstract: "Print the version hashes of models, or those in the metadata of stores.",
    discussion: """
      Core Data opens a store with a model when the hash of every entity is the same. The checksum is that of \
      NSManagedObjectModel.versionChecksum, the digest that of NSStoreModelVersionHashesDigest; both are base64. Of a \
      store its metadata are printed, and whether the model that it keeps has the same hashes.

      EXAMPLES
        tracks-migrate models hash Model.xcdatamodeld --all-versions
        tracks-migrate models hash Library.sqlite Model.xcdatamodeld --format csv
      """)

  @Argument(
    help: "Models, or stores; see 'tracks-migrate help models'.", completion: .file(extensions: modelExtensions))
  var models: [String]

  @Flag(help: "Print the hashes of all versions of a bundle.")
  var allVersions = false

  @Flag(help: "Print the hashes in base64 instead of hexadecimal digits.")
  var base64 = false

  @Option(help: "Write in this format.")
  var format: OutputFormat = .table

  mutating func run() throws {
    let (words, allVersions, base64, format) = (models, allVersions, base64, format)
    try reportingErrors {
      // All models are read first: nothing is printed of a command line that is wrong.
      let lists = try words.flatMap { try HashList.all(try ModelSource($0), allVersions: allVersions) }
      let writer = format.makeWriter(to: StandardOutput(), terminal: .standardOutput)
      try writer.begin(columns: [
        "model", "kind", "entity", "hash", format.isForMachines ? "model_cache" : "model cache",
      ])
      for list in lists {
        for row in list.rows {
          let hash = row.hash.map { base64 ? $0.bytes.base64 : $0.description } ?? row.text
          try writer.write([
            .path(list.name), .string(row.kind), FieldValue(row.entity), FieldValue(hash), FieldValue(row.cache),
          ])
        }
      }
      try writer.end()
    }
  }
}
