/**
 * Links of the Markdown files, which are written for readers of the repository. A link to a page stays relative, and
 * VitePress checks it. A link to a folder leads to its README, and one to any other file to the repository.
 */
import { existsSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownOptions } from 'vitepress'
import { addressOf } from './pages.ts'

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0]

const root = fileURLToPath(new URL('../../', import.meta.url))
const repository = `https://github.com/${process.env['GITHUB_REPOSITORY'] ?? 'OWNER/loomlog'}`

/** The target of a link in a file of the repository, as a target in the site. */
function siteTarget(file: string, target: string): string {
  if (/^(?:[a-z]+:|#|\/)/.test(target)) return target
  const [path = '', anchor] = target.split('#')
  const named = posix.join(posix.dirname(file), path).replace(/\/$/, '')
  const read = isFolder(named) && existsSync(`${root}${named}/README.md`) ? `${named}/README.md` : named
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (!read.endsWith('.md')) return `${repository}/blob/main/${read}${hash}`
  return `/${addressOf(read).replace(/(?:index)?\.md$/, '')}${hash}`
}

export function rewriteLinks(markdown: MarkdownIt): void {
  const open = markdown.renderer.rules['link_open']
  markdown.renderer.rules['link_open'] = (tokens, index, options, env, self) => {
    const token = tokens[index]
    const target = token?.attrGet('href')
    if (target && typeof env.relativePath === 'string') token?.attrSet('href', siteTarget(sourceOf(env), target))
    return open ? open(tokens, index, options, env, self) : self.renderToken(tokens, index, options)
  }
}

/** VitePress gives the path of the source from the root of the repository as `realPath`, where an address differs. */
function sourceOf(env: { readonly path: string; readonly realPath?: string }): string {
  return (env.realPath ?? env.path).slice(root.length)
}

function isFolder(path: string): boolean {
  return existsSync(`${root}${path}`) && statSync(`${root}${path}`).isDirectory()
}
