/**
 * The shapes of mem0ai 3.3 that programs use. Methods are members with a function type, so that the type checker
 * compares their parameters, too.
 */
type Json = ReturnType<typeof JSON.parse>
type Members = Record<string, Json>

interface Mem0Owner {
  userId?: string
  agentId?: string
  runId?: string
}
interface Mem0Message {
  role: string
  content: string | { type: 'image_url'; image_url: { url: string } }
}
interface Mem0Filters {
  user_id?: string
  agent_id?: string
  run_id?: string
  [key: string]: Json
}
interface Mem0Item {
  id: string
  memory: string
  hash?: string
  createdAt?: string
  updatedAt?: string
  score?: number
  metadata?: Members
  attributedTo?: string
}
interface Mem0Add extends Mem0Owner {
  metadata?: Members
  filters?: Mem0Filters
  infer?: boolean
  timestamp?: number | string | Date | null
  expirationDate?: string | null
}
interface Mem0Read {
  topK?: number
  filters?: Mem0Filters
  showExpired?: boolean
}
interface Mem0Search extends Mem0Read {
  threshold?: number
  explain?: boolean
  referenceDate?: number | string | Date | null
  rerank?: boolean
}
interface Mem0Update {
  text?: string
  data?: string
  metadata?: Members
  expirationDate?: string | null
}
export interface Mem0 {
  add: (messages: string | Mem0Message[], options: Mem0Add) => Promise<{ results: Mem0Item[] }>
  get: (id: string) => Promise<Mem0Item | null>
  getAll: (options: Mem0Read) => Promise<{ results: Mem0Item[] }>
  search: (query: string, options: Mem0Search) => Promise<{ results: Mem0Item[] }>
  update: (id: string, options: string | Mem0Update) => Promise<{ message: string }>
  delete: (id: string) => Promise<{ message: string }>
  deleteAll: (owner: Mem0Owner) => Promise<{ message: string }>
  history: (id: string) => Promise<Json[]>
  reset: () => Promise<void>
}
interface ServiceMemory {
  id: string
  event?: string
  data?: { memory: string } | null
  memory?: string
  userId?: string
  createdAt?: Date
  updatedAt?: Date
  score?: number
  metadata?: Json
  expirationDate?: string | null
  agentId?: string | null
  appId?: string | null
  runId?: string | null
}
interface ServiceMessage {
  role: 'user' | 'assistant'
  content: string | { type: 'image_url'; image_url: { url: string } }
}
interface ServiceRead {
  filters?: Members
  showExpired?: boolean
  categories?: string[]
  rerank?: boolean
}
export interface ServiceClient {
  ping: () => Promise<void>
  add: (messages: ServiceMessage[], options?: Mem0Owner & { timestamp?: number } & Members) => Promise<ServiceMemory[]>
  get: (id: string) => Promise<ServiceMemory>
  getAll: (options?: ServiceRead & { page?: number; pageSize?: number }) => Promise<{
    count: number
    next: string | null
    previous: string | null
    results: ServiceMemory[]
  }>
  search: (query: string, options?: ServiceRead & { topK?: number }) => Promise<{ results: ServiceMemory[] }>
  update: (
    id: string,
    change: { text?: string; metadata?: Members; timestamp?: number | string },
  ) => Promise<ServiceMemory[]>
  delete: (id: string, options?: { deleteLinked?: boolean }) => Promise<{ message: string }>
  deleteAll: (owner?: Mem0Owner & { appId?: string }) => Promise<{ message: string }>
  history: (
    id: string,
  ) => Promise<{ memoryId: string; event: string; oldMemory: string | null; newMemory: string | null }[]>
  batchUpdate: (memories: { memoryId: string; text: string }[]) => Promise<string>
  batchDelete: (ids: string[]) => Promise<string>
}
