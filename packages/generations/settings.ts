/**
 * The settings of a generation, for --set: `STAGE.model=NAME`, `STAGE.embedder=VECTOR_SPACE`, `STAGE.prompt=FILE` (or
 * `STAGE.prompt.TASK=FILE`), `STAGE.<parameter>=number`, `view-embedder=VECTOR_SPACE`. `model` without a stage means
 * every stage that a configured model answers by default, `embedder` every stage. A misspelt or impossible setting is
 * refused with the expected ones.
 */
import { LoomlogError } from '@loomlog/errors'
import type { Processor } from '@loomlog/runtime/processor'
import type { Task } from '@loomlog/runtime/step'
import { hash, type Json } from '@loomlog/schemas/ids'
import { promptText } from './prompt-text.ts'

export type Setting =
  | { readonly kind: 'prompt'; readonly stage: string; readonly task: string; readonly text: string }
  /** `model: null`: rules. */
  | { readonly kind: 'model'; readonly stage: string; readonly model: string | null }
  | { readonly kind: 'embedder'; readonly stage: string; readonly vectorSpace: string }
  | { readonly kind: 'parameter'; readonly stage: string; readonly parameter: string; readonly value: number }
  | { readonly kind: 'view-embedder'; readonly vectorSpace: string }

/** The key and the value by which a generation records the setting. */
export function settingEntry(setting: Setting): readonly [key: string, value: string] {
  switch (setting.kind) {
    case 'prompt':
      return [promptKey(setting.stage, setting.task), hash(setting.text)]
    case 'model':
      return [`${setting.stage}.model`, setting.model ?? 'rules']
    case 'embedder':
      return [`${setting.stage}.embedder`, setting.vectorSpace]
    case 'parameter':
      return [`${setting.stage}.${setting.parameter}`, String(setting.value)]
    case 'view-embedder':
      return ['view-embedder', setting.vectorSpace]
  }
}

export function promptKey(stage: string, task: string): string {
  return `${stage}.prompt.${task}`
}

/**
 * One `KEY=VALUE`. @param readText reads a prompt's file
 * @throws LoomlogError `input-invalid`
 */
export function settingsFrom(
  text: string,
  processors: readonly Processor[],
  readText: (file: string) => string,
): readonly Setting[] {
  const at = text.indexOf('=')
  const [key, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  if (at < 1 || value === '') throw wrong(text, 'expected KEY=VALUE, such as topic-loom.gapMs=3600000')
  if (key === 'view-embedder') return [{ kind: 'view-embedder', vectorSpace: value }]
  if (key === 'model')
    return processors.filter(({ model }) => model !== 'if-named').map((processor) => modelOf(processor, value))
  if (key === 'embedder')
    return processors.filter(embeds).map(({ stage }) => ({ kind: 'embedder', stage, vectorSpace: value }))
  const [stage, ...rest] = key.split('.')
  const processor = processors.find((known) => known.stage === stage)
  if (!processor) {
    const stages = processors.map((known) => known.stage).join(', ')
    throw wrong(text, `there is no stage ${stage}: expected ${stages}, or view-embedder, model or embedder`)
  }
  return [ofStage({ text, processor, key: rest.join('.'), value, readText })]
}

interface StageSetting {
  readonly text: string
  readonly processor: Processor
  /** The part of the setting's name after the stage. */
  readonly key: string
  readonly value: string
  readText(file: string): string
}

function ofStage(setting: StageSetting): Setting {
  const { text, processor, key, value } = setting
  const { stage, parameters, counts } = processor
  if (key === 'model') return modelOf(processor, value)
  if (key === 'embedder' && embeds(processor)) return { kind: 'embedder', stage, vectorSpace: value }
  if (key === 'prompt' || key.startsWith('prompt.')) return promptOf(setting)
  if (Object.hasOwn(parameters, key)) {
    const number = Number(value)
    const [least, most] = counts?.[key] ?? [0, Number.MAX_VALUE]
    const isWhole = counts?.[key] === undefined || Number.isInteger(number)
    if (isWhole && number >= least && number <= most) return { kind: 'parameter', stage, parameter: key, value: number }
    const expected = counts?.[key] === undefined ? 'a number from 0' : `a whole number from ${least} to ${most}`
    throw wrong(text, `${key} is ${value}: expected ${expected}`)
  }
  const keys = ['model', 'prompt', ...(embeds(processor) ? ['embedder'] : []), ...Object.keys(parameters)]
  throw wrong(text, `${stage} has no ${key}: expected ${keys.join(', ')}`)
}

function modelOf({ stage }: Processor, value: string): Setting {
  return { kind: 'model', stage, model: value === 'rules' ? null : `openai:${value.replace(/^openai:/, '')}` }
}

function embeds({ embeds: what }: Processor): boolean {
  return what === 'stage-embedder'
}

/** A file named like a prompt of the stage (`find-shifts.v2.md`) replaces that prompt. */
function promptOf({ text, processor, key, value, readText }: StageSetting): Setting {
  const { stage } = processor
  const asked = processor.tasks.filter((task) => task.prompt !== null)
  const fileTask = value.split('/').at(-1)?.split('.')[0]
  const name = key.slice('prompt.'.length) || (asked.length === 1 ? asked[0]?.name : fileTask)
  const task = asked.find((known) => known.name === name)
  if (!task) {
    const keys = asked.map((known) => promptKey(stage, known.name)).join(' or ')
    throw wrong(text, `${stage} has several prompts, and ${name} is none of them: expected ${keys}`)
  }
  const prompt = promptText(readText(value))
  const missing = fieldsOf(task).filter((field) => !new RegExp(`\\b${field}\\b`).test(prompt))
  if (missing.length === 0) return { kind: 'prompt', stage, task: task.name, text: prompt }
  throw wrong(text, `the prompt does not name ${missing.join(', ')}, which every answer to ${task.name} has`)
}

function fieldsOf(task: Task<Json, Json>): readonly string[] {
  const { required } = task.schema as { readonly required?: readonly string[] }
  return required ?? []
}

function wrong(text: string, why: string): LoomlogError {
  return new LoomlogError('input-invalid', `--set ${text}: ${why}`)
}
