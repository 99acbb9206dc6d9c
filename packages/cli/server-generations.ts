/** The operations on generations, over HTTP. */
import type { GenerationList, GenerationSummary } from '@loomlog/app/generations/generation-progress'
import type { GenerationOperations } from '@loomlog/app/generations/operations'
import type { GenerationRequest } from '@loomlog/app/generations/request'
import { type LoomlogClient, path } from '@loomlog/client/loomlog-client'

export function serverGenerations(server: LoomlogClient): GenerationOperations {
  return {
    async list() {
      const { items, epoch, live } = await server.list<GenerationSummary, GenerationList>(
        '/v1/generations',
        'generations',
      )
      return { epoch, live, generations: items }
    },
    details: (generation) => server.get(path`/v1/generations/${generation}`),
    plan: (request) => server.post('/v1/generations/plan', settingsOf(request)),
    start({ generation, name, share, ...request }) {
      return server.post('/v1/generations', { ...settingsOf(request), generation, name, share })
    },
    applyStatusAction: (generation, action) => server.post(path`/v1/generations/${generation}/${action}`),
    promote: (generation, { tenant, checks }) =>
      server.post(path`/v1/generations/${generation}/promote`, { tenant, anyway: checks === 'skip' }),
    rollBack: ({ tenant, checks }) => server.post('/v1/generations/rollback', { tenant, anyway: checks === 'skip' }),
    retire: (generation, mode) => server.post(path`/v1/generations/${generation}/retire`, { dryRun: mode === 'list' }),
    collect: (mode) => server.post('/v1/generations/collect', { dryRun: mode === 'list' }),
    compare: ({ before, after, spaces, questions, limit }) =>
      server.post('/v1/generations/compare', { before, after, spaces, questions, limit }),
  }
}

const promptSetting = /^[^=]*\.prompt(?:\.[^=]*)?=(.*)$/

/** Prompts are read here, and sent as text. */
function settingsOf({ set, from, tenant, sample, spaces, readPrompt }: GenerationRequest): object {
  const files = set.map((setting) => promptSetting.exec(setting)?.[1]?.trim()).filter((file) => file !== undefined)
  return {
    set,
    prompts: Object.fromEntries(files.map((file) => [file, readPrompt(file)])),
    from,
    tenant,
    sample,
    spaces,
  }
}
