import { startEngine } from '../../dist/engine/engine.js';
import { tf } from '../../dist/engine/tf.js';
import { CORRECTED } from '../../dist/encoders/define-encoder.js';
import { getEncoderFamily } from '../../dist/encoders/registry.js';
import { readEncoderManifest } from '../../dist/manifests/encoder-manifest.js';
import { dense } from '../../dist/layers/dense.js';
import { crossEntropy } from '../../dist/engine/ops/cross-entropy.js';
import { createDeferredScope, ParameterStore } from '../../dist/layers/parameters.js';
import { createRandom } from '../../dist/random.js';
import { createOptimizer } from '../../dist/training/optimizers/create-optimizer.js';
await startEngine();
const [B,S]=[8,224];
const store=new ParameterStore(); const scope=createDeferredScope(store, createRandom(0));
const { family: id, hyperparameters } = readEncoderManifest('vit-small-timm');
const family = await getEncoderFamily(id);
const encoder = family.build(scope.child('encoder'), hyperparameters, CORRECTED);
const classify = dense(scope.child('head'), hyperparameters.width, 7);
const images=tf.randomNormal([B,S,S,3]); const labels=tf.tensor1d([0,1,2,3,4,5,6,0],'int32');
const f=()=>crossEntropy(classify(encoder.embed({images:{optical:images}},{training:true})),labels);
tf.tidy(()=>{f();return 0});
const trained=store.all.filter(({variable})=>variable.trainable); const variables=trained.map(v=>v.variable);
const optimizer=createOptimizer({name:'adamw',groups:[{parameters:trained,learningRate:1e-4,weightDecay:0.05}]});
const backend=tf.backend(); const times=new Map(); let on=false;
const binding=backend.binding; 
const own=Object.create(null); for(const k of Object.getOwnPropertyNames(binding)){const v=binding[k]; own[k]=typeof v==='function'?v.bind(binding):v;}
for(const m of ['executeOp','createTensor','deleteTensor','tensorDataSync']){ if(!own[m]) continue; const g=own[m]; own[m]=(name,...rest)=>{const a=performance.now(); const r=g(name,...rest); const d=performance.now()-a; if(on){const nm=m==='executeOp'?name:m; const shape=Array.isArray(r)?r.map?.(x=>x.shape?.join('x')).join(','):''; const key=process.argv[2]==='shape'?`${nm} ${shape}`:nm; const e=times.get(key)??[0,0]; e[0]+=d;e[1]++;times.set(key,e);} return r;};}
backend.binding=own;
const step=()=>{const {value,grads}=tf.variableGrads(f,variables);optimizer.step(variables.map(v=>grads[v.name]));value.dataSync();tf.dispose([value,grads]);};
step();step(); on=true; const N=5; const a=performance.now(); const c=process.cpuUsage(); for(let i=0;i<N;i++)step(); const t=(performance.now()-a)/N; const u=process.cpuUsage(c);
console.log('step ms',t,'cpu',(u.user+u.system)/1e3/N,'system',u.system/1e3/N, process.resourceUsage().minorPageFault);
let sum=0; for(const [k,[d,n]] of [...times].sort((x,y)=>y[1][0]-x[1][0]).slice(0,40)) {console.log((d/N).toFixed(1).padStart(8),n/N,k);} for(const [d] of times.values())sum+=d/N; console.log('sum',sum);
process.exit(0)
