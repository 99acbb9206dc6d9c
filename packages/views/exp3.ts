import * as lancedb from '@lancedb/lancedb'
import * as arrow from 'apache-arrow'
import {existsSync} from 'node:fs'
const uri='/tmp/vx/e3-'+process.pid
const f=(n:string,t:arrow.DataType,nullable=false)=>new arrow.Field(n,t,nullable)
const schema=new arrow.Schema([f('id',new arrow.Utf8()),f('seq',new arrow.Float64()),f('offset',new arrow.Float64())])
const db=await lancedb.connect(uri,{readConsistencyInterval:0})
console.log('exists',existsSync(uri))
const t=await db.createTable({name:'u',data:lancedb.makeArrowTable([{id:'#watermark',seq:1,offset:0}],{schema}) as any})
try{await db.createTable({name:'u',data:lancedb.makeArrowTable([{id:'#watermark',seq:1,offset:0}],{schema}) as any})}catch(x){console.log('exists err:',(x as Error).message.slice(0,100))}
try{await db.openTable('nope')}catch(x){console.log('nope err:',(x as Error).message.slice(0,160))}
const nasty=["it's","''","a\\'b","\\","\"dq\"","a;-- x","%_","\n\t","\u0000nul","😀","ä","`","${x}","{a}","'; DROP","\u2019","\ud800"]
await t.add(nasty.map((id,i)=>({id,seq:i,offset:i})))
for(const n of nasty){const lit=`'${n.replaceAll("'","''")}'`;try{const r=await t.query().where(`id = ${lit}`).toArray();if(r.length!==1||r[0].id!==n)console.log('literal differs',JSON.stringify(n),r.length,JSON.stringify(r[0]?.id))}catch(x){console.log('lit err',JSON.stringify(n),(x as Error).message.slice(0,150))}}
for(const n of [2**53-1,1.5,-3,1e21,1e-7,0])try{await t.add([{id:'n'+n,seq:n,offset:0}]);console.log(n,(await t.query().where(`seq = ${n}`).toArray()).length)}catch(x){console.log('num',n,(x as Error).message.slice(0,100))}
const cond=(e:number,p:number)=>`1 / CAST((target.id <> '#watermark' OR (target.seq = ${e} AND target.offset = ${p})) AS INT) = 1 AND source.offset > target.offset`
const merge=(tb:lancedb.Table,rows:any,c:string)=>tb.mergeInsert('id').whenMatchedUpdateAll({where:c}).whenNotMatchedInsertAll().execute(lancedb.makeArrowTable(rows,{schema}) as any)
for(const idx of [0,1]){
 if(idx){await t.createIndex('id',{config:lancedb.Index.btree()})}
 const hs=await Promise.all([1,2,3,4].map(async()=>(await lancedb.connect(uri)).openTable('u')))
 let wins=0;const errs=new Map<string,number>();let w=idx?20:0; const base=w
 for(let r=0;r<20;r++){const res=await Promise.allSettled(hs.map((h,i)=>merge(h,[{id:'#watermark',seq:1,offset:w+1},{id:`k${w}`,seq:i,offset:w},{id:`own${w}-${i}`,seq:i,offset:w}],cond(1,w))))
  const ok=res.filter(x=>x.status==='fulfilled').length; if(ok!==1)console.log('round',r,'ok',ok); for(const x of res)if(x.status==='rejected'){const m=(x.reason as Error).message.slice(40,140);errs.set(m,(errs.get(m)??0)+1)} else wins++
  w++}
 console.log('wins',wins,'k',await t.countRows("id like 'k%'"),'own',await t.countRows("id like 'own%'"),[...errs])
}
