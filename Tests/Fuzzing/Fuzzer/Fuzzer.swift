import CLibFuzzer
import Foundation
import FuzzTargets
import TestSupport

// libFuzzer has the main function, and calls these:
//   FUZZ_TARGET=json fuzzer [OPTIONS OF LIBFUZZER] [FOLDERS]
// Without a target it lists them; with FUZZ_SEEDS=FOLDER it only writes what a run begins with.

private let environment = ProcessInfo.processInfo.environment
private let target = environment["FUZZ_TARGET"].flatMap(FuzzTarget.init)

/// Begins.
@_cdecl("LLVMFuzzerInitialize")
public func begin(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> Int32 {
  guard let target else {
    print(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))
    exit(64)
  }
  guard let folder = environment["FUZZ_SEEDS"] else { return 0 }
  do {
    for (index, seed) in try target.seeds().enumerated() { try Files.write(seed, to: "\(folder)/seed-\(index)") }
    exit(0)
  } catch {
    print(error)
    exit(1)
  }
}

/// Tries an input.
///
/// A broken promise ends the process, which is how libFuzzer learns of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func read(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  do {
    try target?.read(Array(UnsafeBufferPointer(start: data, count: size)))
  } catch {
    fatalError("\(error)")
  }
  return 0
}

/// Changes an input; where there are pages, they stay in their places.
@_cdecl("LLVMFuzzerCustomMutator")
public func change(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ room: Int, _ seed: UInt32) -> Int {
  guard target?.isPaged == true, size >= 512 else { return LLVMFuzzerMutate(data, size, room) }
  var mutation = Mutation(seed: UInt64(seed))
  let bytes = mutation.change(Array(UnsafeBufferPointer(start: data, count: size)), isPaged: true)
  for (index, byte) in bytes.prefix(room).enumerated() { data[index] = byte }
  return min(bytes.count, room)
}
