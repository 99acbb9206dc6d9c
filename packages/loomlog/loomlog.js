#!/usr/bin/env node
/**
 * The executable `loomlog` of the published package. Plain JavaScript in the syntax of old versions of Node, which
 * report the version that loomlog needs.
 */
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`loomlog: runs on Node 22.19 or later; this is Node ${process.versions.node}.\n`)
  process.exit(2)
}
await import('./main.js')
