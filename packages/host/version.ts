/** The version of loomlog, for `/healthz` and the command line. A test compares it with the published package's. */
import manifest from './package.json' with { type: 'json' }

export const { version } = manifest
