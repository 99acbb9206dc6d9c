/**
 * Builds the page with Vite into `bundle/`: index.html, and assets with hashed names. No file is inlined, since the
 * page's policy allows files alone. A build takes the bundle's place at once, as others may build at the same time.
 */
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const folder = fileURLToPath(new URL('../', import.meta.url))

export async function buildInspector(): Promise<void> {
  const made = await mkdtemp(join(folder, 'bundle-'))
  try {
    await build({
      configFile: false,
      root: join(folder, 'page'),
      base: '/',
      logLevel: 'warn',
      plugins: [react()],
      // Its packages find the workspace's React, and not another version beside them.
      resolve: { dedupe: ['react', 'react-dom'] },
      build: {
        outDir: made,
        emptyOutDir: true,
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        target: 'es2023',
      },
    })
    await rm(join(folder, 'bundle'), { recursive: true, force: true })
    await rename(made, join(folder, 'bundle'))
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}
