package journal

// Version is the format version of the logs that a [Dir] writes.
const Version = 1
