internal import Diagnostics

extension Waiting {
  /// Takes the hidden file in which a result is built, when no other run has it.
  func stagingFile(for target: String, named name: String) throws(MigrationError) -> StagingFile {
    try attempt(on: [StagingFile.path(for: target)]) { _ throws(MigrationError) in
      try StagingFile(for: target, named: name)
    }
  }

  /// Locks a store against writers, when nobody else has it open.
  func sourceGuard(_ file: StoreFile) throws(MigrationError) -> SourceGuard {
    try attempt(on: file.allPaths) { busyTimeout throws(MigrationError) in
      try SourceGuard(file, busyTimeout: busyTimeout)
    }
  }

  /// Makes a store one whole file that nobody else can open, when nobody is reading it.
  func takeOver(_ file: StoreFile, _ sourceGuard: SourceGuard) throws(MigrationError) {
    try attempt(on: file.allPaths) { _ throws(MigrationError) in try sourceGuard.takeOver() }
  }
}
