public import Diagnostics

/// A policy that only adds to the plain copy of attributes, and that does so in two steps.
///
/// The engine moves the instances of the mapping with one statement, keeping their primary keys; source and destination
/// instance are then one and the same key, and no association table is needed. `createDestinationInstances` is not
/// called. Instead the engine hands the source rows to a *preparer*, which does what needs no order and touches nothing
/// but the row, and hands the batches that it makes to `apply` in the order of the rows. Only `apply` touches the
/// manager, lookup tables and the destination.
public protocol BatchMigrationPolicy: EntityMigrationPolicy {
  /// Prepares rows. Every thread has one of its own.
  associatedtype Preparer: RowPreparer

  /// The attributes of the source entity that the preparer reads, in the order of the columns of its rows.
  var preparedAttributes: [String] { get }

  /// Makes a preparer.
  func makePreparer(for mapping: EntityMapping, manager: MigrationManager) throws -> Preparer

  /// Applies what was prepared of a run of source rows.
  func apply(_ batch: Preparer.Batch, in mapping: EntityMapping, manager: MigrationManager) throws
}

/// Does the part of a policy's work that is pure: it reads one source row after the other and collects what it finds.
public protocol RowPreparer {
  /// What is known of a run of rows.
  associatedtype Batch: Sendable

  /// Reads a row.
  mutating func prepare(_ row: SourceRow) throws(MigrationError)

  /// How many bytes what was collected takes up, about; a batch ends early when these are many.
  var byteCount: Int { get }

  /// Hands out what was collected since the last call, and begins anew.
  mutating func takeBatch() -> Batch
}
