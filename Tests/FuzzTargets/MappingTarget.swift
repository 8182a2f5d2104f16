internal import Migration
internal import Samples

/// Mapping models in both of their forms, resolved with the models of the examples.
enum MappingTarget {
  static func read(_ body: () throws(MappingModelFileError) -> MappingModelFile) throws {
    let file: MappingModelFile
    do throws(MappingModelFileError) {
      file = try body()
    } catch {
      return try promise(!error.description.isEmpty, "an error without words")
    }
    for finding in file.findings { try promise(!finding.description.isEmpty, "a finding without words") }
    for (source, destination) in [(BooksModel.v1, BooksModel.v2), (NotesModel.v3, NotesModel.v4)] {
      do throws(MappingModelFileError) {
        let mapping = try file.mappingModel(source: source, destination: destination)
        for expression in mapping.entityMappings.flatMap({ $0.attributeMappings + $0.relationshipMappings }) {
          _ = expression.valueExpression?.description
        }
      } catch {
        try promise(!error.description.isEmpty, "an error without words")
      }
    }
    let versions = BooksModel.all.enumerated().map { (name: "\($0)", model: $1) }
    _ = file.versionPairs(among: versions)
  }
}
