// The name that SQLite has for files that are written for Apple's systems.
@_exported public import CTracksSQLite
