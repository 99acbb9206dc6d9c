/** What every command takes, and what every command in a space does. */
export interface CommonOptions {
  readonly dir?: string
  readonly json?: true
}

export interface PlaceOptions extends CommonOptions {
  readonly tenant: string
  readonly space: string
}
