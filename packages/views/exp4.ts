// 100k rows x 512 in one space: nearest latency flat; and zero vectors, null vectors; icu/split
import * as lancedb from '@lancedb/lancedb'
import {encodeRows,type Row} from './row.ts'
const uri='/tmp/vx/e4-'+process.pid
const D=512
const db=await lancedb.connect(uri,{readConsistencyInterval:0})
const row=(id:string,space:string,vector:Float32Array|null,text='x'):[string,Row]=>[space+'/'+id,{id,space,conversation:'c',speaker:'s',text,payload:'{}',seq:0,ordinal:0,at:null,validFrom:null,validTo:null,knownFrom:1,knownTo:null,offset:1,deleted:false,vector}]
const rv=()=>Float32Array.from({length:D},()=>Math.random()-.5)
const t=await db.createTable('u',encodeRows([row('z','t/z',new Float32Array(D)),row('n','t/z',null),row('o','t/z',rv())],D))
const near=async(sp:string,v:Float32Array)=>{const t0=performance.now();const g=await t.query().nearestTo(v).distanceType('cosine').where(`space='${sp}' AND NOT deleted`).limit(10).select(['id','_distance']).toArray();return [g.map((x:any)=>[x.id,x._distance]).slice(0,3),performance.now()-t0]}
console.log(JSON.stringify(await near('t/z',rv())),JSON.stringify(await near('t/z',new Float32Array(D))))
for(let i=0;i<50;i++)await t.add(encodeRows(Array.from({length:1000},(_,j)=>row(`${i}-${j}`,j%2?'t/big':'t/s'+(j%100),rv())),D))
await t.createIndex('space',{config:lancedb.Index.btree()})
await t.optimize()
console.log(await t.countRows("space='t/big'"))
for(const sp of ['t/big','t/big','t/big','t/s2','t/s2','t/s2'])console.log(sp,JSON.stringify(await near(sp,rv())))
console.log(await t.query().nearestTo(rv()).distanceType('cosine').where(`space='t/s2' AND NOT deleted`).limit(10).select(['id','_distance']).explainPlan())
