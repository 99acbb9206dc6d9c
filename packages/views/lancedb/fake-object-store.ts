/** For tests: a fake object store with S3's API, in memory, and with failures on demand. It checks no signature. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

/** An error of the store, as S3 words it. */
export interface StoreFailure {
  readonly status: number
  readonly code: string
}

export interface FakeObjectStore {
  /** For LanceDB: endpoint, credentials, and no retries. */
  readonly environment: Readonly<Record<string, string>>
  /** Contents by bucket and key. */
  readonly objects: Map<string, Buffer>
  /** The answer to every request while it is not null. */
  failure: StoreFailure | null
}

export async function fakeObjectStore(t: TestContext): Promise<FakeObjectStore> {
  const server = createServer((request, response) => {
    void answer(request, response, store).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const store: FakeObjectStore = {
    environment: {
      AWS_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ALLOW_HTTP: 'true',
      AWS_ACCESS_KEY_ID: 'fake',
      AWS_SECRET_ACCESS_KEY: 'fake',
      AWS_REGION: 'us-east-1',
      OBJECT_STORE_CLIENT_MAX_RETRIES: '0',
      OBJECT_STORE_CLIENT_RETRY_TIMEOUT: '1',
    },
    objects: new Map(),
    failure: null,
  }
  return store
}

async function answer(request: IncomingMessage, response: ServerResponse, store: FakeObjectStore): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://store')
  const path = decodeURIComponent(pathname.slice(1))
  const body = await buffer(request)
  if (store.failure !== null) return refuse(response, store.failure)
  const { objects } = store
  const known = objects.get(path)
  switch (request.method) {
    case 'PUT':
      if (request.headers['if-none-match'] === '*' && known !== undefined)
        return refuse(response, { status: 412, code: 'PreconditionFailed' })
      objects.set(path, body)
      return void response.writeHead(200, { etag: tagOf(body) }).end()
    case 'POST':
      for (const [, key = ''] of body.toString().matchAll(/<Key>(.*?)<\/Key>/g)) objects.delete(`${path}/${key}`)
      return void response.end('<DeleteResult></DeleteResult>')
    case 'DELETE':
      objects.delete(path)
      return void response.writeHead(204).end()
    default:
      if (searchParams.has('list-type')) return list(response, path.replace(/\/$/, ''), searchParams, objects)
      return known === undefined ? refuse(response, { status: 404, code: 'NoSuchKey' }) : send(request, response, known)
  }
}

function send(request: IncomingMessage, response: ServerResponse, content: Buffer): void {
  const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '')
  const common = { etag: tagOf(content), 'last-modified': new Date(0).toUTCString(), 'accept-ranges': 'bytes' }
  if (range === null || request.method === 'HEAD') {
    response.writeHead(200, { ...common, 'content-length': content.length })
    response.end(request.method === 'HEAD' ? undefined : content)
    return
  }
  const [, first = '', last = ''] = range
  const from = first === '' ? Math.max(0, content.length - Number(last)) : Number(first)
  const until = first === '' || last === '' ? content.length : Math.min(content.length, Number(last) + 1)
  if (from >= content.length) {
    refuse(response, { status: 416, code: 'InvalidRange' })
    return
  }
  const part = content.subarray(from, until)
  const place = { 'content-length': part.length, 'content-range': `bytes ${from}-${until - 1}/${content.length}` }
  response.writeHead(206, { ...common, ...place }).end(part)
}

function list(
  response: ServerResponse,
  bucket: string,
  query: URLSearchParams,
  objects: ReadonlyMap<string, Buffer>,
): void {
  const [prefix, delimiter, after] = ['prefix', 'delimiter', 'start-after'].map((name) => query.get(name) ?? '')
  const prefixes = new Set<string>()
  const contents: string[] = []
  for (const [path, content] of [...objects].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const key = path.slice(bucket.length + 1)
    if (!path.startsWith(`${bucket}/${prefix}`) || key <= (after ?? '')) continue
    const end = delimiter ? key.indexOf(delimiter, prefix?.length) : -1
    if (end >= 0) prefixes.add(key.slice(0, end + 1))
    else
      contents.push(
        `<Contents><Key>${key}</Key><LastModified>1970-01-01T00:00:00.000Z</LastModified><ETag>${tagOf(content)}</ETag><Size>${content.length}</Size></Contents>`,
      )
  }
  const folders = [...prefixes].map((each) => `<CommonPrefixes><Prefix>${each}</Prefix></CommonPrefixes>`)
  response.end(
    `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}${folders.join('')}</ListBucketResult>`,
  )
}

function refuse(response: ServerResponse, { status, code }: StoreFailure): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`)
}

function tagOf(content: Buffer): string {
  return `"${content.length}-${content.subarray(0, 8).toString('hex')}"`
}
