import CommandLineKit
import Examples

/// What a sample library holds.
enum SampleExample: String, CaseIterable, Sendable, ExpressibleByArgument {
  case tracks
  case books
  case notes
  case notesV2 = "notes-v2"

  /// What is counted.
  var unit: String {
    switch self {
    case .tracks: "tracks"
    case .books: "books"
    case .notes, .notesV2: "notes"
    }
  }

  /// The folder of `SampleData` that holds the example.
  var folder: String {
    switch self {
    case .tracks: "Tracks"
    case .books: "Books"
    case .notes, .notesV2: "Notes"
    }
  }

  /// The kind of example library; nothing for tracks, which have a generator of their own.
  var kind: ExampleLibrary.Kind? { ExampleLibrary.Kind(rawValue: rawValue) }
}
