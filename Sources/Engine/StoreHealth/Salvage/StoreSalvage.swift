internal import DataModel
package import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC

/// Brings the rows of a store that SQLite cannot read any more into a new store of the same model.
///
/// It reads the pages of the file itself, each by itself. Trees are followed as far as they can be, to know which pages are in
/// use; the rows of pages to which no tree leads are recognised by their entities and keys. What is not certain is not in the
/// new store, but in a file of rejects next to it.
///
/// SQLite keeps no checksums of pages. Bytes that were changed within a value look like what was stored, and so do two pages,
/// or sectors of large pages, that have changed places if each is full of the end of a large value.
package struct StoreSalvage {
  /// The damaged store.
  package let path: String
  /// The new store.
  package let outputPath: String
  /// The models that the store may have, besides the one that it keeps a copy of.
  package var candidates: [CandidateModel] = []
  /// The files of those models, which limit the permissions of the new store.
  package var modelPaths: [String] = []
  /// Whether rows are taken from free pages and places, too, if there is no other image of them.
  package var takesDeleted = false

  /// Prepares a salvage.
  package init(path: String, outputPath: String) { (self.path, self.outputPath) = (path, outputPath) }

  /// Writes the new store.
  ///
  /// It appears when it is complete, after the rejects. The same file and options give the same bytes.
  ///
  /// - Throws: `MigrationError`: `notADatabase` if nothing in the file is a page of one, and `outputExists` if the name is
  ///   taken. Then nothing is written.
  package func run() throws(MigrationError) -> SalvageReport {
    let file = try DamagedFile(path)
    let access = NewFileAccess(from: [path] + modelPaths)
    let output = try NewStoreFile(path: outputPath, access: access)
    do throws(MigrationError) {
      return try SalvageRun(self, file, output, access).run()
    } catch {
      output.staging.discard()
      // What another program writes meanwhile looks like any fault.
      if error.code != .interrupted { try file.requireUnchanged() }
      throw error.subject.path.map { FileSystem.areSame($0, output.stagedPath) } == true
        ? error.about(outputPath) : error
    }
  }
}

/// One salvage.
private final class SalvageRun {
  private let settings: StoreSalvage
  private let file: DamagedFile
  private let output: NewStoreFile
  private let access: NewFileAccess
  private let rejects: SalvageRejects
  private var report: SalvageReport

  init(_ settings: StoreSalvage, _ file: DamagedFile, _ output: NewStoreFile, _ access: NewFileAccess) {
    (self.settings, self.file, self.output, self.access) = (settings, file, output, access)
    rejects = SalvageRejects(path: output.staging.companion("rejects"))
    report = SalvageReport(path: settings.path, outputPath: settings.outputPath)
  }

  func run() throws(MigrationError) -> SalvageReport {
    let images = try PageImages(beside: file)
    let geometry = try FileGeometry.find(file, images)
    let source = try PageSource(
      file, geometry.format, pageCount: images.pageCount ?? geometry.header?.pageCount, images)
    let survey = try PageSurvey(source, geometry.header)
    let assembly = RecordAssembly(survey)
    let declarations = try StoreDeclarations(survey, assembly, geometry.encoding)
    let skeleton = try StoreSkeleton(
      declarations.entries, metadata: declarations.metadata, primaryKeys: declarations.primaryKeys,
      encoding: declarations.encoding.rawValue)
    let choice = try RecoveredModel.find(file.path, declarations, skeleton, settings.candidates, survey)
    let schema = StoreSchema(choice.model, joinTables: JoinTableNaming(foundIn: choice.schema))
    let shapes = try shapes(choice, schema, skeleton, declarations.encoding)
    let joins = joins(choice, schema, skeleton)
    let tables = try TableSurvey(survey, assembly, declarations, skeleton, shapes: shapes, joins: joins)
    try write(survey, assembly, declarations, choice, schema, tables, geometry)
    try file.requireUnchanged()
    if !tables.distrustedTables.isEmpty {
      report.remarks.append(
        "the roots of \(tables.distrustedTables.joined(separator: ", ")) do not lead to all pages of these tables, so the rows "
          + "were taken from all pages that are in use")
    }
    remark(on: declarations, choice, geometry, images, skeleton, shapes)
    let losses = try survey.losses()
    (report.unreadablePages, report.unclaimedPages) = (losses.unreadable, losses.unclaimed)
    (report.pageCount, report.imageCount) = (source.pageCount, source.imageCount)
    try publish(schema)
    return report
  }

  // MARK: - Layout

  private func shapes(
    _ choice: RecoveredModel, _ schema: StoreSchema, _ skeleton: StoreSkeleton, _ encoding: StoredEncoding
  ) throws(MigrationError) -> [TableShape] {
    try choice.schema.tables.map { table throws(MigrationError) in
      guard let root = table.entityNames.first, let new = schema.table(forEntityNamed: root),
        let shape = TableShape(
          table, of: choice.schema, columns: skeleton.columns(of: table.name), new, of: schema, encoding,
          isAssumed: !skeleton.declares(table.name))
      else {
        throw MigrationError(
          .damaged, path: file.path, detail: "the columns of its table '\(table.name)' are not known")
      }
      return shape
    }
  }

  private func joins(_ choice: RecoveredModel, _ schema: StoreSchema, _ skeleton: StoreSkeleton) -> [JoinShape] {
    choice.schema.joinTables.compactMap { table in
      let side = table.naming
      return schema.joinTable(forRelationship: side.relationshipName, ofEntityNamed: side.entityName).flatMap {
        JoinShape(table, columns: skeleton.columns(of: table.name), $0)
      }
    }
  }

  // MARK: - Writing

  private func write(
    _ survey: PageSurvey, _ assembly: RecordAssembly, _ declarations: StoreDeclarations, _ choice: RecoveredModel,
    _ schema: StoreSchema, _ tables: TableSurvey, _ geometry: FileGeometry
  ) throws(MigrationError) {
    var layout = FileLayout(
      pageSize: Int64(geometry.format.pageSize),
      autoVacuum: geometry.header?.autoVacuum ?? (geometry.format.hasPageMap ? 2 : 0),
      encoding: declarations.encoding.rawValue)
    layout.userVersion = geometry.header?.userVersion ?? 0
    layout.applicationID = geometry.header?.applicationID ?? 0
    let writer = try StoreWriter(path: output.stagedPath, schema: schema, layout: layout)
    writer.onProgress { EndRequest.isMade }
    let catalogue = try RowCatalogue()
    let rows = RowSalvage(survey, assembly, tables, catalogue, writer, rejects)
    try rows.run(takesDeleted: settings.takesDeleted)
    try rows.removeRepetitions()
    let links = LinkSalvage(
      survey, tables, catalogue, writer, rejects, greatestKeys: saidKeys(declarations, schema))
    try links.removeDanglingKeys()
    try links.writeJoinTables()
    try count(rows, links, tables, declarations, schema)
    report.freeRowCount = settings.takesDeleted ? 0 : tables.freeRowCount
    report.contradictions = rows.contradictions
    for (table, count) in rows.oddTexts.sorted(by: { $0.key < $1.key }) {
      report.remarks.append(
        "\(count.counting("row")) of \(table) \(count == 1 ? "has" : "have") text with zeros or bytes that are not UTF-8: unless "
          + "the app wrote it so, bytes within these values were changed")
    }
    report.unconfirmedRowCount = tables.unconfirmedRowCount
    let metadata = if let known = declarations.metadata { known } else { try newMetadata(choice.model) }
    try writer.finish(
      metadata: metadata, greatestKeys: greatestKeys(rows, declarations, schema),
      modelCache: modelCache(declarations, choice, metadata))
    if EndRequest.isMade { throw MigrationError(.interrupted, path: settings.outputPath) }
  }

  /// The metadata of a store that has lost its own: the UUID follows from the file's bytes.
  private func newMetadata(_ model: ManagedObjectModel) throws(MigrationError) -> StoreMetadata {
    .new(for: model, uuid: Digest.uuid(try FileSystem.sha256(of: file.resolvedPath)))
  }

  private func modelCache(
    _ declarations: StoreDeclarations, _ choice: RecoveredModel, _ metadata: StoreMetadata
  ) -> [UInt8]? {
    if declarations.isModelCacheWhole || declarations.modelCache != nil { return declarations.modelCache }
    return metadata.hasModelCache ? try? choice.model.modelCache() : nil
  }

  /// The greatest keys that the store ever gave, which are not given again.
  private func greatestKeys(
    _ rows: RowSalvage, _ declarations: StoreDeclarations, _ schema: StoreSchema
  ) -> [String: Int64] {
    var keys: [String: Int64] = [:]
    for table in schema.tables {
      guard let root = table.entityNames.first else { continue }
      keys[root] = max(rows.greatestKeys[table.name] ?? 0, said(root, declarations) ?? 0)
    }
    return keys
  }

  /// The greatest keys by table, as far as `Z_PRIMARYKEY` says them.
  private func saidKeys(_ declarations: StoreDeclarations, _ schema: StoreSchema) -> [String: Int64] {
    var keys: [String: Int64] = [:]
    for table in schema.tables { keys[table.name] = table.entityNames.first.flatMap { said($0, declarations) } }
    return keys
  }

  /// The greatest key of an entity according to `Z_PRIMARYKEY`.
  private func said(_ root: String, _ declarations: StoreDeclarations) -> Int64? {
    let row = declarations.primaryKeys.first { $0.entityName == root && $0.superentityNumber == 0 }
    return row?.hasImpossibleKey == true ? nil : row?.greatestKey
  }

  private func count(
    _ rows: RowSalvage, _ links: LinkSalvage, _ tables: TableSurvey, _ declarations: StoreDeclarations,
    _ schema: StoreSchema
  ) throws(MigrationError) {
    for table in schema.tables {
      for entity in table.entityNames where schema.model.entity(named: entity)?.isAbstract == false {
        report.entities.append(
          SalvageReport.Entity(
            name: entity, rootEntity: table.entityNames.first ?? entity, count: rows.counts[entity] ?? 0))
      }
      guard let root = table.entityNames.first else { continue }
      report.tables.append(
        SalvageReport.Table(
          rootEntity: root, count: table.entityNames.reduce(0) { $0 + (rows.counts[$1] ?? 0) },
          greatestKey: said(root, declarations)))
    }
    for join in tables.joins {
      let side = join.destination.naming
      report.links.append(
        SalvageReport.Links(
          relationship: "\(side.entityName).\(side.relationshipName)", count: links.counts[join.destination.name] ?? 0))
    }
    (report.deletedCount, report.rejectedLinkCount) = (rows.deletedCount, links.rejectedCount)
  }

  // MARK: - Publication

  private func publish(_ schema: StoreSchema) throws(MigrationError) {
    let folder = ExternalDataFolder(ofStoreAt: file.resolvedPath)
    let (files, missing) = try externalFiles(schema, in: folder)
    for (file, table) in missing { try rejects.add(missingFile: file, table: table) }
    try rejects.finish()
    try output.prepare()
    let shared = try ExternalDataLinks(files, of: folder, withStoreAt: output.target, by: output.staging)
    do throws(MigrationError) {
      let rejectsPath = try publishRejects()
      do throws(MigrationError) {
        try output.publish()
      } catch {
        if error.code != .notSynchronized, let rejectsPath { FileSystem.remove(rejectsPath) }
        throw error
      }
    } catch {
      if error.code != .notSynchronized { shared.takeBack() }
      throw error
    }
    report.rejects = rejects.counts
  }

  /// Gives the rejects a name beside the new store.
  ///
  /// - Returns: The file, unless an interrupted run has left it.
  private func publishRejects() throws(MigrationError) -> String? {
    guard rejects.count > 0 else { return nil }
    let (path, isThere) = try StagingFile.rejectsPath(ofStoreAt: output.target, contents: rejects.path) { path in
      FileStatus(unresolved: path)?.userID == geteuid()
    }
    report.rejectsPath =
      FileSystem.suffix(of: path, after: output.target).map { settings.outputPath + $0 } ?? path
    guard !isThere else {
      FileSystem.remove(rejects.path)
      return nil
    }
    try access.give(toFileAt: rejects.path)
    guard try FileSystem.moveWithoutReplacing(rejects.path, to: path) else {
      throw MigrationError(.outputExists, path: path)
    }
    return path
  }

  /// The external data files that the new store refers to, and the values whose files are missing.
  private func externalFiles(
    _ schema: StoreSchema, in folder: ExternalDataFolder
  ) throws(MigrationError) -> (names: [String], missing: [(StoreReader.ExternalFile, table: String)]) {
    let store = try StoreReader(path: output.stagedPath)
    let files = try store.externalFiles(in: schema)
    try store.close()
    var (names, missing): ([String], [(StoreReader.ExternalFile, table: String)]) = ([], [])
    for file in files {
      if try folder.contains(file.fileName) {
        names.append(file.fileName)
      } else {
        missing.append((file, schema.table(forEntityNamed: file.entityName)?.name ?? ""))
      }
    }
    return (Array(Set(names)).sorted(), missing)
  }

  // MARK: - Remarks

  private func remark(
    on declarations: StoreDeclarations, _ choice: RecoveredModel, _ geometry: FileGeometry, _ images: PageImages,
    _ skeleton: StoreSkeleton, _ shapes: [TableShape]
  ) {
    if geometry.header == nil {
      report.remarks.append(
        "the header of the file is lost: its pages look like pages of \(geometry.format.pageSize) bytes, and its text like "
          + declarations.encoding.rawValue)
    }
    if declarations.metadata == nil {
      report.remarks.append("the metadata are lost: the new store has a UUID of its own, and no metadata of the app")
    }
    if case .fit(let name) = choice.evidence {
      report.remarks.append("of the known models, '\(name)' alone fits the rows")
    }
    let unknown = (shapes.map(\.source.name) + choice.schema.joinTables.map(\.name)).filter { !skeleton.declares($0) }
    if !unknown.isEmpty {
      report.remarks.append(
        "no definition of \(unknown.joined(separator: ", ")) was found that fits the model: the columns are taken to be in the "
          + "order of a new store, which is not so if Core Data has ever migrated this one in place")
    }
    if !skeleton.missingColumns.isEmpty {
      report.remarks.append(
        "the tables do not have \(skeleton.missingColumns.sorted().joined(separator: ", ")), whose values are missing")
    }
    if let damage = images.journalDamage {
      report.remarks.append(
        "the journal cannot be rolled back as a whole (\(damage)): the new store may have changes that were never completed"
          + (images.offsets.isEmpty ? "" : ", in pages that the rest of the journal does not have"))
    }
    if images.unknownFrameCount > 0 {
      report.remarks.append(
        "\(images.unknownFrameCount.counting("frame")) of the log cannot be read: rows of the pages that they held may be "
          + "older than the last change")
    }
    if images.openFrameCount > 0 {
      report.remarks.append(
        "the last \(images.openFrameCount.counting("frame")) of the log are of a transaction without an end, and are left "
          + "out as SQLite does")
    }
    let columns = shapes.flatMap { shape in shape.foreignColumns.map { "\(shape.source.name).\($0)" } }
    let tables = shapes.map(\.source.name) + choice.schema.joinTables.map(\.name) + StoreSchema.fixedTableNames
    let known = Set(tables.map(\.sqlNameKey))
    let others = declarations.entries.filter {
      $0.type == "table" && $0.rootPage > 0 && !known.contains($0.name.sqlNameKey)
        && !$0.name.sqlNameKey.starts(with: "sqlite_".utf8)
    }.map(\.name)
    if !(columns + others).isEmpty {
      report.remarks.append(
        "the model does not have \((others + columns).sorted().joined(separator: ", ")), which were left out")
    }
  }
}
