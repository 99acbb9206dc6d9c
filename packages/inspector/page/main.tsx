/** The entry of the page. */
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './styles/base.css'
import './styles/views.css'
import './styles/stream.css'
import './styles/server.css'

const place = document.getElementById('page')
if (place === null) throw new Error('index.html has no element for the page')
createRoot(place).render(<App />)
