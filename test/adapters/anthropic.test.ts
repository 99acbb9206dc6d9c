/** The memory tool of Anthropic's API, run by the SDK's own tool runner against a fake endpoint. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { memoryTool } from '@loomlog/adapters/anthropic'
import type { MemorySpace } from '@loomlog/client/memory'
import { openSpace } from './open-space.ts'

type Command = { readonly command: string; readonly [field: string]: unknown }
type Result = { readonly text: string; readonly isError: boolean }

/** A model that calls the memory tool with the commands of each turn, and then says `Done.` */
async function fakeEndpoint(t: TestContext) {
  const turns: (readonly Command[])[] = []
  const results: Result[] = []
  const offered: unknown[] = []
  const server = createServer(async (request, response) => {
    const { messages, tools, thread } = (await json(request)) as {
      messages: { content: { type: string; content: unknown; is_error?: boolean }[] }[]
      tools?: { name: string; type: string }[]
      thread?: { type: string }
    }
    if (thread?.type !== 'continue') offered.push(tools?.map(({ type }) => type))
    for (const { type, content, is_error: isError = false } of messages.at(-1)?.content ?? [])
      if (type === 'tool_result') results.push({ text: textOf(content), isError })
    const commands = turns.shift() ?? []
    const calls = commands.map((input, at) => ({
      type: 'tool_use',
      id: `toolu_${turns.length}_${at}`,
      name: 'memory',
      input,
    }))
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'fake',
        content: calls.length > 0 ? calls : [{ type: 'text', text: 'Done.' }],
        stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 })

  /** A run of a new agent; each argument is a turn of the model. Returns the results of its calls. */
  return async (space: MemorySpace, ...run: readonly (readonly Command[])[]): Promise<readonly Result[]> => {
    turns.push(...run)
    const reply = await client.beta.messages.toolRunner({
      model: 'fake',
      max_tokens: 100,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }],
      tools: [memoryTool({ space, agent: 'Guide' })],
    })
    assert.deepEqual(
      reply.content.map((part) => part.type === 'text' && part.text),
      ['Done.'],
    )
    assert.deepEqual(offered.splice(0), [['memory_20250818']])
    return results.splice(0)
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : (content as { text: string }[]).map(({ text }) => text).join('\n')
}

const succeeded = (text: string): Result => ({ text, isError: false })
const failed = (text: string): Result => ({ text: `Error: ${text}`, isError: true })
const header = (path: string) =>
  `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`

test('a note of one run is read in the next, and recall finds it', async (t) => {
  const space = await openSpace(t)
  const run = await fakeEndpoint(t)
  assert.deepEqual(
    await run(
      space,
      [{ command: 'view', path: '/memories' }],
      [
        {
          command: 'create',
          path: '/memories/people/maya.md',
          file_text: 'Maya prefers the night train.\nShe has a cat.\n',
        },
      ],
    ),
    [
      succeeded(`${header('/memories')}\n0B\t/memories`),
      succeeded('File created successfully at: /memories/people/maya.md'),
    ],
  )
  assert.deepEqual(
    await run(
      space,
      [{ command: 'view', path: '/memories/' }],
      [{ command: 'view', path: '/memories/people/maya.md' }],
      [{ command: 'view', path: '/memories/people/maya.md', view_range: [2, -1] }],
    ),
    [
      succeeded(`${header('/memories')}\n45B\t/memories\n45B\t/memories/people/\n45B\t/memories/people/maya.md`),
      succeeded(
        "Here's the content of /memories/people/maya.md with line numbers:\n     1\tMaya prefers the night train.\n     2\tShe has a cat.\n     3\t",
      ),
      succeeded("Here's the content of /memories/people/maya.md with line numbers:\n     2\tShe has a cat.\n     3\t"),
    ],
  )
  assert.match((await space.recall('Which train does Maya prefer?')).text, /Guide: Maya prefers the night train/)
})

test('notes are edited, moved and deleted, and recall has the current words only', async (t) => {
  const space = await openSpace(t)
  const run = await fakeEndpoint(t)
  const view = (path: string) => ({ command: 'view', path })
  const edited = await run(
    space,
    // The calls of one turn come together, and take effect in their order.
    [
      { command: 'create', path: '/memories/trips/a.md', file_text: 'to Lisbon\nby train' },
      { command: 'str_replace', path: '/memories/trips/a.md', old_str: 'Lisbon\nby', new_str: 'Porto\nby $& night' },
      { command: 'insert', path: '/memories/trips/a.md', insert_line: 0, insert_text: 'Trips\n' },
      { command: 'create', path: '/memories/trips/deep/b.md', file_text: '' },
    ],
    [{ command: 'rename', old_path: '/memories/trips', new_path: '/memories/journeys' }],
    [view('/memories/journeys/a.md'), view('/memories/trips'), view('/memories')],
    [{ command: 'delete', path: '/memories/journeys/deep' }],
    [view('/memories')],
  )
  assert.deepEqual(edited.slice(1), [
    succeeded(
      'The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tto Porto\n     2\tby $& night train',
    ),
    succeeded('The file /memories/trips/a.md has been edited.'),
    succeeded('File created successfully at: /memories/trips/deep/b.md'),
    succeeded('Successfully renamed /memories/trips to /memories/journeys'),
    succeeded(
      "Here's the content of /memories/journeys/a.md with line numbers:\n     1\tTrips\n     2\tto Porto\n     3\tby $& night train",
    ),
    failed('The path /memories/trips does not exist. Please provide a valid path.'),
    succeeded(
      `${header('/memories')}\n32B\t/memories\n32B\t/memories/journeys/\n32B\t/memories/journeys/a.md\n0B\t/memories/journeys/deep/`,
    ),
    succeeded('Successfully deleted /memories/journeys/deep'),
    succeeded(`${header('/memories')}\n32B\t/memories\n32B\t/memories/journeys/\n32B\t/memories/journeys/a.md`),
  ])
  const { memories } = await space.list({ kind: 'utterance', conversation: 'anthropic' })
  assert.deepEqual(
    memories.map(({ text }) => text).filter((text) => text.startsWith('Guide')),
    ['Guide: Trips\nto Porto\nby $& night train'],
  )
})

test('a command that can do nothing says why, in the words of the SDK', async (t) => {
  const space = await openSpace(t)
  const run = await fakeEndpoint(t)
  const create = (path: string) => ({ command: 'create', path, file_text: 'word\nword' })
  const cases: readonly (readonly [Command, string])[] = [
    [create('/memories/a'), 'File /memories/a already exists'],
    [create('/memories'), 'File /memories already exists'],
    [create('/memories/a/b'), 'The path /memories/a is not a directory.'],
    [create('/etc/passwd'), 'Path must start with /memories, got: /etc/passwd'],
    [create('/memoriesother/a'), 'Path must start with /memories, got: /memoriesother/a'],
    [create('/memories/x/../../etc'), 'Path /memories/x/../../etc would escape /memories directory'],
    [
      create('/memories/a\n4K\t/memories/b'),
      'Path "/memories/a\\n4K\\t/memories/b" has a control character: expected visible characters',
    ],
    [{ command: 'create', path: '/memories/c' }, 'Invalid `file_text` parameter: undefined. It should be a text'],
    [
      { command: 'str_replace', path: '/memories/a', old_str: 'cat', new_str: 'x' },
      'No replacement was performed, old_str `cat` did not appear verbatim in /memories/a.',
    ],
    [
      { command: 'str_replace', path: '/memories/a', old_str: 'word', new_str: 'x' },
      'No replacement was performed. Multiple occurrences of old_str `word` in lines: 1, 2. Please ensure it is unique',
    ],
    [{ command: 'str_replace', path: '/memories', old_str: 'a', new_str: '' }, 'The path /memories is not a file.'],
    [
      { command: 'insert', path: '/memories/a', insert_line: 3, insert_text: 'x' },
      'Invalid `insert_line` parameter: 3. It should be within the range of lines of the file: [0, 2]',
    ],
    [
      { command: 'view', path: '/memories/a', view_range: [3, 4] },
      'Invalid `view_range` parameter: [3, 4]. It should be two lines of the file, within [1, 2]',
    ],
    [{ command: 'delete', path: '/memories' }, 'Cannot delete the /memories directory itself'],
    [{ command: 'delete', path: '/memories/b' }, 'The path /memories/b does not exist'],
    [{ command: 'rename', old_path: '/memories/b', new_path: '/memories/c' }, 'The path /memories/b does not exist'],
    [
      { command: 'rename', old_path: '/memories/a', new_path: '/memories/a' },
      'The destination /memories/a already exists',
    ],
    [
      { command: 'rename', old_path: '/memories/a', new_path: '/memories/a/b' },
      'Cannot rename /memories/a to /memories/a/b, a path within itself',
    ],
  ]
  const [, ...refused] = await run(
    space,
    [create('/memories/a')],
    cases.map(([command]) => command),
  )
  assert.deepEqual(
    refused,
    cases.map(([, text]) => failed(text)),
  )
})

test('an edit of a document is a correction by the agent, and a person keeps their words', async (t) => {
  const space = await openSpace(t)
  const run = await fakeEndpoint(t)
  await space.add({ speaker: 'Maya', text: 'I live in Lisbon.' }, { conversation: 'chat' })
  const { position: end } = await space.end({ conversation: 'chat' })
  await space.recall('Lisbon', { after: end, wait: 30_000 })
  await space.correct({ action: 'add', by: 'Guide', role: 'agent', text: 'Tomas works as a cook.' })
  const { position } = await space.correct({ action: 'add', by: 'Scout', role: 'agent', text: '# The van is blue.' })
  await space.recall('van', { after: position, reach: 'derived', wait: 30_000, kind: 'document' })
  const edit = (path: string, old: string, by: string) => ({ command: 'str_replace', path, old_str: old, new_str: by })
  const [guide, scout, maya] = ['Guide', 'Scout', 'Maya'].map((name) => `/memories/documents/${name}.md`)
  assert.ok(guide && scout && maya)
  const [root, before, ...replies] = await run(
    space,
    [{ command: 'view', path: '/memories' }],
    [{ command: 'view', path: guide }],
    [edit(guide, 'a cook.\n', 'a baker.\n')],
    [edit(scout, 'van is blue', 'van is red')],
    [edit(maya, '- Maya lives in Lisbon.', '- Maya lives in Porto.')],
    [edit('/memories/profiles/Maya.md', '- Maya lives in Lisbon.\n', '')],
    [edit(guide, '# Guide', '# Cook')],
    [edit(guide, '1 entry about Guide', '2 entries about Guide')],
    [edit(guide, '## How things are\n\n- Tomas', '- Tomas')],
    [edit(guide, 'baker.', 'baker.\n- Maya lives in Rome.')],
    [edit(guide, '- Tomas works', '# Tomas works')],
    [{ command: 'create', path: '/memories/documents/new.md', file_text: 'x' }],
    [{ command: 'insert', path: guide, insert_line: 1, insert_text: 'x' }],
    [{ command: 'delete', path: guide }],
    [{ command: 'rename', old_path: guide, new_path: '/memories/guide.md' }],
    [{ command: 'rename', old_path: '/memories/a', new_path: '/memories/profiles' }],
  )
  assert.match(root?.text ?? '', /\t\/memories\/documents\/Guide\.md\n(?:.*\n)*.*\t\/memories\/profiles\/Maya\.md$/)
  assert.match(before?.text ?? '', / {5}7\t- Tomas works as a cook\.\n/)
  const [cook, van, lives, lived, ...refused] = replies
  assert.match(cook?.text ?? '', /^The memory file has been edited(?:.*\n)+ {5}7\t- Tomas works as a baker\./)
  assert.match(van?.text ?? '', / {5}7\t- \\# The van is red\./)
  for (const reply of [lives, lived])
    assert.match(reply?.text ?? '', /^Error: "Maya lives in Lisbon\." is from a person's words/)
  for (const reply of refused)
    assert.match(reply.text, /^Error: \/memories\/\S+ is derived from conversations, and can't be changed like this/)
  assert.equal(refused.length, 10)
  const [removed, again] = await run(
    space,
    [edit(guide, '- Tomas works as a baker.\n', '')],
    [edit(scout, '# The van is red.', '')],
  )
  assert.deepEqual(removed, succeeded(`The entry "Tomas works as a baker." has been retracted from ${guide}.`))
  assert.deepEqual(again, succeeded(`The entry "# The van is red." has been retracted from ${scout}.`))
  const { memories } = await space.list({ kind: 'entry' })
  assert.deepEqual([...new Set(memories.map(({ statement }) => statement))].toSorted(), ['Maya lives in Lisbon.'])
})

test('a document that is gone since it was listed is left out of a view', async (t) => {
  const space = await openSpace(t)
  await space.correct({ action: 'add', by: 'Guide', role: 'agent', text: 'Tomas works as a cook.' })
  const { position } = await space.correct({ action: 'add', by: 'Scout', role: 'agent', text: 'The van is blue.' })
  await space.recall('van', { after: position, reach: 'derived', wait: 30_000, kind: 'document' })
  const { memories } = await space.list({ kind: 'document' })
  const gone = memories.find(({ title }) => title === 'Scout')?.id
  const document: MemorySpace['document'] = (id) => space.document(id === gone ? 'none' : id)
  const reply = String(await memoryTool({ space: { ...space, document } }).run({ command: 'view', path: '/memories' }))
  assert.match(reply, /\/memories\/documents\/Guide\.md/)
  assert.doesNotMatch(reply, /Scout/)
  const away: MemorySpace['document'] = async () => {
    throw new Error('the memory is away')
  }
  const failing = memoryTool({ space: { ...space, document: away } })
  await assert.rejects(async () => failing.run({ command: 'view', path: '/memories' }), /away/)
})
