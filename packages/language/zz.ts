import { resolveTimes, findTimes } from './times.ts'
import { names } from './names.ts'
import { terms, keywords } from './terms.ts'
const at=Date.UTC(2023,4,8,13,56)
for (const s of ["Two weeks ago I ran a race.","Last weekend's trip was great","Yesterday was fun","The meeting on July 4 was good","We leave in two weeks","my 18th birthday was ten years ago", "in a few months", "The show is on Friday"]) console.log(JSON.stringify(s), '→', resolveTimes(s,at).text, '|', findTimes(s,at).map(t=>t.display+' '+t.text).join('; '))
console.log(names('Hey Melanie, I\'m reading "Becoming Nicole" by Amy Ellis Nutt in Paris. My dog Max and my friend Zorg went to the Museum of Modern Art in May.'))
console.log(terms("I've been running in the parks, haven't I?"), keywords(["My dog Max loves the park in Paris, and Max runs"],5))
