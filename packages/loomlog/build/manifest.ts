/**
 * The manifest of a published package: name, version and description of its workspace, and the dependencies that its
 * built modules import, with the ranges of the workspaces that declare them.
 */
export interface WorkspaceManifest {
  readonly name: string
  readonly version?: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly engines?: Ranges
  readonly dependencies?: Ranges
  readonly peerDependencies?: Ranges
  /** Files by subpath. */
  readonly exports?: Ranges
}

interface Ranges {
  readonly [name: string]: string
}

/** The least range of each package, and those that an application may install. */
export interface Requirements {
  readonly dependencies: Ranges
  readonly peerDependencies: Ranges
}

interface ImportedPackages {
  readonly imported: readonly string[]
  readonly named: readonly string[]
  readonly peers?: Ranges | undefined
}

/**
 * @param named optional peers that the modules load by a name in a variable
 * @param peers the peers of the published workspace: its modules may import them
 * @throws Error where no workspace declares a package
 */
export function requirementsOf(
  { imported, named, peers = {} }: ImportedPackages,
  workspaces: readonly WorkspaceManifest[],
): Requirements {
  const declared = rangesOf(workspaces, 'dependencies')
  const needed = imported.filter((name) => !(name in peers))
  const unknown = needed.filter((name) => !declared.has(name))
  if (unknown.length > 0)
    throw new Error(`built modules import ${unknown.join(', ')}: expected a dependency of the workspace that does`)
  return {
    dependencies: only(needed, declared),
    peerDependencies: { ...only(named, rangesOf(workspaces, 'peerDependencies')), ...peers },
  }
}

/** Of the optional peers of workspaces. */
export function peersOf(workspaces: readonly WorkspaceManifest[]): readonly string[] {
  return [...rangesOf(workspaces, 'peerDependencies').keys()]
}

function only(names: readonly string[], ranges: ReadonlyMap<string, string>): Ranges {
  return Object.fromEntries(names.flatMap((name) => (ranges.has(name) ? [[name, ranges.get(name) ?? '']] : [])))
}

/** Of several ranges the last in order: `^8.20.0` after `^8.17.1`, which it narrows. */
function rangesOf(workspaces: readonly WorkspaceManifest[], field: keyof Requirements): ReadonlyMap<string, string> {
  const pairs = workspaces.flatMap((each) => Object.entries(each[field] ?? {}))
  return new Map(pairs.toSorted(([, a], [, b]) => a.localeCompare(b, 'en', { numeric: true })))
}

export interface PublishedPackage {
  readonly workspace: WorkspaceManifest
  readonly requirements: Requirements
  /** By command. */
  readonly bin: Ranges
  /** None: one entry, `index`. */
  readonly subpaths: readonly string[]
  /** `owner/name` on GitHub; null outside of a release. */
  readonly repository: string | null
}

export function publishedManifest({ workspace, requirements, bin, subpaths, repository }: PublishedPackage): object {
  const { name, version, description, keywords, engines } = workspace
  const { dependencies, peerDependencies } = requirements
  const peers = Object.keys(peerDependencies)
  return {
    name,
    version,
    description,
    keywords,
    license: 'Apache-2.0',
    ...(repository !== null && { repository: { type: 'git', url: `git+https://github.com/${repository}.git` } }),
    type: 'module',
    engines,
    ...(Object.keys(bin).length > 0 && { bin }),
    exports: { ...entriesOf(subpaths), './package.json': './package.json' },
    sideEffects: false,
    publishConfig: { access: 'public' },
    dependencies,
    ...(peers.length > 0 && {
      peerDependencies,
      peerDependenciesMeta: Object.fromEntries(peers.map((each) => [each, { optional: true }])),
    }),
  }
}

function entriesOf(subpaths: readonly string[]): object {
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` })
  if (subpaths.length === 0) return { '.': entry('index') }
  return Object.fromEntries(subpaths.map((name) => [`./${name}`, entry(name)]))
}
