// Preloaded: prints the packages that the process loaded, when it ends.
import { registerHooks } from 'node:module'

const loaded = new Set()
registerHooks({
  load(url, context, next) {
    loaded.add(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1])
    return next(url, context)
  },
})
process.on('exit', () => console.error(`loaded: ${[...loaded].join(' ')}`))
