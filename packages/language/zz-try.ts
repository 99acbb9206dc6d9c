import { restate } from './restate.ts'
import { timedSentences } from './restate/timed-sentences.ts'
import { functionalRelation } from './relations.ts'
const args = process.argv.slice(2)
for (const text of args) {
  const at = Date.UTC(2026,3,7,14)
  console.log('#', text)
  for (const s of timedSentences(text, at)) console.log('   ', s.map(w=>`${w.text}/${w.pos}`).join(' '))
  for (const s of restate({speaker:'Ines',text,at},{addressee:null,previous:[],participants:['Ines','Maya','Tomas','Ledger','Scout']})) console.log('   =>', s.text, `[${s.subject}|${s.relation}|${s.object}]`, s.kind, s.when?.text ?? '', functionalRelation(s)?.slot ?? '')
}
