/** Checks of the tarballs by publint and Are The Types Wrong, and of their types by the compiler. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npx, run } from './tarballs.ts'

const compiler = fileURLToPath(import.meta.resolve('typescript/package.json'))

/** @throws Error with their report */
export async function checkManifests(tarballs: readonly string[]): Promise<void> {
  for (const tarball of tarballs) {
    await run(npx, ['--no', 'publint', tarball, '--strict'])
    await run(npx, ['--no', 'attw', tarball, '--profile', 'esm-only'])
  }
}

/**
 * Compiles `types.ts` and `adapter-types.ts` of an application, as both kinds of projects do.
 * @throws Error with the compiler's report
 */
export async function checkTypes(app: string): Promise<void> {
  const options = ['--noEmit', '--strict', '--target', 'es2022']
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const modules = ['--module', `${module}`, '--moduleResolution', `${resolution}`]
    const tsc = join(dirname(compiler), 'bin/tsc')
    await run(process.execPath, [tsc, ...options, ...modules, 'types.ts'], { cwd: app })
    await run(process.execPath, [tsc, ...options, ...modules, '--skipLibCheck', 'adapter-types.ts'], { cwd: app })
  }
}
