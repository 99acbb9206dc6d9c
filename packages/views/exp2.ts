import * as lancedb from '@lancedb/lancedb'
import * as arrow from 'apache-arrow'
const uri='/tmp/vx/e2-'+process.pid
const D=512
const f=(n:string,t:arrow.DataType,nullable=false)=>new arrow.Field(n,t,nullable)
const schema=new arrow.Schema([f('id',new arrow.Utf8()),f('space',new arrow.Utf8()),f('text',new arrow.Utf8()),f('seq',new arrow.Float64()),f('valid_to',new arrow.Float64(),true),f('offset',new arrow.Float64()),f('deleted',new arrow.Bool()),
 f('vector',new arrow.FixedSizeList(D,new arrow.Field('item',new arrow.Float32(),true)),true)])
let seed=1;const rnd=()=>(seed=(seed*1103515245+12345)%2147483648)/2147483648
const words=Array.from({length:800},(_,i)=>'w'+i)
const sent=()=>Array.from({length:5+Math.floor(rnd()*20)},()=>words[Math.floor(rnd()*rnd()*800)]).join(' ')
const row=(id:string,offset:number,text=sent(),space='t/s'+Math.floor(rnd()*rnd()*20))=>({id,space,text,seq:0,valid_to:null as number|null,offset,deleted:rnd()<.05,vector:Array.from({length:D},()=>rnd()-.5) as number[]|null})
const db=await lancedb.connect(uri,{readConsistencyInterval:0})
const all=[] as ReturnType<typeof row>[]
const t=await db.createTable({name:'u',data:lancedb.makeArrowTable([{...row('#watermark',0,'',''),vector:null,deleted:true}],{schema}) as any,mode:'create'})
await t.createIndex('text',{config:lancedb.Index.fts({baseTokenizer:'icu',stem:true,removeStopWords:false,withPosition:false})})
await t.createIndex('id',{config:lancedb.Index.btree()})
await t.createIndex('space',{config:lancedb.Index.btree()})
const add=async(n:number)=>{const rows=[];for(let i=0;i<n;i++)rows.push(row('r'+(all.length+i),1));all.push(...rows);await t.mergeInsert('id').whenMatchedUpdateAll({where:'source.offset > target.offset'}).whenNotMatchedInsertAll().execute(lancedb.makeArrowTable(rows,{schema}) as any)}
const lit=(s:string)=>`'${s.replaceAll("'","''")}'`
const fts=(space:string,q:string,k:number)=>t.query().fullTextSearch(new lancedb.MatchQuery(q,'text',{}),{columns:['text']}).where(`space = ${lit(space)} AND NOT deleted`).limit(k).select(['id','_score','space','text']).toArray()
const check=async(label:string)=>{let bad=0,tot=0,dup=0;const t0=performance.now();let q=0
 for(let s=0;s<20;s++)for(const w of ['w1','w50','w300','w700','w2 w400','w600 w601 w602']){const sp='t/s'+s;const terms=w.split(' ')
  const want=new Set(all.filter(r=>r.space===sp&&!r.deleted&&terms.some(x=>r.text.split(' ').includes(x))).map(r=>r.id))
  for(const k of [1000,5]){
  const got=await fts(sp,w,k);q++;const ids=new Set(got.map((g:any)=>g.id));dup+=got.length-ids.size
  const ok=k===1000?want.size===ids.size&&[...want].every(x=>ids.has(x)):ids.size===Math.min(5,want.size)&&[...ids].every(x=>want.has(x as string));tot++;if(!ok){bad++;if(bad<4)console.log(label,sp,w,k,'want',want.size,'got',ids.size)}}}
 console.log(label,'rows',all.length,'bad',bad,'of',tot,'dups',dup,'ms/query',((performance.now()-t0)/q).toFixed(2))}
await add(300);await check('unindexed');await t.optimize();await check('optimised')
await add(300);await check('half');for(let i=0;i<20;i++)await add(20);await check('20 frags');await t.optimize();await check('optimised')
for(let i=0;i<8;i++)await add(500);await check('5k 8 unindexed frags');await t.optimize();await check('optimised 5k')
// updates
const ups=all.slice(0,200).map(r=>({...r,text:sent(),offset:2}));ups.forEach((r,i)=>all[i]=r as any)
await t.mergeInsert('id').whenMatchedUpdateAll({where:'source.offset > target.offset'}).whenNotMatchedInsertAll().execute(lancedb.makeArrowTable(ups,{schema}) as any);await check('after updates');await t.optimize();await check('after updates optimised')
// nearest
const v=all[7]!.vector!
for(const sp of ['t/s0','t/s15']){for(let r=0;r<3;r++){const t0=performance.now();const got=await t.query().nearestTo(v).distanceType('cosine').where(`space = ${lit(sp)} AND NOT deleted`).limit(10).select(['id','_distance']).toArray();console.log('nearest',sp,performance.now()-t0,got.length)}}
const cnt=await t.countRows(`space='t/s0'`);console.log(cnt)
for(const q of ['"quoted','a AND b OR (c','*','w1*','+w1 -w2','field:w1','😀','','   ','日本語','naïve','NULL',"it's",'\u0000w1','w1\ud800'])try{const g=await fts('t/s0',q,3);console.log(JSON.stringify(q),g.length)}catch(x){console.log(JSON.stringify(q),'ERR',(x as Error).message.slice(0,200))}
for(const n of [1e3,1e4,1e5]){const q=Array.from({length:n/5},(_, i)=>'w'+i%900).join(' ');const t0=performance.now();try{const g=await fts('t/s0',q,3);console.log(n,g.length,performance.now()-t0)}catch(x){console.log(n,(x as Error).message.slice(0,200))}}
all.length=0
const scripts=['我们昨天在北京吃了火锅','東京タワーに行きました','Привет как дела друзья','مرحبا بالعالم','สวัสดีครับผมชื่อสมชาย','안녕하세요 여러분','naïve café','running runs','😀 party','C++ and c#','foo_bar-baz','v0.39.0','user@example.com']
await t.mergeInsert('id').whenNotMatchedInsertAll().execute(lancedb.makeArrowTable(scripts.map((x,i)=>({...row('x'+i,1,x,'q'),deleted:false})),{schema}) as any)
for(const o of ['un','opt']){for(const q of ['北京','火锅','東京','друзья','Друзья','بالعالم','ชื่อ','안녕하세요','cafe','run','😀','C++','c#','foo_bar','baz','0.39.0','example.com','the'])console.log(o,q,(await fts('q',q,9)).map((g:any)=>g.text));await t.optimize()}
for(const q of ['北京','C++ and 😀','foo_bar-baz v0.39.0'])console.log(q,await t.tokenize(q,{column:'text'}))
