extension Finding.Code {
  /// The check that finds it.
  package var check: HealthCheck { traits.check }

  /// The consequence for an app that opens the store, as a sentence.
  package var meaning: String { traits.meaning }

  /// The remedy if it cannot be repaired.
  var usualRemedy: Finding.Remedy { traits.remedy }

  /// Whether a migration makes it right, because it writes that part of the store anew.
  var isMendedByMigration: Bool { traits.isMigrated }

  private struct Traits {
    let check: HealthCheck
    let remedy: Finding.Remedy
    let isMigrated: Bool
    let meaning: String

    init(_ check: HealthCheck, _ remedy: Finding.Remedy, isMigrated: Bool = false, _ meaning: String) {
      (self.check, self.remedy, self.isMigrated, self.meaning) = (check, remedy, isMigrated, meaning)
    }
  }

  private var traits: Traits {
    switch self {
    case .header: Traits(.file, .salvage, "The app cannot open the store.")
    case .log:
      Traits(.file, .salvage, "SQLite leaves out the damaged change and all later ones, and deletes them with the log.")
    case .journal:
      Traits(.file, .nothing, "The app rolls the transaction back when it opens the store.")
    case .damagedJournal:
      Traits(
        .file, .salvage, "The app takes changes that were never completed for saved ones, and deletes the journal.")
    case .pages:
      Traits(.pages, .salvage, "Rows are missing from what the app shows, or it fails when it reads them.")
    case .readOnlyFormat:
      Traits(
        .file, .salvage, "The app can read the store, but every save fails (SQLite: readonly database).")
    case .freePages:
      Traits(
        .pages, .nothing, isMigrated: true,
        "No row is affected, but saving may use a page twice, which would damage the store.")
    case .indexEntries:
      Traits(
        .pages, .salvage, isMigrated: true,
        "Searches and relationships miss rows that are there, and a unique value may be stored twice.")
    case .brokenRule:
      Traits(.pages, .nothing, "The row can be read, but the app fails to save when it changes it.")
    case .noMetadata: Traits(.metadata, .salvage, "The app cannot open the store: nothing says which model it has.")
    case .furtherMetadata: Traits(.metadata, .nothing, "Core Data reads the first row and ignores the others.")
    case .metadataVersion:
      Traits(.metadata, .nothing, "Core Data reads the row as it is; another program has written it.")
    case .noUUID:
      Traits(.metadata, .backup, "Object IDs that the app has kept do not lead to this store any more.")
    case .noVersionHashes:
      Traits(.metadata, .backup, "The app takes the store for one of another model, and cannot open or migrate it.")
    case .storeType:
      Traits(.metadata, .backup, "The app may take the store for one of another kind, and not open it.")
    case .unknownVersion:
      Traits(.metadata, .backup, "The app cannot open the store with this model, and cannot migrate it to it.")
    case .modelCopy:
      Traits(
        .modelCopy, .nothing, isMigrated: true,
        "Core Data does without the copy as long as the app has the model; other programs cannot read the store.")
    case .noPrimaryKeys:
      Traits(.tables, .salvage, "The app cannot open the store: nothing says which rows are of which entity.")
    case .unmatchedLayout:
      Traits(
        .tables, .backup, "The app fails when it reads or saves what is missing (SQLite: no such table or column).")
    case .missingTable:
      Traits(.tables, .salvage, "The app fails when it fetches or saves these instances (SQLite: no such table).")
    case .missingColumn:
      Traits(.tables, .backup, "The app fails when it fetches or saves these instances (SQLite: no such column).")
    case .missingEntity: Traits(.tables, .backup, "The app cannot give keys to new instances of the entity.")
    case .entityName: Traits(.tables, .backup, "The app takes rows of one entity for those of another, or fails.")
    case .unknownEntityName:
      Traits(
        .tables, .nothing,
        "A migration in place that renamed or removed an entity leaves such a row; otherwise another program wrote it.")
    case .joinTableName:
      Traits(
        .tables, .backup, isMigrated: true,
        "The app fails when it fetches or saves these links (SQLite: no such table or column).")
    case .greatestKey:
      Traits(.tables, .backup, isMigrated: true, "New instances get keys that are taken, so saving fails.")
    case .refusingConstraint: Traits(.tables, .backup, isMigrated: true, "The app fails to save what its model allows.")
    case .refusingTrigger:
      Traits(.tables, .nothing, isMigrated: true, "The app may fail to save, or find other rows than it has saved.")
    case .missingIndex:
      Traits(
        .tables, .backup, isMigrated: true,
        "Fetches and relationships are slow; without a unique index, a value may be stored twice.")
    case .missingTrigger: Traits(.tables, .backup, isMigrated: true, "The derived attribute keeps an old value.")
    case .columnType:
      Traits(.tables, .nothing, isMigrated: true, "SQLite may store values in another form than the app wrote.")
    case .oddKey: Traits(.tables, .nothing, "Another program has added the row, and the app may not show it.")
    case .unknownEntity:
      Traits(.entities, .backup, "The app does not show these rows, or fails when it comes upon one.")
    case .abstractEntity: Traits(.entities, .backup, "The app does not show these rows: no instance is of that entity.")
    case .missingValue: Traits(.values, .backup, "The app fails to save the instance when it changes it (1570).")
    case .missingDestination: Traits(.values, .backup, "The app fails to save the instance when it changes it (1570).")
    case .outOfLimits:
      Traits(.values, .nothing, "The app fails to save the instance when it changes it (1610 to 1670).")
    case .unfitValue:
      Traits(.values, .backup, "The app reads another number or date than the one that is stored, or fails.")
    case .foreignValue:
      Traits(.values, .nothing, "The app does not read the value: the entity of its row has no such property.")
    case .rowVersion:
      Traits(.values, .nothing, "The app's next save of the row may be a conflict: Core Data compares this number.")
    case .destinationCount:
      Traits(.values, .nothing, "The app fails to save the instance when it changes it (1580 or 1590).")
    case .notUnique:
      Traits(.values, .backup, "The app's next save of one of them is a conflict, and no unique index can be made.")
    case .storageClass: Traits(.values, .backup, "The app reads another value than the one that is stored, or fails.")
    case .invalidText: Traits(.text, .nothing, "The app may read other characters, or no text.")
    case .danglingLink:
      Traits(
        .links, .nothing, isMigrated: true,
        "Core Data ignores the link, or the app fails where it follows it (could not fulfill a fault).")
    case .wrongEntityOfLink:
      Traits(.links, .backup, "The app looks for the destination in the wrong entity, and fails.")
    case .oneSidedLink: Traits(.links, .nothing, "The app sees the link from one end, and nothing from the other.")
    case .contradictingLink: Traits(.links, .backup, "The app sees other links from one end than from the other.")
    case .halfLink: Traits(.links, .nothing, isMigrated: true, "The row links nothing, and Core Data ignores it.")
    case .linkOrder: Traits(.links, .nothing, "The app shows the destinations in an order that may change.")
    case .missingExternalFile:
      Traits(.externalFiles, .backup, "The app reads nothing in place of the value, or fails.")
    case .orphanedExternalFile: Traits(.externalFiles, .nothing, "The app does not use the file.")
    case .externalValue: Traits(.externalFiles, .backup, "The app reads nothing, or only a part of the value.")
    case .historyTable: Traits(.history, .nothing, "The app cannot read its persistent history.")
    case .historyRow: Traits(.history, .nothing, "The app passes over the change, or fails when it reads its history.")
    }
  }
}
