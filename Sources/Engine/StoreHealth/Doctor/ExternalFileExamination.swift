internal import DataModel
internal import PersistentStore
internal import SQLiteDatabase

/// Compares the values that are stored in files with the files beside the store.
struct ExternalFileExamination {
  private let store: StoreReader
  private let schema: StoreSchema
  private let folder: ExternalDataFolder

  init(_ store: StoreReader, _ schema: StoreSchema, _ folder: ExternalDataFolder) {
    (self.store, self.schema, self.folder) = (store, schema, folder)
  }

  func run(_ notes: inout HealthNotes) throws {
    let named = try store.externalFiles(in: schema)
    var (missing, empty): ([StoreReader.ExternalFile], [StoreReader.ExternalFile]) = ([], [])
    for file in named {
      if try !folder.contains(file.fileName) {
        missing.append(file)
      } else if FileStatus(folder.filePath(file.fileName))?.size == 0 {
        empty.append(file)
      }
    }
    add(.missingExternalFile, "are missing", missing, &notes)
    // Small values are in their rows, and an empty one is the smallest.
    add(.externalValue, "are empty", empty, &notes)
    let known = Set(named.map { $0.fileName.uppercased() })
    let orphaned = try folder.names().filter { !known.contains($0.uppercased()) } + folder.otherNames()
    if !orphaned.isEmpty {
      var finding = Finding(.orphanedExternalFile, "no value names files in its folder of external data")
      (finding.count, finding.files) = (Int64(orphaned.count), Array(orphaned.prefix(Finding.exampleLimit)))
      notes.add(finding)
    }
    try examineForms(&notes)
  }

  /// Notes files, by the attributes whose values they have.
  private func add(
    _ code: Finding.Code, _ predicate: String, _ files: [StoreReader.ExternalFile], _ notes: inout HealthNotes
  ) {
    let byAttribute = Dictionary(grouping: files) { "\($0.entityName).\($0.attributeName)" }
    for (name, files) in byAttribute.sorted(by: { $0.key < $1.key }) {
      var finding = Finding(code, "the files of values of '\(name)' \(predicate)")
      finding.table = files.first.flatMap { schema.table(forEntityNamed: $0.entityName)?.name }
      (finding.entity, finding.property) = (files.first?.entityName, files.first?.attributeName)
      finding.count = Int64(files.count)
      finding.rows = files.prefix(Finding.exampleLimit).map(\.primaryKey)
      finding.files = files.prefix(Finding.exampleLimit).map(\.fileName)
      notes.add(finding)
    }
  }

  /// Looks for values that begin neither as one in the row nor as the name of a file.
  private func examineForms(_ notes: inout HealthNotes) throws {
    for entity in schema.model.entities {
      for attribute in entity.ownAttributes where attribute.allowsExternalBinaryDataStorage && !attribute.isTransient {
        guard let table = schema.table(forEntityNamed: entity.name)?.name,
          let column = schema.column(forProperty: attribute.name, ofEntityNamed: entity.name)?.name.quotedIdentifier
        else { continue }
        let rows = """
          \(table.quotedIdentifier) WHERE typeof(\(column)) = 'blob' AND (substr(\(column), 1, 1) NOT IN (x'01', x'02') \
          OR substr(\(column), 1, 1) = x'02' AND length(\(column)) <> 38)
          """
        guard try store.connection.integer("SELECT 1 FROM \(rows) LIMIT 1") != nil else { continue }
        var finding = Finding(
          .externalValue, "values of '\(entity.name).\(attribute.name)' are neither in their rows nor in files")
        (finding.table, finding.entity, finding.property) = (table, entity.name, attribute.name)
        try finding.takeRows(store.connection, rows)
        notes.add(finding)
      }
    }
  }
}
