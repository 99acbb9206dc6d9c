/** A section of a page, and a table that scrolls on a narrow one. */
import type { ReactNode } from 'react'

interface OfTable {
  /** Titles of the columns; `#` begins that of a column of numbers. */
  readonly head: readonly string[]
  readonly children: ReactNode
}

export function Table({ head, children }: OfTable) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section className="table" tabIndex={0} aria-label={`Table: ${head[0]}`}>
      <table>
        <thead>
          <tr>
            {head.map((title) =>
              title === '' ? (
                <td key={title} />
              ) : (
                <th key={title} scope="col" className={title.startsWith('#') ? 'number' : undefined}>
                  {title.replace('#', '')}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
