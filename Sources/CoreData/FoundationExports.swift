// A file that says `import CoreData` has Foundation too, as on Apple's platforms.
@_exported public import Foundation
