/**
 * The memory tool of Anthropic's API. The agent's own notes are utterances with the file as label; the documents and
 * profiles of the space are files beside them. Commands run one after another, as the calls of one turn come together.
 */
import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import type { MemorySpace } from '@loomlog/client/memory'
import { LabelledUtterances, type LabelledValue } from './labelled-utterances.ts'
import {
  checkedPath,
  inserted,
  isRoot,
  isWithin,
  listing,
  type MemoryFile,
  numbered,
  replaced,
  snippet,
} from './memory-files.ts'
import { correctDocument, isMirrored, mirroredFiles, refusal } from './mirrored-documents.ts'

export interface MemoryToolOptions {
  readonly space: MemorySpace
  /** The conversation of the notes. It belongs to the tool alone. Default: `anthropic`. */
  readonly conversation?: string | undefined
  /** The author of the notes and of corrections. Default: `assistant`. */
  readonly agent?: string | undefined
}

type Note = LabelledValue<MemoryFile>

export function memoryTool({ space, conversation = 'anthropic', agent = 'assistant' }: MemoryToolOptions) {
  const log = new LabelledUtterances<MemoryFile>({ space, conversation, label: 'anthropic' })

  async function write(files: readonly MemoryFile[]): Promise<void> {
    await log.add(
      files.map((value) => ({
        speaker: agent,
        role: 'agent',
        text: value.content.trim() === '' ? value.path : value.content,
        value,
      })),
    )
  }

  /** The new notes are durable before the old ones are retracted. */
  async function change(old: readonly Note[], files: readonly MemoryFile[], reason: string): Promise<void> {
    await write(files)
    await log.retract(old, reason)
  }

  /** Every version of every note, the newest last. */
  const read = () => log.read()

  async function noteAt(path: string): Promise<{ readonly file: MemoryFile; readonly versions: readonly Note[] }> {
    const notes = await read()
    const versions = notes.filter(({ value }) => value.path === path)
    const file = versions.at(-1)?.value
    if (file !== undefined) return { file, versions }
    if (isDirectory(path, notes)) throw new Error(`The path ${path} is not a file.`)
    throw new Error(`The path ${path} does not exist. Please provide a valid path.`)
  }

  async function view({ path, range }: { readonly path: string; readonly range: readonly number[] | undefined }) {
    const notes = await read()
    const mirrored = isRoot(path) || isMirrored(path) ? await mirroredFiles(space) : []
    const files = [...new Map(notes.map(({ value }) => [value.path, value])).values(), ...mirrored]
    const file = files.find((each) => each.path === path)
    if (file !== undefined) return numbered(file, range)
    if (isRoot(path) || files.some((each) => isWithin(path, each.path))) return listing(path, files)
    throw new Error(`The path ${path} does not exist. Please provide a valid path.`)
  }

  const handlers: MemoryToolHandlers = {
    view: async (command) => view({ path: checkedPath(command.path), range: command.view_range }),
    create: async (command) => {
      const path = noteOnly(command.path)
      const notes = await read()
      if (notes.some(({ value }) => value.path === path) || isDirectory(path, notes))
        throw new Error(`File ${path} already exists`)
      refuseBelowFiles(path, notes)
      await write([{ path, content: checkedText(command.file_text, 'file_text') }])
      return `File created successfully at: ${path}`
    },
    str_replace: async (command) => {
      const path = checkedPath(command.path)
      const old = checkedText(command.old_str, 'old_str')
      const by = checkedText(command.new_str ?? '', 'new_str')
      if (isMirrored(path)) {
        const file = (await mirroredFiles(space)).find((each) => each.path === path)
        if (file === undefined) throw new Error(`The path ${path} does not exist. Please provide a valid path.`)
        return correctDocument({ space, agent, file, old, by })
      }
      const { file, versions } = await noteAt(path)
      const { content, line } = replaced(file, old, by)
      await change(versions, [{ path, content }], 'edited')
      return snippet(content, line)
    },
    insert: async (command) => {
      const path = noteOnly(command.path)
      const { file, versions } = await noteAt(path)
      const content = inserted(file, command.insert_line, checkedText(command.insert_text, 'insert_text'))
      await change(versions, [{ path, content }], 'edited')
      return `The file ${path} has been edited.`
    },
    delete: async (command) => {
      const path = noteOnly(command.path)
      if (isRoot(path)) throw new Error('Cannot delete the /memories directory itself')
      const old = (await read()).filter(({ value }) => value.path === path || isWithin(path, value.path))
      if (old.length === 0) throw new Error(`The path ${path} does not exist`)
      await change(old, [], 'deleted')
      return `Successfully deleted ${path}`
    },
    rename: async (command) => {
      const [from, to] = [noteOnly(command.old_path), noteOnly(command.new_path)]
      if (isRoot(from)) throw new Error('Cannot rename the /memories directory itself')
      const notes = await read()
      const old = notes.filter(({ value }) => value.path === from || isWithin(from, value.path))
      if (old.length === 0) throw new Error(`The path ${from} does not exist`)
      if (isWithin(from, to)) throw new Error(`Cannot rename ${from} to ${to}, a path within itself`)
      if (notes.some(({ value }) => value.path === to) || isDirectory(to, notes))
        throw new Error(`The destination ${to} already exists`)
      refuseBelowFiles(to, notes)
      const current = new Map(old.map(({ value }) => [value.path, value.content]))
      const files = [...current].map(([path, content]) => ({ path: to + path.slice(from.length), content }))
      await change(old, files, 'renamed')
      return `Successfully renamed ${from} to ${to}`
    },
  }
  const tool = betaMemoryTool(handlers)
  const run: typeof tool.run = (command) => log.inTurn(async () => await tool.run(command))
  return { ...tool, run }
}

/** A path below `/memories` that is no part of a mirror. @throws Error */
function noteOnly(given: unknown): string {
  const path = checkedPath(given)
  if (isMirrored(path)) throw refusal(path)
  return path
}

function checkedText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Error(`Invalid \`${name}\` parameter: ${value}. It should be a text`)
  return value
}

function isDirectory(path: string, notes: readonly Note[]): boolean {
  return isRoot(path) || notes.some(({ value }) => isWithin(path, value.path))
}

/** @throws Error where a directory of the path is a file */
function refuseBelowFiles(path: string, notes: readonly Note[]): void {
  const file = notes.find(({ value }) => isWithin(value.path, path))
  if (file !== undefined) throw new Error(`The path ${file.value.path} is not a directory.`)
}
