/** Small conversations in which a careless memory states a falsehood or serves an outdated value. */
import type { Line } from './memory.ts'

/** A change: the line that states the old value, the line that states the new one, and a question about it. */
interface Change {
  readonly lines: readonly Line[]
  readonly ask: string
  readonly old: number
  readonly current: number
}

const on = (at: string, says: string): Line => ({ at, says })

function change(ask: string, old: string, current: string, days = ['2026-06-01', '2026-06-15']): Change {
  const [first = '', second = ''] = days
  return { ask, lines: [on(first, old), on(second, current)], old: 0, current: 1 }
}

export const changes: { readonly [space: string]: Change } = {
  'home-next-day': change('Where does Sofia live?', 'Sofia: I live in Graz.', 'Sofia: I moved to Linz yesterday.', [
    '2026-06-01',
    '2026-06-02',
  ]),
  'home-weeks-later': change(
    'Where does Sofia live?',
    'Sofia: I live in Graz.',
    'Sofia: I moved to Linz two weeks ago.',
    ['2026-06-01', '2026-06-10'],
  ),
  budget: change(
    'What is the budget?',
    'Priya: The budget for Atlas is 80k.',
    'Priya: The budget for Atlas went from 80k to 65k.',
  ),
  price: change(
    'What is the transaction fee?',
    'Tom: The transaction fee is 0.4 %.',
    'Tom: The transaction fee is 0.35 % now.',
  ),
  queue: change(
    'Which queue do we use?',
    'Marcus: We use RabbitMQ for the jobs.',
    'Marcus: We moved the jobs from RabbitMQ to SQS.',
  ),
  theme: change(
    'Is the editor of Hannah dark?',
    'Hannah: My editor is dark.',
    'Hannah: I switched my editor from dark to light.',
  ),
  diet: change('Is Igor a vegetarian?', 'Igor: I am a vegetarian.', 'Igor: I am no longer a vegetarian.'),
  staff: change(
    'How many employees does Lena have?',
    'Lena: We have one employee.',
    'Lena: We have two employees now.',
  ),
  workshop: change(
    'When is the workshop?',
    'Priya: The workshop is on the 14th of July.',
    'Priya: Sorry, the workshop is on the 16th, not the 14th.',
  ),
}

/** Lines, each with statements that it does not make. */
export const falsehoods: readonly { readonly line: Line; readonly never: RegExp }[] = [
  { line: on('2026-04-01', 'Marcus: I am allergic to Friday deploys.'), never: /April|allergic to \d/ },
  { line: on('2025-12-15', 'Lena: The shop is closed from 22 December.'), never: /2024/ },
  { line: on('2026-05-05', 'Tom: My birthday is on 3 May, not today.'), never: /2026|2027/ },
  { line: on('2026-03-09', 'Priya: Marcus joins Platform, the rest of the team stays.'), never: /team joins/i },
  { line: on('2026-03-09', 'Priya: We have a stand-up every Monday.'), never: /March/ },
  { line: on('2026-03-09', 'Priya: I set mirrored = false in the config.'), never: /mirrored/ },
  {
    line: on('2026-03-09', 'Marcus: The table of Atlas:\n```sql\nupdated_at timestamptz NOT NULL DEFAULT now()\n```'),
    never: /timestamptz|updated/i,
  },
  { line: on('2026-03-09', "Tom: I left Hannah's team last year."), never: /left Hannah(?!'s team)/ },
  { line: on('2026-03-09', 'Hannah: I never said that I own a boat.'), never: /^(?!.*never said).*owns? a boat/ },
  { line: on('2026-03-09', 'Hannah: If I lived in Graz, I would sell the car.'), never: /lives in Graz|sold|sells/ },
  { line: on('2026-06-15', 'Priya: Sorry, the workshop is on the 16th, not the 14th.'), never: /June/ },
  { line: on('2026-03-09', 'Hannah: I live in Graz now. In my dreams.'), never: /Graz/ },
  { line: on('2026-03-09', 'Igor: Just kidding: I own a boat.'), never: /boat/ },
  { line: on('2026-03-09', 'Igor: I own a boat, almost.'), never: /boat/ },
  { line: on('2026-05-04', 'Lena: I have an exam on 3 May.'), never: /2025|2027/ },
  { line: on('2026-03-09', 'Igor: I do not eat fish.'), never: /^(?!.*\b(?:not|n't)\b).*eats? fish/ },
]

/** Questions in languages that the rules don't read. `at` is the index of the line with the answer. */
export const otherLanguages: readonly {
  readonly lines: readonly string[]
  readonly ask: string
  readonly at: number
}[] = [
  {
    lines: [
      'Jana: Der Mietvertrag läuft bis Ende März.',
      'Jana: Die Heizung wird am Donnerstag repariert.',
      'Max: Meine Schwester arbeitet bei der Bahn in Linz.',
    ],
    ask: 'Wann wird die Heizung repariert?',
    at: 1,
  },
  {
    lines: [
      'Jana: Der Mietvertrag läuft bis Ende März.',
      'Jana: Die Heizung wird am Donnerstag repariert.',
      'Max: Meine Schwester arbeitet bei der Bahn in Linz.',
    ],
    ask: 'Wo arbeitet die Schwester von Max?',
    at: 2,
  },
  {
    lines: [
      'Lucía: La reunión con el cliente es el jueves.',
      'Mateo: Mi padre necesita un piso con ascensor.',
      'Lucía: El presupuesto del viaje es de 2.400 euros.',
    ],
    ask: '¿Cuál es el presupuesto del viaje?',
    at: 2,
  },
  {
    lines: [
      'Lucía: La reunión con el cliente es el jueves.',
      'Mateo: Mi padre necesita un piso con ascensor.',
      'Lucía: El presupuesto del viaje es de 2.400 euros.',
    ],
    ask: '¿Quién necesita un ascensor?',
    at: 1,
  },
  {
    lines: ['小王: 客户周三要看报告。', '小李: 我妹妹在杭州的银行工作。', '小王: 浴室的热水器坏了。'],
    ask: '谁在银行工作?',
    at: 1,
  },
  {
    lines: ['小王: 客户周三要看报告。', '小李: 我妹妹在杭州的银行工作。', '小王: 浴室的热水器坏了。'],
    ask: '热水器怎么了?',
    at: 2,
  },
  {
    lines: ['小王: 客户周三要看报告。', '小李: 我妹妹在杭州的银行工作。', '小王: 浴室的热水器坏了。'],
    ask: '客户什么时候看报告?',
    at: 0,
  },
]
