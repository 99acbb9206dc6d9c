/** The parts of an OpenAPI document that the reference page shows. */
export interface ApiSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: ApiSchema }
  readonly required?: readonly string[]
  readonly items?: ApiSchema
  readonly anyOf?: readonly ApiSchema[]
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  /** A component, such as `#/components/schemas/FeedEvent`. */
  readonly $ref?: string
}

interface Content {
  readonly [mediaType: string]: { readonly schema: ApiSchema }
}

export interface ApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: ApiSchema
}

export interface ApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  /** The scope that a caller needs; empty: none. */
  readonly security: readonly { readonly key: readonly string[] }[]
  readonly parameters?: readonly ApiParameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: { readonly [status: string]: { readonly description?: string; readonly content?: Content } }
}

export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: { readonly [path: string]: { readonly [method: string]: ApiOperation } }
  readonly components: { readonly schemas: { readonly [name: string]: ApiSchema } }
}
