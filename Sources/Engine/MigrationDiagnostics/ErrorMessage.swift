internal import SystemC

/// The English text of an error: one sentence that says what is wrong, and one that says what to do.
public struct ErrorMessage: Sendable, Hashable {
  /// The problem, its subject and its cause.
  public let problem: String
  /// The next step for the reader.
  public let advice: String

  /// Describes an error.
  ///
  /// - Parameter name: The reader's name for a way out, such as a command's option; by default, Swift's names.
  public init(_ error: MigrationError, naming name: @escaping (Advice.WayOut) -> String = { $0.swiftName }) {
    self.init(error, for: Advice.Reader(name: name))
  }

  /// Describes an error to a reader.
  public init(_ error: MigrationError, for reader: Advice.Reader) {
    problem = ([Wording(error).problem.worded(for: reader)] + error.remarks).joined(separator: "; ")
    advice = Self.advice(for: error).worded(for: reader)
  }

  /// Returns the advice for an error, for callers that add to it.
  package static func advice(for error: MigrationError) -> Advice { error.advice ?? Wording(error).advice }

  /// A text as a word of a shell command.
  package static func shellWord(_ text: String) -> String { Wording.quoted(text) }

  /// A path as a word of a shell command, which no command takes for an option.
  package static func shellPath(_ path: String) -> String { Wording.quoted(path.hasPrefix("-") ? "./\(path)" : path) }

  /// An option and its value as words of a shell command.
  package static func shellOption(_ option: String, _ value: String) -> String {
    option + (value.hasPrefix("-") ? "=" : " ") + Wording.quoted(value)
  }
}

extension BinaryInteger {
  /// The number and what is counted: "1 row", "2 rows".
  ///
  /// - Parameter plural: The plural of the noun, if it is not formed with "s".
  package func counting(_ noun: String, plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}

/// The parts that all messages are built from.
private struct Wording {
  let error: MigrationError

  init(_ error: MigrationError) {
    self.error = error
  }

  private var path: String { error.subject.path ?? "the library" }
  private var file: String { "'\(path)'" }
  private var name: String { error.subject.name ?? "" }
  private var reason: String { error.detail.map { ": \($0)" } ?? "" }

  static func quoted(_ text: String) -> String {
    let bytes = text.pathBytes
    // What would not be printed as it is cannot be copied from a terminal.
    guard let text = String(validating: bytes, as: UTF8.self), !text.contains("##"),
      !text.unicodeScalars.contains(where: \.steersTerminals)
    else {
      // In the syntax of bash and zsh: $'L\351.sqlite'.
      return "$'" + bytes.map(octal).joined() + "'"
    }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// A byte as a letter, or as three octal digits.
  private static func octal(_ byte: UInt8) -> String {
    let isPlain = (0x20..<0x7F).contains(byte) && !["'", "\\", "#"].contains(UnicodeScalar(byte))
    let digits = String(byte, radix: 8)
    return isPlain ? String(UnicodeScalar(byte)) : "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }

  var problem: Advice {
    switch error.code {
    case .missing: "there is no file \(file)"
    case .isDirectory: "\(file) is a folder, not a library"
    case .notAFile: "\(file) is not a regular file"
    case .unreadable: "\(file) cannot be read\(reason)"
    case .notADatabase: "\(file) is not a SQLite database\(reason)"
    case .notACoreDataStore: "\(file) is a SQLite database, but not a Core Data store\(reason)"
    case .damaged: "\(file) is damaged\(reason)"
    case .unfinishedTransaction where error.detail != nil:
      "the journal '\(path)-journal' cannot be rolled back\(reason)"
    case .unfinishedTransaction:
      "\(file) has an unfinished transaction (there is a journal next to it) that cannot be rolled back without writing to it"
    case .unreadableWriteAheadLog: "the write-ahead log '\(path)-wal' cannot be read\(reason)"
    case .unknownVersion: "\(file) was written with an unknown model\(reason)"
    case .newerVersion: "\(file) was written by a newer version of the app or of this program\(reason)"
    case .migrationRequired where name.isEmpty: "\(file) is not migrated yet\(reason)"
    case .migrationRequired: "\(file) is still a \(name) library\(reason)"
    case .missingModel: "there is no model \(file)"
    case .unusableModel: "\(file) is not a usable model\(reason)"
    case .unknownModelVersion: "\(file) does not have the requested version\(reason)"
    case .noModelCache: "\(file) has no cached copy of its model\(reason)"
    case .unreadableModelCache: "the copy of its model that \(file) keeps cannot be read\(reason)"
    case .invalidMappingModel: "\(place)the mapping model does not fit its models\(reason)"
    case .inferenceFailed: "\(file) cannot be migrated without a mapping model\(reason)"
    case .noMigrationPath: "\(file) cannot be migrated to that version\(reason)"
    case .unknownStage: "\(file) cannot be migrated in stages\(reason)"
    case .unusableMappingModel: "\(file) is not a usable mapping model\(reason)"
    case .noMappingModels: "the folder \(file) has no mapping model (.xcmappingmodel or .cdm)"
    case .missingExternalFile: "\(place)\(error.detail ?? "an external data file is missing")"
    case .missingPolicy: "\(file) needs the policy '\(name)', which is not registered\(reason)"
    case .ambiguousMappingModel: "several mapping models do the same as \(file)\(reason)"
    case .invalidJoinTable: "no join table of \(file) can be named after '\(name)'\(reason)"
    case .outputExists: "\(file) already exists"
    case .cannotCreate: "\(file) cannot be created\(reason)"
    case .cannotReplace: "\(file) cannot be replaced\(reason)"
    case .inputOutput: "reading or writing \(file) failed\(reason)"
    case .noLocks: "\(file) is in a file system without locks\(reason)"
    case .locked: "\(file) is locked by another program\(reason)"
    case .openElsewhere: "\(file) is open in another program\(reason)"
    case .changedMeanwhile: "\(file) was changed by another program during the \(work: .noun)"
    case .alreadyRunning: "another migration of \(file) is running\(reason)"
    case .notEnoughSpace: "there is not enough space for \(file)\(reason)"
    case .noBackup: "there is no backup of \(file) beside it"
    case .diskFull: "there is no space left to write \(file)"
    case .processLimit: "\(file) cannot be started\(reason)"
    case .outOfMemory: "there is not enough memory for \(file)"
    case .interrupted: "interrupted"
    case .workerEnded: "the process that migrated \(file) has ended\(reason)"
    case .unusableFeed where error.subject.name != nil: "\(file) is a \(name) library already\(reason)"
    case .unusableFeed: "\(file) cannot be \(work: .participle, usual: .importing)\(reason)"
    case .unusableManifest: "\(file) cannot be \(work: .participle, usual: .assembly)\(reason)"
    case .strictFindings: "\(work: .refusal(file)), because of \(.strict)\(reason)"
    case .unusedDecision: "\(file) has no artist for some of the decisions\(reason)"
    case .unclearDecision: "several artists of \(file) have the name that a decision leads to\(reason)"
    case .unmatchedJSON:
      "\(file) was not migrated, because \(.noBackup) would discard JSON that holds more than the new library\(reason)"
    case .contentWouldBeLost:
      "\(work: .refusal(file)), because \(.noBackup) would discard what it cannot keep\(reason)"
    case .rowsWouldBeLost: "\(file) was not migrated, because whole entities with rows would be dropped\(reason)"
    case .validationFailed: "\(place)\(error.detail ?? "an instance breaks a rule of its model")"
    case .invalidCondition: "the condition cannot be applied to \(file)\(reason)"
    case .notATrackLibrary: "\(file) is not a track library\(error.detail.map { " (\($0))" } ?? "")"
    case .noSource: "\(file) cannot be compared with an old library\(reason)"
    case .unknownAttribute: "\(file) has no attribute '\(name)'\(reason)"
    case .verificationFailed: "the new library does not match \(file)\(reason)"
    case .redactionIncomplete: "the redacted copy of \(file) still had words of it\(reason)"
    case .noSuchArtist: "no artist in \(file) has the name or id '\(name)'"
    case .ambiguousArtist: "several artists in \(file) match '\(name)'\(reason)"
    case .oldFileInUse: "\(file) is in place, but its old file could not be made unusable\(reason)"
    case .notSynchronized: "\(file) is in place, but the disk does not confirm that it stays there\(reason)"
    case .permissionsNotKept: "\(file) does not have the owner and permissions that the old library was given\(reason)"
    case .noStatistics, .unreadableStatistics: "the statistics of \(file) cannot be read\(reason)"
    case .migrationFailed where error.brokenRule != nil:
      "\(place)a row breaks a rule of its table\(reason)"
    case .migrationFailed, .policyFailed:
      "\(place)\(error.detail.map { "\($0)" } ?? "the \(work: .noun) failed" as Advice)"
    }
  }

  /// The place of the error in the store: "'library.sqlite', Track row 7, title: ".
  private var place: String {
    let subject = error.subject
    let parts = [
      subject.path.map { "'\($0)'" },
      subject.entity.map { entity in subject.row.map { "\(entity) row \($0)" } ?? entity },
      subject.property,
    ].compactMap { $0 }
    return parts.isEmpty ? "" : parts.joined(separator: ", ") + ": "
  }

  var advice: Advice {
    switch error.code {
    case .missing: "Check the path. A library is a file such as 'Library.sqlite'."
    case .isDirectory: "Name the SQLite file inside it."
    case .notAFile: "Name a regular file; pipes and devices do not support random access."
    case .unreadable: "Check the permissions of the file and of its folders."
    case .notADatabase:
      "Name the file that the app wrote. If this is the file, restore it from a backup; if there is none, get its rows with: "
        + "\(.salvage(path))"
    case .notACoreDataStore: "Name a store that was written by Core Data."
    case .damaged:
      "Nothing was changed. Restore it from a backup. If there is none, get its rows with: \(.salvage(path))"
    case .unfinishedTransaction: "Open it once in the app, or migrate a copy of the file and its '-journal'."
    case .unreadableWriteAheadLog: "Copy the library and its '-wal' to a folder where you may write, and use the copy."
    case .unknownVersion:
      "Any app's store is migrated with its own model (\(.model)); see its entities and version hashes with: "
        + "\(.info(path))"
    case .newerVersion: "Update tracks-migrate; any app's store is migrated with its own model (\(.model))."
    case .migrationRequired: "Migrate it first, with: \(.migrate(path))"
    case .missingModel:
      "Check the path; a model is an .xcdatamodeld, .xcdatamodel, .momd, .mom or Swift source with @Model."
        + "\(if: .version, " To choose one of its versions, use \(.version).")"
    case .unusableModel: "Give another .xcdatamodeld, .xcdatamodel, .momd or .mom."
    case .unknownModelVersion: "Name one of its versions, as in 'Model.xcdatamodeld:Model 2'."
    case .unknownStage: "Nothing was changed. Compare the checksums in the stages with those of the model's versions."
    case .noModelCache: "Give that model: an .xcdatamodeld, .xcdatamodel, .momd or .mom."
    case .unreadableModelCache:
      "This says nothing about its rows, and nothing was changed. Name its model with \(.model): an .xcdatamodeld, "
        + ".xcdatamodel, .momd or .mom."
    case .outputExists: "Choose another name, or remove it first."
    case .cannotCreate: "Choose a folder that exists and where you may write."
    case .invalidJoinTable:
      "Nothing was changed. Name one side of a many-to-many relationship of the new version, as Entity.relationship."
    case .cannotReplace:
      "No data was changed. Check the permissions of its folder\(if: .output, ", or use \(.output)")."
    case .inputOutput: "No data was changed. Check the disk and run this again."
    case .noLocks:
      "No data was changed. Copy the library and its '-wal' to a disk of this machine and use the copy, or have the lock "
        + "service of the file server started (NFS: lockd)."
    case .locked, .openElsewhere: "Nothing was changed. Close the program and run this again."
    case .changedMeanwhile: "No data was changed. Close the program and run this again."
    case .alreadyRunning: "Wait for it to finish."
    case .notEnoughSpace:
      "No data was changed. Free some space\(if: .output, ", write to another disk with \(.output)")"
        + "\(if: .noSpaceCheck, ", or skip this check with \(.noSpaceCheck)")."
    case .noBackup: "Name the file with \(.backup); a migration leaves one as '<library>.<version>-backup'."
    case .diskFull: "No data was changed. Free some space and run this again."
    case .outOfMemory: "No data was changed. Free some memory and run this again."
    case .processLimit: "No data was changed. Allow more processes (ulimit -u, or the limit of the container)."
    case .interrupted: "Nothing was changed. Run this again."
    case .workerEnded:
      "The library is as it was, or migrated as a whole. See what happens to it alone, and report it, with: "
        + "\(.migrate(path))"
    case .unusableFeed: "Nothing was changed. Correct the feed and run this again."
    case .unusableManifest: "Nothing was written. Write the manifest and its files again, and run this again."
    case .strictFindings: "Nothing was changed. Run without \(.strict) to \(work: .verb) anyway and have this reported."
    case .unusedDecision: "Nothing was changed. Names and ids must match exactly: correct these lines, or remove them."
    case .unclearDecision: "Nothing was changed. Write the artist's id into the column 'into_id'."
    case .unmatchedJSON:
      "Nothing was changed. Run without \(.noBackup) to keep the JSON in the backup, or with \(.force) to discard it."
    case .rowsWouldBeLost:
      "Nothing was changed. Check the model, the version and the mapping models (\(.model), "
        + "\(.version), \(.mapping)); to drop these rows, add \(.allowLoss)."
    case .contentWouldBeLost:
      "Nothing was changed. Run without \(.noBackup) to keep it in the backup, or with \(.discard) to discard it."
    case .invalidCondition:
      "Artists have id, imageURL, name and tracks; tracks have artists, imageURL, lastPlayedAt and title."
    case .notATrackLibrary:
      "Name the app's model with \(.model) and the old store with \(.source); see what this one holds with: "
        + "\(.info(path))"
    case .noSource:
      "Name the old library or its backup with \(.source); for an app's store, check \(.model) and \(.version)."
    case .unknownAttribute: "Nothing was changed. Name an attribute of the store's model, as Entity.attribute."
    case .verificationFailed: "Nothing was changed. This is a bug in the \(work: .noun): please report it."
    case .redactionIncomplete: "No file was written. This is a bug in the redaction: please report it."
    case .noSuchArtist: "Search with: \(.artists(path, name: name))"
    case .ambiguousArtist: "Name one of them by id."
    case .oldFileInUse:
      "A program that opened it earlier may still write to the old file, and those writes are lost. Quit such programs "
        + "before you use the library."
    case .notSynchronized: "After a power failure, what was there before may be back. Check the disk."
    case .permissionsNotKept: "Set them with chown and chmod."
    case .unreadableStatistics: "Check its permissions, or name the old library with \(.source)."
    case .noStatistics: "Remove that file; it is written when a library is migrated."
    case .invalidMappingModel:
      "No data was changed. Correct the mapping model or its policies and run this again."
    case .inferenceFailed: "No data was changed. Correct the new model as said, or write a mapping model."
    case .validationFailed:
      "No data was changed. Give the new model a default value or the mapping model a value for it, or correct these "
        + "rows in the old store, and run this again."
    case .policyFailed: "No data was changed. Correct the policy or the row and run this again."
    case .noMigrationPath:
      "No data was changed. Provide a mapping model for the missing hop with \(.mapping), "
        + "or another version with \(.version)."
    case .missingPolicy:
      "No data was changed. Map it to a registered policy with \(.policy), or build a migrator that has it, as "
        + "README.md describes under 'App teams'."
    case .unusableMappingModel: "Save it again with Xcode, or name another with \(.mapping)."
    case .noMappingModels: "Name a mapping model or a folder that contains some."
    case .missingExternalFile:
      "No data was changed. Put the store's hidden folder '.…_SUPPORT' back next to it."
    case .ambiguousMappingModel: "Name one with \(.mapping)."
    case .migrationFailed where error.brokenRule != nil:
      "No data was changed. Correct the row or remove the rule in the app, and run this again."
    case .migrationFailed: "No data was changed. See what the store holds with: \(.info(path))"
    }
  }
}
