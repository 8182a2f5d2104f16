import Foundation
import PolicySourceRewriting

// Called by the plugin PolicySources: policy-sources INPUT OUTPUT.
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: policy-sources INPUT OUTPUT\n".utf8))
  exit(64)
}
do {
  let source = PolicySource(try String(contentsOf: URL(filePath: arguments[1]), encoding: .utf8))
  // What the compiler says of the copy, it says of the app's own file.
  let path = arguments[1].replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  let text = "#sourceLocation(file: \"\(path)\", line: 1)\n\(source.text)"
  try text.write(to: URL(filePath: arguments[2]), atomically: true, encoding: .utf8)
  for replacement in source.replacements {
    let words = replacement.new.isEmpty ? "is left out" : "becomes '\(replacement.new)'"
    print("\(arguments[1]):\(replacement.line): note: '\(replacement.old)' \(words)")
  }
} catch {
  // Foundation's own text names its domains and numbers.
  let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
  let reason =
    cause.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(clamping: cause.code))) : "it is not UTF-8"
  let message = "\(arguments[1]):1: error: the file cannot be rewritten: \(reason)\n"
  FileHandle.standardError.write(Data(message.utf8))
  exit(74)
}
