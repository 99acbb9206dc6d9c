/**
 * The export of ChatGPT, `conversations.json`: a list of conversations, each a tree of messages (`mapping`). Only the
 * branch that the person saw last is read, from `current_node` up to the root. Left out: other branches, hidden and
 * system messages, the custom instructions, and the model's reasoning, which the person never saw as messages.
 */
import { LoomlogError } from '@loomlog/errors'
import { formatValue, invalidInput } from '@loomlog/errors/invalid-input'
import {
  type Entry,
  entryAt,
  type Fields,
  type Format,
  fieldsOf,
  isFields,
  type LeftOut,
  labelsOf,
  listOf,
  shownText,
  timeOfSeconds,
} from './format.ts'

const roles: { readonly [role: string]: string } = { user: 'human', assistant: 'agent', tool: 'tool' }
const reasoning = ['thoughts', 'reasoning_recap']
const instructions = ['user_editable_context', 'model_editable_context']

export const chatgpt: Format = {
  expected: 'the conversations.json of an export of ChatGPT',
  isFirstValue: ({ mapping }) => isFields(mapping),
  reader: ({ speaker }) =>
    function* ({ value }) {
      const conversation = fieldsOf(value, 'the conversation')
      const branch = branchOf(conversation)
      for (const { id, message } of branch)
        yield entryAt(`mapping.${id}`, () => messageEntry(message, conversation, speaker))
      const onBranch = new Set(branch.map(({ id }) => id))
      for (const [id, node] of Object.entries(fieldsOf(conversation.mapping, 'mapping')))
        if (!onBranch.has(id) && isFields(node) && isFields(node.message)) yield { leftOut: 'on another branch' }
    },
}

interface TreeNode {
  readonly id: string
  readonly message: Fields
}

/** From the root to the node that the person saw last. */
function branchOf({ mapping, current_node: current }: Fields): readonly TreeNode[] {
  const nodes = fieldsOf(mapping, 'mapping', 'the tree of messages')
  const branch: TreeNode[] = []
  const seen = new Set<string>()
  let id: unknown = current ?? onlyLeafOf(nodes)
  while (id !== null && id !== undefined) {
    const isNode = typeof id === 'string' && Object.hasOwn(nodes, id) && !seen.has(id)
    if (!isNode) throw invalidInput(seen.size === 0 ? 'current_node' : 'parent', id, 'a node of mapping, each once')
    seen.add(id as string)
    const { message, parent } = fieldsOf(nodes[id as string], `mapping.${id}`)
    if (message !== null && message !== undefined)
      branch.push({ id: id as string, message: fieldsOf(message, `mapping.${id}.message`) })
    id = parent
  }
  return branch.reverse()
}

/** Some tools that write this format leave out `current_node`; without branches there is no choice. */
function onlyLeafOf(nodes: Fields): string | null {
  const ids = Object.keys(nodes)
  const parents = new Set(Object.values(nodes).map((node) => (isFields(node) ? node.parent : null)))
  const leaves = ids.filter((id) => !parents.has(id))
  if (leaves.length <= 1) return leaves[0] ?? null
  throw new LoomlogError('input-invalid', `current_node is missing, and there are ${leaves.length} branches`)
}

function messageEntry(message: Fields, conversation: Fields, speaker: string): Omit<Entry, 'at'> | LeftOut {
  const { role, name } = fieldsOf(message.author, 'author')
  const metadata = isFields(message.metadata) ? message.metadata : {}
  const content = fieldsOf(message.content, 'content')
  if (metadata.is_visually_hidden_from_conversation === true || role === 'system')
    return { leftOut: 'hidden or system' }
  if (instructions.includes(String(content.content_type))) return { leftOut: 'custom instructions' }
  if (reasoning.includes(String(content.content_type))) return { leftOut: 'reasoning' }
  if (typeof role !== 'string' || !Object.hasOwn(roles, role))
    throw invalidInput('author.role', role, `one of ${Object.keys(roles).join(', ')}, system`)
  const { text, attachments } = contentOf(content)
  const shown = shownText(text, attachments)
  if (shown === null) return { leftOut: 'without a text' }
  const { conversation_id: id = conversation.id } = conversation
  if (typeof id !== 'string') throw invalidInput('conversation_id', id, 'the id of the conversation')
  const model = metadata.model_slug
  return {
    input: {
      id: message.id,
      conversation: id,
      speaker: speakerOf(role, name, speaker),
      role: roles[role],
      at: timeOfSeconds(message.create_time ?? conversation.create_time, 'create_time'),
      text: shown,
      attachments,
      metadata: labelsOf({ source: 'chatgpt', model }),
    },
  }
}

function speakerOf(role: string, name: unknown, person: string): unknown {
  if (role === 'user') return person
  return typeof name === 'string' && name !== '' ? name : role === 'assistant' ? 'ChatGPT' : role
}

interface Content {
  readonly text: string
  readonly attachments: readonly { readonly kind: string; readonly description: string; readonly uri: string | null }[]
}

/** Most have `parts`: texts, and pointers to images and sounds that the export has as files. Code has `text`. */
function contentOf({ parts, text, result }: Fields): Content {
  if (parts === undefined)
    return { text: [text, result].find((each) => typeof each === 'string') ?? '', attachments: [] }
  const texts: string[] = []
  const attachments: Content['attachments'][number][] = []
  for (const [index, part] of listOf(parts, 'content.parts').entries()) {
    if (typeof part === 'string') texts.push(part)
    else if (isFields(part) && typeof part.text === 'string') texts.push(part.text)
    else if (isFields(part) && typeof part.content_type === 'string') attachments.push(attachmentOf(part))
    else throw new LoomlogError('input-invalid', `content.parts[${index}] is ${formatValue(part)}: expected a text`)
  }
  return { text: texts.filter((each) => each !== '').join('\n'), attachments }
}

function attachmentOf({ content_type: type, asset_pointer: pointer }: Fields): Content['attachments'][number] {
  const kind = String(type).replace(/_?asset_pointer$/, '')
  return { kind: kind === '' ? 'file' : kind, description: '', uri: typeof pointer === 'string' ? pointer : null }
}
