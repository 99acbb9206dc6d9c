/** Findings on the program itself: its version, Node's version, and the native module of the views. */
import { type Finding, ok, problem } from './check-result.ts'

/** As the executable of the published package requires it. */
const leastNode = { major: 22, minor: 19 }

export interface Installation {
  readonly loomlog: string
  /** Such as 24.21.0. */
  readonly node: string
  readonly platform: string
  /** Loads the module of the views. */
  loadViews(): Promise<unknown>
}

export async function installationFindings(installed: Installation): Promise<readonly Finding[]> {
  return [ok('loomlog', `version ${installed.loomlog}`), node(installed.node), await views(installed)]
}

function node(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < leastNode.major || (major === leastNode.major && minor < leastNode.minor)
  if (!isOld) return ok('node', `version ${version}`)
  const least = `${leastNode.major}.${leastNode.minor}`
  return problem('node', `version ${version}; loomlog needs ${least} or later`, `install Node ${least} or later`)
}

async function views({ platform, loadViews }: Installation): Promise<Finding> {
  try {
    await loadViews()
    return ok('native', `LanceDB's native module runs on ${platform}`)
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n')
    const text = `LanceDB's native module doesn't load on ${platform}: ${line}`
    return problem('native', text, 'npm install --include=optional')
  }
}
