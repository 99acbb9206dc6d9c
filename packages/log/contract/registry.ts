/** The schema registry: ids that stay, and versions that fit those before them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoomlogError } from '@loomlog/errors'
import type { Setup } from './setup.ts'

interface Field {
  readonly name: string
  readonly type: unknown
  readonly default?: unknown
}

export function registryContract(setup: () => Setup): void {
  test('the same schema has the same id everywhere, and is read back by it', async (t) => {
    const [log, other] = [setup().log, await setup().handle(t)]
    const { subject, schema } = newSubject(setup())
    const text = schema({ name: 'x', type: 'string' })
    const id = await log.schemas.register(subject, text, 'FULL_TRANSITIVE')
    assert.equal(await other.schemas.register(subject, text, 'FULL_TRANSITIVE'), id)
    assert.deepEqual(JSON.parse(await other.schemas.schema(id)), JSON.parse(text))
    const later = schema({ name: 'x', type: 'string' }, { name: 'y', type: 'int', default: 0 })
    const laterId = await other.schemas.register(subject, later, 'FULL_TRANSITIVE')
    assert.notEqual(laterId, id)
    assert.equal(await log.schemas.register(subject, text, 'FULL_TRANSITIVE'), id, 'an earlier version keeps its id')
  })

  test('a version that cannot read every earlier one is refused, and the subject is named', async () => {
    const { schemas } = setup().log
    const { subject, schema } = newSubject(setup())
    await schemas.register(subject, schema({ name: 'x', type: 'string' }), 'BACKWARD_TRANSITIVE')
    await schemas.register(subject, schema(), 'BACKWARD_TRANSITIVE')
    const incompatible = schema({ name: 'x', type: 'int', default: 0 })
    await assert.rejects(schemas.register(subject, incompatible, 'BACKWARD_TRANSITIVE'), (error) => {
      assert.ok(isLoomlogError(error, 'schema-refused'))
      assert.ok(error.message.includes(subject), error.message)
      return true
    })
  })

  test('full compatibility also refuses what earlier versions could not read', async () => {
    const { schemas } = setup().log
    const { subject, schema } = newSubject(setup())
    await schemas.register(subject, schema({ name: 'x', type: 'string' }), 'FULL_TRANSITIVE')
    await assert.rejects(schemas.register(subject, schema(), 'FULL_TRANSITIVE'), (error) =>
      isLoomlogError(error, 'schema-refused'),
    )
  })

  test('a text that is no Avro schema is refused', async () => {
    const { schemas } = setup().log
    for (const text of ['{"type":"recor"}', 'not JSON']) {
      await assert.rejects(schemas.register(setup().name('loomlog.Nothing'), text, 'FULL_TRANSITIVE'), (error) =>
        isLoomlogError(error, 'schema-refused'),
      )
    }
  })

  test('an id that was never assigned is unknown', async () => {
    await assert.rejects(setup().log.schemas.schema(2_000_000_000), (error) => isLoomlogError(error, 'schema-unknown'))
  })
}

function newSubject(setup: Setup): { readonly subject: string; schema(...fields: Field[]): string } {
  const name = setup.name('Record').replaceAll('-', '_')
  return {
    subject: `loomlog.test.${name}`,
    schema: (...fields) => JSON.stringify({ type: 'record', name, namespace: 'loomlog.test', fields }),
  }
}
