#!/usr/bin/env node
/**
 * The executable `loomlog`. Plain JavaScript, so that an older Node, which can't read TypeScript, reports the version that
 * loomlog needs. `npx loomlog` runs the Node 24 that `npm ci` installs.
 */
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    `loomlog: runs on Node 24 or later; this is Node ${process.versions.node}. Run \`npx loomlog\`, which uses the installed Node 24.\n`,
  )
  process.exit(2)
}
await import('./main.ts')
