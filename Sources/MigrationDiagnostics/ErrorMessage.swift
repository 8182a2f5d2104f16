internal import SystemC

/// The English text of an error: one sentence that says what is wrong, and one that says what to do.
public struct ErrorMessage: Sendable, Hashable {
  /// What is wrong, with which thing, and why.
  public let problem: String
  /// What to do next.
  public let advice: String

  /// Describes an error.
  ///
  /// - Parameter name: The reader's name for a way out, such as a command's option; by default, Swift's names.
  public init(_ error: MigrationError, naming name: (Advice.WayOut) -> String = \.swiftName) {
    let wording = Wording(error)
    problem = ([wording.problem.worded(name)] + error.remarks).joined(separator: "; ")
    advice = Self.advice(for: error).worded(name)
  }

  /// What to do next, for callers that add to it.
  package static func advice(for error: MigrationError) -> Advice { error.advice ?? Wording(error).advice }

  /// A path as a word of a shell command.
  package static func shellWord(_ path: String) -> String { Wording.quoted(path) }
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
    guard let text = String(validating: bytes, as: UTF8.self) else {
      // In the syntax of bash and zsh: $'L\351.sqlite'.
      return "$'" + bytes.map(octal).joined() + "'"
    }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// A byte as a letter, or as three octal digits.
  private static func octal(_ byte: UInt8) -> String {
    let isPlain = (0x20..<0x7F).contains(byte) && ![UInt8(ascii: "'"), UInt8(ascii: "\\")].contains(byte)
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
    case .unfinishedTransaction:
      "\(file) has an unfinished transaction (a journal beside it) that cannot be rolled back without writing to it"
    case .unreadableWriteAheadLog: "the write-ahead log '\(path)-wal' cannot be read\(reason)"
    case .unknownVersion: "\(file) was written with a model that is not known here\(reason)"
    case .newerVersion: "\(file) was written by a newer version than this one knows\(reason)"
    case .migrationRequired: "\(file) is still a \(name) library\(reason)"
    case .missingModel: "there is no model \(file)"
    case .unusableModel: "\(file) is no model that can be used\(reason)"
    case .unknownModelVersion: "\(file) does not have the version that is asked for\(reason)"
    case .noModelCache: "\(file) keeps no copy of the model that it was written with\(reason)"
    case .invalidMappingModel: "\(place)the mapping model does not fit its models\(reason)"
    case .inferenceFailed: "\(file) cannot be migrated without a mapping model\(reason)"
    case .noMigrationPath: "\(file) cannot be migrated to that version\(reason)"
    case .unusableMappingModel: "\(file) is no mapping model that can be used\(reason)"
    case .noMappingModels: "the folder \(file) has no mapping model (.xcmappingmodel or .cdm)"
    case .missingExternalFile: "\(place)\(error.detail ?? "a file beside the store is missing")"
    case .missingPolicy: "\(file) needs the policy '\(name)', which is not here\(reason)"
    case .ambiguousMappingModel: "the mapping model \(file) is one of several that do the same\(reason)"
    case .invalidJoinTable: "'\(name)' cannot name a join table of \(file)\(reason)"
    case .outputExists: "\(file) already exists"
    case .cannotCreate: "\(file) cannot be created\(reason)"
    case .cannotReplace: "\(file) cannot be replaced\(reason)"
    case .inputOutput: "reading or writing \(file) failed\(reason)"
    case .noLocks: "\(file) is in a file system without locks\(reason)"
    case .locked: "\(file) is locked by another program\(reason)"
    case .openElsewhere: "\(file) is open in another program\(reason)"
    case .changedMeanwhile: "\(file) was changed by another program during the migration"
    case .alreadyRunning: "another migration of \(file) is running\(reason)"
    case .notEnoughSpace: "there is not enough space for \(file)\(reason)"
    case .noBackup: "there is no backup of \(file) beside it"
    case .diskFull: "there is no space left to write \(file)"
    case .outOfMemory: "there is not enough memory for \(file)"
    case .interrupted: "interrupted"
    case .strictFindings: "\(file) was not migrated, because of \(.strict)\(reason)"
    case .unmatchedJSON:
      "\(file) was not migrated, because \(.noBackup) would discard JSON that was not understood\(reason)"
    case .rowsWouldBeLost: "\(file) was not migrated, because all rows of some entities would be lost\(reason)"
    case .validationFailed: "\(place)\(error.detail ?? "an instance breaks a rule of its model")"
    case .invalidCondition: "the condition cannot be applied to \(file)\(reason)"
    case .notATrackLibrary: "\(file) is not a track library\(error.detail.map { " (\($0))" } ?? "")"
    case .noSource: "there is no old library to compare \(file) with\(reason)"
    case .verificationFailed: "the new library is not what \(file) has to become\(reason)"
    case .noSuchArtist: "no artist in \(file) has the name or id '\(name)'"
    case .ambiguousArtist: "several artists in \(file) match '\(name)'\(reason)"
    case .oldFileInUse: "\(file) is in place, but its old file could not be made unusable\(reason)"
    case .notSynchronized: "\(file) is in place, but the disk does not confirm that it stays there\(reason)"
    case .permissionsNotKept: "\(file) does not have the owner and permissions that the old library was given\(reason)"
    case .noStatistics, .unreadableStatistics: "the statistics of \(file) cannot be read\(reason)"
    case .migrationFailed, .policyFailed: "\(place)\(error.detail ?? "the migration failed")"
    }
  }

  /// Where in the store the error occurred: "'library.sqlite', Track row 7, title: ".
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
    case .missing: "Check the path; a library is a file such as 'Library.sqlite'."
    case .isDirectory: "Name the SQLite file inside it."
    case .notAFile: "Name a SQLite file; pipes and devices cannot be read in any order."
    case .unreadable: "Check the permissions of the file and of its folders."
    case .notADatabase: "Name the file that the app wrote; if this should be it, restore it from a backup."
    case .notACoreDataStore: "Name the store that the app wrote with Core Data."
    case .damaged: "Restore it from a backup, or recover what is left with: sqlite3 \(Self.quoted(path)) .recover"
    case .unfinishedTransaction: "Open it once in the app, or migrate a copy of the file and its '-journal'."
    case .unreadableWriteAheadLog: "Copy the library and its '-wal' to a folder where you may write, and use the copy."
    case .unknownVersion:
      "Any app's store is migrated with its own model (\(.model)); see its entities and version hashes with: "
        + "\(.info(path))"
    case .newerVersion: "Update tracks-migrate; any app's store is migrated with its own model (\(.model))."
    case .migrationRequired: "Migrate it first, with: \(.migrate(path))"
    case .missingModel:
      "Check the path; a model is an .xcdatamodeld, .xcdatamodel, .momd, .mom, or a store that keeps a copy of its own."
    case .unusableModel: "Give another .xcdatamodeld, .xcdatamodel, .momd or .mom."
    case .unknownModelVersion: "Name one of its versions, as in 'Model.xcdatamodeld:Model 2'."
    case .noModelCache: "Give that model: an .xcdatamodeld, .xcdatamodel, .momd or .mom."
    case .outputExists: "Choose another name, or remove it first."
    case .cannotCreate: "Choose a folder that exists and where you may write."
    case .invalidJoinTable:
      "Nothing was changed. Name one side of a many-to-many relationship of the new version, as Entity.relationship."
    case .cannotReplace: "No data was changed. Check the permissions of its folder, or use \(.output)."
    case .inputOutput: "No data was changed. Check the disk, then run the command again."
    case .noLocks:
      "No data was changed. Copy the library and its '-wal' to a disk of this machine and use the copy, or have the lock "
        + "service of the file server started (NFS: lockd)."
    case .locked, .openElsewhere: "Nothing was changed. Close the program that uses it, then run the command again."
    case .changedMeanwhile: "No data was changed. Close that program, then run the command again."
    case .alreadyRunning: "Wait until it has ended."
    case .notEnoughSpace:
      "No data was changed. Free some space, write to another disk with \(.output), or begin all the same with "
        + "\(.noSpaceCheck)."
    case .noBackup: "Name the file with \(.backup); a migration leaves one as '<library>.<version>-backup'."
    case .diskFull: "No data was changed. Free some space, then run the command again."
    case .outOfMemory: "No data was changed. Free some memory, then run the command again."
    case .interrupted: "Nothing was changed. Run the command again."
    case .strictFindings: "Nothing was changed. Run without \(.strict) to migrate it and have these reported."
    case .unmatchedJSON:
      "Nothing was changed. Run without \(.noBackup) to keep the JSON in the backup, or with \(.force) to discard it."
    case .rowsWouldBeLost:
      "Nothing was changed. Check that the model, the version and the mapping models are the right ones (\(.model), "
        + "\(.version), \(.mapping)); to migrate without these rows, add \(.allowLoss)."
    case .invalidCondition:
      "Artists have id, imageURL, name and tracks; tracks have artists, imageURL, lastPlayedAt and title."
    case .notATrackLibrary:
      "Only track libraries can be verified. The migration of an app's store counts the rows of both stores itself; see "
        + "what this one holds with: \(.info(path))"
    case .noSource: "Name the v1 library that it was made from, or its backup, with \(.source)."
    case .verificationFailed: "Nothing was changed. This is a mistake in the migration itself: please report it."
    case .noSuchArtist: "Search with: \(.artists(path, name: name))"
    case .ambiguousArtist: "Name one of them by its id."
    case .oldFileInUse:
      "A program that has had it open since before may still write to the old file, and what it writes is lost: quit "
        + "such programs before you use the library."
    case .notSynchronized: "After a power failure the old file may be back. Check the disk."
    case .permissionsNotKept: "Set them with chown and chmod."
    case .unreadableStatistics: "Check its permissions, or name the old library with \(.source)."
    case .noStatistics: "Remove that file; it is written when a library is migrated."
    case .invalidMappingModel:
      "No data was changed. Correct the mapping model or its policies, then run the command again."
    case .inferenceFailed: "No data was changed. Correct the new model as said, or write a mapping model."
    case .validationFailed:
      "No data was changed. Give the new model a default value or the mapping model a value for it, or correct these "
        + "rows in the app, then run the command again."
    case .policyFailed: "No data was changed. Correct the policy or the row, then run the command again."
    case .noMigrationPath:
      "No data was changed. Give a mapping model for the hop that is missing with \(.mapping), "
        + "or another version with \(.version)."
    case .missingPolicy:
      "No data was changed. Let a policy that is here stand for it with \(.policy), or build a migrator that has it, as "
        + "README.md tells under 'For app teams'."
    case .unusableMappingModel: "Save it again with Xcode, or name another with \(.mapping)."
    case .noMappingModels: "Name a folder that has some, or a mapping model."
    case .missingExternalFile:
      "No data was changed. Bring the hidden folder '.…_SUPPORT', which belongs to the store, back beside it."
    case .ambiguousMappingModel: "Name the one that is meant with \(.mapping)."
    case .migrationFailed: "No data was changed. See what the store holds with: \(.info(path))"
    }
  }
}
